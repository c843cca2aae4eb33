// Durations as people write them ("1s", "500ms") as milliseconds.

const UNITS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const

/** Milliseconds of `500`, `"500ms"`, `"1s"`, `"1.5s"`, `"2m"`, `"1h"` or `"30d"`; a bare number is milliseconds. Else undefined. */
export function durationMs(value: unknown): number | undefined {
  if (typeof value === "number") return Number.isFinite(value) ? value : undefined
  const found = typeof value === "string" ? /^(\d+(?:\.\d+)?)\s*(ms|s|m|h|d)?$/.exec(value.trim()) : null
  if (!found) return undefined
  const [, amount, unit] = found
  return Number(amount) * (unit === "s" || unit === "m" || unit === "h" || unit === "d" ? UNITS[unit] : UNITS.ms)
}

/** Is this the address of the same machine? `localhost`, `*.localhost`, `127.…` and `[::1]` are. */
export function isLoopback(url: URL): boolean {
  const host = url.hostname
  return host === "localhost" || host.endsWith(".localhost") || /^127(\.\d{1,3}){3}$/.test(host) || host === "[::1]"
}
