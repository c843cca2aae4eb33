// Everything that one person sees, as JSON for the control API and the page.
import type { Channel } from "../workspace/channels.ts"
import type { Message } from "../workspace/messages.ts"
import type { Group, Person } from "../workspace/people.ts"
import type { InstalledApp, WorkspaceSeed } from "../workspace/seed.ts"
import type { OpenView } from "../workspace/views.ts"
import { type Notice, personOf } from "../workspace/workspace.ts"
import type { World } from "../world.ts"
import { eyesOf } from "./user-actions.ts"

/** A channel with its messages, each with its thread. */
export interface SeenChannel {
  readonly channel: Channel
  readonly messages: readonly { readonly message: Message; readonly replies: readonly Message[] }[]
}

/** What a person sees. */
export interface Snapshot {
  readonly team: WorkspaceSeed["team"]
  readonly app: InstalledApp
  readonly me: Person
  readonly people: readonly Person[]
  readonly groups: readonly Group[]
  readonly channels: readonly SeenChannel[]
  readonly ephemerals: readonly Message[]
  /** The topmost modal. */
  readonly view: OpenView | null
  readonly home: OpenView | null
  readonly notices: readonly Notice[]
}

/** What this person sees right now. Throws `no_such_thing` for an unknown person. */
export function snapshotFor(world: World, personId: string): Snapshot {
  const { workspace } = world
  const eyes = eyesOf(world)
  const channels = [...workspace.channels.values()].filter((channel) => channel.memberIds.includes(personId))
  return {
    team: workspace.team,
    app: workspace.app,
    me: personOf(workspace, personId),
    people: [...workspace.people.values()],
    groups: [...workspace.groups.values()],
    channels: channels.map((channel) => ({
      channel,
      messages: eyes.messages(channel.id).map((message) => ({ message, replies: eyes.thread(channel.id, message.ts) })),
    })),
    ephemerals: eyes.ephemerals(personId),
    view: eyes.openView(personId) ?? null,
    home: eyes.home(personId) ?? null,
    notices: eyes.notices(personId),
  }
}
