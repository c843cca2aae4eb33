// Canonical JSON: one text for one value, and no text for two (R2).

import canonicalize from "canonicalize"
import fc from "fast-check"
import { expect, test } from "vitest"
import { canonicalJson, hashOf, isWellFormed, sha256 } from "../../../src/domain/content/canonical.ts"
import { type Json, parseJson } from "../../../src/domain/content/json.ts"
import { anyJson, key, numberText, ordinaryJson } from "../arbitraries.ts"

function hasDollarKey(value: unknown): boolean {
  return JSON.stringify(value).includes('"$')
}

test("ordinary JSON is written as RFC 8785 says", () => {
  fc.assert(
    fc.property(ordinaryJson, (value) => {
      fc.pre(!hasDollarKey(value) && isWellFormed(value))

      expect(canonicalJson(value)).toBe(canonicalize(value))
    }),
  )
})

test("the example of RFC 8785 comes out as it says", () => {
  const value = parseJson(
    String.raw`{"numbers":[333333333.33333329,1E30,4.50,2e-3,0.000000000000000000000000001],"string":"\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/","literals":[null,true,false]}`,
  )

  const numbers = `{"$number":"333333333.33333329"},1e+30,4.5,0.002,1e-27`
  const string = String.raw`"€$\u000f\nA'B\"\\\\\"/"`
  expect(canonicalJson(value)).toBe(`{"literals":[null,true,false],"numbers":[${numbers}],"string":${string}}`)
})

test("keys are sorted by UTF-16 code units", () => {
  expect(canonicalJson({ "\u{1f600}": 1, "\ufb33": 2, b: 3, a: 4, "10": 5, "9": 6 })).toBe(
    '{"10":5,"9":6,"a":4,"b":3,"\u{1f600}":1,"\ufb33":2}',
  )
})

test("the order of keys makes no difference", () => {
  fc.assert(
    fc.property(fc.dictionary(key, anyJson, { maxKeys: 5 }), (value) => {
      const turned = Object.fromEntries(Object.entries(value).toReversed())

      expect(canonicalJson(turned)).toBe(canonicalJson(value))
    }),
  )
})

test("a value read from its own text has the same canonical form", () => {
  fc.assert(
    fc.property(anyJson, (value) => {
      expect(canonicalJson(parseJson(JSON.stringify(value)))).toBe(canonicalJson(value))
    }),
  )
})

test("two values that differ never share a text", () => {
  fc.assert(
    fc.property(anyJson, anyJson, (one, other) => {
      fc.pre(!sameValue(one, other))

      expect(canonicalJson(one)).not.toBe(canonicalJson(other))
    }),
  )
})

test("two long numbers that a double confuses do not share a text", () => {
  expect(canonicalJson(parseJson("9007199254740993"))).not.toBe(canonicalJson(parseJson("9007199254740992")))
  fc.assert(
    fc.property(numberText, (text) => {
      const longer = `1${text.replace("-", "")}`

      expect(canonicalJson(parseJson(longer))).not.toBe(canonicalJson(parseJson(text)))
    }),
  )
})

test.for<readonly [Json, Json]>([
  [parseJson("1e400"), { $number: "1e400" }],
  [{ $number: "1" }, { $$number: "1" }],
  [parseJson("1e400"), "1e400"],
  [null, "null"],
  [[], {}],
  ["\ud800", String.raw`\ud800`],
  [{ a: 1 }, { a: "1" }],
])("%j and %j do not share a text", ([one, other]) => {
  expect(canonicalJson(one)).not.toBe(canonicalJson(other))
})

test.for([Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY])(
  "%d, which no JSON text yields, is refused",
  (value) => {
    expect(() => canonicalJson([value])).toThrow(RangeError)
  },
)

test("hashes are SHA-256 over the canonical text", () => {
  expect(sha256("abc")).toBe("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
  expect(hashOf({ b: 1, a: 2 })).toBe(sha256('{"a":2,"b":1}'))
})

test.for<readonly [Json, boolean]>([
  ["\ud83d\ude00", true],
  ["\ud83d", false],
  [["x", "\ude00"], false],
  [{ a: { b: "\ud800" } }, false],
  [{ "\ud800": 1 }, false],
  [parseJson("1e400"), true],
  [null, true],
])("whether %j is well-formed is %s", ([value, wanted]) => {
  expect(isWellFormed(value)).toBe(wanted)
})

/** The same value, told by an independent walk; -0 and 0 count as one. */
function sameValue(one: Json, other: Json): boolean {
  if (typeof one !== "object" || one === null || typeof other !== "object" || other === null) return one === other
  if (JSON.isRawJSON(one) || JSON.isRawJSON(other)) return JSON.stringify(one) === JSON.stringify(other)
  if (Array.isArray(one) !== Array.isArray(other)) return false
  const [ours, theirs] = [Object.entries(one), new Map(Object.entries(other))] as [[string, Json][], Map<string, Json>]
  return (
    ours.length === theirs.size &&
    ours.every(([name, value]) => theirs.has(name) && sameValue(value, theirs.get(name) ?? null))
  )
}
