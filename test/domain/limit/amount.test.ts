// Amounts are added digit by digit, whatever a double holds.
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { parseJson } from "../../../src/domain/content/json.ts"
import {
  amountAsText,
  amountIn,
  amountOf,
  isMore,
  minus,
  plus,
  writtenAmount,
  zero,
} from "../../../src/domain/limit/amount.ts"

function of(text: string) {
  const amount = amountOf(text)
  if (amount === null) throw new Error(`${text} is no amount`)
  return amount
}

describe("an amount", () => {
  test.each([
    ["1000", "1000"],
    ["0.25", "0.25"],
    ["12.50", "12.5"],
    ["5e3", "5000"],
    ["1e-3", "0.001"],
    ["0", "0"],
    ["-0.0", "0"],
    ["123456789012345678901234567890.5", "123456789012345678901234567890.5"],
  ])("of %s is %s without an exponent", (written, text) => {
    expect(amountAsText(of(written))).toBe(text)
    expect(writtenAmount(text)).toEqual(of(written))
  })

  test.each([
    ["a negative number", "-1"],
    ["a number with more digits than are compared", `1${"0".repeat(1_000)}`],
    ["a number with a larger exponent than is compared", "1e1001"],
    ["a text", '"1000"'],
    ["null", "null"],
    ["a list", "[1000]"],
    ["true", "true"],
  ])("is no amount where there is %s", (_what, json) => {
    expect(amountIn(parseJson(json))).toBeNull()
  })

  test("is none where there is nothing", () => {
    expect(amountIn(undefined)).toBeNull()
  })

  test("keeps a cent beside a number that a double rounds", () => {
    const large = amountIn(parseJson("9007199254740993"))
    const cent = amountIn(0.01)

    expect(large !== null && cent !== null && amountAsText(plus(large, cent))).toBe("9007199254740993.01")
  })

  test("of ten times 0.1 is 1, as it is on paper", () => {
    const sum = Array.from({ length: 10 }, () => of("0.1")).reduce(plus, zero)

    expect(isMore(sum, of("1"))).toBe(false)
    expect(isMore(of("1"), sum)).toBe(false)
  })
})

/** Hundredths, so that the slow side is plain integers. */
const cents = fc.bigInt({ min: 0n, max: 10n ** 40n })
const written = (amount: bigint) => `${amount / 100n}.${String(amount % 100n).padStart(2, "0")}`

test("amounts add up, are taken away and compare as whole cents do", () => {
  fc.assert(
    fc.property(cents, cents, (one, other) => {
      const [left, right] = [of(written(one)), of(written(other))]
      const rest = minus(left, right)

      expect(plus(left, right)).toEqual(of(written(one + other)))
      expect(rest).toEqual(one < other ? null : of(written(one - other)))
      expect(isMore(left, right)).toBe(one > other)
    }),
  )
})
