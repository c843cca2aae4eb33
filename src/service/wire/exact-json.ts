// JSON whose numbers keep their digits, for the wire: 12345678901234567890 or 50.0 goes out as it came in. The domain's
// own reader only keeps numbers that a double cannot hold; a platform must not even turn 50.0 into 50.
import { isJsonObject, isWireNumber, parseExactly } from "../../domain/content/json.ts"
import { hasEscapedName } from "../../domain/content/json-text.ts"

export { isJsonObject, isWireNumber }

/** A JSON object by its keys. Its numbers may be wire numbers: write it with `writeExact`, do not calculate with it. */
export interface WireObject {
  readonly [key: string]: unknown
}

/**
 * Parses JSON and keeps every number's text, and every name as it is written. Throws SyntaxError, with the words of
 * `JSON.parse`, and RangeError when nested thousands deep.
 */
export function parseExact(text: string): unknown {
  const value: unknown = JSON.parse(text, keepDigits)
  return hasEscapedName(text) ? parseExactly(text) : value
}

/** The third argument is Node 24's; the types of the language do not have it yet. */
function keepDigits(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  const source = context?.source
  return typeof value === "number" && source !== undefined && String(value) !== source ? JSON.rawJSON(source) : value
}

/** Writes JSON, raw numbers digit by digit. Throws TypeError on a bigint, so that none is rounded unseen. */
export function writeExact(value: unknown): string {
  return JSON.stringify(value)
}

/** Turns bigints, as YAML and programs give them, into numbers that `writeExact` writes digit by digit, in a copy. */
export function fromBigints(value: unknown): unknown {
  if (typeof value === "bigint")
    return Number.isSafeInteger(Number(value)) ? Number(value) : JSON.rawJSON(String(value))
  if (Array.isArray(value)) return value.map(fromBigints)
  if (!isJsonObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, fromBigints(item)]))
}

/** The same fields without those that are null, which some answers leave out. */
export function withoutNulls(fields: WireObject): WireObject {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null))
}
