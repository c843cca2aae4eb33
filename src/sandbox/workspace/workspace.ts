// The state of the local workspace: everything that Slack would remember, in memory.
import { type Changes, createChanges } from "./changes.ts"
import type { SlackChannel } from "./channels.ts"
import { SandboxError } from "./error.ts"
import { createIds, type IdOptions, type Ids } from "./ids.ts"
import { createMessages, type Ephemeral, type MessageStore, type PostedMessage } from "./messages.ts"
import type { Group, SlackAccount } from "./people.ts"
import type { WorkspaceSeed } from "./seed.ts"
import { createViews, type ViewStore } from "./views.ts"

/** What Slack itself told a person, such as that the app did not answer. */
export interface SlackNotice {
  readonly personId: string
  readonly ts: string
  readonly text: string
}

/** The workspace. `changes` tells of each change. */
export interface Workspace extends Pick<WorkspaceSeed, "team" | "app"> {
  readonly changes: Changes
  readonly ids: Ids
  readonly clock: () => number
  readonly people: ReadonlyMap<string, SlackAccount>
  readonly groups: ReadonlyMap<string, Group>
  readonly channels: ReadonlyMap<string, SlackChannel>
  readonly messages: MessageStore<PostedMessage>
  readonly ephemerals: MessageStore<Ephemeral>
  readonly views: ViewStore
  readonly notices: readonly SlackNotice[]
  /** Adds a person or replaces one with the same id. */
  readonly putPerson: (person: SlackAccount) => void
  readonly putGroup: (group: Group) => void
  readonly putChannel: (channel: SlackChannel) => void
  /** The direct conversation of the bot and the person. It is made if there is none. */
  readonly directChannel: (person: SlackAccount) => SlackChannel
  readonly notify: (personId: string, text: string) => void
}

/** Makes a workspace from a seed. Throws `bad_seed` if the seed's bot is not among its people. */
export function createWorkspace(seed: WorkspaceSeed, options: IdOptions): Workspace {
  const changes = createChanges()
  const ids = createIds(options)
  const people = indexed(seed.people)
  const groups = indexed(seed.groups)
  const channels = indexed(seed.channels)
  const putChannel = put(channels, changes)
  const notices: SlackNotice[] = []
  if (!people.has(seed.app.botUserId)) {
    throw new SandboxError("bad_seed", `The seed's bot ${seed.app.botUserId} is not one of its people`)
  }
  return {
    team: seed.team,
    app: seed.app,
    changes,
    ids,
    clock: options.clock,
    people,
    groups,
    channels,
    notices,
    messages: createMessages(changes.notify),
    ephemerals: createMessages(changes.notify),
    views: createViews(ids, changes.notify),
    putPerson: put(people, changes),
    putGroup: put(groups, changes),
    putChannel,
    directChannel: (person) => {
      const known = directOf(channels, person.id)
      if (known) return known
      const made = direct(person, seed.app.botUserId)
      putChannel(made)
      return made
    },
    notify: (personId, text) => {
      notices.push({ personId, text, ts: ids.ts() })
      changes.notify()
    },
  }
}

/** The person with this id. Throws `no_such_thing`. */
export function personOf(workspace: Workspace, id: string): SlackAccount {
  const person = workspace.people.get(id)
  if (!person) throw new SandboxError("no_such_thing", `There is no person ${id}`)
  return person
}

/** The channel with this id, as the person sees it. Throws `no_such_thing`, or `not_visible` if they are not in it. */
export function channelFor(workspace: Workspace, personId: string, channelId: string): SlackChannel {
  const channel = workspace.channels.get(channelId)
  if (!channel) throw new SandboxError("no_such_thing", `There is no channel ${channelId}`)
  if (!channel.memberIds.includes(personId)) {
    throw new SandboxError("not_visible", `${personId} is not in channel ${channelId}`)
  }
  return channel
}

/** The organization, as commands and teams name it. */
export function gridOf({ team: { enterprise } }: Workspace): Record<string, string> {
  return enterprise === undefined ? {} : { enterprise_id: enterprise.id, enterprise_name: enterprise.name }
}

function put<T extends { readonly id: string }>(into: Map<string, T>, changes: Changes): (item: T) => void {
  return (item) => {
    into.set(item.id, item)
    changes.notify()
  }
}

function indexed<T extends { readonly id: string }>(items: readonly T[]): Map<string, T> {
  return new Map(items.map((item) => [item.id, item]))
}

function directOf(channels: ReadonlyMap<string, SlackChannel>, personId: string): SlackChannel | undefined {
  return [...channels.values()].find((channel) => channel.kind === "im" && channel.memberIds.includes(personId))
}

function direct(person: SlackAccount, botUserId: string): SlackChannel {
  const id = `D${person.id.slice(1)}`
  return { id, name: person.name, kind: "im", memberIds: [person.id, botUserId], archived: false, external: false }
}
