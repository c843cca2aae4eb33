// JSON whose numbers keep their digits, for the wire: 12345678901234567890 or 50.0 goes out as it came in. The domain's
// own reader keeps the digits only of numbers that a double cannot hold; a platform must not even turn 50.0 into 50.
import { isJsonObject, isWireNumber, parseExactly } from "../../domain/content/json.ts"
import { hasEscapedName } from "../../domain/content/json-text.ts"

export { isJsonObject, isWireNumber }

/** A JSON object. Its numbers may be wire numbers: write them with `writeExact`, and never calculate with them. */
export interface WireObject {
  readonly [key: string]: unknown
}

/**
 * Parses JSON. Each number keeps its text, and each name is kept as written. Throws SyntaxError, with the words of
 * `JSON.parse`, and RangeError for JSON that is nested thousands deep.
 */
export function parseExact(text: string): unknown {
  const value: unknown = JSON.parse(text, keepDigits)
  return hasEscapedName(text) ? parseExactly(text) : value
}

/** Node 24 passes the third argument; the types of the language do not have it yet. */
function keepDigits(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  const source = context?.source
  return typeof value === "number" && source !== undefined && String(value) !== source ? JSON.rawJSON(source) : value
}

/** Writes JSON with every digit of each raw number. Throws TypeError for a bigint, so that none is rounded unseen. */
export function writeExact(value: unknown): string {
  return JSON.stringify(value)
}

/** A copy with numbers in place of bigints, which YAML and programs give; `writeExact` writes every digit of them. */
export function fromBigints(value: unknown): unknown {
  if (typeof value === "bigint")
    return Number.isSafeInteger(Number(value)) ? Number(value) : JSON.rawJSON(String(value))
  if (Array.isArray(value)) return value.map(fromBigints)
  if (!isJsonObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, fromBigints(item)]))
}

/** The fields without null values, which some answers leave out. */
export function withoutNulls(fields: WireObject): WireObject {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null))
}
