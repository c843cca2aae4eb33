// Makes identifiers, from random bytes or from what the identifier names.
import { createHash } from "node:crypto"

/** A UUID of version 4 from 16 random bytes. */
export function randomId(random: (size: number) => Uint8Array): string {
  return uuid(Buffer.from(random(16)), 4)
}

/** A tool call's id in the form that models use: `call_` and 16 hex digits. */
export function randomCallId(random: (size: number) => Uint8Array): string {
  return `call_${Buffer.from(random(8)).toString("hex")}`
}

/** A UUID (version 8: own scheme) from the SHA-256 of the parts. */
export function derivedId(...parts: readonly (string | number)[]): string {
  return uuid(createHash("sha256").update(JSON.stringify(parts)).digest().subarray(0, 16), 8)
}

function uuid(bytes: Buffer, version: 4 | 8): string {
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | (version << 4)
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80
  const hex = bytes.toString("hex")
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-")
}
