// Generated conditions and arguments: the product and the slow evaluator of the tests come to the same, each time.
import fc from "fast-check"
import { expect, test } from "vitest"
import { readCondition } from "../../../src/domain/condition/condition.ts"
import { evaluate } from "../../../src/domain/condition/evaluate.ts"
import { maxLength } from "../../../src/domain/condition/syntax.ts"
import { parseJson } from "../../../src/domain/content/json.ts"
import { runsOf } from "../../support/runs.ts"
import { anyArgs, anyCondition, conditionText, wireText } from "./arbitrary-conditions.ts"
import { decideSlowly } from "./slow-evaluator.ts"

const runs = runsOf(4_000)
/** Several literals of a thousand digits are more than a rule may hold. */
const anyReadable = anyCondition.filter((asked) => conditionText(asked).length <= maxLength)

test(
  "a generated condition comes to what the slow evaluator says, for any arguments",
  () => {
    const seen = { true: 0, false: 0, unknown: 0 }

    fc.assert(
      fc.property(anyReadable, anyArgs, (asked, args) => {
        const read = readCondition(conditionText(asked))
        if (!read.ok) throw new Error(read.flaws.map(({ words }) => words).join("; "))
        const facts = { args: parseJson(wireText(args)), call: {}, requester: null, time: null }
        const truth = evaluate(read.condition.expression, facts)
        seen[truth] += 1
        expect(truth).toBe(decideSlowly(asked, args))
      }),
      { numRuns: runs },
    )

    const most = seen.true + seen.false + seen.unknown
    expect(Object.values(seen).every((times) => times > most / 50)).toBe(true)
  },
  60_000 + 5 * runs,
)
