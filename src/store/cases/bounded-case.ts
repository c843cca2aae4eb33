// Reads a case and compares it with the end of its chain: nobody may act on an older record (R14).
import type { Case } from "../../domain/case/case.ts"
import type { Tampered } from "../../flow/ports.ts"
import type { LedgerFreshness } from "../freshness/freshness.ts"
import type { Head } from "../freshness/head.ts"
import type { RecordHead } from "../freshness/standing.ts"
import { chainOf } from "../redis/keys.ts"
import { readRecord, type SealedPlace, type StoredRecord } from "../redis/sealed-record.ts"
import { type CaseCodec, openCase, openTombstone } from "./case-codec.ts"

/** What reading a case takes. */
export interface BoundedOptions extends CaseCodec, SealedPlace {
  readonly freshness: Pick<LedgerFreshness, "head" | "judge">
}

/** Opens a record; by default as `openCase` does. */
type Open = (key: string, record: StoredRecord) => Case | "tampered" | null

/** A record, and where its chain ended for us before we read it: while Redis answers, we may learn something newer. */
export interface ReadRecord {
  readonly record: StoredRecord
  readonly head: Head | null
}

/** The case, null if there is none (any more), or `Tampered`. Throws `StoreError`. */
export async function readBoundedCase(
  options: BoundedOptions,
  caseId: string,
  open: Open = (key, record) => openCase(options, key, record),
): Promise<Case | Tampered | null> {
  const head = options.freshness.head(chainOf.case(caseId))
  const record = await readRecord(options.redis, options.keys.case(caseId))
  return judgeRecord(options, caseId, { record, head }, open)
}

/** The same for a record that was read already. If that does not tell, it is read once more. */
export async function judgeRecord(
  options: BoundedOptions,
  caseId: string,
  { record, head }: ReadRecord,
  open: Open,
): Promise<Case | Tampered | null> {
  const key = options.keys.case(caseId)
  const read = open(key, record)
  if (read === "tampered")
    return { kind: "tampered", caseId, why: "the record in Redis was not sealed by this installation" }
  const stone = read === null ? openTombstone(options.seal, key, record) : null
  const standing = await options.freshness.judge(chainOf.case(caseId), headOf(read, stone), head)
  if (standing === "again") return readBoundedCase(options, caseId, open)
  if (standing === "fresh") return read
  return { kind: "tampered", caseId, why: "the record in Redis is older than the ledger" }
}

function headOf(read: Case | null, stone: ReturnType<typeof openTombstone>): RecordHead {
  if (read !== null) return { ...read.chain, over: read.state === "closed" }
  return stone === null ? null : { ...stone.chain, over: true }
}
