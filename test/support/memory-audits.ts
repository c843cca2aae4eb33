// Remembers in memory how far audit rows are in the ledger.
import type { AuditMark, AuditRow, AuditTrail } from "../../src/flow/ports.ts"

/** The trail, and what it tells. */
export interface MemoryAudits extends AuditTrail {
  readonly told: readonly AuditRow[]
}

/** Makes the trail of one server. */
export function createMemoryAudits(): MemoryAudits {
  const marks = new Map<string, AuditMark>()
  const told: AuditRow[] = []
  return {
    told,
    read: async (instance) => marks.get(instance) ?? null,
    enter: async (instance, next, { rows }) => {
      if ((marks.get(instance)?.version ?? 0) !== next.version - 1) return false
      marks.set(instance, next)
      told.push(...rows)
      return true
    },
  }
}
