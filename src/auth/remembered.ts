// Remembers what was found out, within a bound.

/** A bounded memory. What is asked for stays longest. */
export type Remembered<T> = { get(key: string): T | undefined; set(key: string, value: T): void; clear(): void }

/** Keeps at least the `size` entries used last and at most twice as many: two generations, of which the older one is dropped whole. */
export function createRemembered<T>(size: number): Remembered<T> {
  let young = new Map<string, T>()
  let old = new Map<string, T>()
  const set = (key: string, value: T): void => {
    if (young.size >= size) {
      old = young
      young = new Map()
    }
    young.set(key, value)
  }
  return {
    set,
    get: (key) => {
      const fresh = young.get(key)
      if (fresh !== undefined) return fresh
      const kept = old.get(key)
      if (kept !== undefined) set(key, kept)
      return kept
    },
    clear: () => {
      young = new Map()
      old = new Map()
    },
  }
}
