// A record with a chain in the ledger: written with its entries in one commit, read together with its chain's end.
import type { z } from "zod"
import { StoreError } from "../errors.ts"
import type { LedgerFreshness } from "../freshness/freshness.ts"
import { openRecord, type RecordPlace, readRecord, type SealedPlace, sealRecord } from "../redis/sealed-record.ts"
import type { Committer, ConfigProof, IndexWrite, RecordCommitted } from "./commit.ts"
import { type ChainHead, extendChain, noEntries } from "./entry.ts"
import { erasableWrites } from "./erasable-record.ts"
import type { LedgerEvent } from "./ledger-event.ts"

/** Where a record lies, and its chain. */
export interface ChainedPlace extends RecordPlace {
  readonly chain: string
}

/** What each record with a chain holds. */
export interface ChainedRecord {
  readonly version: number
  readonly chain: ChainHead
}

/** A record, and whether it is the newest. `version`: 0 for none. `head`: the end of its chain, as far as we know. */
export interface LookedAt<Value> {
  readonly value: Value | null
  readonly fresh: boolean
  readonly version: number
  readonly head: ChainHead
}

/** Reads a record and compares it with its chain. Throws `StoreError`: `tampered` (names `what`), or no answer. */
export async function lookAtRecord<Value extends ChainedRecord>(
  options: SealedPlace & { readonly freshness: Pick<LedgerFreshness, "head" | "judge"> },
  place: ChainedPlace,
  { schema, what }: { readonly schema: z.ZodType<Value>; readonly what: string },
): Promise<LookedAt<Value>> {
  const { redis, seal, freshness } = options
  // We ask for the head before the read: while Redis answers, we may learn something newer than the answer.
  const bound = freshness.head(place.chain)
  const stored = openRecord(seal, place, await readRecord(redis, place.key))
  const read = stored === null ? null : schema.safeParse(stored)
  if (read !== null && !read.success) throw new StoreError("tampered", `${what} was not written by us`)
  const value = read?.data ?? null
  const standing = await freshness.judge(place.chain, value === null ? null : { ...value.chain, over: false }, bound)
  if (standing === "again") return lookAtRecord(options, place, { schema, what })
  const fresh = standing === "fresh"
  const head = (fresh ? value?.chain : freshness.head(place.chain)) ?? noEntries
  return { value, fresh, version: value?.version ?? 0, head }
}

/** A record that we begin anew if we cannot trust it. `behind`: it is older, or not ours. `version`: as found. */
export interface RepairableRead<Value> {
  readonly value: Value | null
  readonly doubt: "none" | "behind" | null
  readonly version: string
  readonly chain: ChainHead
}

/** Reads a repairable record. Whoever changed it may have changed its version, too, so we return that as found. */
export async function readRepairable<Value extends ChainedRecord>(
  options: Parameters<typeof lookAtRecord>[0],
  place: ChainedPlace,
  kind: { readonly schema: z.ZodType<Value>; readonly what: string },
): Promise<RepairableRead<Value>> {
  try {
    const { value, fresh, version, head } = await lookAtRecord(options, place, kind)
    const as = { version: String(version), chain: head }
    if (!fresh) return { value: null, doubt: "behind", ...as }
    return value === null ? { value, doubt: "none", ...as } : { value, doubt: null, ...as, chain: value.chain }
  } catch (error) {
    if (!(error instanceof StoreError) || error.code !== "tampered") throw error
    const { version } = await readRecord(options.redis, place.key)
    const { count, mac } = options.freshness.head(place.chain) ?? noEntries
    return { value: null, doubt: "behind", version: version?.toString("latin1") ?? "0", chain: { count, mac } }
  }
}

/** What writing records needs. */
export interface RecordWriter extends Pick<SealedPlace, "keys" | "seal"> {
  readonly commit: Committer
  /** True marks every entry as made in the sandbox (R19). */
  readonly sandbox: boolean
}

/** What becomes of a record. */
export interface RecordChange<Value> {
  readonly before: { readonly version: number; readonly head: ChainHead }
  readonly next: Omit<Value, keyof ChainedRecord>
  readonly events: readonly LedgerEvent[]
  /** Fields beside the sealed field, of the record as it is written. */
  readonly fields?: (written: ChainedRecord) => Readonly<Record<string, string>>
  readonly writes?: readonly IndexWrite[]
  /** True if we replace an older record. Its chain's list may be changed, too, so we do not compare that list. */
  readonly repairs?: boolean
  /** The config that must be active. Default: none need be. */
  readonly config?: ConfigProof | null
}

/** Replaces the record that was read, and adds the entries. Throws `StoreError`. */
export async function commitRecord<Value extends ChainedRecord>(
  options: RecordWriter,
  { chain, ...place }: ChainedPlace,
  change: RecordChange<Value>,
): Promise<{ readonly done: RecordCommitted } & ChainedRecord> {
  const { seal, sandbox, commit } = options
  const { before, next, events, fields, writes = [], repairs = false, config = null } = change
  const { entries, erasables, head } = extendChain(seal, { chain, head: before.head, sandbox }, events)
  const version = before.version + 1
  const json = JSON.stringify({ ...next, version, chain: head })
  const done = await commit({
    key: place.key,
    expectedVersion: String(before.version),
    fields: {
      version: String(version),
      sealed: sealRecord(seal, place, version, json),
      ...fields?.({ version, chain: head }),
    },
    chain,
    chainCount: repairs ? null : before.head.count,
    entries,
    writes: [...erasableWrites(options, erasables, chain), ...writes],
    config,
  })
  return { done, version, chain: head }
}
