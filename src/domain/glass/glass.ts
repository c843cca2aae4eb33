// Breaking glass: what a case owes after a decision that one person made without those whom its rules ask, and how that
// ends: each of these rules gets a review, or nobody looks at it in time. Pure.
import {
  type Case,
  type Glass,
  type GlassReview,
  owesReview,
  routeKey,
  rulesToReview,
  type Step,
} from "../case/case.ts"
import { demandState, stepTo, withCards, withUsed } from "../case/steps.ts"
import type { Vote } from "../case/vote.ts"
import { smallest } from "../content/largest.ts"
import type { SumId } from "../limit/sum.ts"
import { personKey } from "../people/person.ts"
import type { Asked } from "../policy/asked.ts"
import type { Rule } from "../rule/rule.ts"

/** A rule with this many open reviews lets nobody break the glass. */
export const maxOpenReviews = 5

/** A case waits this long for its reviews, in ms. */
export const longestReviewMs = 30 * 24 * 3_600_000

/** While a review is overdue, its alarm comes again after this many ms. */
export const alarmAgainMs = 3_600_000

/** The sum that counts the open reviews of a rule, with one for each case. No sum of a limit has this id. */
export function reviewSum(rule: string): SumId {
  return { instance: "", sum: `open reviews of ${rule}`, per: null }
}

/** A vote that breaks the glass of these rules. */
interface Breaking {
  readonly vote: Vote
  readonly rules: readonly Rule[]
  /** Whom each rule asks and who had not agreed. */
  readonly passed: readonly Asked[]
  /** Who stands in for the voter, or the other way round, as `team:user`. */
  readonly linked: readonly string[]
}

/**
 * What the decision by a vote that breaks the glass of these rules owes: cards for the reviewers, a line that mentions
 * everybody who was passed over, and a review for each rule. It belongs into the commit of the decision.
 */
export function breakGlass(current: Case, { vote, rules, passed, linked }: Breaking, at: number): Step {
  demandState(current, "decided by breaking glass", ["sending"])
  const broken = rules.flatMap(({ name, breakGlass: glass }) => (glass === undefined ? [] : [{ name, glass }]))
  const routes = [...new Set(broken.map(({ glass }) => routeKey(glass.route)))]
  const soonest = smallest(
    longestReviewMs,
    broken.map(({ glass }) => glass.withinMs),
  )
  const glass: Glass = {
    rules: broken.map(({ name }) => name),
    by: vote.person,
    at,
    routes,
    alarmAt: at + soonest,
    until: at + longestReviewMs,
    reviews: [],
    ...(linked.length === 0 ? {} : { linked }),
  }
  const event = { kind: "glass-broken", at, person: personKey(vote.person), asked: passed } as const
  return stepTo(withCards({ ...current, glass }, routes), [event])
}

/** Notes what a reviewer says. Throws `StepError` unless the verdict is settled. */
export function addGlassReview(current: Case, review: GlassReview, interaction: string): Step {
  demandState(current, "reviewed", ["settled"])
  if (current.glass === undefined) return stepTo(current, [])
  const glass = { ...current.glass, reviews: [...current.glass.reviews, review] }
  const { person, name, rules, right, reason, at } = review
  const act = { interaction, person: personKey(person), at }
  return stepTo(withUsed({ ...current, glass }, act), [{ kind: "glass-reviewed", ...act, name, rules, right, reason }])
}

/** Notes that the alarm was raised just now, so that it comes again later. Null if no review is owed any more. */
export function putOffGlassAlarm(current: Case, at: number): Step | null {
  const { glass } = current
  if (glass === undefined || !owesReview(current)) return null
  return stepTo({ ...current, glass: { ...glass, alarmAt: Math.min(at + alarmAgainMs, glass.until) } }, [])
}

/** Ends the wait for reviews, because nobody looked at it in time. Null if none is owed. */
export function leaveGlass(current: Case, at: number): Step | null {
  const { glass } = current
  const rules = rulesToReview(current)
  if (glass === undefined || rules.length === 0) return null
  return stepTo({ ...current, glass: { ...glass, left: true } }, [{ kind: "glass-left", at, rules }])
}
