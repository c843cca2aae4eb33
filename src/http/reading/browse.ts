// Finds the cases that a query asks for, page by page, latest first or by state. Limits how many cases one request
// looks through.
import { type Case, outcomesOf } from "../../domain/case/case.ts"
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
}

/** A case that is asked for, and the group in which it was found. */
interface FoundCase extends ListedCase {
  readonly group: number
}

/** Finds the cases that a query asks for, latest first, or group after group. Throws `StoreError`. */
export async function browse(reading: Pick<Reading, "cases">, query: CasesQuery): Promise<CasePage> {
  const { since, until = null, limit, cursor } = query
  const groups = query.sort === "state" ? standings : [null]
  const found: FoundCase[] = []
  let group = cursor?.group ?? 0
  let after: CasePlace | null = cursor ?? null
  for (let looked = 0; group < groups.length; ) {
    const page = await reading.cases({ after, until, limit: readAtOnce })
    looked += readAtOnce
    const recent = page.filter(({ place }) => since === undefined || place.openedAt >= since)
    const wanted = groups[group] ?? null
    for (const one of recent)
      if ((wanted === null || standingIn(one.found) === wanted) && isAskedFor(one.found, query))
        found.push({ ...one, group })
    if (found.length > limit) return pageOf(found.slice(0, limit), found[limit - 1])
    const place = page.at(-1)?.place ?? null
    after = recent.length < readAtOnce ? null : place
    if (after === null) group += 1
    else if (looked >= maxLooked) return pageOf(found, { group, place: after })
  }
  return pageOf(found, undefined)
}

function pageOf(found: readonly FoundCase[], last: Pick<FoundCase, "group" | "place"> | undefined): CasePage {
  const next = last === undefined ? null : cursorOf({ group: last.group, ...last.place })
  return { cases: found.map((one) => one.found), next }
}

/** The group of a case in the order by state. */
function standingIn(found: Case | Tampered): (typeof standings)[number] {
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
  const { state, instance, agent, team, outcome, tool, person, text } = query
  const others = [instance, agent, team, outcome, tool, person].every((one) => one === undefined)
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
