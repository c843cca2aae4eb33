// The sums of limits in memory. They are compared, and can get lost or be tampered with, as in Redis.
import { type SumId, type SumState, sumName } from "../../src/domain/limit/sum.ts"
import type { SumAsRead, SumChange } from "../../src/flow/ports.ts"

interface StoredSum {
  readonly state: SumState
  readonly version: number
}

/** The sums of a server. */
export interface MemorySums {
  read(id: SumId): SumAsRead
  /** True if each is as it was read. */
  compare(changes: readonly SumChange[]): boolean
  write(changes: readonly SumChange[]): void
  /** Changes the record without our key. */
  tamper(id: SumId): void
  /** An era begins that touches it. */
  touch(id: SumId, era: number): void
  isShaken(names: readonly string[], era: number): boolean
  /** What each sum holds, by whose it is, whenever it was added. */
  all(): readonly Readonly<Record<string, readonly string[]>>[]
  /** What happened to sums, by their kind. */
  readonly events: readonly SumChange["events"][number][]
}

/** No sums yet. */
export function createMemorySums(): MemorySums {
  const stored = new Map<string, StoredSum>()
  const wrong = new Set<string>()
  const touched = new Map<string, number>()
  const lost = new Set<string>()
  const events: SumChange["events"][number][] = []
  return {
    events,
    all: () =>
      [...stored.values()].map(({ state }) =>
        Object.fromEntries(Object.entries(state.amounts).map(([whose, own]) => [whose, Object.values(own)])),
      ),
    read: (id) => {
      const name = sumName(id)
      const { state, version } = stored.get(name) ?? { state: null, version: 0 }
      const as = { id, version: String(version), chain: { count: version, mac: "" } }
      if (wrong.has(name)) return { ...as, state: null, doubt: "behind" }
      return { ...as, state, doubt: lost.has(name) ? "lost" : state === null ? "none" : null }
    },
    compare: (changes) =>
      changes.every(({ read }) => String(stored.get(sumName(read.id))?.version ?? 0) === read.version),
    write: (changes) => {
      for (const { read, next, events: told } of changes) {
        const name = sumName(read.id)
        stored.set(name, { state: next, version: Number(read.version) + told.length })
        events.push(...told)
        if (!told.some(({ kind }) => kind === "sum-begun")) continue
        wrong.delete(name)
        lost.delete(name)
      }
    },
    tamper: (id) => void wrong.add(sumName(id)),
    touch: (id, era) => {
      lost.add(sumName(id))
      touched.set(sumName(id), era)
    },
    isShaken: (names, era) => names.some((name) => (touched.get(name) ?? 0) > era),
  }
}
