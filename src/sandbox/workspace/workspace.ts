// The state of the local workspace: everything that Slack would remember, in memory.
import { type Changes, createChanges } from "./changes.ts"
import type { Channel } from "./channels.ts"
import { SandboxError } from "./error.ts"
import { createIds, type IdOptions, type Ids } from "./ids.ts"
import { createMessages, type Ephemeral, type Message, type MessageStore } from "./messages.ts"
import type { Group, Person } from "./people.ts"
import type { WorkspaceSeed } from "./seed.ts"
import { createViews, type ViewStore } from "./views.ts"

/** What Slack itself told a person, such as that the app did not answer. */
export interface Notice {
  readonly personId: string
  readonly ts: string
  readonly text: string
}

/** The workspace. Whatever changes it makes `changes` tell. */
export interface Workspace {
  readonly team: WorkspaceSeed["team"]
  readonly app: WorkspaceSeed["app"]
  readonly changes: Changes
  readonly ids: Ids
  readonly clock: () => number
  readonly people: ReadonlyMap<string, Person>
  readonly groups: ReadonlyMap<string, Group>
  readonly channels: ReadonlyMap<string, Channel>
  readonly messages: MessageStore<Message>
  readonly ephemerals: MessageStore<Ephemeral>
  readonly views: ViewStore
  readonly notices: readonly Notice[]
  /** Adds a person or replaces one with the same id. */
  readonly putPerson: (person: Person) => void
  readonly putGroup: (group: Group) => void
  readonly putChannel: (channel: Channel) => void
  /** The direct conversation of the bot and the person; made when there is none. */
  readonly directChannel: (person: Person) => Channel
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
  const notices: Notice[] = []
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
export function personOf(workspace: Workspace, id: string): Person {
  const person = workspace.people.get(id)
  if (!person) throw new SandboxError("no_such_thing", `There is no person ${id}`)
  return person
}

/** The channel with this id, as the person sees it. Throws `no_such_thing`, or `not_visible` if they are not in it. */
export function channelFor(workspace: Workspace, personId: string, channelId: string): Channel {
  const channel = workspace.channels.get(channelId)
  if (!channel) throw new SandboxError("no_such_thing", `There is no channel ${channelId}`)
  if (!channel.memberIds.includes(personId)) {
    throw new SandboxError("not_visible", `${personId} is not in channel ${channelId}`)
  }
  return channel
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

function directOf(channels: ReadonlyMap<string, Channel>, personId: string): Channel | undefined {
  return [...channels.values()].find((channel) => channel.kind === "im" && channel.memberIds.includes(personId))
}

function direct(person: Person, botUserId: string): Channel {
  const id = `D${person.id.slice(1)}`
  return { id, name: person.name, kind: "im", memberIds: [person.id, botUserId], archived: false, external: false }
}
