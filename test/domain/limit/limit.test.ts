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
    ["another name", '"bob"', '"bobby"'],
    ["another number", "42", "43"],
    ["another sign", "42", "-42"],
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
