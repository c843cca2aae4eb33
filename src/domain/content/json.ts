// JSON as the wire had it, with every number and every name: what a person approves must be what will run.
import { parse } from "lossless-json"
import { extentOf, hasEscapedName } from "./json-text.ts"

/** A number beyond a double, as its wire text (`JSON.rawJSON`). `JSON.stringify` writes it back digit by digit. */
export interface WireNumber {
  readonly rawJSON: string
}

declare global {
  interface JSON {
    /** Node 24: a value that `JSON.stringify` writes as the given text. */
    rawJSON(text: string): WireNumber
    /** Node 24: true for what `JSON.rawJSON` made, and for nothing else. */
    isRawJSON(value: unknown): value is WireNumber
  }
}

/** Any JSON value. A number that a double cannot hold is a `WireNumber`. */
export type Json = null | boolean | number | string | WireNumber | readonly Json[] | JsonObject
/** A JSON object. */
export interface JsonObject {
  readonly [key: string]: Json
}

/** True for a number that is kept as its wire text. */
export function isWireNumber(value: unknown): value is WireNumber {
  return JSON.isRawJSON(value)
}

/** True for a JSON object: no array, no null, no wire number. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !isWireNumber(value)
}

/** True for a JSON array. `Array.isArray` alone does not narrow read-only arrays. */
export function isJsonArray(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value)
}

/**
 * Parses JSON and keeps each number that a double cannot hold as a `WireNumber`. Throws `SyntaxError` for text that is
 * no JSON, and for JSON that is nested too deeply to show to anybody.
 */
export function parseJson(text: string): Json {
  if (mayBeInexact.test(text) || hasEscapedName(text)) return parseSlowly(text, orWireText(heldByDouble))
  refuseDeep(text)
  return JSON.parse(text)
}

/** Like `parseJson`, but undefined for text that is no JSON: a line that a crash cut off, or a proxy's page. */
export function tryParseJson(text: string): Json | undefined {
  try {
    return parseJson(text)
  } catch {
    return undefined // told by the caller, in its own words
  }
}

/**
 * Parses JSON that goes back to its writer: keeps each number that would be written differently, even `50.0`. Throws as
 * `parseJson` does.
 */
export function parseExactly(text: string): Json {
  return parseSlowly(
    text,
    orWireText((source, value) => String(value) === source),
  )
}

/** How many values a value holds, itself included. */
export function countValues(value: Json): number {
  if (typeof value !== "object" || value === null || isWireNumber(value)) return 1
  const members = isJsonArray(value) ? value : Object.values(value)
  return members.reduce((sum: number, member) => sum + countValues(member), 1)
}

/** Only text like this can hold a number that a double cannot: 16 digits or more, or an exponent of three digits. */
const mayBeInexact = /(?:^|[:,[\s])-?(?:[\d.]{16}|[\d.]+[eE][+-]?\d{3})/

/** The most levels of nesting. With more, code that walks the JSON would overflow the stack. */
const deepest = 1_000

/**
 * Reads names as they are written. `JSON.parse` of Node 24 to 26 does not always: in `{"a":1,"b\\n":2}` it may take the
 * name of an earlier object, such as `b\\`, for the second name.
 */
function parseSlowly(text: string, parseNumber: (source: string) => unknown): Json {
  refuseDeep(text)
  // If a member is named twice, its last value counts, as with JSON.parse.
  return parse(text, null, { parseNumber, onDuplicateKey: ({ newValue }) => newValue }) as Json
}

function refuseDeep(text: string): void {
  if (text.length > 2 * deepest && extentOf(text).depth > deepest) throw new SyntaxError("JSON is nested too deeply")
}

/** Makes a reader of numbers that keeps the text of each number that a double does not hold. */
function orWireText(isHeld: (source: string, value: number) => boolean): (source: string) => number | WireNumber {
  return (source) => {
    const value = Number(source)
    return isHeld(source, value) ? value : JSON.rawJSON(source)
  }
}

/** True if the double prints as the same number that the text says. */
function heldByDouble(source: string, value: number): boolean {
  return Number.isFinite(value) && normalized(source) === normalized(String(value))
}

/** A decimal number as `digits e exponent`, without zeros at either end. */
function normalized(text: string): string {
  const [mantissa = "", exponent = "0"] = text.toLowerCase().replace(/^-/, "").split("e")
  const [whole = "", fraction = ""] = mantissa.split(".")
  const digits = (whole + fraction).replace(/^0+/, "")
  const kept = withoutLast(digits, "0")
  if (kept === "") return "0"
  const power = Number(exponent) - fraction.length + (digits.length - kept.length)
  return `${text.startsWith("-") ? "-" : ""}${kept}e${power}`
}

/** The text without all copies of a letter at its end. A pattern would try again at each of them (R20). */
function withoutLast(text: string, letter: string): string {
  let end = text.length
  while (end > 0 && text[end - 1] === letter) end -= 1
  return text.slice(0, end)
}
