// Times as the wire writes them.

/** ISO 8601 in whole seconds, UTC, as in the real service. `at` is epoch milliseconds. */
export function wireTime(at: number): string {
  return `${new Date(Math.floor(at / 1000) * 1000).toISOString().slice(0, 19)}Z`
}
