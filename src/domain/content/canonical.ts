// One text for each JSON value (RFC 8785), and its SHA-256: digests, MACs and receipts rest on it.

import { createHash } from "node:crypto"
import { isJsonArray, isWireNumber, type Json } from "./json.ts"

/** The key that holds, as text, a number beyond a double. Real keys that begin with `$` get one more `$`. */
const numberTag = "$number"

/**
 * The canonical JSON of a value (RFC 8785: sorted keys, no white space, ECMAScript numbers). A number that a double
 * cannot hold becomes `{"$number":"<wire text>"}`, and a real key `$…` becomes `$$…`, so no two values share a text.
 * RFC 8785 refuses a lone surrogate; here it becomes its escape: such content is shown, but nobody can approve it.
 * Throws `RangeError` for NaN and Infinity, which no JSON text yields.
 */
export function canonicalJson(value: Json): string {
  if (typeof value === "number" && !Number.isFinite(value)) throw new RangeError(`${value} is not JSON`)
  if (typeof value !== "object" || value === null) return JSON.stringify(value)
  if (isWireNumber(value)) return `{"${numberTag}":${JSON.stringify(value.rawJSON)}}`
  if (isJsonArray(value)) return `[${value.map(canonicalJson).join(",")}]`
  // Keys that get one more `$` keep their order among themselves and among the others.
  const member = (key: string) => `${JSON.stringify(escapedKey(key))}:${canonicalJson(value[key] ?? null)}`
  return `{${Object.keys(value).sort().map(member).join(",")}}`
}

function escapedKey(key: string): string {
  return key.startsWith("$") ? `$${key}` : key
}

/** SHA-256 of a text, as 64 hex characters. */
export function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex")
}

/** SHA-256 over the canonical JSON of a value, as 64 hex characters. */
export function hashOf(value: Json): string {
  return sha256(canonicalJson(value))
}

/** True if no string or key in the value holds a lone surrogate: programs read such text differently. */
export function isWellFormed(value: Json): boolean {
  if (typeof value === "string") return value.isWellFormed()
  if (typeof value !== "object" || value === null || isWireNumber(value)) return true
  if (isJsonArray(value)) return value.every(isWellFormed)
  return Object.entries(value).every(([key, member]) => key.isWellFormed() && isWellFormed(member))
}
