// The sums of limits: sealed records with chains. A decision adds to them in the commit that makes it.
import { z } from "zod"
import { type SumId, sumName } from "../../domain/limit/sum.ts"
import { createMerkleTree, entryLeaf, type Peak } from "../../domain/proof/merkle.ts"
import type { DecidedCases, SumAsRead, SumChange } from "../../flow/ports.ts"
import type { LedgerFreshness } from "../freshness/freshness.ts"
import { type ChainedPlace, type RecordWriter, readRepairable } from "../ledger/chained-record.ts"
import type { RecordWrite } from "../ledger/commit.ts"
import { type Entry, extendChain, openEntry } from "../ledger/entry.ts"
import { readLedger } from "../ledger/read-ledger.ts"
import { caseOfChain, chainOf, type Keys } from "../redis/keys.ts"
import { openRecord, type SealedPlace, type StoredRecord, sealRecord } from "../redis/sealed-record.ts"

const storedSum = z.object({
  version: z.number(),
  windowMs: z.number(),
  at: z.number(),
  blindUntil: z.number(),
  amounts: z.record(z.string(), z.record(z.string(), z.string())),
  chain: z.object({ count: z.number(), mac: z.string() }),
})

/** Where sums are read. */
export interface SumsOptions extends SealedPlace {
  readonly freshness: Pick<LedgerFreshness, "head" | "judge" | "isTouched" | "catchUp">
}

/** Reads sums, after this process has learned what others added to them. Throws `StoreError`. */
export async function readSums(options: SumsOptions, ids: readonly SumId[]): Promise<readonly SumAsRead[]> {
  await options.freshness.catchUp()
  return Promise.all(ids.map((id) => readSum(options, id)))
}

/** True if the end of a sum may be lost, and we did not know that when we read the sum. */
export function isLostSince({ freshness }: Pick<SumsOptions, "freshness">, { read }: SumChange): boolean {
  return read.doubt !== "lost" && read.doubt !== "behind" && freshness.isTouched(chainOf.sum(sumName(read.id)))
}

/** Reads a sum. An older record says nothing: then the sum begins anew, above whatever is there. */
async function readSum(options: SumsOptions, id: SumId): Promise<SumAsRead> {
  const place = sumPlace(options.keys, id)
  const what = `the sum ${sumName(id)} in Redis`
  const { value, ...read } = await readRepairable(options, place, { schema: storedSum, what })
  const lost = read.doubt !== "behind" && options.freshness.isTouched(place.chain)
  const doubt = lost ? "lost" : read.doubt
  if (value === null) return { ...read, id, state: null, doubt }
  const { version: _version, chain: _chain, ...state } = value
  return { ...read, id, state, doubt }
}

/** What a commit writes of a sum. */
export function sumWrite(options: Omit<RecordWriter, "commit">, { read, next, events }: SumChange): RecordWrite {
  const { keys, seal, sandbox } = options
  const { chain, ...place } = sumPlace(keys, read.id)
  const { entries, head } = extendChain(seal, { chain, head: read.chain, sandbox }, events)
  // Each change has its entry, so the chain's length is the version, too, whatever record is there now.
  const version = head.count
  const json = JSON.stringify({ ...next, version, chain: head })
  const repairs = read.doubt === "behind"
  return {
    key: place.key,
    expectedVersion: Buffer.from(read.version, "latin1"),
    fields: { version: String(version), sealed: sealRecord(seal, place, version, json) },
    chain,
    chainCount: repairs ? null : read.chain.count,
    ...(repairs ? {} : { chainMac: read.chain.mac }),
    entries,
  }
}

/** True if this is the record of the sum, and still as it was read for the change. */
export function standsAsRead(
  { keys, seal }: Pick<SealedPlace, "keys" | "seal">,
  { read }: SumChange,
  { key, now }: { readonly key: string; readonly now: StoredRecord },
): boolean {
  const place = sumPlace(keys, read.id)
  if (place.key !== key) return false
  const found = storedSum.safeParse(openRecord(seal, place, now)).data
  return found !== undefined && String(found.version) === read.version && found.chain.mac === read.chain.mac
}

function sumPlace(keys: Keys, id: SumId): ChainedPlace {
  const name = sumName(id)
  return { purpose: "sum", key: keys.sum(name), chain: chainOf.sum(name) }
}

/** How much clocks may differ, in ms. If an entry is that much older than a moment, it was made before that moment. */
const clocksMs = 60_000

/** After these events something may have run that a limit counts. */
const deciding: ReadonlySet<string> = new Set(["decided", "resolved", "elsewhere", "recovered"])

/** What reading decisions needs. */
interface DecidedOptions extends SealedPlace {
  readonly freshness: Pick<LedgerFreshness, "asOf" | "catchUp" | "shown" | "coveredBy">
}

/**
 * Reads the ledger as this process knows it, from the last checkpoint before that moment. If no checkpoint fits, reads
 * from the first entry. Only the root over all entries proves that nothing was left out. Null if Redis holds another
 * ledger than we know.
 */
export async function decidedSince(options: DecidedOptions, at: number): Promise<DecidedCases | null> {
  const { freshness } = options
  await freshness.catchUp()
  // The checkpoint's clock may be behind, an entry's clock ahead, and `isSince` goes back by one more `clocksMs`.
  const covered = await freshness.coveredBy(at - 3 * clocksMs)
  const peaks = covered?.peaks.map(([leaves, hash]) => ({ leaves, hash: Buffer.from(hash, "hex") })) ?? []
  return (peaks.length > 0 ? await decidedAfter(options, peaks, at) : null) ?? decidedAfter(options, [], at)
}

/** Reads the ledger from the end of these subtrees, as `decidedSince` does. */
async function decidedAfter(
  { redis, keys, seal, freshness }: DecidedOptions,
  peaks: readonly Peak[],
  at: number,
): Promise<DecidedCases | null> {
  // A process that does not watch the ledger has no root to compare with: it grants nothing.
  const { size, root } = freshness.asOf() === null ? { size: Number.POSITIVE_INFINITY, root: null } : freshness.shown()
  const tree = createMerkleTree(peaks)
  const cases = new Set<string>()
  if (tree.size() > size) return null
  for await (const page of readLedger(redis, keys, { after: `${tree.size()}-0`, pageSize: 500 })) {
    for (const read of page) {
      if (tree.size() === size) break
      const entry = read.whole ? openEntry(seal, read) : null
      if (entry === null || read.number !== tree.size() + 1) return null
      tree.append(entryLeaf(read))
      const caseId = caseOfChain(entry.chain)
      if (caseId !== null && isSince(entry, at)) cases.add(caseId)
    }
    if (tree.size() === size) break
  }
  return root === null || tree.root().toString("hex") === root ? { cases: [...cases] } : null
}

function isSince({ event }: Entry, at: number): boolean {
  const { kind, at: when } = event
  return typeof kind === "string" && deciding.has(kind) && typeof when === "number" && when >= at - clocksMs
}

/** Makes the turns of one process: work on a sum begins after all earlier work on the same sum has ended. */
export function createTurn(): <Result>(ids: readonly SumId[], work: () => Promise<Result>) => Promise<Result> {
  const last = new Map<string, Promise<unknown>>()
  return async (ids, work) => {
    const names = ids.map(sumName)
    const before = Promise.allSettled(names.map((name) => last.get(name) ?? Promise.resolve()))
    const done = before.then(work)
    for (const name of names) last.set(name, done)
    try {
      return await done
    } finally {
      for (const name of names) if (last.get(name) === done) last.delete(name)
    }
  }
}
