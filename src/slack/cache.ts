// A small memory for what Slack said a moment ago: one request in flight per key, nothing older than the reader allows.

/** Remembers what `read` gave. */
export interface Cache<T> {
  /** What was read at most `maxAgeMs` ago, else reads. A failed read is not remembered, and is thrown at everybody who waits. */
  get(key: string, maxAgeMs: number): Promise<T>
}

/** Makes a cache that holds at most `size` entries, the oldest leaving first. `read` is told the moment (epoch ms) of its start. */
export function createCache<T>(options: {
  readonly read: (key: string, at: number) => Promise<T>
  readonly clock: () => number
  readonly size: number
}): Cache<T> {
  const { read, clock, size } = options
  const entries = new Map<string, { readonly at: number; readonly value: Promise<T> }>()
  const forget = (key: string, value: Promise<T>) => {
    if (entries.get(key)?.value === value) entries.delete(key)
  }
  return {
    get: async (key, maxAgeMs) => {
      const known = entries.get(key)
      const now = clock()
      if (known !== undefined && now - known.at <= maxAgeMs && known.at <= now) return known.value
      const value = read(key, now)
      entries.delete(key)
      entries.set(key, { at: now, value })
      const oldest = entries.size > size ? entries.keys().next().value : undefined
      if (oldest !== undefined) entries.delete(oldest)
      value.catch(() => forget(key, value))
      return value
    },
  }
}
