// Texts as two readers see them: an exact reader, and a careless one, for whom "Prod " and "prod" are the same.
import { isInvisibleAt, isPlainText } from "../../invisible.ts"

/** What it costs to look at one character of a text. A cost of a thousand is one step (`evaluate.ts`). */
export interface Effort {
  /** What it costs to see that the character can be trusted, and to compare it. */
  readonly exact: number
  /** What it costs to read the character as a careless reader does. */
  readonly careless: number
}

const plainEffort: Effort = { exact: 1, careless: 1 }
/** For other texts: we look for invisible characters and at the normal form, then normalize and fold more than once. */
const otherEffort: Effort = { exact: 10, careless: 50 }

/** What reading a text costs. Plain ASCII is the same in all normal forms. */
export function effortOf(text: string): Effort {
  return isPlainText(text) ? plainEffort : otherEffort
}

/**
 * No script puts this many marks on one letter. Time to sort marks grows with the square of their number, so we never
 * normalize a text with so many. The two half-width marks count, because normalizing makes them marks like the others.
 */
const tooManyMarks = /[\p{M}\uFF9E\uFF9F]{31}/u

/**
 * True for a text that says to every reader what it says to us: in normal form C, and without invisible characters. A
 * carriage return is as harmless as a line feed.
 */
export function isTrusted(text: string): boolean {
  return isPlainText(text) || (isLegible(text) && text.normalize("NFC") === text)
}

/** True for a text without invisible characters (a carriage return is none) and with few marks on each letter. */
export function isLegible(text: string): boolean {
  if (isPlainText(text)) return true
  for (let at = 0; at < text.length; at += 1) {
    if (isInvisibleAt(text, at) && text[at] !== "\r") return false
    if ((text.codePointAt(at) ?? 0) > 0xffff) at += 1
  }
  return !tooManyMarks.test(text)
}

/** A legible text as a careless reader sees it: in compatible letters, in one case, and without blanks at its ends. */
export function carelessly(text: string): string {
  if (isPlainText(text)) return text.toLowerCase().trim()
  return folded(text.normalize("NFKC")).normalize("NFKC").trim()
}

/** Makes both letters of a pair the same, also ß and SS. A sigma at the end of a word becomes a plain sigma. */
function folded(text: string): string {
  return text.toLowerCase().toUpperCase().toLowerCase().replaceAll("ς", "σ")
}

/** A text with the digits of all scripts as 0 to 9. In Unicode the ten digits of a script are in order, zero first. */
export function withPlainDigits(text: string): string {
  return isPlainText(text) ? text : text.replaceAll(/(?![0-9])\p{Nd}/gu, plainDigit)
}

/** A digit as 0 to 9. Some scripts' digits stand side by side: each full ten before this digit is another script's. */
function plainDigit(digit: string): string {
  const point = digit.codePointAt(0) ?? 0
  let before = 0
  while (/^\p{Nd}$/u.test(String.fromCodePoint(point - before - 1))) before += 1
  return String(before % 10)
}

/** Compares texts by code points, which JavaScript does not. Below 0 if the first comes first, 0 if they are equal. */
export function compareTexts(one: string, other: string): number {
  const length = Math.min(one.length, other.length)
  for (let at = 0; at < length; at += 1) {
    const [left, right] = [one.charCodeAt(at), other.charCodeAt(at)]
    if (left !== right) return rankOf(left) - rankOf(right)
  }
  return one.length - other.length
}

/** Halves of a surrogate pair rank last: their code points are the highest. */
function rankOf(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit
}
