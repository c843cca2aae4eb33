// Amounts: exact decimals that we add up. A sum has room for more digits than an amount, so we never round.
import { decimalOf } from "../condition/decimal.ts"
import { isWireNumber, type Json } from "../content/json.ts"

/** `units` times a tenth to the power of `scale`: 12.50 is 125 and 1. Never negative; `units` ends in no zero. */
export interface Amount {
  readonly units: bigint
  readonly scale: number
}

/** No amount. */
export const zero: Amount = { units: 0n, scale: 0 }

/** What a value adds to a sum; null if it is no number, is negative, or is too long to compare. */
export function amountIn(value: Json | undefined): Amount | null {
  if (typeof value === "number") return amountOf(String(value))
  return isWireNumber(value) ? amountOf(value.rawJSON) : null
}

/** The amount that a text of JSON or of a rule says; null for the texts for which `amountIn` gives null. */
export function amountOf(text: string): Amount | null {
  const decimal = decimalOf(text)
  if (decimal === null) return null
  const { negative, digits, exponent } = decimal
  if (digits === "") return zero
  return negative ? null : amount(BigInt(digits), digits.length - exponent)
}

/** The sum of two amounts. */
export function plus(one: Amount, other: Amount): Amount {
  const [left, right, scale] = aligned(one, other)
  return amount(left + right, scale)
}

/** What is left of an amount; null if the other amount is more. */
export function minus(one: Amount, other: Amount): Amount | null {
  const [left, right, scale] = aligned(one, other)
  return left < right ? null : amount(left - right, scale)
}

/** True if the first is more than the second. */
export function isMore(one: Amount, other: Amount): boolean {
  const [left, right] = aligned(one, other)
  return left > right
}

/** An amount without an exponent: "5400", "0.25". */
export function amountAsText({ units, scale }: Amount): string {
  if (scale <= 0) return String(units * 10n ** BigInt(-scale))
  const digits = String(units).padStart(scale + 1, "0")
  return `${digits.slice(0, -scale)}.${digits.slice(-scale)}`
}

/** Reads an amount that `amountAsText` wrote, however long it is. Throws `SyntaxError` for anything else. */
export function writtenAmount(text: string): Amount {
  const [whole = "", fraction = ""] = text.split(".")
  return amount(BigInt(whole + fraction), fraction.length)
}

function aligned(one: Amount, other: Amount): readonly [left: bigint, right: bigint, scale: number] {
  const scale = Math.max(one.scale, other.scale)
  const at = ({ units, scale: own }: Amount) => units * 10n ** BigInt(scale - own)
  return [at(one), at(other), scale]
}

/** Drops the zeros at the end, so that equal amounts have one text. */
function amount(units: bigint, scale: number): Amount {
  if (units === 0n) return zero
  const digits = String(units)
  let zeros = 0
  while (digits[digits.length - 1 - zeros] === "0") zeros += 1
  return zeros === 0 ? { units, scale } : { units: units / 10n ** BigInt(zeros), scale: scale - zeros }
}
