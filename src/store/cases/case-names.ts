// The ids of approvals' cases, as they were made before: each poll asks for all that wait, and a hash takes its time.
import { caseIdOf } from "../../domain/case.ts"
import { chainOf } from "../redis/keys.ts"

/** How many are kept; each takes some 200 bytes. */
const most = 100_000

/** What a case is called. */
export interface CaseName {
  readonly caseId: string
  readonly chain: string
  /** The state of the ledger (`Freshness.asOf`) in which the case was last seen to be open; null: it was not. */
  openAsOf: object | null
}

/** Gives the names of an installation's cases, by instance and approval. */
export function createCaseNames(installation: string): (instance: string, approvalId: string) => CaseName {
  const kept = new Map<string, Map<string, CaseName>>()
  return (instance, approvalId) => {
    const names = kept.get(instance) ?? new Map<string, CaseName>()
    const known = names.get(approvalId)
    if (known !== undefined) return known
    const caseId = caseIdOf(installation, instance, approvalId)
    const name = { caseId, chain: chainOf.case(caseId), openAsOf: null }
    if (names.size >= most) names.clear()
    names.set(approvalId, name)
    kept.set(instance, names)
    return name
  }
}
