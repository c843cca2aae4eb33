// Lines of CSV (RFC 4180) that people open in a spreadsheet: no cell of it runs anything, and none is torn apart.
import { stringify } from "csv-stringify/sync"
import { clip, visible } from "../../blockkit/text.ts"
import { isWireNumber, type Json } from "../../domain/content/json.ts"

/**
 * A spreadsheet takes 32,767 characters in one cell (Excel's "specifications and limits"), and some tear a longer text
 * apart: the rest would begin a cell of its own.
 */
const maxUnits = 32_000

/** More digits than this a spreadsheet rounds. */
const maxDigits = 15

/** What a formula begins with, where a cell may begin: a spreadsheet may also part them at semicolons or tabs. */
const formulas = /(^|[;\t\r\n])(?=[^\S;\t\r\n]*[=+\-@＝＋－＠])/g

/**
 * What a spreadsheet takes for a number, a date or a time and shows as another value: digits of any script, with what
 * may stand among them. Behind a sign it is a formula.
 */
const numbers = /^[\s.,]*\p{Nd}[\p{Nd}\s.,:/+\-eE%]*$/u

/** What a file begins with, even before its head is known: the mark by which spreadsheets know UTF-8. */
export const csvMark = "\uFEFF"

/** A line. What each cell begins with can be no formula; a number stays one, also below zero. */
export function csvLine(cells: readonly Json[]): string {
  return stringify([cells.map(cellText)], { record_delimiter: "\r\n", quoted_match: /[\r\n\t;']/ })
}

/**
 * A value as its cell shows it: a text as it is, null as nothing, a list or an object as JSON. What nobody sees stands
 * there as its number, what would be a formula or another value behind an apostrophe.
 */
function cellText(value: Json): string {
  if (value === null) return ""
  if (typeof value === "number" || isWireNumber(value)) return withAllDigits(JSON.stringify(value))
  const { text, cut } = clip(visible(typeof value === "string" ? value : JSON.stringify(value)), maxUnits)
  const harmless = text.replace(formulas, "$1'").replace(/^(?=[\t\r])/, "'")
  const same = numbers.test(text) && !harmless.startsWith("'") ? `'${harmless}` : harmless
  return cut === 0 ? same : `${same}… (${cut} more characters)`
}

/** A number; as a text if it is so long that a spreadsheet would round it. */
function withAllDigits(number: string): string {
  return number.replace(/\D/g, "").length > maxDigits ? `'${number}` : number
}
