// Explains rules: which of them an approval demands, call by call, and which can never be reached. Pure.
import { type Approval, ruledCalls } from "../content/approval.ts"
import type { Match, Rule } from "../rule/rule.ts"
import { globMatches } from "../text/glob.ts"
import { demandOf, type FieldMatch, matchFields, matchKeys, matchOf } from "./policy.ts"
import { onlyAdds, type RuleContext, readingOf, type WhenReading } from "./when.ts"

/** How one rule stands to one call. `not reached`: a rule before it matched for certain. */
export interface RuleVerdict {
  readonly rule: string
  readonly verdict: "yes" | "no" | "possible" | "not reached"
  readonly fields: readonly FieldMatch[]
  /** How we read its condition; absent for a rule without one. */
  readonly when?: WhenReading
}

/** One call, and how every rule stands to it, in order. */
export interface CallExplained {
  readonly tool: string | null
  readonly agent: string | null
  readonly pause: string | null
  readonly rules: readonly RuleVerdict[]
}

/** What an approval demands, and why. */
export interface Explanation {
  /** False: some call has no rule for certain, so nobody may decide. */
  readonly covered: boolean
  readonly calls: readonly CallExplained[]
  readonly demanded: readonly Rule[]
}

/** Explains an approval under these rules. */
export function explain(approval: Approval, rules: readonly Rule[], known: RuleContext = {}): Explanation {
  const demand = demandOf(approval, rules, known)
  const calls = ruledCalls(approval).map((call): CallExplained => {
    const certain = rules.findIndex((rule) => matchOf(rule, approval, call, known) === "yes")
    const verdicts = rules.map((rule, index): RuleVerdict => {
      const reached = certain < 0 || index <= certain
      const verdict = reached ? matchOf(rule, approval, call, known) : "not reached"
      const when = readingOf(rule, approval, call, known)
      const fields = matchFields(rule, approval, call)
      return { rule: rule.name, verdict, fields, ...(when === null ? {} : { when }) }
    })
    return { tool: call.tool, agent: call.agentId, pause: call.pauseType, rules: verdicts }
  })
  return { covered: demand.covered, calls, demanded: demand.rules }
}

/** A rule that never takes a call, because an earlier rule takes all its calls. */
export interface UnreachableRule {
  readonly rule: string
  readonly by: string
  /** False: a call may demand the rule beside the other, because the platform leaves a field null that both name, … */
  readonly always: boolean
  /** … or because both have the same condition, and nobody can tell what it comes to. Absent without a condition. */
  readonly withCondition?: true
}

/** Each rule that is never the first certain match, with the first rule that takes all its calls. */
export function unreachableRules(rules: readonly Rule[]): readonly UnreachableRule[] {
  return rules.flatMap((rule, index) => {
    const by = rules.slice(0, index).find((earlier) => takesAll(earlier, rule))
    if (by === undefined) return []
    const withCondition = by.when !== undefined
    const always = !withCondition && (!rule.matchUnknown || isCertain(by.match))
    return [{ rule: rule.name, by: by.name, always, ...(withCondition ? { withCondition } : {}) }]
  })
}

/**
 * True if the earlier rule takes all that the later takes. If it has a condition, both have this one, and it does not
 * just add its rule.
 */
function takesAll(earlier: Rule, later: Rule): boolean {
  const same = earlier.when === undefined || (earlier.when === later.when && !onlyAdds(earlier))
  return same && takesAllOf(earlier.match, later.match)
}

/** A rule that only adds, and a rule that applies beside it and asks more people. */
export interface WeakAddition {
  readonly rule: string
  readonly to: string
}

/** Rules that only add, and change nothing: they ask fewer people than the rule that they are added to. */
export function weakAdditions(rules: readonly Rule[]): readonly WeakAddition[] {
  return rules.flatMap((rule, index) => {
    if (!onlyAdds(rule)) return []
    const to = rules.slice(index + 1).find((later) => !onlyAdds(later) && mayMeet(rule.match, later.match))
    return to !== undefined && asksFewer(rule, to) ? [{ rule: rule.name, to: to.name }] : []
  })
}

/** True if a rule lists fewer approvers than another, or wants fewer of them to agree. */
export function asksFewer(rule: Rule, other: Rule): boolean {
  return rule.quorum < other.quorum || rule.approvers.length < other.approvers.length
}

/** False if no call can match both, because they name different words for one field. */
function mayMeet(one: Match, other: Match): boolean {
  return matchKeys.every((key) => {
    const [left, right] = [one[key], other[key]]
    if (left === undefined || right === undefined || key === "tool") return true
    return left.some((word) => right.includes(word))
  })
}

/** True for a rule that matches every call. */
export function matchesAll({ match, when }: Pick<Rule, "match" | "when">): boolean {
  return when === undefined && matchKeys.every((key) => match[key] === undefined)
}

/** True if a match names only fields that the platform never leaves null (specification 2.1). */
function isCertain(match: Match): boolean {
  return matchKeys.every((key) => key === "instance" || key === "source" || match[key] === undefined)
}

/** True if the earlier match certainly takes all that the later match takes. */
function takesAllOf(earlier: Match, later: Match): boolean {
  return matchKeys.every((key) => {
    const [wide, narrow] = [earlier[key], later[key]]
    if (wide === undefined) return true
    if (narrow === undefined) return false
    return narrow.every((word) => wide.some((one) => (key === "tool" ? globCovers(one, word) : one === word)))
  })
}

/** Characters that no name of a tool has. */
const [one, many] = ["\uE000", "\uE001".repeat(99)]

/** True if a pattern takes every text that another takes. We try the other with empty stars and with full ones. */
function globCovers(wide: string, narrow: string): boolean {
  const extremes = ["", many].map((star) => narrow.replaceAll("?", one).replaceAll("*", star))
  return extremes.every((text) => globMatches(wide, text))
}
