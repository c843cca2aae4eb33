// Explain: which rules an approval demands, call by call, and what in their match says so. Pure.
import { type Approval, ruledCalls } from "./approval.ts"
import { demandOf, type FieldMatch, matchFields, matchOf, type Rule } from "./policy.ts"

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
