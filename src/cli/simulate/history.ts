// The cases of the past, one after the other, each with what a simulation has to know about it.
import type { Case } from "../../domain/case/case.ts"
import { isJsonArray, isJsonObject, type Json, type JsonObject } from "../../domain/content/json.ts"
import { withRaisedRules } from "../../domain/limit/limit.ts"
import { type Person, personKey, type SlackId } from "../../domain/people/person.ts"
import type { Policy } from "../../domain/policy/policy.ts"
import { type Circumstances, looksOf } from "../../domain/policy/when.ts"
import { type Approver, ruleHash } from "../../domain/rule/rule.ts"
import { builtInInstance } from "../../domain/rule/rules-change.ts"
import type { AskedRule } from "../../domain/simulation/ask-counts.ts"
import { contentOf } from "../../domain/simulation/kept-content.ts"
import { createLimitHistory } from "../../domain/simulation/limit-history.ts"
import type { PastCase, SimulationOptions } from "../../domain/simulation/simulation.ts"
import type { CasePlace, ListedCase, Reading } from "../../flow/ports.ts"
import type { Directory } from "./directory.ts"

/** What we need to read the past. */
export interface HistoryOptions {
  readonly reading: Pick<Reading, "cases" | "entriesOf">
  readonly directory: Directory
  readonly tried: Policy
  readonly inForce: Policy
}

/** How many cases are in memory at once. */
const pageSize = 200

/** All cases of agents that we first saw at `since` (epoch ms) or later, latest first. Throws `StoreError`. */
export async function* casesSince(reading: HistoryOptions["reading"], since: number): AsyncGenerator<ListedCase> {
  let after: CasePlace | null = null
  for (;;) {
    const page: readonly ListedCase[] = await reading.cases({ after, until: null, limit: pageSize })
    for (const listed of page) {
      if (listed.place.openedAt < since) return
      const { found } = listed
      // No rule that is tried asks about changes of the rules.
      if ("kind" in found || found.instance !== builtInInstance) yield listed
    }
    after = page.at(-1)?.place ?? null
    if (page.length < pageSize) return
  }
}

/** What a simulation looks up. */
export interface LookUps {
  /** By `ruleHash`: who may decide now under each rule that is tried. */
  readonly people: ReadonlyMap<string, ReadonlySet<string>>
  /** What the simulation has to know of a case. Each rule and each person is looked up once. */
  readonly lookUp: (current: Case) => Promise<PastCase>
}

/** Looks up the rules first; `lookUp` then looks up each case. */
export async function createLookUps(options: HistoryOptions): Promise<LookUps> {
  const { directory, tried, inForce } = options
  const known = new Map<string, AskedRule>()
  for (const rule of withRaisedRules([...tried.rules, ...inForce.rules])) {
    const hash = ruleHash(rule)
    if (!known.has(hash)) known.set(hash, { name: rule.name, hash, people: await directory.peopleUnder(rule) })
  }
  const people = new Map([...known].map(([hash, rule]) => [hash, rule.people] as const))
  const strict = tried.rules.some(({ forbidSelfApproval }) => forbidSelfApproval)
  const knownBehind = (current: Case): Promise<SlackId | null> =>
    directory.requester(contentOf(current).approval.userId, tried.identities)
  return {
    people,
    lookUp: async (current) => ({
      current,
      asked: await askedOf(options, known, current),
      voters: await votersOf(directory, current),
      known: strict ? await knownBehind(current) : null,
      circumstances: await circumstancesOf(options, current),
    }),
  }
}

/** The sums of limits. They need all earlier cases that were approved: a sum reaches further back than the replay. */
export async function limitsOfThePast(
  options: HistoryOptions,
  { keptSince, onCase }: { readonly keptSince: number | null; readonly onCase: (openedAt: number) => void },
): Promise<SimulationOptions["limits"]> {
  const { reading, tried, inForce } = options
  const limits = {
    tried: createLimitHistory({ policy: tried, keptSince }),
    inForce: createLimitHistory({ policy: inForce, keptSince }),
  }
  if ([...tried.rules, ...inForce.rules].every(({ limit }) => limit === undefined)) return limits
  for await (const { place, found } of casesSince(reading, Number.NEGATIVE_INFINITY)) {
    onCase(place.openedAt)
    if ("kind" in found) {
      for (const one of [limits.tried, limits.inForce]) one.unreadable(place.openedAt)
      continue
    }
    limits.tried.take({ current: found, circumstances: await circumstancesOf(options, found) })
    const { policy, circumstances = { requester: null, at: null } } = found.revision
    limits.inForce.take({ current: found, circumstances }, policy !== inForce.revision)
  }
  return limits
}

async function votersOf(directory: Directory, { decision }: Case): Promise<ReadonlyMap<string, Person | null>> {
  const voters = new Map<string, Person | null>()
  for (const { person } of decision?.votes ?? []) voters.set(personKey(person), await directory.person(person))
  return voters
}

/** What the rules know of the requester and the time. Both are sealed in the case, if a rule looked at them then. */
async function circumstancesOf({ directory, tried, inForce }: HistoryOptions, current: Case): Promise<Circumstances> {
  const looks = looksOf(tried)
  const { number, policy, circumstances } = current.revision
  const at = circumstances?.at ?? (number === 1 ? current.openedAt : null)
  if (!looks.requester) return { requester: null, at }
  const there = looksOf(inForce).groups
  const asked = policy === inForce.revision && looks.groups.every((group) => there.includes(group))
  const sealed = asked ? (circumstances?.requester ?? null) : null
  return { requester: sealed ?? (await directory.circumstances(contentOf(current).approval, tried)), at }
}

/** The rules that asked. The ledger tells which people each rule listed, even if the config no longer has the rule. */
async function askedOf(
  options: HistoryOptions,
  known: Map<string, AskedRule>,
  current: Case,
): Promise<readonly AskedRule[] | null> {
  const { quotas } = current.revision
  if (quotas.some(({ hash }) => !known.has(hash))) await learnRules(options, known, current)
  const asked = quotas.flatMap(({ hash }) => known.get(hash) ?? [])
  return asked.length === quotas.length ? asked : null
}

async function learnRules(
  { reading, directory }: HistoryOptions,
  known: Map<string, AskedRule>,
  { id, revision }: Case,
): Promise<void> {
  const told = await lastTold(reading, id)
  for (const { name, hash } of revision.quotas) {
    const words = told.get(name)
    if (words === undefined || known.has(hash)) continue
    // The entry does not say whether the rule let guests in. That matters only for people on the rule's list.
    const listing = { approvers: words.map(approverOf), allowGuests: true, allowExternal: true }
    known.set(hash, { name, hash, people: await directory.peopleUnder(listing) })
  }
}

/** No case has more entries than this. */
const maxEntries = 10_000

/** The people that each rule listed, by the last entry about the case's demand. Empty if the entry does not tell. */
async function lastTold(
  reading: HistoryOptions["reading"],
  caseId: string,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const entries = await reading.entriesOf(caseId, { after: 0, limit: maxEntries })
  const events = entries.flatMap(({ said }) => (said === null ? [] : [said.event]))
  const last = events.findLast(({ kind }) => kind === "opened" || kind === "revised")
  const asked = last?.["asked"]
  return new Map(isJsonArray(asked) ? asked.filter(isJsonObject).flatMap(askedApprovers) : [])
}

function askedApprovers({ rule, approvers }: JsonObject): readonly (readonly [string, readonly string[]])[] {
  if (typeof rule !== "string" || !isJsonArray(approvers)) return []
  return [[rule, approvers.filter((word: Json) => typeof word === "string")]]
}

/** The approver that an entry names; an entry has only an id or an address. */
function approverOf(word: string): Approver {
  if (word.includes("@")) return { kind: "email", email: word }
  return word.startsWith("S") ? { kind: "group", id: word } : { kind: "user", id: word }
}
