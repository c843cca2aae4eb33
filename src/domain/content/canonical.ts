// One text for one JSON value (RFC 8785), and its SHA-256: the ground of digests, MACs and receipts.

import { createHash } from "node:crypto"
import { isJsonArray, isWireNumber, type Json } from "./json.ts"

/** The key under which a number beyond a double stands, as text. Real keys that begin with `$` gain one more. */
const numberTag = "$number"

/**
 * The canonical JSON of a value (RFC 8785: sorted keys, no white space, ECMAScript numbers), where a number that a
 * double cannot hold is written as `{"$number":"<wire text>"}` and a real key `$…` as `$$…`, so that no two values
 * share a text.
 * A lone surrogate, which RFC 8785 refuses, is written as its escape: such content is shown, but never approvable.
 * Throws `RangeError` for NaN and Infinity, which no JSON text yields.
 */
export function canonicalJson(value: Json): string {
  if (typeof value === "number" && !Number.isFinite(value)) throw new RangeError(`${value} is not JSON`)
  if (typeof value !== "object" || value === null) return JSON.stringify(value)
  if (isWireNumber(value)) return `{"${numberTag}":${JSON.stringify(value.rawJSON)}}`
  if (isJsonArray(value)) return `[${value.map(canonicalJson).join(",")}]`
  // Keys that gain a `$` keep their order among themselves and among the others.
  const members = Object.keys(value).sort()
  return `{${members.map((key) => `${JSON.stringify(escapedKey(key))}:${canonicalJson(value[key] ?? null)}`).join(",")}}`
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

/** True if no string or key in the value holds a lone surrogate: such text reads differently in every program. */
export function isWellFormed(value: Json): boolean {
  if (typeof value === "string") return value.isWellFormed()
  if (typeof value !== "object" || value === null || isWireNumber(value)) return true
  if (isJsonArray(value)) return value.every(isWellFormed)
  return Object.entries(value).every(([key, member]) => key.isWellFormed() && isWellFormed(member))
}
