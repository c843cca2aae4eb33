// Fingerprints in memory. They are compared, and can be tampered with, as in Redis.
import { type FingerprintId, fingerprintName } from "../../src/domain/fingerprint/call-fields.ts"
import { aged, type Fingerprint, type Learning } from "../../src/domain/fingerprint/fingerprint.ts"
import type { FingerprintAsRead, FingerprintChange } from "../../src/flow/ports.ts"

/** The fingerprints of a server. */
export interface MemoryFingerprints {
  read(id: FingerprintId): FingerprintAsRead
  /** True if each is as it was read. */
  compare(changes: readonly FingerprintChange[]): boolean
  write(changes: readonly FingerprintChange[]): void
  age(learning: Learning): void
  /** Changes all records without our key. */
  tamper(): void
  /** From now on each commit that changes one finds another. */
  race(): void
  all(): readonly Fingerprint[]
}

/** None yet. */
export function createMemoryFingerprints(): MemoryFingerprints {
  const stored = new Map<string, { readonly state: Fingerprint; readonly version: number }>()
  const wrong = new Set<string>()
  let racing = false
  return {
    all: () => [...stored.values()].map(({ state }) => state),
    read: (id) => {
      const name = fingerprintName(id)
      const { state = null, version = 0 } = stored.get(name) ?? {}
      const as = { name, version: String(version), chain: { count: version, mac: "" } }
      if (wrong.has(name)) return { ...as, state: null, doubt: "behind" }
      return { ...as, state, doubt: state === null ? "none" : null }
    },
    compare: (changes) =>
      changes.length === 0 ||
      (!racing && changes.every(({ read }) => String(stored.get(read.name)?.version ?? 0) === read.version)),
    write: (changes) => {
      for (const { read, next, event } of changes) {
        stored.set(read.name, { state: next, version: Number(read.version) + 1 })
        if (event.kind === "fingerprint-begun") wrong.delete(read.name)
      }
    },
    age: (learning) => {
      for (const [name, { state, version }] of stored)
        stored.set(name, { state: aged(state, learning), version: version + 1 })
    },
    tamper: () => {
      for (const name of stored.keys()) wrong.add(name)
    },
    race: () => {
      racing = true
    },
  }
}
