// Reads text as JSON, if it is JSON.

/** The parsed text; undefined for anything but a JSON text. */
export function jsonOf(value: unknown): unknown {
  if (typeof value !== "string") return undefined
  try {
    return JSON.parse(value)
  } catch {
    return undefined
  }
}
