// Numbers with a checksum, as people write them.
import fc from "fast-check"
import { expect, test } from "vitest"
import { numbersIn } from "../../../src/domain/text/checksum.ts"

test.each([
  ["4111111111111111", ["4111111111111111"]],
  ["card 4111 1111 1111 1111, until 12/27", ["4111111111111111"]],
  ["4111-1111-1111-1111 12 27", ["4111111111111111"]],
  ["3782 822463 10005", ["378282246310005"]],
  ["No.4111.1111.1111.1111.", ["4111111111111111"]],
  ["x4111111111111111y and 5500 0000 0000 0004", ["4111111111111111", "5500000000000004"]],
  ["4111111111111112", []],
  ["0000 0000 0000 0000", []],
  ["4111 1111 1111", []],
  ["4111 1111, 1111 1111", []],
  ["94111111111111111", []],
  ["", []],
])("card numbers in %j are %j", (text, found) => {
  expect([...numbersIn(text, "card_number")]).toEqual(found)
})

test.each([
  ["DE89370400440532013000", ["DE89370400440532013000"]],
  ["please pay to DE89 3704 0044 0532 0130 00 today", ["DE89370400440532013000"]],
  ["gb82 west 1234 5698 7654 32", ["GB82WEST12345698765432"]],
  ["iban:GB82-WEST-1234-5698-7654-32.", ["GB82WEST12345698765432"]],
  ["GB82 WEST 1234 5698 7654 33", []],
  ["DE89", []],
  ["8937 0400 4405 3201 3000", []],
])("account numbers in %j are %j", (text, found) => {
  expect([...numbersIn(text, "iban")]).toEqual(found)
})

test("one that is written twice counts once, however it is grouped", () => {
  expect(numbersIn("4111 1111 1111 1111; 4111111111111111; 4111-1111-11111111", "card_number").size).toBe(1)
})

/** The digit that makes a number one of Luhn's: tried one by one. */
function withCheckDigit(digits: string): string {
  const holds = (all: string) =>
    Array.from(all).reduce((sum, digit, index) => {
      const isSecond = (all.length - index) % 2 === 0
      return sum + Array.from(String(Number(digit) * (isSecond ? 2 : 1))).reduce((part, one) => part + Number(one), 0)
    }, 0) %
      10 ===
    0
  const found = Array.from({ length: 10 }, (_, last) => `${digits}${last}`).filter(holds)
  expect(found).toHaveLength(1)
  return found[0] ?? ""
}

test("for any card number: it is found, grouped in any way, and not with another last digit", () => {
  const digits = fc.tuple(fc.constantFrom("2", "3", "4", "5", "6"), fc.stringMatching(/^\d{11,17}$/))
  const groups = fc.array(fc.integer({ min: 1, max: 6 }), { minLength: 20, maxLength: 20 })
  const gaps = fc.constantFrom(" ", "-", ".", "  ", " - ", "\n", "–")
  fc.assert(
    fc.property(digits, groups, gaps, fc.integer({ min: 1, max: 9 }), ([first, rest], sizes, gap, other) => {
      const number = withCheckDigit(`${first}${rest}`)
      const wrong = number.slice(0, -1) + ((Number(number.at(-1)) + other) % 10)
      expect([...numbersIn(`a ${grouped(number, sizes, gap)}, b`, "card_number")]).toContain(number)
      expect([...numbersIn(wrong, "card_number")]).toEqual([])
    }),
  )
})

function grouped(number: string, sizes: readonly number[], gap: string): string {
  const parts: string[] = []
  let left = number
  for (const size of sizes) {
    if (left === "") break
    parts.push(left.slice(0, size))
    left = left.slice(size)
  }
  return [...parts, left].filter((part) => part !== "").join(gap)
}
