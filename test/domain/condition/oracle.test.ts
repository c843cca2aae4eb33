// Another engine of CEL as an oracle: where every value has the type that it is compared with, we decide as it does.
import { run } from "@bufbuild/cel"
import fc from "fast-check"
import { expect, test } from "vitest"
import { readCondition } from "../../../src/domain/condition/condition.ts"
import { evaluate } from "../../../src/domain/condition/evaluate.ts"
import { runsOf } from "../../support/runs.ts"

/** What a double holds exactly, as both write it. */
const numbers = fc.constantFrom(-2.5, -1, 0, 0.5, 1, 2, 1000, 4096.25)
/** No two of them are the same to a careless reader, and their order is the same in every alphabet. */
const words = fc.constantFrom("prod", "test", "eu-west", "eu-east", "a", "prod-eu")

/** The oracle takes no objects without a prototype. */
const plain = { noNullPrototype: true }
const args = fc.record(
  {
    n: numbers,
    s: words,
    t: fc.boolean(),
    l: fc.array(numbers, { maxLength: 4 }),
    m: fc.array(words, { maxLength: 4 }),
    o: fc.record({ n: numbers, s: words, gift: fc.boolean() }, { requiredKeys: ["n", "s"], ...plain }),
  },
  plain,
)

const comparison = fc.constantFrom("==", "!=", "<", "<=", ">", ">=")
const equality = fc.constantFrom("==", "!=")
const question = fc.constantFrom("startsWith", "endsWith", "contains")
const quoted = words.map((word) => JSON.stringify(word))

function joined(...parts: readonly (string | fc.Arbitrary<unknown>)[]): fc.Arbitrary<string> {
  return fc
    .tuple(...parts.map((part) => (typeof part === "string" ? fc.constant(part) : part)))
    .map((all) => all.join(""))
}

function aboutNumber(path: string): fc.Arbitrary<string> {
  const list = fc.array(numbers, { minLength: 1, maxLength: 3 })
  return fc.oneof(joined(path, comparison, numbers), joined(path, " in [", list, "]"))
}

function aboutText(path: string): fc.Arbitrary<string> {
  const list = fc.array(quoted, { minLength: 1, maxLength: 3 })
  return fc.oneof(
    joined(path, comparison, quoted),
    joined(path, " in [", list, "]"),
    joined(path, ".", question, "(", quoted, ")"),
  )
}

const ofValue = fc.oneof(
  aboutNumber("args.n"),
  aboutNumber("args.o.n"),
  aboutText("args.s"),
  aboutText('args["o"].s'),
  joined("args.t ", equality, fc.boolean()),
  fc.constant("has(args.o.gift)"),
  joined("size(args.", fc.constantFrom("l", "m"), ") ", comparison, fc.nat(4)),
)

function joining(test: fc.Arbitrary<string>): fc.Arbitrary<string> {
  const { condition } = fc.letrec<{ condition: string }>((tie) => ({
    condition: fc.oneof(
      { maxDepth: 3, depthSize: "small" },
      test,
      joined("!(", tie("condition"), ")"),
      joined("(", tie("condition"), fc.constantFrom(" && ", " || "), tie("condition"), ")"),
    ),
  }))
  return condition
}

const quantifier = fc.constantFrom("exists", "all")
const ofList = fc.oneof(
  joined("args.l.", quantifier, "(x, ", joining(fc.oneof(aboutNumber("x"), ofValue)), ")"),
  joined("args.m.", quantifier, "(x, ", joining(fc.oneof(aboutText("x"), ofValue)), ")"),
)

const runs = runsOf(2_000)

test(
  "a condition over values of its types comes to what another engine of CEL says",
  () => {
    fc.assert(
      fc.property(joining(fc.oneof(ofValue, ofList)), args, (text, values) => {
        const read = readCondition(text)
        if (!read.ok) throw new Error(`${text}: ${read.flaws.map(({ words: why }) => why).join("; ")}`)
        const facts = { args: values, call: {}, requester: null, time: null }

        expect(evaluate(read.condition.expression, facts)).toBe(run(text, { args: values }) === true ? "true" : "false")
      }),
      { numRuns: runs },
    )
  },
  60_000 + 5 * runs,
)
