// Whose sum it is: nobody gets a second sum by writing the same name in another way.
import { describe, expect, test } from "vitest"
import { parseJson } from "../../../src/domain/content/json.ts"
import { everybody, nobodyKnown, whoseSum } from "../../../src/domain/limit/limit.ts"

describe("the sum of", () => {
  test.each([
    ["capitals", '"BOB"', '"bob"'],
    ["blanks around", '" bob\\t"', '"bob"'],
    ["letters of full width", '"ｂｏｂ"', '"bob"'],
    ["an accent of its own", '"Jose\\u0301"', '"josé"'],
    ["ß and SS", '"STRASSE"', '"Straße"'],
    ["a number as a text", '"42"', "42"],
    ["zeros behind the point", '"42.0"', "42"],
    ["another exponent", "4.2e1", '"42"'],
    ["more digits than a double holds", "12345678901234567890", '"12345678901234567890"'],
  ])("a value with %s is the same one", (_what, one, other) => {
    expect(whoseSum(parseJson(one))).toBe(whoseSum(parseJson(other)))
    expect(whoseSum(parseJson(one))).not.toBe(nobodyKnown)
  })

  test.each([
    ["blanks", "DE89 3704 0044 0532 0130 00"],
    ["a blank at each letter", "D E 8 9 3 7 0 4 0 0 4 4 0 5 3 2 0 1 3 0 0 0"],
    ["dashes", "DE89-3704-0044-0532-0130-00"],
    ["a full stop behind it", "DE89370400440532013000."],
    ["small letters and dots", "de89.3704.0044.0532.0130.00"],
    ["slashes and brackets", "(DE89/3704/0044/0532/0130/00)"],
    ["another dash and line feeds", "DE89–3704–0044–0532\n0130\r\n00"],
    ["digits of another script", "DE\u0668\u0669\u06f3\u06f70400440532013000"],
    ["letters of full width", "ＤＥ89370400440532013000"],
  ])("an account with %s is the same one", (_what, written) => {
    expect(whoseSum(written)).toBe(whoseSum("DE89370400440532013000"))
  })

  test.each([
    ["blanks", "1234 5678"],
    ["dashes and zeros before it", "00-1234-5678"],
    ["dots in two places", "12.345.678"],
    ["digits of another script", "\u0661\u0662\u0663\u0664\u0665\u0666\u0667\u0668"],
  ])("a number with %s is the same as the number", (_what, written) => {
    expect(whoseSum(written)).toBe(whoseSum(12_345_678))
  })

  test("a text without a digit, and a text that is a number, are as they are written", () => {
    expect(whoseSum("bob-smith")).not.toBe(whoseSum("bobsmith"))
    expect(whoseSum("1234.5678")).not.toBe(whoseSum("12345678"))
    expect(whoseSum("1-e5")).not.toBe(whoseSum("100000"))
  })

  test("an account with something that browsers do not draw counts as nobody's", () => {
    expect(whoseSum("DE893704\ufffc00440532013000")).toBe(nobodyKnown)
  })

  test.each([
    ["another name", '"bob"', '"bobby"'],
    ["another number", "42", "43"],
    ["another sign", "42", "-42"],
    ["another digit", '"DE89370400440532013000"', '"DE89370400440532013001"'],
    ["a number beside the next that a double would take for it", "9007199254740992", "9007199254740993"],
  ])("a value with %s is another one", (_what, one, other) => {
    expect(whoseSum(parseJson(one))).not.toBe(whoseSum(parseJson(other)))
  })

  test.each([
    ["null", "null"],
    ["a list", '["bob"]'],
    ["an object", '{"name":"bob"}'],
    ["true", "true"],
    ["a text with a character that nobody sees", '"bo\\u200bb"'],
    ["a text with half a character", '"bob\\ud83d"'],
  ])("%s is the one that all share of whom nobody knows who they are", (_what, json) => {
    expect(whoseSum(parseJson(json))).toBe(nobodyKnown)
  })

  test("nothing is the same one, and nobody's name is another's", () => {
    expect(whoseSum(undefined)).toBe(nobodyKnown)
    expect([everybody, nobodyKnown]).not.toContain(whoseSum("all"))
    expect([everybody, nobodyKnown]).not.toContain(whoseSum("missing"))
  })
})
