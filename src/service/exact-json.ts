// JSON whose numbers keep their digits: what comes in as 12345678901234567890 or 50.0 goes out the same.

/** A number that a double cannot write back as it was; made by `JSON.rawJSON`. */
type RawNumber = { readonly rawJSON: string }

declare global {
  // Node 24 has these (source text access); TypeScript 7.0 has no types for them.
  interface JSON {
    rawJSON(text: string): RawNumber
    isRawJSON(value: unknown): value is RawNumber
  }
}

/** A JSON object by its keys. Its numbers may be raw ones: write it with `writeExact`, do not calculate with it. */
export type JsonObject = { readonly [key: string]: unknown }

/** Parses JSON and keeps every number's text. Throws SyntaxError, and RangeError when nested thousands deep. */
export function parseExact(text: string): unknown {
  return JSON.parse(text, keepDigits)
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

/** True for an object with keys: not null, no array, no raw number. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !JSON.isRawJSON(value)
}

/** Turns bigints, as YAML and programs give them, into numbers that `writeExact` writes digit by digit. Copies as it goes. */
export function fromBigints(value: unknown): unknown {
  if (typeof value === "bigint")
    return Number.isSafeInteger(Number(value)) ? Number(value) : JSON.rawJSON(String(value))
  if (Array.isArray(value)) return value.map(fromBigints)
  if (!isJsonObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, fromBigints(item)]))
}
