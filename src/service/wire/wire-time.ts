// Times as the wire writes them.

/** Writes a time as ISO 8601 in whole seconds, UTC, as the real service does. `at` is epoch milliseconds. */
export function wireTime(at: number): string {
  return `${new Date(Math.floor(at / 1000) * 1000).toISOString().slice(0, 19)}Z`
}
