// People: who a user is, who is in a group, who has an address. If Slack does not say, we throw; we never guess.
import { z } from "zod"
import type { Json } from "../../domain/content/json.ts"
import { oneIdentity, type Person, personKey, type SlackId } from "../../domain/people/person.ts"
import { type Clock, isPortError, type Members, type People, type SharedAnswers } from "../../flow/ports.ts"
import { ChatError, insteadOf, lastingRefusal, unseenCodes } from "../transport/errors.ts"
import { pagesOf, type SlackCall } from "../transport/web-client.ts"
import { createCache, type Ease } from "./cache.ts"
import type { SlackIdentity } from "./identity.ts"
import { readEmail, readUser } from "./slack-user.ts"

const cacheSize = 5_000
const membersAPage = 999
const maxMemberPages = 20
/** How old an answer may be for people who only look, while Slack does not answer. In ms. */
const patientMs = 600_000
/** The same for whoever stops something. */
const latelyMs = 86_400_000

interface PeopleOptions {
  readonly call: SlackCall
  readonly identity: SlackIdentity
  readonly clock: Clock
  /** Where replicas share the answers that grow with groups, addresses and replicas. Default: each asks by itself. */
  readonly answers?: SharedAnswers | undefined
}

/** Makes the lookup of people. Each key has one request in flight; the reader says how old an answer may be. */
export function createPeople(options: PeopleOptions): People {
  const caches = createCaches(options)
  const strict = lookUps(options, caches)
  const spare = lookUps(options, caches, { atWorstMs: patientMs, spare: true })
  const lately = lookUps(options, caches, { atWorstMs: latelyMs })
  return { ...strict, spare, lately, patient: patientOf(options, caches, { spare, lately }) }
}

type LookUps = People["spare"]
type Caches = ReturnType<typeof createCaches>

/** Who has an address, or Slack's word for why it does not say. */
const keptEmail = z.object({
  person: z.object({ team: z.string(), user: z.string() }).nullable(),
  refused: z.string().nullable().default(null),
})

function createCaches({ call, identity, clock, answers }: PeopleOptions) {
  const common = { clock, size: cacheSize }
  return {
    users: createCache({ ...common, read: (user, at, spare) => readUser(callAs(call, spare), identity, user, at) }),
    channels: createCache({ ...common, read: (channel) => readMembers(call, channel) }),
    groups: createCache<Groups>({
      ...common,
      read: (_all, _at, spare) => readGroups(callAs(call, spare)),
      shared: answers && { answers, nameOf: () => "groups", write: (groups) => groups, parse: readerOf(keptGroups) },
    }),
    emails: createCache({
      ...common,
      read: (email, at, spare) => readEmail(callAs(call, spare), identity, email, at),
      shared: answers && {
        answers,
        nameOf: (email) => `email ${email}`,
        write: ({ person, refused }) => ({ person: person && { ...person }, refused }),
        parse: readerOf(keptEmail),
      },
    }),
  }
}

function readerOf<T>(schema: z.ZodType<T>): (value: Json) => T | null {
  return (value) => schema.safeParse(value).data ?? null
}

function callAs(call: SlackCall, spare: true | undefined): SlackCall {
  return spare === true ? (method, run) => call(method, run, "spare") : call
}

/** Looks up answers, at most as old as each caller allows. */
function lookUps({ identity }: PeopleOptions, caches: Caches, ease: Ease = {}): LookUps {
  const { users, groups, channels, emails } = caches
  const askEmail = (email: string, maxAgeMs: number) => emails.get(email.toLowerCase(), maxAgeMs, ease)
  return {
    home: identity,
    look: async (id, maxAgeMs) => judgedAs(id, identity, await users.get(id.user, maxAgeMs, ease)),
    members: async (group, maxAgeMs) => membersOf(await groups.get("all", maxAgeMs, ease), group, identity.team),
    inChannel: async (channel, id, maxAgeMs) => {
      const members = await channels.get(channel, maxAgeMs, ease)
      return members.includes(id.user)
    },
    byEmail: async (email, maxAgeMs) => {
      const { person, refused } = await askEmail(email, maxAgeMs)
      if (refused !== null) throw untold(refused)
      return person
    },
    holderOf: async (email, maxAgeMs) => {
      const { person, refused } = await askEmail(email, maxAgeMs)
      return { person, trouble: refused === null ? null : `Slack does not tell whom it means (${refused})` }
    },
  }
}

/** The lookup for people who only look. If Slack has never answered, a group or an address stands for nobody. */
function patientOf(options: PeopleOptions, caches: Caches, beside: Pick<People, "spare" | "lately">): People {
  const known = lookUps(options, caches, { atWorstMs: patientMs })
  const patient: People = {
    ...known,
    members: (group, maxAgeMs) => known.members(group, maxAgeMs).catch(ifPassing({ keys: [], trouble: null })),
    byEmail: (email, maxAgeMs) => known.byEmail(email, maxAgeMs).catch(ifPassing(null)),
    holderOf: (email, maxAgeMs) => known.holderOf(email, maxAgeMs).catch(ifPassing({ person: null, trouble: null })),
    ...beside,
    get patient() {
      return patient
    },
  }
  return patient
}

function ifPassing<T>(instead: T): (error: unknown) => T {
  return (error) => {
    if (isPortError(error) && error.retryable) return instead
    throw error
  }
}

function untold(slackCode: string): ChatError {
  const method = "users.lookupByEmail"
  return new ChatError({ code: "refused", method, slackCode, message: `${method}: Slack refuses: ${slackCode}` })
}

/** The person as we judge them. If their click names another workspace, they are external, whatever Slack says. */
function judgedAs(id: SlackId, identity: SlackIdentity, person: Person): Person {
  if (oneIdentity(identity, id).team === identity.team || person.external) return person
  return { ...person, team: id.team, email: null, external: true }
}

/** The members of a channel. Empty if we may not look: then nobody sees anything as a member. */
function readMembers(call: SlackCall, channel: string): Promise<readonly string[]> {
  const method = "conversations.members"
  const base = { channel, limit: membersAPage }
  const read = async () => {
    const pages = pagesOf(maxMemberPages, (cursor) =>
      call(method, (client) => client.conversations.members({ ...base, ...cursor })),
    )
    return (await Array.fromAsync(pages)).flatMap(({ members = [] }) => members)
  }
  return read().catch(insteadOf(unseenCodes, []))
}

const group = z.object({
  id: z.string(),
  enabled: z.boolean(),
  users: z.array(z.string()),
  // Missing if an older replica shared the group.
  handle: z.string().exactOptional(),
})

/** The groups as another replica kept them. */
export const keptGroups = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("groups"), groups: z.array(group) }),
  z.object({ kind: z.literal("refused"), why: z.string() }),
])

/** The groups of a workspace, or Slack's word for why it does not name them. */
export type Groups = z.infer<typeof keptGroups>

/**
 * Reads all groups. If Slack refuses for good (no scope, no plan), that counts as an answer. Throws `ChatError` for any
 * other failure. https://docs.slack.dev/reference/methods/usergroups.list
 */
export async function readGroups(call: SlackCall): Promise<Groups> {
  try {
    const asked = { include_users: true, include_disabled: true }
    const { usergroups = [] } = await call("usergroups.list", (client) => client.usergroups.list(asked))
    const groups = usergroups.map(({ id = "", date_delete: deletedAt = 0, users = [], handle = "" }) => {
      return { id, enabled: deletedAt === 0, users, ...(handle === "" ? {} : { handle }) }
    })
    return { kind: "groups", groups }
  } catch (error) {
    return { kind: "refused", why: lastingRefusal(error) }
  }
}

/** Whom a group stands for. Nobody if it is gone or switched off, or if Slack does not tell. */
export function membersOf(groups: Groups, id: string, team: string): Members {
  if (groups.kind === "refused") return nobody(`Slack does not tell who is in it (${groups.why})`)
  const found = groups.groups.find((one) => one.id === id)
  if (found === undefined) return nobody("Slack knows no such group")
  if (!found.enabled) return nobody("it is switched off in Slack")
  const name = found.handle === undefined ? {} : { name: found.handle }
  return { keys: found.users.map((user) => personKey({ team, user })), trouble: null, ...name }
}

function nobody(trouble: string): Members {
  return { keys: [], trouble }
}
