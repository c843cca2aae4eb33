// Random JSON for property tests: as texts with numbers of any size, and as values.
import fc from "fast-check"
import { type Json, parseJson } from "../../src/domain/content/json.ts"

/** The text of a JSON number of any length, sign and exponent. */
export const numberText: fc.Arbitrary<string> = fc
  .tuple(
    fc.constantFrom("", "-"),
    fc.oneof(fc.constant("0"), fc.stringMatching(/^[1-9]\d{0,25}$/)),
    fc.option(fc.stringMatching(/^\d{1,25}$/), { nil: null }),
    fc.option(fc.tuple(fc.constantFrom("e", "E", "e+", "e-"), fc.stringMatching(/^\d{1,4}$/)), { nil: null }),
  )
  .map(([sign, whole, fraction, exponent]) => {
    const power = exponent === null ? "" : exponent.join("")
    return `${sign}${whole}${fraction === null ? "" : `.${fraction}`}${power}`
  })

/** A key: often one that means something to us, or to JavaScript. */
export const key: fc.Arbitrary<string> = fc.oneof(
  fc.string(),
  fc.constantFrom("$number", "$", "$$number", "__proto__", "constructor", "toJSON", "rawJSON", "a", "1"),
)

const { value: json } = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.constantFrom(null, true, false, "", "9007199254740993"),
    numberText.map(parseJson),
    fc.string({ unit: "binary" }),
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(key, tie("value"), { maxKeys: 4 }),
  ),
}))

/** Any JSON value, with numbers that a double cannot hold and keys that begin with `$`. */
export const anyJson: fc.Arbitrary<Json> = json

/** JSON that every program reads alike: what a double holds, well-formed text, no keys of ours. */
export const ordinaryJson: fc.Arbitrary<Json> = fc
  .jsonValue({ depthSize: "small" })
  .map((value) => parseJson(JSON.stringify(value)))
