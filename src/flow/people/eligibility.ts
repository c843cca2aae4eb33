// Who may decide a case: approvers, requester and one person, read when it counts, at most 30 s old (R5, R6, R7).
import { type Case, demandAs } from "../../domain/case/case.ts"
import type { Quota, Vote } from "../../domain/case/vote.ts"
import type { Identity } from "../../domain/people/human.ts"
import {
  cleanName,
  foldName,
  type HomeTeam,
  oneIdentity,
  type Person,
  personKey,
  type SlackId,
  slackIdOf,
} from "../../domain/people/person.ts"
import { isServiceAccount, listedAs, matchRequester, type RequesterMatch } from "../../domain/people/requester.ts"
import {
  type Approvers,
  forbidsProposer,
  judge,
  judgeBreaker,
  type Lent,
  quorumOf,
  type Refusal,
} from "../../domain/policy/judge.ts"
import type { LimitReading } from "../../domain/policy/limit-reading.ts"
import { type Demand, standbyOf } from "../../domain/policy/policy.ts"
import { approversUnder } from "../../domain/policy/timing.ts"
import { type Approver, type Rule, ruleHash } from "../../domain/rule/rule.ts"
import { isProposedBy } from "../../domain/send-back/proposals.ts"
import { isPortError, type People, type Ports, refusalOfSlack } from "../ports.ts"
import type { LimitsNow } from "./limits-now.ts"
import { fullRules, type OpenReviews, toBreakers } from "./open-reviews.ts"
import { lentTo } from "./stand-ins.ts"

export type JudgePorts = Pick<Ports, "people" | "identityLinks" | "policy" | "clock" | "alarm" | "orders">

/** A person as we judged them just now, with what the judgement rests on. */
export type Judged =
  | {
      readonly ok: true
      readonly person: Person
      readonly demand: Demand
      /** Names of the rules under which the vote counts. */
      readonly rules: readonly string[]
      /** For whom it counts under those of them that do not list this person; absent if they all do. */
      readonly lent?: Lent
      readonly quotas: readonly Quota[]
      /** Rules that list this person and that limits may come to demand. The vote will count under these rules, too. */
      readonly standby: readonly Rule[]
      /** How we read the limits for this vote; null if we read none. */
      readonly limits: VoteLimits | null
      /** The open reviews of the rules whose glass this vote breaks; null if it breaks none. */
      readonly reviews: OpenReviews | null
      /** The quotas for votes with the same values, if these values leave fewer rules; else null. */
      readonly valued: readonly Quota[] | null
      /** The MACs of the votes that the case held at the time of this judgement. */
      readonly beside: readonly string[]
    }
  | { readonly ok: false; readonly refusal: Refusal }

/** How we read limits for a vote: with the values that it filled in (`valued`), and without (`all`). */
export interface VoteLimits extends Pick<LimitsNow, "at" | "sums"> {
  readonly all: readonly LimitReading[]
  readonly valued: readonly LimitReading[]
}

/** What somebody wants, and what they filled in for an approval, if anything. */
export interface Wanted extends Pick<Vote, "verb" | "calledBack" | "glass">, Partial<Pick<Vote, "values">> {
  readonly limits?: VoteLimits | null
  /** For a vote by breaking glass: the open reviews, if we have just read them. */
  readonly reviews?: OpenReviews | null
}

/**
 * Judges one person on one case, under the rules that are left after what they filled in. Throws if Slack does not say
 * who they are: then nobody decides.
 */
export async function judgePerson(
  ports: JudgePorts,
  current: Case,
  id: SlackId,
  { verb, values = null, limits = null, glass, reviews = null }: Wanted,
): Promise<Judged> {
  const demand = demandAs(current, ports.policy, { filled: values, ...(limits && { limits: limits.valued }) })
  // Breaking glass never counts for a rule that a limit may come to demand.
  const ready = glass === true ? [] : standbyOf(demand)
  const asked = glass === true ? demand.rules.map(toBreakers) : [...demand.rules, ...ready]
  const userId = current.approval?.userId ?? null
  const { identities } = ports.policy
  const look = (one: SlackId) => ports.people.look(one, freshMs)
  const [person, approvers, known] = await Promise.all([
    look(id),
    approversOf(ports, { ...demand, rules: asked }),
    findRequester(ports, userId, identities).catch((error: unknown) => {
      // The requester may reject, too, so for a rejection we need not know who that is.
      if (verb === "approve" || refusalOfSlack(error) === null) throw error
      return null
    }),
  ])
  const requester = matchRequester({ userId, voter: person, identities, known })
  const proposer = isProposedBy(current, person, identities)
  // Nobody breaks the glass for somebody else.
  const listed = (rules: readonly Rule[]) => approversOf(ports, { ...demand, rules })
  const judgement =
    glass === true
      ? judgeBreaker({ person, demand, breakers: approvers, requester, proposer, full: fullRules(reviews) })
      : judge({
          person,
          verb,
          demand,
          standby: ready,
          approvers,
          lent: await lentTo(ports, current, id, { demand, approvers, known, look, listed }),
          requester,
          proposer,
        })
  if (!judgement.ok) return judgement
  const { ok, rules, ...lent } = judgement
  const all = values === null ? demand : demandAs(current, ports.policy, limits === null ? {} : { limits: limits.all })
  const quotas = all.rules.map((rule) => quotaOf(current, rule, requester))
  const valued =
    all.rules.length === demand.rules.length ? null : demand.rules.map((rule) => quotaOf(current, rule, requester))
  const beside = current.votes.map((vote) => vote.mac)
  const standby = ready.filter(({ name }) => rules.includes(name))
  return { ok, person, demand, rules, ...lent, quotas, standby, limits, reviews, valued, beside }
}

/** What a rule asks for this requester. Its condition counts as we read it when we made the revision. */
export function quotaOf({ revision, proposerUnread }: Case, rule: Rule, requester: RequesterMatch): Quota {
  const hash = ruleHash(rule)
  const { when } = revision.quotas.find((one) => one.name === rule.name && one.hash === hash) ?? {}
  // Whoever proposed may be the one who approves, so they need somebody else.
  const atLeast = proposerUnread === true && forbidsProposer(rule) ? 2 : 1
  const quorum = Math.max(atLeast, quorumOf(rule, requester))
  return { name: rule.name, hash, quorum, ...(when === undefined ? {} : { when }) }
}

/** We read people and groups at most this long before a vote (R5). */
export const freshMs = 30_000

/** The ports that tell who is who. */
interface IdentifyPorts extends Pick<Ports, "identityLinks" | "clock" | "alarm"> {
  readonly people: People["spare"]
}

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

/** Whom one approver stands for, as `personKey`s. Adds to `conflicts` whom a contested address could mean. */
export async function keysOf(
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
      return linkedKeys(ports, approver.email, conflicts)
  }
}

/**
 * The person that an e-mail counts for: the one that it was linked to when first seen. Once it has belonged to somebody
 * else, it counts for nobody until an operator links it again (R7), even if it belongs to the first person again. It
 * also counts for nobody while Slack does not tell whose it is (`createAddressCheck` raises that alarm).
 */
async function linkedKeys(
  ports: IdentifyPorts,
  email: string,
  conflicts: Map<string, string>,
): Promise<readonly string[]> {
  const [known, { person: now, trouble }] = await Promise.all([
    newestLink(ports, email, () => ports.identityLinks.read(email)),
    ports.people.holderOf(email, freshMs),
  ])
  if (known === "behind" || trouble !== null) return []
  const linked = known ?? (now === null ? null : await ports.identityLinks.pin(email, now, ports.clock()))
  if (linked === null) return []
  const person = personKey(oneIdentity(ports.people.home, linked.person))
  const moved = now !== null && personKey(now) !== person
  if (moved) await ports.identityLinks.contest(email, now, ports.clock())
  const other = moved ? now : linked.contested
  if (other === null) return [person]
  for (const key of [person, personKey(other)]) conflicts.set(key, email)
  ports.alarm({ code: "email-means-somebody-else", email, pinned: person, now: personKey(other) })
  return []
}

/**
 * The Slack user that an e-mail of the rules is linked to. Pins an e-mail that was never pinned. Null if the link is
 * contested (R7), or if nobody has the e-mail. Throws if Slack does not say.
 */
export async function linkedUser(ports: IdentifyPorts, email: string): Promise<string | null> {
  const known = await newestLink(ports, email, () => ports.identityLinks.read(email))
  if (known === "behind") return null
  if (known !== null) return known.contested === null ? known.person.user : null
  const [key] = await linkedKeys(ports, email, new Map())
  return key === undefined ? null : slackIdOf(key).user
}

/** The person that the requester's claim means: by a listed identity, or a Slack user by e-mail or id. Else null. */
export async function findRequester(
  ports: { readonly people: People["spare"] },
  userId: string | null,
  identities: readonly Identity[],
  maxAgeMs = freshMs,
): Promise<SlackId | null> {
  if (userId === null || isServiceAccount(userId)) return null
  const listed = listedAs(userId, identities)
  if (listed !== undefined) return { team: listed.team, user: listed.user }
  const claim = cleanName(userId)
  if (claim.includes("@")) return ports.people.byEmail(claim, maxAgeMs)
  const slack = slackIdIn(claim, ports.people.home)
  return slack !== null && (await exists(ports, slack, maxAgeMs)) ? slack : null
}

/**
 * The one account that the requester's claim means for certain, or null. It may call the request back (R1), so this is
 * stricter than `findRequester`: a claim that could mean two accounts means nobody, and so does a contested address
 * (R7).
 */
export async function oneRequester(
  ports: IdentifyPorts,
  userId: string | null,
  identities: readonly Identity[],
): Promise<SlackId | null> {
  const found = await findRequester(ports, userId, identities)
  if (userId === null || found === null) return null
  const claim = cleanName(userId)
  const listed = identities.filter(({ subject }) => foldName(subject) === foldName(claim))
  const byEmail = claim.includes("@") ? await ports.people.byEmail(claim, freshMs) : null
  const link = claim.includes("@")
    ? await newestLink(ports, claim.toLowerCase(), () => ports.identityLinks.read(claim.toLowerCase()))
    : null
  if (link === "behind" || (link !== null && link.contested !== null)) return null
  const all = [found, ...listed, ...(byEmail === null ? [] : [byEmail]), ...(link === null ? [] : [link.person])]
  const keys = new Set(all.map((one) => personKey(oneIdentity(ports.people.home, one))))
  return keys.size === 1 ? oneIdentity(ports.people.home, found) : null
}

function slackIdIn(userId: string, home: HomeTeam): SlackId | null {
  const parts = /^(?:slack:)?(?:([TE][A-Z0-9]+):)?([UW][A-Z0-9]+)$/.exec(userId)
  return parts?.[2] === undefined ? null : oneIdentity(home, { team: parts[1] ?? home.team, user: parts[2] })
}

async function exists(ports: { readonly people: People["spare"] }, id: SlackId, maxAgeMs: number): Promise<boolean> {
  const person = await ports.people.look(id, maxAgeMs).catch((error: unknown) => ifUnknownUser(error))
  return person !== null
}

/** Null if Slack clearly says that there is no such user. Throws any other failure, which stops the judgement. */
function ifUnknownUser(error: unknown): null {
  if (isPortError(error) && error.source === "slack" && error.notFound === true) return null
  throw error
}

/**
 * The link that `read` gives. If it is older than the ledger, or not ours (`behind`), it counts for nobody (R7, R14),
 * and we raise an alarm.
 */
export async function newestLink<Link>(
  ports: Pick<Ports, "alarm">,
  email: string,
  read: () => Promise<Link>,
): Promise<Link | "behind"> {
  try {
    return await read()
  } catch (error) {
    if (!isPortError(error) || (error.code !== "behind" && error.code !== "tampered")) throw error
    ports.alarm({ code: `link-${error.code}`, email, hint: "countersign people link says anew whom it means" })
    return "behind"
  }
}
