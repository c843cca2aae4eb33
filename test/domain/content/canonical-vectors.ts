// The vectors of the canonical form: JSON texts and what each is written as, drawn from a seed, for every language that
// has to write the same.
import { canonicalJson } from "../../../src/domain/content/canonical.ts"
import { parseJson } from "../../../src/domain/content/json.ts"
import { type Chance, createChance } from "../../faults/prng.ts"

/** How many there are. */
export const vectorCount = 10_000

/** What is easily got wrong; it stands first. */
const traps: readonly string[] = [
  ["0", "-0", "-0.0", "0e5", "1", "1.0", "1.00e0", "true", "false", "null", "[]", "{}", '""'],
  ["1e16", "1e20", "1e21", "1e22", "1E22", "123456789012345680000", "1e-6", "1e-7", "0.000001", "0.0000001"],
  ["5e-324", "2.2250738585072014e-308", "1.7976931348623157e308", "1e400", "-1e400", "1e-400", "1e308"],
  ["9007199254740991", "9007199254740992", "9007199254740993", "-9007199254740993", "12345678901234567890"],
  ["0.1", "0.10", "0.1000000000000000055511151231257827", "333333333.33333329", "4.50", "2e-3"],
  ['{"$number":"1"}', '{"$$number":"1"}', '{"$":1,"$$":2,"a":3}', '{"__proto__":{"a":1},"constructor":2}'],
  ['{"b":1,"a":2,"10":3,"9":4,"":5}', String.raw`{"😀":1,"ﬃ":2,"דּ":3,"\ud800":4}`],
  [String.raw`"\ud800"`, String.raw`"\udc00\ud800"`, String.raw`"\ud83d\ude00"`, String.raw`"\ud83d\u0041"`],
  [String.raw`"\u2028\u2029\u007f\u0000\u001f\b\t\n\f\r\"\\\/"`, String.raw`"é€\uFEFF"`, '[1,1.0,true,"1"]'],
].flat()

/** Lines of JSON, `[text, canonical]` in ASCII, which stand for the same in every language. */
export function vectorLines(seed: number): string {
  const chance = createChance(seed)
  const drawn = Array.from({ length: vectorCount - traps.length }, () => valueText(chance, chance.below(5)))
  return [...traps, ...drawn].map((text) => `${ascii([text, canonicalJson(parseJson(text))])}\n`).join("")
}

function ascii(value: unknown): string {
  const escaped = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`
  return JSON.stringify(value).replace(/[^ -~]/g, escaped)
}

function valueText(chance: Chance, depth: number): string {
  const kind = depth > 2 ? chance.between(8, 11) : chance.below(depth === 0 ? 8 : 12)
  if (kind < 4) return numberText(chance)
  if (kind < 7) return stringText(chance)
  if (kind === 7) return chance.pick(["true", "false", "null"])
  const members = Array.from({ length: chance.below(5) }, () => valueText(chance, depth - 1))
  if (kind < 10) return `[${members.join(",")}]`
  return `{${members.map((member) => `${keyText(chance)}:${member}`).join(",")}}`
}

const ordinaryKeys = ["amount", "to", "a", "b", "1", "10", "9", ""]
const oddKeys = ["$", "$number", "$$number", "$ref", "__proto__", "constructor", "toJSON", "rawJSON", "é", "ﬃ", "😀"]

function keyText(chance: Chance): string {
  if (chance.percent(20)) return stringText(chance)
  return JSON.stringify(chance.pick(chance.percent(50) ? ordinaryKeys : oddKeys))
}

/** A number in some way of writing it: of a double's own bits, whole, or with any digits and exponent. */
function numberText(chance: Chance): string {
  const sign = chance.percent(30) ? "-" : ""
  switch (chance.below(4)) {
    case 0:
      return String(anyDouble(chance))
    case 1:
      return sign + wholeText(chance, 20)
    case 2:
      return `${sign}${wholeText(chance, 4)}.${digits(chance, chance.between(1, 19))}`
    default: {
      const fraction = chance.percent(50) ? "" : `.${digits(chance, chance.between(1, 18))}`
      const power = chance.percent(80) ? chance.below(30) : chance.below(420)
      return `${sign}${wholeText(chance, 3)}${fraction}${chance.pick(["e", "E", "e+", "e-", "E-"])}${power}`
    }
  }
}

function anyDouble(chance: Chance): number {
  const view = new DataView(new ArrayBuffer(8))
  view.setUint32(0, chance.below(2 ** 32))
  view.setUint32(4, chance.below(2 ** 32))
  const value = view.getFloat64(0)
  return Number.isFinite(value) ? value : 0
}

function wholeText(chance: Chance, longest: number): string {
  return chance.percent(10) ? "0" : `${chance.between(1, 9)}${digits(chance, chance.below(longest))}`
}

function digits(chance: Chance, count: number): string {
  return Array.from({ length: count }, () => chance.below(10)).join("")
}

const ordinaryLetters = ["a", "B", "0", " ", "é", "€", "😀", "$", "/"]
/** As they stand in JSON; halves of a pair too, which two of them may make whole. */
const oddLetters = [
  String.raw`\ud83d`,
  String.raw`\ude00`,
  String.raw`\u0000`,
  String.raw`\u001f`,
  String.raw`\u007f`,
  String.raw`\u2028`,
  String.raw`\"`,
  String.raw`\\`,
  String.raw`\n`,
  String.raw`\/`,
]

function stringText(chance: Chance): string {
  const letter = () => chance.pick(chance.percent(80) ? ordinaryLetters : oddLetters)
  return `"${Array.from({ length: chance.below(8) }, letter).join("")}"`
}
