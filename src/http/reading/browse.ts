// Finds the cases that a query asks for, page by page, latest first or by state. Limits how many cases one request
// looks through.
import { setImmediate } from "node:timers/promises"
import { type Case, outcomesOf } from "../../domain/case/case.ts"
import type { Truth } from "../../domain/condition/evaluate.ts"
import { truthOfFilter } from "../../domain/simulation/kept-filter.ts"
import { isLike } from "../../domain/text/glob.ts"
import type { CasePlace, ListedCase, Reading, Tampered } from "../../flow/ports.ts"
import { type CasesQuery, cursorOf, standings } from "./query.ts"

/** How many cases one request looks through. The next page continues there. */
const maxLooked = 2_000
/** How many cases are read at once. */
const readAtOnce = 100

/** A page of cases. `next`: the cursor of the next page, or null. Even a short page has one if more is left. */
interface CasePage {
  readonly cases: readonly (Case | Tampered)[]
  readonly next: string | null
  /** How many more may be asked for: nobody can tell, since what `when` looks at is masked, erased or in doubt. */
  readonly perhaps: number
  /** Set if the request looked through as many cases as it may. */
  readonly lookedTo: LookedTo | null
}

/** How far back a request looked. `among`: for the cases of which state, if they are sorted by it. */
export interface LookedTo {
  /** When the last case that it looked at was first seen, epoch ms. */
  readonly at: number
  readonly among: Standing | null
}

type Standing = (typeof standings)[number]

/** A case that we looked at, the group in which it was found, and whether it is asked for. */
interface LookedAt extends ListedCase {
  readonly group: number
  readonly asked: Truth
}

/** Finds the cases that a query asks for, latest first, or group after group. Throws `StoreError`. */
export async function browse(reading: Pick<Reading, "cases">, query: CasesQuery): Promise<CasePage> {
  const found: LookedAt[] = []
  let [looked, perhaps] = [0, 0]
  for await (const one of lookThrough(reading, query)) {
    looked += 1
    if (one.asked === "true" && found.length === query.limit)
      return { ...pageOf(found, found.at(-1)), perhaps, lookedTo: null }
    if (one.asked === "true") found.push(one)
    if (one.asked === "unknown" && found.length < query.limit) perhaps += 1
    if (looked < maxLooked) continue
    const among = query.sort === "state" ? (standings[one.group] ?? null) : null
    return { ...pageOf(found, one), perhaps, lookedTo: { at: one.place.openedAt, among } }
  }
  return { ...pageOf(found, undefined), perhaps, lookedTo: null }
}

/**
 * Looks at one case after the other, from the cursor of a query on, and says of each whether the query asks for it.
 * Between two cases others get their turn. Throws `StoreError`.
 */
export async function* lookThrough(
  reading: Pick<Reading, "cases">,
  query: CasesQuery,
): AsyncGenerator<LookedAt, undefined> {
  const { since, until = null, cursor } = query
  const groups = query.sort === "state" ? standings : [null]
  let after: CasePlace | null = cursor ?? null
  for (let group = cursor?.group ?? 0; group < groups.length; group += 1) {
    const wanted = groups[group] ?? null
    do {
      const page: readonly ListedCase[] = await reading.cases({ after, until, limit: readAtOnce })
      const recent = page.filter(({ place }) => since === undefined || place.openedAt >= since)
      for (const one of recent) {
        const here = wanted === null || standingIn(one.found) === wanted
        yield { ...one, group, asked: here ? truthOfQuery(one.found, query) : "false" }
        await setImmediate()
      }
      after = recent.length < readAtOnce ? null : (page.at(-1)?.place ?? null)
    } while (after !== null)
  }
}

/** Whether a query asks for a case: nobody can tell it where its `when` is in doubt. */
function truthOfQuery(found: Case | Tampered, query: CasesQuery): Truth {
  if (!isAskedFor(found, query)) return "false"
  return query.when === undefined || "kind" in found ? "true" : truthOfFilter(query.when, found)
}

function pageOf(found: readonly LookedAt[], last: LookedAt | undefined): Pick<CasePage, "cases" | "next"> {
  const next = last === undefined ? null : cursorOf({ group: last.group, ...last.place })
  return { cases: found.map((one) => one.found), next }
}

/** The group of a case in the order by state. */
function standingIn(found: Case | Tampered): Standing {
  if ("kind" in found || found.state === "frozen") return "frozen"
  const [outcome] = outcomesOf(found)
  return standings.find((one) => one === outcome) ?? "waiting"
}

/** True if a query asks for a case. If we did not seal a case, we trust nothing in it: only state and id find it. */
function isAskedFor(found: Case | Tampered, query: CasesQuery): boolean {
  if ("kind" in found) return isTamperedAskedFor(found, query)
  const { summary, approval, instance, votes, decision } = found
  const voters = [...votes, ...(decision?.votes ?? [])]
  return [
    query.state === undefined || isIn(found.state, query.state),
    query.instance === undefined || query.instance === instance,
    query.outcome === undefined || outcomesOf(found).includes(query.outcome),
    isLike(query.team, [summary.team, approval?.teamId]),
    isLike(query.agent, [summary.agent, approval?.agentId, approval?.teamId]),
    isLike(query.tool, [summary.tool, approval?.toolName]),
    query.person === undefined ||
      voters.some(({ person, name }) => person.user === query.person || isLike(query.person, [name])),
    query.text === undefined || holds(wordsIn(found), query.text),
  ].every(Boolean)
}

function isTamperedAskedFor({ caseId }: Tampered, query: CasesQuery): boolean {
  const { state, instance, agent, team, outcome, tool, person, when, text } = query
  const others = [instance, agent, team, outcome, tool, person, when].every((one) => one === undefined)
  return others && (state === undefined || state === "frozen") && (text === undefined || holds([caseId], text))
}

function isIn(state: Case["state"], asked: NonNullable<CasesQuery["state"]>): boolean {
  if (asked === "waiting") return state === "open" || state === "sending"
  return asked === "over" ? state === "settled" || state === "closed" : state === asked
}

function wordsIn({ id, approvalId, instance, summary, votes, decision, outcome, revision }: Case): readonly string[] {
  const cast = [...votes, ...(decision?.votes ?? [])].flatMap(({ name, subject, reason, person }) => [
    name,
    subject,
    reason,
    person.user,
  ])
  const end = outcome === null || outcome.kind === "vanished" ? null : outcome.resolvedBy
  const facts = [id, approvalId, instance, summary.tool, summary.agent, summary.requester, decision?.id, end]
  const all = [...facts, ...cast, revision.digest, ...revision.quotas.map(({ name }) => name)]
  return all.filter((word) => typeof word === "string")
}

function holds(words: readonly string[], text: string): boolean {
  const wanted = text.toLowerCase()
  return words.some((word) => word.toLowerCase().includes(wanted))
}
