// Who is who, read at the moment it counts: approvers of the demanded rules, and whether the requester means anybody (R5, R6, R7).
import type { Identity } from "../domain/people/human.ts"
import { cleanName, type HomeTeam, oneIdentity, type Person, personKey, type SlackId, slackIdOf } from "../domain/people/person.ts"
import { isServiceAccount, listedAs, matchRequester, type RequesterMatch } from "../domain/people/requester.ts"
import type { Approvers } from "../domain/policy/judge.ts"
import type { Approver, Demand } from "../domain/policy/policy.ts"
import { approversUnder } from "../domain/policy/timing.ts"
import { newest } from "./newest-link.ts"
import type { Ports } from "./ports.ts"

/** People and groups are read at most this long before a vote (R5). */
export const freshMs = 30_000

/** What it takes to know who is who. */
export type IdentifyPorts = Pick<Ports, "people" | "pins" | "clock" | "alarm">

/** The approvers of each demanded rule as they are now. Throws if Slack does not say: then nobody decides. */
export async function approversOf(ports: IdentifyPorts, demand: Demand): Promise<Approvers> {
  const conflicts = new Map<string, string>()
  const rules = await Promise.all(
    demand.rules.map(
      async (rule) => [rule.name, await keysOfAll(ports, approversUnder(demand, rule), conflicts)] as const,
    ),
  )
  return { byRule: new Map(rules), conflicts }
}

async function keysOfAll(
  ports: IdentifyPorts,
  approvers: readonly Approver[],
  conflicts: Map<string, string>,
): Promise<ReadonlySet<string>> {
  const keys = await Promise.all(approvers.map((approver) => keysOf(ports, approver, conflicts)))
  return new Set(keys.flat())
}

async function keysOf(
  ports: IdentifyPorts,
  approver: Approver,
  conflicts: Map<string, string>,
): Promise<readonly string[]> {
  switch (approver.kind) {
    case "user":
      return [
        personKey(oneIdentity(ports.people.home, { team: approver.team ?? ports.people.home.team, user: approver.id })),
      ]
    case "group":
      return (await ports.people.members(approver.id, freshMs)).keys
    case "email":
      return pinnedKeys(ports, approver.email, conflicts)
  }
}

/**
 * An e-mail counts for the person it was pinned to when first seen. Once it meant somebody else it counts for nobody, until an operator
 * links it anew (R7), even if it means the first one again.
 */
async function pinnedKeys(
  ports: IdentifyPorts,
  email: string,
  conflicts: Map<string, string>,
): Promise<readonly string[]> {
  const [known, now] = await Promise.all([
    newest(ports, email, () => ports.pins.read(email)),
    ports.people.byEmail(email, freshMs),
  ])
  if (known === "behind") return []
  const pinned = known ?? (now === null ? null : await ports.pins.pin(email, now, ports.clock()))
  if (pinned === null) return []
  const person = personKey(oneIdentity(ports.people.home, pinned.person))
  const moved = now !== null && personKey(now) !== person
  if (moved) await ports.pins.contest(email, now, ports.clock())
  const other = moved ? now : pinned.contested
  if (other === null) return [person]
  for (const key of [person, personKey(other)]) conflicts.set(key, email)
  ports.alarm({ code: "email-means-somebody-else", email, pinned: person, now: personKey(other) })
  return []
}

/**
 * The Slack user that an e-mail of the rules is pinned to; it is pinned now if it never was. Null for one that is contested (R7) or means
 * nobody. Throws if Slack does not say.
 */
export async function pinnedUser(ports: IdentifyPorts, email: string): Promise<string | null> {
  const known = await newest(ports, email, () => ports.pins.read(email))
  if (known === "behind") return null
  if (known !== null) return known.contested === null ? known.person.user : null
  const [key] = await pinnedKeys(ports, email, new Map())
  return key === undefined ? null : slackIdOf(key).user
}

/** Whom the requester's claim means: a listed identity, or a Slack user with that e-mail or id. Null and `sa:…` mean nobody. */
export async function findRequester(
  ports: Pick<Ports, "people">,
  userId: string | null,
  identities: readonly Identity[],
): Promise<SlackId | null> {
  if (userId === null || isServiceAccount(userId)) return null
  const listed = listedAs(userId, identities)
  if (listed !== undefined) return { team: listed.team, user: listed.user }
  const claim = cleanName(userId)
  if (claim.includes("@")) return ports.people.byEmail(claim, freshMs)
  const slack = slackIdIn(claim, ports.people.home)
  return slack !== null && (await exists(ports, slack)) ? slack : null
}

function slackIdIn(userId: string, home: HomeTeam): SlackId | null {
  const parts = /^(?:slack:)?(?:([TE][A-Z0-9]+):)?([UW][A-Z0-9]+)$/.exec(userId)
  return parts?.[2] === undefined ? null : oneIdentity(home, { team: parts[1] ?? home.team, user: parts[2] })
}

async function exists(ports: Pick<Ports, "people">, id: SlackId): Promise<boolean> {
  const person = await ports.people.look(id, freshMs).catch((error: unknown) => ifUnknownUser(error))
  return person !== null
}

/** Only Slack's clear word makes a claim mean nobody; any other failure stops the judgement. */
function ifUnknownUser(error: unknown): null {
  if (error instanceof Error && "slackCode" in error && error.slackCode === "user_not_found") return null
  throw error
}

/** How the claim stands to one voter. */
export function requesterMatch(options: {
  readonly userId: string | null
  readonly voter: Person
  readonly identities: readonly Identity[]
  readonly known: SlackId | null
}): RequesterMatch {
  return matchRequester(options)
}
