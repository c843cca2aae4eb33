// The open reviews of broken glass, by rule. A sum counts them, with one for each case: so a decision by breaking glass
// and the end of a review change it in their own commits, and no record of it can be old (R14).
import { type Case, owesReview } from "../../domain/case/case.ts"
import { longestReviewMs, maxOpenReviews, reviewSum } from "../../domain/glass/glass.ts"
import { writtenAmount } from "../../domain/limit/amount.ts"
import { emptySum, isBlind, type Reservation, type SumState, sumName, withAdded } from "../../domain/limit/sum.ts"
import type { Rule } from "../../domain/rule/rule.ts"
import type { Ports, SumAsRead, SumChange } from "../ports.ts"
import { freedFrom } from "./sum-changes.ts"

export type ReviewPorts = Pick<Ports, "store" | "clock" | "alarm">

/** The rule with those who may break its glass in place of its approvers. */
export function toBreakers({ timing: _later, ...rule }: Rule): Rule {
  return { ...rule, approvers: rule.breakGlass?.approvers ?? [] }
}

/** The rule with those who look at its broken glass in place of its approvers. */
export function toReviewers({ timing: _later, ...rule }: Rule): Rule {
  return { ...rule, approvers: rule.breakGlass?.reviewers ?? [] }
}

/** The open reviews of rules, as we read them. */
export interface OpenReviews {
  /** Epoch ms. */
  readonly at: number
  readonly byRule: readonly { readonly rule: string; readonly read: SumAsRead }[]
}

/** Reads the open reviews of rules that let somebody break the glass. A count that may be old is made anew. */
export async function readOpenReviews(ports: ReviewPorts, rules: readonly Rule[]): Promise<OpenReviews> {
  const names = rules.flatMap(({ name, breakGlass }) => (breakGlass === undefined ? [] : [name]))
  const first = names.length === 0 ? [] : await ports.store.sums(names.map(reviewSum))
  const mended = await Promise.all(first.map((read, index) => mend(ports, read, names[index] ?? "")))
  const sums = mended.includes(true) ? await ports.store.sums(names.map(reviewSum)) : first
  const byRule = sums.map((read, index) => ({ rule: names[index] ?? "", read }))
  return { at: ports.clock(), byRule }
}

/** The names of the rules that let nobody break the glass: too many reviews are open, or nobody knows how many. */
export function fullRules(reviews: OpenReviews | null): readonly string[] {
  if (reviews === null) return []
  const { at, byRule } = reviews
  return byRule.filter(({ read }) => openIn(read, at) >= maxOpenReviews).map(({ rule }) => rule)
}

function openIn({ state, doubt }: SumAsRead, at: number): number {
  if (doubt === "none") return 0
  if (state === null || doubt !== null || isBlind(state, at)) return Number.POSITIVE_INFINITY
  return Object.keys(withAdded(state, [], at).state.amounts).length
}

/** Counts anew by the ledger where the record may be old or lost. True if it did. */
async function mend(ports: ReviewPorts, read: SumAsRead, rule: string): Promise<boolean> {
  const { doubt } = read
  const blind = read.state !== null && isBlind(read.state, ports.clock())
  if (doubt === "none" || (doubt === null && !blind)) return false
  if (doubt === "behind")
    ports.alarm({
      code: "reviews-behind",
      rule,
      hint: "the open reviews of broken glass are counted anew by the ledger",
    })
  const next = await countedReviews(ports, rule)
  const { at, blindUntil } = next
  return ports.store.putSum({ read, next, events: [{ kind: "sum-begun", at, why: doubt ?? "lost", blindUntil }] })
}

/** The open reviews of a rule as the ledger and the cases tell; blind if they do not tell all. */
async function countedReviews(ports: ReviewPorts, rule: string): Promise<SumState> {
  const at = ports.clock()
  const unknown = emptySum(longestReviewMs, at, at + hourMs)
  const decided = await ports.store.decidedSince(at - longestReviewMs)
  if (decided === null) return unknown
  let sum = emptySum(longestReviewMs, 0)
  for (const caseId of decided.cases) {
    const found = await ports.store.read(caseId)
    if (found !== null && "kind" in found) return unknown
    if (found?.glass === undefined || !owesReview(found, rule)) continue
    sum = withAdded(sum, [reviewOf(found)], found.glass.at).state
  }
  return { ...sum, at }
}

const hourMs = 3_600_000

/** What one case adds to the count. */
function reviewOf({ id }: Case) {
  return { whose: id, amount: writtenAmount("1") }
}

/** The counts with the reviews that a decision by breaking glass owes, and how to take them out again. */
export function withReviewsOpened(
  current: Case,
  { at, byRule }: OpenReviews,
  decision: string,
): { readonly parts: Reservation["sums"]; readonly changes: readonly SumChange[] } {
  const made = byRule.map(({ read }) => {
    const { state, added } = withAdded(read.state ?? emptySum(longestReviewMs, at), [reviewOf(current)], at)
    const change: SumChange = { read, next: state, events: [{ kind: "sum-added", at, case: current.id, decision }] }
    return { change, part: { id: read.id, windowMs: longestReviewMs, added } }
  })
  return { parts: made.map(({ part }) => part), changes: made.map(({ change }) => change) }
}

/** The counts without the reviews of these rules that a case owed, and what it still has reserved. */
export async function withReviewsClosed(
  ports: ReviewPorts,
  { reserved, ...current }: Case,
  rules: readonly string[],
): Promise<{ readonly reserved: Reservation | undefined; readonly changes: readonly SumChange[] }> {
  const names = new Set(rules.map((rule) => sumName(reviewSum(rule))))
  const own = reserved?.sums.filter(({ id }) => names.has(sumName(id))) ?? []
  if (reserved === undefined || own.length === 0) return { reserved, changes: [] }
  const sums = await ports.store.sums(own.map(({ id }) => id))
  const { decision } = reserved
  const changes = freedFrom(current, { decision, sums: own }, { sums, at: ports.clock() })
  return { reserved: { decision, sums: reserved.sums.filter((part) => !own.includes(part)) }, changes }
}
