// The cases that were opened last, by the very bytes that Redis holds: the same bytes are the same case, and need not be opened again.
import type { Case } from "../../domain/case.ts"
import type { StoredRecord } from "../ledger/commit.ts"

/** How many cases are kept; each takes some 15 kB … */
const most = 256
/** … and all of them together so many bytes in Redis at most: an agent may send what it likes. */
const mostBytes = 16_777_216

/** Remembers cases. */
export interface CaseMemory {
  /** The case of a record, as `open` makes it of bytes that are not those that are remembered under its key. */
  open(
    key: string,
    record: StoredRecord,
    open: (record: StoredRecord) => Case | "tampered" | null,
  ): Case | "tampered" | null
  /** What was sealed and committed just now. */
  keep(key: string, sealed: Buffer, current: Case): void
}

/** Makes the memory of a process. It has no authority: what Redis holds is read each time, and any other byte is opened and checked anew. */
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
      if (kept.size <= most && bytes <= mostBytes) return
      forget(oldest)
    }
  }
  return {
    keep,
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
