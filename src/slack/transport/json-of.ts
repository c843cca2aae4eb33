// Text as the JSON that it may be.

/** The parsed text, or undefined for what is no JSON text. */
export function jsonOf(value: unknown): unknown {
  if (typeof value !== "string") return undefined
  try {
    return JSON.parse(value)
  } catch {
    return undefined
  }
}
