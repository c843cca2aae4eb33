// Retention (port `Retention`): a closed case's records and receipts go; its entries and its chain's end stay.

import { holdOn } from "../../domain/order/hold.ts"
import type { Removed, Retention } from "../../flow/ports.ts"
import { type CaseCodec, openCase, type Tombstone } from "../cases/case-codec.ts"
import type { ActivationOptions } from "../config/config-change.ts"
import { readHolds } from "../config/hold-book.ts"
import { attempt } from "../errors.ts"
import { commitRecord, type RecordWriter } from "../ledger/chained-record.ts"
import { type IndexWrite } from "../ledger/commit.ts"
import { openEntry } from "../ledger/entry.ts"
import { receiptNamedBy } from "../ledger/erasable-check.ts"
import { readChain, readEntry } from "../ledger/read-ledger.ts"
import { chainOf, type Keys } from "../redis/keys.ts"
import { readRecord, type SealedPlace } from "../redis/sealed-record.ts"
import { eraseWrites } from "./erase.ts"

interface RetentionOptions extends CaseCodec, SealedPlace, RecordWriter {
  /** Where the orders in force lie. */
  readonly config: ActivationOptions
}

/** Makes the retention of an installation. */
export function createRetention(options: RetentionOptions): Retention {
  const { redis, keys } = options
  return {
    due: (before, { offset, limit }) =>
      attempt("read old cases", () => redis.zrangebyscore(keys.settled, "-inf", `(${before}`, "LIMIT", offset, limit)),
    remove: (caseId, order) => remove(options, caseId, order),
  }
}

async function remove(
  options: RetentionOptions,
  caseId: string,
  order: Parameters<Retention["remove"]>[1],
): Promise<Removed | "on-hold" | null> {
  const { redis, keys } = options
  const key = keys.case(caseId)
  const { holds, proof } = await readHolds(options.config)
  const current = openCase(options, key, await readRecord(redis, key))
  if (current === null || current === "tampered" || current.state !== "closed") return null
  const { approvalId: approval, instance, outcome, version, chain: head } = current
  const settledAt = outcome?.at ?? current.openedAt
  if (settledAt >= order.settledBefore) return null
  if (holdOn(current, holds) !== null) return "on-hold"
  const chain = chainOf.case(caseId)
  const beside = await namedByChain(options, chain)
  const removed = { approval, instance, erasables: beside.erasables.length, receipts: beside.receipts.length }
  const { done } = await commitRecord<Tombstone>(
    options,
    { purpose: "case", key, chain },
    {
      before: { version, head },
      next: { removed: true },
      events: [{ kind: "removed", at: order.at, settledAt, ...removed }],
      writes: [...eraseWrites(keys, { chain, ...beside }), ...indexRemovals(keys, { caseId, approval, instance })],
      config: proof,
    },
  )
  return done.kind === "committed" ? removed : await remove(options, caseId, order)
}

/** The writes that take a removed case out of the indexes. If the approval is pending again, it counts as new. */
function indexRemovals(
  keys: Keys,
  { caseId, approval, instance }: { readonly caseId: string; readonly approval: string; readonly instance: string },
): readonly IndexWrite[] {
  return [
    { command: "ZREM", key: keys.settled, args: [caseId] },
    { command: "ZREM", key: keys.cases, args: [caseId] },
    { command: "ZREM", key: keys.deadlines, args: [caseId] },
    { command: "HDEL", key: keys.known(instance), args: [approval] },
  ]
}

/** The erasable records and receipts that the entries of a chain name. */
async function namedByChain(options: RetentionOptions, chain: string) {
  const { redis, keys, seal } = options
  const numbers = await readChain(options, chain)
  const sealed = await Promise.all(numbers.map((number) => readEntry(redis, keys, number)))
  const events = sealed.map((entry) => (entry === null ? null : openEntry(seal, entry))?.event ?? {})
  const erasables = events.flatMap(({ erasable }) => (typeof erasable === "string" ? [erasable] : []))
  return { erasables, receipts: events.map(receiptNamedBy).filter((one) => one !== null) }
}
