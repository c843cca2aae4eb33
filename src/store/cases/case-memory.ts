// What a process remembers of cases: the cases that it opened last, with their bytes in Redis, and names of cases.
import { type Case, caseIdOf } from "../../domain/case/case.ts"
import { chainOf } from "../redis/keys.ts"
import type { StoredRecord } from "../redis/sealed-record.ts"

/** How many cases are kept at most; each takes some 15 kB. */
const maxCases = 256
/** How many bytes in Redis all kept cases may have together: an agent may send what it likes. */
const maxBytes = 16_777_216

/** Remembers cases. */
export interface CaseMemory {
  /** The case of a record. `open` makes the case, unless the record's bytes are remembered under this key. */
  open(
    key: string,
    record: StoredRecord,
    open: (record: StoredRecord) => Case | "tampered" | null,
  ): Case | "tampered" | null
  /** The case of a record in this version, if it is remembered. */
  at(key: string, version: number): Case | null
  /** Remembers what was sealed and committed just now. */
  keep(key: string, sealed: Buffer, current: Case): void
}

/**
 * Makes a process' memory, so that it does not open the same bytes twice. Redis is still read each time, so the memory
 * has no authority.
 */
export function createCaseMemory(): CaseMemory {
  const kept = new Map<string, { readonly sealed: Buffer; readonly current: Case }>()
  let bytes = 0
  const forget = (key: string) => {
    bytes -= kept.get(key)?.sealed.length ?? 0
    kept.delete(key)
  }
  const keep = (key: string, sealed: Buffer, current: Case) => {
    forget(key)
    kept.set(key, { sealed, current })
    bytes += sealed.length
    for (const oldest of kept.keys()) {
      if (kept.size <= maxCases && bytes <= maxBytes) return
      forget(oldest)
    }
  }
  return {
    keep,
    at: (key, version) => {
      const { current = null } = kept.get(key) ?? {}
      return current?.version === version ? current : null
    },
    open: (key, record, open) => {
      const { sealed, version, frozen } = record
      const known = kept.get(key)
      const same = known !== undefined && sealed !== null && known.sealed.equals(sealed)
      if (same && !frozen && version?.toString() === String(known.current.version)) {
        keep(key, sealed, known.current)
        return known.current
      }
      const opened = open(record)
      if (opened !== null && opened !== "tampered" && sealed !== null) keep(key, sealed, opened)
      return opened
    },
  }
}

/** How many names of an instance are kept; each takes some 200 bytes. */
const maxNames = 100_000

/** The names of a case. */
export interface CaseName {
  readonly caseId: string
  readonly chain: string
  /** The state of the ledger (`LedgerFreshness.asOf`) in which the case was last seen open; null: never. */
  openAsOf: object | null
}

/** Remembers names of cases, by instance and approval. Each poll asks for thousands, and each name costs a hash. */
export function createCaseNames(installation: string): (instance: string, approvalId: string) => CaseName {
  const kept = new Map<string, Map<string, CaseName>>()
  return (instance, approvalId) => {
    const names = kept.get(instance) ?? new Map<string, CaseName>()
    const known = names.get(approvalId)
    if (known !== undefined) return known
    const caseId = caseIdOf(installation, instance, approvalId)
    const name = { caseId, chain: chainOf.case(caseId), openAsOf: null }
    if (names.size >= maxNames) names.clear()
    names.set(approvalId, name)
    kept.set(instance, names)
    return name
  }
}
