// Reads a case and compares it with the end of its chain: nobody may act on an older record (R14).
import { type Case, isCounted } from "../../domain/case/case.ts"
import type { Interaction } from "../../flow/ports/interaction.ts"
import type { SeenCase, Tampered } from "../../flow/ports.ts"
import type { LedgerFreshness } from "../freshness/freshness.ts"
import type { Head } from "../freshness/head.ts"
import type { RecordHead } from "../freshness/standing.ts"
import { chainOf } from "../redis/keys.ts"
import { readRecord, type SealedPlace, type StoredRecord } from "../redis/sealed-record.ts"
import { type CaseCodec, openCase, openTombstone } from "./case-codec.ts"

/** What reading a case needs. */
export interface BoundedOptions extends CaseCodec, SealedPlace {
  readonly freshness: Pick<LedgerFreshness, "head" | "judge">
}

/** Opens a record; by default as `openCase` does. */
type Open = (key: string, record: StoredRecord) => Case | "tampered" | null

/** A record, and its chain's head as we knew it before the read: while Redis answers, we may learn a newer head. */
export interface ReadRecord {
  readonly record: StoredRecord
  readonly head: Head | null
}

/** Reads a case. Returns null if there is none (any more), or `Tampered`. Throws `StoreError`. */
export async function readBoundedCase(
  options: BoundedOptions,
  caseId: string,
  open: Open = (key, record) => openCase(options, key, record),
): Promise<Case | Tampered | null> {
  const head = options.freshness.head(chainOf.case(caseId))
  const record = await readRecord(options.redis, options.keys.case(caseId))
  return judgeRecord(options, caseId, { record, head }, open)
}

/** Judges a record that was read already. If it does not fit the head, reads it once more. Throws `StoreError`. */
export async function judgeRecord(
  options: BoundedOptions,
  caseId: string,
  { record, head }: ReadRecord,
  open: Open,
): Promise<Case | Tampered | null> {
  const key = options.keys.case(caseId)
  const read = open(key, record)
  if (read === "tampered") return tamperedCase(caseId, "the record in Redis was not sealed by this installation")
  const stone = read === null ? openTombstone(options.seal, key, record) : null
  const standing = await options.freshness.judge(chainOf.case(caseId), headOf(read, stone), head)
  if (standing === "again") return readBoundedCase(options, caseId, open)
  if (standing === "fresh") return read
  return tamperedCase(caseId, "the record in Redis is older than the ledger")
}

function tamperedCase(caseId: string, why: string): Tampered {
  return { kind: "tampered", caseId, why }
}

/**
 * Compares a case with the surface on which somebody acted. Within an era no chain gets shorter. If this one is shorter
 * than on the surface, we first find out whether Redis lost the chain's end. Throws `StoreError`.
 */
export async function caseFor(
  freshness: Pick<LedgerFreshness, "era" | "isTouched" | "settle">,
  { interaction, target: { bound } }: Pick<Interaction, "interaction" | "target">,
  { read: current, era }: { readonly read: Case | Tampered | null; readonly era: number | undefined },
): Promise<SeenCase> {
  if (current === null) return { kind: "unknown-case" }
  if ("kind" in current) return current
  const { id, state, chain } = current
  if (state === "frozen") return { kind: "frozen" }
  const isBehind = () => bound.era === freshness.era() && bound.count > chain.count
  if (isBehind()) await freshness.settle()
  if (isBehind()) return tamperedCase(id, "the record in Redis is older than a card of it")
  const old = era !== undefined && era < freshness.era() && !isCounted(current, interaction)
  return { kind: old || freshness.isTouched(chainOf.case(id)) ? "asked-anew" : "case", case: current }
}

function headOf(read: Case | null, stone: ReturnType<typeof openTombstone>): RecordHead {
  if (read !== null) return { ...read.chain, over: read.state === "closed" }
  return stone === null ? null : { ...stone.chain, over: true }
}
