// Random conditions and arguments, biased to what is odd, with their texts.
import fc from "fast-check"
import { type Asked, type Fixed, hiddenCharacters, type Path, type Wire } from "./slow-evaluator.ts"

const comparisons = ["==", "!=", "<", "<=", ">", ">="]
const names = ["a", "b", "l", "o", "a b"]

const numbers = fc.oneof(
  fc.constantFrom("0", "-0", "1", "1.0", "10e-1", "1000", "1e3", "1000.5", "-1", "1e400", "-1e400", "1e-400"),
  fc.constantFrom("9007199254740992", "9007199254740993", "0.1", "0.10000000000000001", "999.99999999999999999"),
  fc.constantFrom(`1${"0".repeat(998)}1`, `1${"3".repeat(1_000)}`, "1e1000", "1e1001", "1e-1001"),
  fc.integer({ min: -3, max: 3 }).map(String),
)

/** Literals are what a parser of CEL takes: what a double holds by its size, in any number of digits. */
const literalNumbers = fc.oneof(
  fc.constantFrom("0", "-0.0", "1", "1.0", "1000", "1e3", "1000.5", "-1", "9007199254740993", "0.10000000000000001"),
  fc.constantFrom("9007199254740992", "0.1", "1000.00000000000000000001", `1${"0".repeat(998)}1`, "1e300"),
  fc.integer({ min: -3, max: 3 }).map(String),
)

const pieces = [
  "a",
  "b",
  "A",
  "B",
  "é",
  "É",
  "ß",
  "ss",
  "ﬁ",
  "fi",
  "ｐ",
  "p",
  " ",
  "\n",
  "Σ",
  "σ",
  "ς",
  "😀",
  "﴾",
  "\r",
]
const cleanTexts = fc.array(fc.constantFrom(...pieces), { maxLength: 3 }).map((parts) => parts.join(""))
const texts = fc.oneof(
  { weight: 5, arbitrary: cleanTexts },
  {
    weight: 1,
    arbitrary: fc
      .tuple(cleanTexts, fc.constantFrom(...hiddenCharacters, "e\u0301"), cleanTexts)
      .map((all) => all.join("")),
  },
)

const fixed: fc.Arbitrary<Fixed> = fc.oneof(
  literalNumbers.map((number) => ({ number })),
  cleanTexts.filter((text) => text.normalize("NFC") === text).map((text) => ({ text })),
  fc.boolean().map((truth) => ({ truth })),
)

const { value: anyValue } = fc.letrec<{ value: Wire }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 2, depthSize: "small" },
    fc.oneof(
      fc.constantFrom(null, true, false),
      numbers.map((number) => ({ number })),
      texts,
    ),
    fc.array(tie("value"), { maxLength: 4 }),
    objectOf(tie("value")),
  ),
}))

function objectOf(value: fc.Arbitrary<Wire>): fc.Arbitrary<Wire> {
  return fc
    .uniqueArray(fc.tuple(fc.constantFrom(...names), value), { maxLength: 5, selector: ([name]) => name })
    .map((members) => ({ object: new Map(members) }))
}

/** Arguments as the wire has them: nearly always an object. */
export const anyArgs: fc.Arbitrary<Wire> = fc.oneof(
  { weight: 20, arbitrary: objectOf(anyValue) },
  { weight: 1, arbitrary: anyValue },
)

function pathFrom(from: Path["from"], fewest: number): fc.Arbitrary<Path> {
  const below = fc.array(fc.constantFrom(...names), { minLength: fewest, maxLength: fewest + 1 })
  return below.map((all) => ({ from, names: all }))
}

/** What looks at one value. */
function testOf(paths: fc.Arbitrary<Path>, named: fc.Arbitrary<Path>): fc.Arbitrary<Asked> {
  return fc.oneof(
    { weight: 4, arbitrary: comparing(paths) },
    fc.record({ is: fc.constant("in" as const), path: paths, literals: listOfOneKind }),
    fc.record({ is: fc.constant("has" as const), path: named }),
    fc.record({
      is: fc.constant("size" as const),
      path: paths,
      by: fc.constantFrom(...comparisons),
      length: fc.nat(4),
    }),
    fc.record({
      is: fc.constantFrom("startsWith" as const, "endsWith" as const, "contains" as const),
      path: paths,
      text: cleanTexts.filter((text) => text.trim() !== "" && text.normalize("NFC") === text),
    }),
  )
}

const listOfOneKind = fc.oneof(
  fc.array(
    literalNumbers.map((number) => ({ number })),
    { minLength: 1, maxLength: 3 },
  ),
  fc.array(
    cleanTexts.filter((text) => text.normalize("NFC") === text).map((text) => ({ text })),
    { minLength: 1, maxLength: 3 },
  ),
)

function comparing(paths: fc.Arbitrary<Path>): fc.Arbitrary<Asked> {
  return fc.tuple(paths, fixed, fc.constantFrom(...comparisons)).map(([path, literal, by]) => {
    const isTruth = "truth" in literal
    return { is: "compare", path, literal, by: isTruth && !["==", "!="].includes(by) ? "!=" : by }
  })
}

function joining(test: fc.Arbitrary<Asked>, depth: number): fc.Arbitrary<Asked> {
  const { asked } = fc.letrec<{ asked: Asked }>((tie) => ({
    asked: fc.oneof(
      { maxDepth: depth, depthSize: "small" },
      test,
      fc.record({ is: fc.constant("not" as const), of: tie("asked") }),
      fc.record({ is: fc.constantFrom("and" as const, "or" as const), left: tie("asked"), right: tie("asked") }),
    ),
  }))
  return asked
}

const ofArgs = testOf(pathFrom("args", 1), pathFrom("args", 1))
const ofItem = fc.oneof({ weight: 4, arbitrary: testOf(pathFrom("item", 0), pathFrom("item", 1)) }, ofArgs)
const ofList: fc.Arbitrary<Asked> = fc.record({
  is: fc.constantFrom("exists" as const, "all" as const),
  path: fc.oneof(fc.constant<Path>({ from: "args", names: ["l"] }), pathFrom("args", 1)),
  of: joining(ofItem, 2),
})
/** A condition of any depth, about arguments that may be there. */
export const anyCondition = joining(fc.oneof({ weight: 3, arbitrary: ofArgs }, ofList), 4)

function pathText({ from, names: below }: Path): string {
  const steps = below.map((name) => (name.includes(" ") ? `["${name}"]` : `.${name}`))
  return (from === "args" ? "args" : "one") + steps.join("")
}

function fixedText(literal: Fixed): string {
  if ("number" in literal) return literal.number
  return "text" in literal ? JSON.stringify(literal.text) : `${literal.truth}`
}

/** A condition as a rule has it. */
export function conditionText(asked: Asked): string {
  switch (asked.is) {
    case "not":
      return `!(${conditionText(asked.of)})`
    case "and":
      return `(${conditionText(asked.left)} && ${conditionText(asked.right)})`
    case "or":
      return `(${conditionText(asked.left)} || ${conditionText(asked.right)})`
    case "compare":
      return `${pathText(asked.path)} ${asked.by} ${fixedText(asked.literal)}`
    case "in":
      return `${pathText(asked.path)} in [${asked.literals.map(fixedText).join(", ")}]`
    case "has":
      return `has(${pathText(asked.path)})`
    case "size":
      return `size(${pathText(asked.path)}) ${asked.by} ${asked.length}`
    case "exists":
    case "all":
      return `${pathText(asked.path)}.${asked.is}(one, ${conditionText(asked.of)})`
    case "startsWith":
    case "endsWith":
    case "contains":
      return `${pathText(asked.path)}.${asked.is}(${JSON.stringify(asked.text)})`
  }
}

/** A value as the wire has it. */
export function wireText(value: Wire): string {
  if (typeof value === "string") return JSON.stringify(value)
  if (typeof value !== "object" || value === null) return String(value)
  if ("number" in value) return value.number
  if (!("object" in value)) return `[${value.map(wireText).join(",")}]`
  const members = [...value.object].map(([name, member]) => `${JSON.stringify(name)}:${wireText(member)}`)
  return `{${members.join(",")}}`
}
