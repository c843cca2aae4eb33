// People: who a Slack user is, who is in a user group, whom an e-mail means. What Slack does not say is a failure, never a guess.
import { type Person, personKey, type SlackId } from "../domain/person.ts"
import type { Clock, People } from "../flow/ports.ts"
import { createCache } from "./cache.ts"
import { ChatError, slackCodeOf, UNSEEN } from "./errors.ts"
import type { SlackIdentity } from "./identity.ts"
import { personOf, type SlackUser } from "./person-of.ts"
import type { Call } from "./web.ts"

const CACHE_SIZE = 5_000
const MEMBERS_A_PAGE = 999
const MEMBER_PAGES = 20

/** Makes the lookup of people. Each key has one request in flight; the reader says how old an answer may be. */
export function createPeople(options: {
  readonly call: Call
  readonly identity: SlackIdentity
  readonly clock: Clock
}): People {
  const { call, identity, clock } = options
  const users = createCache({ clock, size: CACHE_SIZE, read: (key, at) => readUser(call, identity, key, at) })
  const groups = createCache({ clock, size: CACHE_SIZE, read: (group) => readMembers(call, identity, group) })
  const channels = createCache({ clock, size: CACHE_SIZE, read: (channel) => readChannel(call, channel) })
  const emails = createCache({ clock, size: CACHE_SIZE, read: (email, at) => readEmail(call, identity, email, at) })
  return {
    team: identity.team,
    look: async (id, maxAgeMs) => judgedAs(id, identity, await users.get(id.user, maxAgeMs)),
    members: (group, maxAgeMs) => groups.get(group, maxAgeMs),
    inChannel: async (channel, id, maxAgeMs) => {
      const members = await channels.get(channel, maxAgeMs)
      return members.includes(id.user)
    },
    byEmail: (email, maxAgeMs) => emails.get(email.toLowerCase(), maxAgeMs),
  }
}

/** A person whose click names a workspace that is not ours is external, whatever `users.info` says of that id. */
function judgedAs(id: SlackId, identity: SlackIdentity, person: Person): Person {
  const ours = id.team === identity.team || (identity.enterprise !== null && id.team === identity.enterprise)
  if (ours || person.external) return person
  return { ...person, team: id.team, email: null, external: true }
}

async function readUser(call: Call, identity: SlackIdentity, user: string, at: number): Promise<Person> {
  const answer = await call("users.info", (client) => client.users.info({ user }))
  return personOf(checked("users.info", user, answer.user), identity, at)
}

async function readMembers(call: Call, identity: SlackIdentity, group: string): Promise<readonly string[]> {
  const answer = await call("usergroups.users.list", (client) => client.usergroups.users.list({ usergroup: group }))
  if (answer.users === undefined) throw unsaid("usergroups.users.list", group)
  return answer.users.map((user) => personKey({ team: identity.team, user }))
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

async function readEmail(call: Call, identity: SlackIdentity, email: string, at: number): Promise<SlackId | null> {
  try {
    const answer = await call("users.lookupByEmail", (client) => client.users.lookupByEmail({ email }))
    const user = answer.user
    const person = personOf(checked("users.lookupByEmail", user?.id ?? "", user), identity, at)
    // An address that nobody confirmed proves nothing.
    return person.email?.toLowerCase() === email.toLowerCase() ? { team: person.team, user: person.user } : null
  } catch (error) {
    if (slackCodeOf(error) === "users_not_found") return null
    throw error
  }
}

/** An answer about somebody else than was asked for is no answer. */
function checked(method: string, id: string, user: SlackUser | undefined): SlackUser {
  if (user === undefined || user.id !== id || id === "") throw unsaid(method, id)
  return user
}

function unsaid(method: string, about: string): ChatError {
  return new ChatError({ code: "bad-answer", method, message: `${method}: Slack's answer says nothing about ${about}` })
}
