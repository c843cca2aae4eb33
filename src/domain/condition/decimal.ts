// Exact decimals: a number as the wire or a rule wrote it, compared digit by digit, however a double would round it.

/** A number: `0.digits` times ten to the `exponent`, its digits without zeros at either end. Zero has no digits. */
export interface Decimal {
  readonly negative: boolean
  readonly digits: string
  readonly exponent: number
}

/** Numbers with more digits, or a larger exponent, are not compared: nobody reads such a number. */
const maxDigits = 1_000
const maxExponent = 1_000

const written = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/

/** The number that a text of JSON or of a rule says; null if it is no number, or too long to compare. */
export function decimalOf(text: string): Decimal | null {
  // The text of any number that fits is shorter: sign, point and exponent take only a few characters more.
  if (text.length > maxDigits + 20) return null
  const [, sign, whole, fraction = "", power = "0"] = written.exec(text) ?? []
  if (whole === undefined) return null
  const all = whole + fraction
  if (all.length > maxDigits || Math.abs(Number(power)) > maxExponent) return null
  const first = all.search(/[1-9]/)
  if (first < 0) return { negative: false, digits: "", exponent: 0 }
  const digits = withoutZeros(all.slice(first))
  return { negative: sign === "-", digits, exponent: Number(power) + whole.length - first }
}

/** Drops the zeros at the end. A regular expression would try again at each zero. */
function withoutZeros(digits: string): string {
  let end = digits.length
  while (digits[end - 1] === "0") end -= 1
  return digits.slice(0, end)
}

/** Below 0 if the first is less, 0 if they are equal, above 0 if it is more. */
export function compareDecimals(one: Decimal, other: Decimal): number {
  const [left, right] = [signOf(one), signOf(other)]
  if (left !== right || left === 0) return left - right
  return left * compareSizes(one, other)
}

function signOf({ negative, digits }: Decimal): number {
  if (digits === "") return 0
  return negative ? -1 : 1
}

/** Compares the digits of two numbers as texts: only zeros would follow the last digit of either. */
function compareSizes(one: Decimal, other: Decimal): number {
  if (one.exponent !== other.exponent) return one.exponent - other.exponent
  if (one.digits === other.digits) return 0
  return one.digits < other.digits ? -1 : 1
}
