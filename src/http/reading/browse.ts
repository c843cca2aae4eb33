// Browse: the cases that a query asks for, page by page. It limits how many cases one request looks through.
import { type Case, outcomesOf } from "../../domain/case/case.ts"
import { isLike } from "../../domain/text/glob.ts"
import type { CasePlace, ListedCase, Reading, Tampered } from "../../flow/ports.ts"
import { type CasesQuery, cursorOf } from "./query.ts"

/** How many cases one request looks through. The next page continues there. */
const maxLooked = 2_000
/** How many cases are read at once. */
const readAtOnce = 100

/** A page of cases. `next`: the cursor of the next page, or null. A short page has one if there is more to look at. */
interface CasePage {
  readonly cases: readonly (Case | Tampered)[]
  readonly next: string | null
}

/** Finds the cases that a query asks for, latest first. Throws `StoreError`. */
export async function browse(reading: Pick<Reading, "cases">, query: CasesQuery): Promise<CasePage> {
  const { since, until = null, limit } = query
  const found: ListedCase[] = []
  let after: CasePlace | null = query.cursor ?? null
  for (let looked = 0; looked < maxLooked; looked += readAtOnce) {
    const page = await reading.cases({ after, until, limit: readAtOnce })
    const recent = page.filter(({ place }) => since === undefined || place.openedAt >= since)
    for (const one of recent.filter((one) => isAskedFor(one.found, query))) found.push(one)
    if (found.length > limit) return pageOf(found.slice(0, limit), found[limit - 1]?.place ?? null)
    if (recent.length < readAtOnce) return pageOf(found, null)
    after = page.at(-1)?.place ?? after
  }
  return pageOf(found, after)
}

function pageOf(found: readonly ListedCase[], next: CasePlace | null): CasePage {
  return { cases: found.map((one) => one.found), next: next === null ? null : cursorOf(next) }
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
