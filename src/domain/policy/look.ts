// The look of a case: what its rules say about how to show it, joined over all demanded rules.
import type { z } from "zod"
import { pathsIn } from "../condition/tree.ts"
import { type Approval, type Call, openGatedCalls } from "../content/approval.ts"
import { once } from "../content/once.ts"
import type { lookSchema } from "../content/record/case-parts.ts"
import type { Frozen } from "../content/record/frozen.ts"
import { limitPaths } from "../limit/limit.ts"
import type { Risk, Rule } from "../rule/rule.ts"
import { demandOfCall } from "./policy.ts"
import { conditionOf, type RuleContext } from "./when.ts"

/** What surfaces must know of the rules. A flag is set if one rule sets it (R1). */
export interface Look extends Frozen<z.infer<typeof lookSchema>> {}

/** The look of a case without anything special. */
export const plainLook: Look = { mask: [], risk: null, danger: false, reasons: [] }

/** True if a rule calls it a high risk, or says that it cannot be undone. */
export function isRisky({ risk, danger }: Look): boolean {
  return risk === "high" || danger
}

const order: readonly Risk[] = ["high", "medium", "low"]

/** Makes the look of an approval from what its demanded rules say. */
export function lookOf(approval: Approval, rules: readonly Rule[], known: RuleContext = {}): Look {
  const showFirst = [...new Set([...rules.flatMap((rule) => rule.showFirst ?? []), ...rules.flatMap(lookedAt)])]
  const ofCall = (call: Call): readonly Rule[] => demandOfCall(approval, call, rules, known).rules
  const says = openGatedCalls(approval).map((call) => saidOf(ofCall(call)))
  return {
    mask: [...new Set(rules.flatMap((rule) => rule.mask))],
    risk: order.find((risk) => rules.some((rule) => rule.risk === risk)) ?? null,
    danger: rules.some((rule) => rule.danger),
    reasons: [...new Set(rules.flatMap((rule) => rule.reasons))],
    ...(showFirst.length === 0 ? {} : { showFirst }),
    ...(says.every((said) => said === null) ? {} : { say: says }),
    ...(rules.some((rule) => rule.argumentsInDetails) ? { argumentsInDetails: true } : {}),
    ...(rules.some((rule) => rule.requestInDetails) ? { requestInDetails: true } : {}),
    ...(rules.some((rule) => rule.resultToRequester) ? { resultToRequester: true } : {}),
    ...(rules.some((rule) => rule.withoutNews) ? { withoutNews: true } : {}),
  }
}

/** The arguments that a rule's condition and limit read. */
const lookedAt = once((rule: Rule): readonly string[] => {
  const [when, limit] = [conditionOf(rule), limitPaths(rule)]
  const paths = [...(when === null ? [] : pathsIn(when.expression)), ...limit]
  return paths.flatMap(({ root, names }) => (root === "args" ? names.slice(0, 1) : []))
})

/** The sentence of a call: that of its last rule with a sentence. The rule that matches for certain comes last. */
function saidOf(rules: readonly Rule[]): string | null {
  return rules.findLast((rule) => rule.say !== undefined)?.say ?? null
}
