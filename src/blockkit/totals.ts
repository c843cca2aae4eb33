// Adds up how much text and how many bytes a payload has: Slack limits the sum as well as each part.
import { escapedLength } from "./text.ts"

const literalTypes = new Set(["plain_text", "raw_text", "raw_number", "text"])

/** The units of all text that people see in blocks, counted after escaping. Ids, values and addresses do not count. */
export function textUnits(part: unknown): number {
  if (Array.isArray(part)) return part.reduce((sum: number, item: unknown) => sum + textUnits(item), 0)
  if (typeof part !== "object" || part === null) return 0
  const literal = "type" in part && typeof part.type === "string" && literalTypes.has(part.type)
  let sum = 0
  for (const [key, value] of Object.entries(part)) {
    if (typeof value !== "string") sum += textUnits(value)
    else if (key === "text" || key === "alt_text") sum += literal ? escapedLength(value) : value.length
  }
  return sum
}

/**
 * Counts the bytes of a payload on the wire, in the plausible way that gives most: as JSON with `\uXXXX` for each
 * UTF-16 unit beyond ASCII, as Slack hands views back, and with Slack's own escapes.
 */
export function sentBytes(part: unknown): number {
  const json = JSON.stringify(part)
  let bytes = escapedLength(json)
  for (let at = 0; at < json.length; at++) if (json.charCodeAt(at) > 0x7e) bytes += 5
  return bytes
}
