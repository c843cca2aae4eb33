// Random lists of rules: plain ones of which a solver can tell all, and others with whatever a rule can look at.
import fc from "fast-check"
import { type Approval, ruledCalls } from "../../../src/domain/content/approval.ts"
import { isJsonObject, parseJson } from "../../../src/domain/content/json.ts"
import { demandOf, matchOf } from "../../../src/domain/policy/policy.ts"
import type { Rule } from "../../../src/domain/rule/rule.ts"
import { approvalOf, type Sample } from "../../../src/domain/trying/sample.ts"
import { anApproval, aRule } from "../../support/builders.ts"
import { anyArgs, anyCondition, conditionText, wireText } from "../condition/arbitrary-conditions.ts"
import type { Asked, Fixed } from "../condition/slow-evaluator.ts"
import type { PlainRule } from "./z3-oracle.ts"

/** The texts that plain rules compare with. */
export const texts = ["prod", "Prod", "live", "a b"]
const numbers = ["0", "500", "500.5", "-1", "1000", "9007199254740993", "0.1"]
const literal: fc.Arbitrary<Fixed> = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...numbers).map((number) => ({ number })) },
  { weight: 2, arbitrary: fc.constantFrom(...texts).map((text) => ({ text })) },
  { weight: 1, arbitrary: fc.boolean().map((truth) => ({ truth })) },
)

/** What asks about one value, or now and then about another. */
const asksOne: fc.Arbitrary<Asked> = fc
  .tuple(fc.constantFrom("a", "a", "a", "b"), literal, fc.constantFrom("==", "!=", "<", "<=", ">", ">=", "has", "in"))
  .map(([name, fixed, by]): Asked => {
    const path = { from: "args" as const, names: [name] }
    if (by === "has") return { is: "has", path }
    if (by === "in") return { is: "in", path, literals: [fixed, fixed] }
    const fits = "number" in fixed || by === "==" || by === "!="
    return { is: "compare", path, by: fits ? by : "!=", literal: fixed }
  })
const { asked } = fc.letrec<{ asked: Asked }>((tie) => ({
  asked: fc.oneof(
    { maxDepth: 3, depthSize: "small" },
    asksOne,
    fc.record({ is: fc.constant("not" as const), of: tie("asked") }),
    fc.record({ is: fc.constantFrom("and" as const, "or" as const), left: tie("asked"), right: tie("asked") }),
  ),
}))

/** Rules whose conditions look at two values, by themselves. */
export const plainRules: fc.Arbitrary<readonly PlainRule[]> = fc.array(
  fc.record({ asked: fc.option(asked, { freq: 6 }), quorum: fc.integer({ min: 1, max: 3 }) }),
  { minLength: 1, maxLength: 4 },
)

/** Plain rules as a config has them. */
export function rulesOf(plain: readonly PlainRule[]): readonly Rule[] {
  return plain.map(({ asked: of, quorum }, index) => {
    const when = of === null ? {} : { when: conditionText(of) }
    return aRule({ name: `rule ${index}`, quorum, ...when })
  })
}

const name = fc.constantFrom("send_money", "send_payout", "wire_x", "wire_", "refund", "a")
const glob = fc.constantFrom("send_*", "*_money", "wire_?", "refund", "*", "s*o*", "??")
const when = fc.oneof(
  fc.constantFrom<string | undefined>(
    undefined,
    'args.env.startsWith("prod") && !args.env.contains("od1")',
    'args.env.endsWith("1") || args.env == "Prod1"',
    'call.tool == "send_money" || call.tool.contains("pay")',
    'call.agent in ["a", "b"]',
    "args.l.exists(one, one > 1) && size(args.l) > 2",
    'args.l.all(one, one.name == "x")',
    'requester.guest == true && "S1" in requester.groups',
  ),
  anyCondition.map(conditionText),
)
const match = fc.record(
  { tool: fc.array(glob, { minLength: 1, maxLength: 2 }), agent: fc.constant(["a"]) },
  { requiredKeys: [] },
)

/** Rules that look at names and at anything in a call. */
export const anyRules: fc.Arbitrary<readonly Rule[]> = fc
  .array(fc.record({ match, when, matchUnknown: fc.boolean(), quorum: fc.integer({ min: 1, max: 3 }) }), {
    minLength: 1,
    maxLength: 3,
  })
  .map((all) =>
    all.map(({ when: asks, ...rule }, index) =>
      aRule({ name: `rule ${index}`, ...rule, ...(asks === undefined ? {} : { when: asks }) }),
    ),
  )

/** A call that such rules may be about. */
export const anyCall: fc.Arbitrary<Approval> = fc
  .record({
    tool: fc.option(name),
    agent: fc.option(fc.constantFrom("a", "b", "c")),
    env: fc.constantFrom('"prod1"', '"prod"', '"PROD1"', '" prod1 "', '"1"', '"od1prod"', "1", "null"),
    args: anyArgs,
  })
  .map(({ tool, agent, env, args }) => {
    const given = parseJson(wireText(args))
    const toolArgs = isJsonObject(given) ? { ...given, env: parseJson(env) } : null
    return anApproval({ toolName: tool, agentId: agent, toolArgs })
  })

/** What rules demand for a sample. */
export function demandedBy(sample: Sample, rules: readonly Rule[]): ReturnType<typeof demandOf> {
  return demandOf(approvalOf(sample), rules, { circumstances: sample.circumstances })
}

/** How one rule by itself stands to a sample. */
export function verdictOf(rule: Rule, sample: Sample): string {
  const approval = approvalOf(sample)
  const [call] = ruledCalls(approval)
  return call === undefined ? "none" : matchOf(rule, approval, call, { circumstances: sample.circumstances })
}
