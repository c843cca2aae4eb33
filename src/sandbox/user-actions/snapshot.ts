// All that one person sees, as JSON for the control API and the page.
import type { SlackChannel } from "../workspace/channels.ts"
import type { PostedMessage } from "../workspace/messages.ts"
import type { SlackAccount } from "../workspace/people.ts"
import type { WorkspaceSeed } from "../workspace/seed.ts"
import type { OpenView } from "../workspace/views.ts"
import { personOf, type SlackNotice } from "../workspace/workspace.ts"
import type { World } from "../world.ts"
import type { Tour, Try } from "./tour.ts"
import { screensOf } from "./user-actions.ts"

/** A channel and its messages, each with its thread. */
export interface SeenChannel {
  readonly channel: SlackChannel
  readonly messages: readonly { readonly message: PostedMessage; readonly replies: readonly PostedMessage[] }[]
}

/** What a person sees. */
export interface Snapshot extends Omit<WorkspaceSeed, "channels"> {
  readonly me: SlackAccount
  readonly channels: readonly SeenChannel[]
  readonly ephemerals: readonly PostedMessage[]
  /** The topmost modal. */
  readonly view: OpenView | null
  readonly home: OpenView | null
  readonly notices: readonly SlackNotice[]
  /** What the page offers to try, and the words around it; null if there is no tour. */
  readonly tour: (Pick<Tour, "welcome" | "first" | "last"> & { readonly tries: readonly Try[] }) | null
}

/** What this person sees right now. Throws `no_such_thing` if nobody has this id. */
export function snapshotFor(world: World, personId: string): Snapshot {
  const { workspace } = world
  const { tour } = world.offer
  const screens = screensOf(world)
  const channels = [...workspace.channels.values()].filter((channel) => channel.memberIds.includes(personId))
  return {
    team: workspace.team,
    app: workspace.app,
    me: personOf(workspace, personId),
    people: [...workspace.people.values()],
    groups: [...workspace.groups.values()],
    channels: channels.map((channel) => ({
      channel,
      messages: screens
        .messages(channel.id)
        .map((message) => ({ message, replies: screens.thread(channel.id, message.ts) })),
    })),
    ephemerals: screens.ephemerals(personId),
    view: screens.openView(personId) ?? null,
    home: screens.home(personId) ?? null,
    notices: screens.notices(personId),
    tour: tour && { welcome: tour.welcome, first: tour.first, last: tour.last, tries: tour.tries() },
  }
}
