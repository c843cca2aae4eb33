// Numbers with a checksum, as people write them.
import fc from "fast-check"
import { expect, test } from "vitest"
import { numbersAcross, numbersIn } from "../../../src/domain/text/checksum.ts"
import { cpuMs } from "../../support/cpu-time.ts"

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
  ["4111 1111, 1111 1111", ["4111111111111111"]],
  ["4111/1111/1111/1111", ["4111111111111111"]],
  ["4111·1111·1111·1111", ["4111111111111111"]],
  ["(4111) (1111) (1111) (1111)", ["4111111111111111"]],
  ["4111_1111_1111_1111", ["4111111111111111"]],
  ["4111    1111    1111    1111", ["4111111111111111"]],
  ["4111     1111     1111     1111", []],
  ["Nr4111 1111 1111 1111x", ["4111111111111111"]],
  ["4111 and 1111 and 1111 and 1111", []],
  ["2027-01-15 12:30:06", []],
  ["4111 1111 1111 1", []],
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
  ["DE89/3704/0044/0532/0130/00", ["DE89370400440532013000"]],
  ["DE89,3704,0044,0532,0130,00", ["DE89370400440532013000"]],
  ["[DE89] [3704] [0044] [0532] [0130] [00]", ["DE89370400440532013000"]],
  ["DE89    3704_0044·0532 – 0130, 00", ["DE89370400440532013000"]],
  ["D E 8 9 3 7 0 4 0 0 4 4 0 5 3 2 0 1 3 0 0 0", ["DE89370400440532013000"]],
  ["xDE89370400440532013000y", ["DE89370400440532013000"]],
  ["ibanDE89 3704 0044 0532 0130 00EUR", ["DE89370400440532013000"]],
  ["DE893704004405320130001", []],
  ["DZ58 0002 1000 0111 3000 0005 70", ["DZ580002100001113000000570"]],
  ["DE89", []],
  ["8937 0400 4405 3201 3000", []],
])("account numbers in %j are %j", (text, found) => {
  expect([...numbersIn(text, "iban")]).toEqual(found)
})

test.each([
  ["in fours", ["4111", "1111", "1111", "1111"], ["4111111111111111"]],
  ["in two halves", ["4111 1111", "1111-1111"], ["4111111111111111"]],
  ["as American Express has them", ["3782", "822463", "10005"], ["378282246310005"]],
  ["that nobody would read as one", ["411", "11111", "11111", "111"], []],
  ["of which one is text", ["4111", "1111", "and 1111", "1111"], []],
])("a card number across neighbours %s", (_, neighbours, found) => {
  expect([...numbersAcross(neighbours, "card_number")]).toEqual(found)
})

test("an account across neighbours is found however it is grouped", () => {
  expect([...numbersAcross(["DE", "89", "3704 0044", "0532 0130 00"], "iban")]).toEqual(["DE89370400440532013000"])
})

test("R20 a long text of single digits takes no time to speak of", () => {
  const begun = cpuMs()

  for (const text of ["4 ".repeat(30_000), "DE89 ".repeat(12_000), "DE89".repeat(15_000)])
    for (const checksum of ["card_number", "iban"] as const) numbersIn(text, checksum)

  expect(cpuMs() - begun).toBeLessThan(3_000)
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
  // As the brands have them: how they begin, and how many digits follow before the last one.
  const digits = fc
    .constantFrom(["4", 14], ["4", 11], ["51", 13], ["2720", 11], ["34", 12], ["6011", 11], ["50", 10], ["62", 16])
    .chain(([first, rest]) => fc.stringMatching(new RegExp(`^\\d{${rest}}$`)).map((more) => `${first}${more}`))
  const groups = fc.array(fc.integer({ min: 1, max: 6 }), { minLength: 20, maxLength: 20 })
  const gaps = fc.constantFrom(" ", "-", ".", "  ", " - ", "\n", "–", "/", ", ", ") (", "    ", "_")
  fc.assert(
    fc.property(digits, groups, gaps, fc.integer({ min: 1, max: 9 }), (begun, sizes, gap, other) => {
      const number = withCheckDigit(begun)
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
