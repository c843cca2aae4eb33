// What the commit of a case writes: the sealed record, its entries, indexes, erasable records and receipt.
import type { Case } from "../../domain/case/case.ts"
import type { Commit } from "../../flow/ports.ts"
import type { LedgerFreshness } from "../freshness/freshness.ts"
import type { RecordWriter } from "../ledger/chained-record.ts"
import type { RecordCommit } from "../ledger/commit.ts"
import { extendChain } from "../ledger/entry.ts"
import { erasableWrites } from "../ledger/erasable-record.ts"
import type { LedgerEvent } from "../ledger/ledger-event.ts"
import { receiptWrites } from "../ledger/receipts.ts"
import { chainOf } from "../redis/keys.ts"
import { type CaseCodec, sealCase } from "./case-codec.ts"
import { indexChanges, limitsOf } from "./case-indexes.ts"
import { endedWrites } from "./ended-decisions.ts"

/** What a commit of a case needs. */
export interface CaseCommitOptions extends CaseCodec, Omit<RecordWriter, "commit"> {
  readonly freshness: Pick<LedgerFreshness, "era">
}

/** A case to write, and its entries for the ledger. */
interface CaseStep extends Omit<Commit, "events"> {
  readonly events: readonly LedgerEvent[]
}

/** The commit of a case's record. */
interface CaseRecordCommit extends RecordCommit {
  readonly fields: { readonly version: string; readonly sealed: Buffer }
}

/**
 * The commit of a case's step, and the case as it is written. `before` is the case that the step started from, if
 * known. The caller says under which config the commit counts (R16).
 */
export function caseCommit(
  options: CaseCommitOptions,
  { next, expectedVersion, events, interaction, within }: CaseStep,
  before: Case | null = null,
): { readonly record: CaseRecordCommit; readonly written: Case } {
  const { keys, seal, sandbox, freshness } = options
  const key = keys.case(next.id)
  const chain = chainOf.case(next.id)
  const { entries, erasables, head } = extendChain(seal, { chain, head: next.chain, sandbox }, events)
  const era = keepsEra(next, events) ? next.chain.era : freshness.era()
  const written: Case = { ...next, version: expectedVersion + 1, chain: { ...head, era } }
  const record: CaseRecordCommit = {
    key,
    expectedVersion: String(expectedVersion),
    fields: { version: String(written.version), sealed: sealCase(options, key, written) },
    chain,
    chainCount: next.chain.count,
    chainMac: next.chain.mac,
    entries,
    writes: [
      ...indexChanges(keys, before, written),
      ...receiptWrites(options, written, events),
      ...endedWrites(options, written, events),
      ...erasableWrites(options, erasables, chain),
    ],
    ...(interaction === undefined ? {} : { interaction }),
    ...(within === undefined ? {} : { limits: limitsOf(keys, written, within) }),
  }
  return { record, written }
}

/**
 * True while a verdict waits to be sent: the case keeps the era in which its sums were added. A note about a card must
 * not hide that one of these sums was lost since.
 */
export function keepsEra({ state }: Pick<Case, "state">, events: readonly LedgerEvent[]): boolean {
  return state === "sending" && events.every(({ kind }) => kind === "placed" || kind === "summarised")
}
