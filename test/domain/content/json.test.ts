// JSON that keeps numbers exact (R2).

import fc from "fast-check"
import { expect, test } from "vitest"
import { isJsonArray, isJsonObject, isWireNumber, parseExactly, parseJson } from "../../../src/domain/content/json.ts"
import { cpuMs } from "../../support/cpu-time.ts"
import { anyJson, numberText } from "../arbitraries.ts"

/** The exact value of a decimal text: whole digits and a power of ten, independent of the code under test. */
function exactly(text: string): { digits: bigint; power: number } {
  const [mantissa = "", exponent = "0"] = text.toLowerCase().split("e")
  const [whole = "", fraction = ""] = mantissa.split(".")
  let digits = BigInt(whole.replace("-", "") + fraction) * (text.startsWith("-") ? -1n : 1n)
  // "e-0" is a negative zero to a double.
  let power = Number(exponent) - fraction.length + 0
  if (digits === 0n) return { digits, power: 0 }
  while (digits % 10n === 0n) {
    digits /= 10n
    power += 1
  }
  return { digits, power }
}

test.for([
  "9007199254740993",
  "-9007199254740993",
  "123456789012345678901234567890",
  "0.1234567890123456789",
  "1e400",
  "-1E+400",
  "1e-400",
  "5e-325",
  "100000000000000000000001.0",
])("%s, which a double cannot hold, is kept as its wire text", (text) => {
  const value = parseJson(`{"a": [${text}]}`)

  expect(JSON.stringify(value)).toBe(`{"a":[${text}]}`)
})

test.for([
  ["50.0", 50],
  ["0", 0],
  ["1e3", 1000],
  ["1E+2", 100],
  ["0.1", 0.1],
  ["5e-324", 5e-324],
  ["9007199254740992", 2 ** 53],
  ["1.7976931348623157e308", Number.MAX_VALUE],
  ["100000000000000000000", 1e20],
  ["1000000000000000000000.000", 1e21],
  ["0.10000000000000000000", 0.1],
  ["0.00000000000000000000", 0],
  ["0e-400", 0],
  ["1e000", 1],
] as const)("%s is an ordinary number", ([text, value]) => {
  expect(parseJson(text)).toBe(value)
})

test("read exactly, every number that a double prints otherwise keeps its wire text", () => {
  const text = '{"a":[1.0,1e2,-0.50,9007199254740993],"b":"1.0","c":[10,-0.5,null]}'

  expect(JSON.stringify(parseExactly(text))).toBe(text)
  expect(parseExactly("[10,0.5]")).toEqual([10, 0.5])
  expect(() => parseExactly("{")).toThrow(SyntaxError)
})

test("-0 reads as a zero", () => {
  expect(parseJson("-0")).toBe(-0)
})

test("any number text keeps its exact value, in and out", () => {
  fc.assert(
    fc.property(numberText, (text) => {
      const value = parseJson(text)

      expect(exactly(JSON.stringify(value))).toEqual(exactly(text))
    }),
  )
})

test("a number keeps its value wherever it stands, whatever white space surrounds it", () => {
  const space = fc.stringMatching(/^[ \t\r\n]{0,3}$/)
  fc.assert(
    fc.property(numberText, space, space, (text, before, after) => {
      const value = parseJson(`{"a":${before}[1,${before}${text}${after}]${after}}`)

      const inner = isJsonObject(value) && isJsonArray(value["a"]) ? value["a"][1] : undefined
      expect(exactly(JSON.stringify(inner))).toEqual(exactly(text))
    }),
  )
})

test("what was written is read back the same, keys like __proto__ included", () => {
  fc.assert(
    fc.property(anyJson, (value) => {
      const text = JSON.stringify(value)

      expect(JSON.stringify(parseJson(text))).toBe(text)
    }),
  )
})

test("text that looks like a long number stays text", () => {
  expect(parseJson('{"9007199254740993": "9007199254740993"}')).toEqual({ "9007199254740993": "9007199254740993" })
})

test.for(["", "{", "[1,]", "01", "1e", "NaN", "Infinity", "{a:1}", '"\n"', "9007199254740993x"])(
  "%s is no JSON",
  (text) => {
    expect(() => parseJson(text)).toThrow(SyntaxError)
  },
)

test.for(["1", "9007199254740993", '"text"'])(
  "nesting of 100,000 levels around %s is a SyntaxError, not a crash",
  (inner) => {
    const deep = `${"[".repeat(100_000)}${inner}${"]".repeat(100_000)}`

    expect(() => parseJson(deep)).toThrow(new SyntaxError("JSON is nested too deeply"))
  },
)

test("nesting of 300 levels is read", () => {
  const deep = `${"[".repeat(300)}${"]".repeat(300)}`

  expect(JSON.stringify(parseJson(deep))).toBe(deep)
})

test("a wire number is no object, and an array neither", () => {
  const wire = parseJson("1e400")

  expect([isWireNumber(wire), isJsonObject(wire)]).toEqual([true, false])
  expect([isJsonArray([]), isJsonObject([]), isJsonObject(null)]).toEqual([true, false, false])
  expect(isWireNumber({ rawJSON: "1e400" })).toBe(false)
})

test("R20 no number takes long to read, whatever stands between its digits", () => {
  const begun = cpuMs()

  const read = parseJson(`[1.${"0".repeat(200_000)}1, 1.${"0".repeat(200_000)}]`)

  expect(JSON.stringify(read)).toMatch(/^\[1\.0{200000}1,1\]$/)
  expect(cpuMs() - begun).toBeLessThan(2_000)
})
