// People: who a Slack user is, who is in a user group, whom an e-mail means. What Slack does not say is a failure, never a guess.
import { z } from "zod"
import type { Json } from "../domain/content/json.ts"
import { oneIdentity, type Person, type SlackId } from "../domain/people/person.ts"
import { type Clock, isPortError, type People, type SharedAnswers } from "../flow/ports.ts"
import { createCache } from "./cache.ts"
import { ChatError, NO_TOKEN, slackCodeOf, UNSEEN } from "./errors.ts"
import { type Groups, keptGroups, membersOf, readGroups } from "./groups.ts"
import type { SlackIdentity } from "./identity.ts"
import { personOf, type SlackUser } from "./person-of.ts"
import type { Call } from "./web.ts"

const CACHE_SIZE = 5_000
const MEMBERS_A_PAGE = 999
const MEMBER_PAGES = 20
/** How old an answer may be for who only looks while Slack does not answer, in ms. */
const PATIENT_MS = 600_000

/** What the lookup of people is made of. */
export interface PeopleOptions {
  readonly call: Call
  readonly identity: SlackIdentity
  readonly clock: Clock
  /** Where replicas share what grows with groups, addresses and replicas. Default: each asks by itself. */
  readonly answers?: SharedAnswers | undefined
}

/** Makes the lookup of people. Each key has one request in flight; the reader says how old an answer may be. */
export function createPeople(options: PeopleOptions): People {
  const caches = createCaches(options)
  const strict = lookUps(options, caches)
  return { ...strict, patient: patientOf(options, caches) }
}

type LookUps = Omit<People, "patient">
type Caches = ReturnType<typeof createCaches>

/** An address: whom it means, or Slack's word why it does not tell. */
const keptEmail = z.object({
  person: z.object({ team: z.string(), user: z.string() }).nullable(),
  refused: z.string().nullable().default(null),
})

function createCaches({ call, identity, clock, answers }: PeopleOptions) {
  const common = { clock, size: CACHE_SIZE }
  return {
    users: createCache({ ...common, read: (user, at) => readUser(call, identity, user, at) }),
    channels: createCache({ ...common, read: (channel) => readChannel(call, channel) }),
    groups: createCache<Groups>({
      ...common,
      read: () => readGroups(call),
      shared: answers && { answers, nameOf: () => "groups", write: (groups) => groups, parse: readerOf(keptGroups) },
    }),
    emails: createCache({
      ...common,
      read: (email, at) => readEmail(call, identity, email, at),
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

/** Looks up what is at most as old as each caller allows; while Slack does not answer, at most `atWorstMs`. */
function lookUps({ identity }: PeopleOptions, caches: Caches, atWorstMs?: number): LookUps {
  const { users, groups, channels, emails } = caches
  const askEmail = (email: string, maxAgeMs: number) => emails.get(email.toLowerCase(), maxAgeMs, atWorstMs)
  return {
    home: identity,
    look: async (id, maxAgeMs) => judgedAs(id, identity, await users.get(id.user, maxAgeMs, atWorstMs)),
    members: async (group, maxAgeMs) => membersOf(await groups.get("all", maxAgeMs, atWorstMs), group, identity.team),
    inChannel: async (channel, id, maxAgeMs) => {
      const members = await channels.get(channel, maxAgeMs, atWorstMs)
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

/** Where Slack said nothing yet and does not answer, a group and an address mean nobody. */
function patientOf(options: PeopleOptions, caches: Caches): People {
  const known = lookUps(options, caches, PATIENT_MS)
  const patient: People = {
    ...known,
    members: (group, maxAgeMs) => known.members(group, maxAgeMs).catch(ifPassing({ keys: [], trouble: null })),
    byEmail: (email, maxAgeMs) => known.byEmail(email, maxAgeMs).catch(ifPassing(null)),
    holderOf: (email, maxAgeMs) => known.holderOf(email, maxAgeMs).catch(ifPassing({ person: null, trouble: null })),
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

/** A person whose click names a workspace that is not ours is external, whatever `users.info` says of that id. */
function judgedAs(id: SlackId, identity: SlackIdentity, person: Person): Person {
  if (oneIdentity(identity, id).team === identity.team || person.external) return person
  return { ...person, team: id.team, email: null, external: true }
}

async function readUser(call: Call, identity: SlackIdentity, user: string, at: number): Promise<Person> {
  const answer = await call("users.info", (client) => client.users.info({ user }))
  return personOf(checked("users.info", user, answer.user), identity, at)
}

/** Members of a channel; nobody where we may not look, since then nobody can be shown anything for being in it. */
async function readChannel(call: Call, channel: string): Promise<readonly string[]> {
  const members: string[] = []
  let cursor = ""
  try {
    for (let page = 0; page < MEMBER_PAGES; page++) {
      const asked = { channel, limit: MEMBERS_A_PAGE, ...(cursor === "" ? {} : { cursor }) }
      const answer = await call("conversations.members", (client) => client.conversations.members(asked))
      members.push(...(answer.members ?? []))
      cursor = answer.response_metadata?.next_cursor ?? ""
      if (cursor === "") break
    }
    return members
  } catch (error) {
    if (UNSEEN.has(slackCodeOf(error) ?? "")) return []
    throw error
  }
}

type HeldEmail = z.infer<typeof keptEmail>

/** A refusal that trying again does not mend, as of a scope that is missing, is an answer. */
async function readEmail(call: Call, identity: SlackIdentity, email: string, at: number): Promise<HeldEmail> {
  try {
    const answer = await call("users.lookupByEmail", (client) => client.users.lookupByEmail({ email }))
    const user = answer.user
    const person = personOf(checked("users.lookupByEmail", user?.id ?? "", user), identity, at)
    // An address that nobody confirmed proves nothing.
    const isTheirs = person.email?.toLowerCase() === email.toLowerCase()
    return { person: isTheirs ? { team: person.team, user: person.user } : null, refused: null }
  } catch (error) {
    const why = error instanceof ChatError && !error.retryable ? error.slackCode : null
    if (why === null || NO_TOKEN.has(why)) throw error
    return { person: null, refused: why === "users_not_found" ? null : why }
  }
}

function untold(slackCode: string): ChatError {
  const method = "users.lookupByEmail"
  return new ChatError({ code: "refused", method, slackCode, message: `${method}: Slack refuses: ${slackCode}` })
}

/** An answer about somebody else than was asked for is no answer. */
function checked(method: string, id: string, user: SlackUser | undefined): SlackUser {
  if (user === undefined || user.id !== id || id === "") throw unsaid(method, id)
  return user
}

function unsaid(method: string, about: string): ChatError {
  return new ChatError({ code: "bad-answer", method, message: `${method}: Slack's answer says nothing about ${about}` })
}
