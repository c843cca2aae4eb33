// Explains rules: which of them an approval demands, call by call, and which can never be reached. Pure.
import { type Approval, ruledCalls } from "../content/approval.ts"
import { globMatches } from "../text/glob.ts"
import { demandOf, type FieldMatch, type Match, matchFields, matchKeys, matchOf, type Rule } from "./policy.ts"

/** How one rule stands to one call. `not reached`: a rule before it matched for certain. */
export interface RuleVerdict {
  readonly rule: string
  readonly verdict: "yes" | "no" | "possible" | "not reached"
  readonly fields: readonly FieldMatch[]
}

/** One call, and every rule in order. */
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
export function explain(approval: Approval, rules: readonly Rule[]): Explanation {
  const demand = demandOf(approval, rules)
  const calls = ruledCalls(approval).map((call): CallExplained => {
    const certain = rules.findIndex((rule) => matchOf(rule, approval, call) === "yes")
    const verdicts = rules.map((rule, index): RuleVerdict => {
      const reached = certain < 0 || index <= certain
      const verdict = reached ? matchOf(rule, approval, call) : "not reached"
      return { rule: rule.name, verdict, fields: matchFields(rule, approval, call) }
    })
    return { tool: call.tool, agent: call.agentId, pause: call.pauseType, rules: verdicts }
  })
  return { covered: demand.covered, calls, demanded: demand.rules }
}

/** A rule that an earlier one makes unreachable. */
export interface UnreachableRule {
  readonly rule: string
  readonly by: string
  /** False: the rule is still demanded beside the other, if the platform leaves null a field that both name. */
  readonly always: boolean
}

/** Each rule that is never the first certain match, with the first rule that takes everything it would. */
export function unreachableRules(rules: readonly Rule[]): readonly UnreachableRule[] {
  return rules.flatMap((rule, index) => {
    const by = rules.slice(0, index).find((earlier) => covers(earlier.match, rule.match))
    return by === undefined ? [] : [{ rule: rule.name, by: by.name, always: !rule.matchUnknown || isCertain(by.match) }]
  })
}

/** True for a rule that matches every call. */
export function matchesAll({ match }: Pick<Rule, "match">): boolean {
  return matchKeys.every((key) => match[key] === undefined)
}

/** True if the platform never leaves null any field that it names (specification 2.1). */
function isCertain(match: Match): boolean {
  return matchKeys.every((key) => key === "instance" || key === "source" || match[key] === undefined)
}

/** True if the earlier match takes all that the later one takes for certain. */
function covers(earlier: Match, later: Match): boolean {
  return matchKeys.every((key) => {
    const [wide, narrow] = [earlier[key], later[key]]
    if (wide === undefined) return true
    if (narrow === undefined) return false
    return narrow.every((word) => wide.some((one) => (key === "tool" ? globCovers(one, word) : one === word)))
  })
}

/** Characters that no tool's name has. */
const [one, many] = ["\uE000", "\uE001".repeat(99)]

/**
 * True if a pattern takes every text that another takes. Tried with both extremes of the other: its stars empty, and
 * full.
 */
function globCovers(wide: string, narrow: string): boolean {
  const extremes = ["", many].map((star) => narrow.replaceAll("?", one).replaceAll("*", star))
  return extremes.every((text) => globMatches(wide, text))
}
