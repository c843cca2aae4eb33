// Verifies the ledger: every entry, every chain, and that each record is as the last entry of its chain left it (R14).
import { largest } from "../../domain/content/largest.ts"
import { type Anchored, type AnchorProblem, createAnchorCheck } from "../../domain/proof/anchor-check.ts"
import { entryLeaf } from "../../domain/proof/merkle.ts"
import type { CaseCodec } from "../cases/case-codec.ts"
import { openRead } from "../freshness/open-entry.ts"
import type { ChainHead } from "../ledger/entry.ts"
import { createErasableCheck } from "../ledger/erasable-check.ts"
import { createLedgerWalk, type EntryLook, type LedgerProblem, type LedgerWalk } from "../ledger/ledger-walk.ts"
import { readChain, readLedger, readSequence } from "../ledger/read-ledger.ts"
import { isCaseChain } from "../redis/keys.ts"
import { scanOwner } from "../redis/owner.ts"
import { partsOf } from "../redis/scan.ts"
import type { SealedPlace } from "../redis/sealed-record.ts"
import { chainOfKey, readHead } from "./record-head.ts"

/** What a verification found. Without a problem, all of it holds. */
export interface Verification {
  readonly entries: number
  readonly chains: number
  readonly cases: number
  /** The last anchor vouches for this many entries. */
  readonly anchored: number
  /** How many anchors no longer count, because an operator accepted that Redis went back to a state before them. */
  readonly superseded: number
  /** Until the last acceptance, no anchor vouched for the entries from `from` to `to`. Null: none. */
  readonly unvouched: { readonly from: number; readonly to: number } | null
  /** How many erasable records and receipts were erased, as the ledger says. */
  readonly erased: number
  /** The first thing that is wrong, or null. */
  readonly problem: LedgerProblem | null
}

/** An anchor, and when it was signed, epoch ms. */
export type DatedAnchor = Anchored & { readonly at: number }

/** What a verification needs. */
export interface VerifyOptions extends CaseCodec, SealedPlace {
  readonly installation: string
  /** Signed lines over the ledger that are kept outside Redis. */
  readonly anchors: readonly DatedAnchor[]
  /** How many entries are read at once. Default 500. */
  readonly pageSize?: number
}

/** Verifies as `verifyAgainst` does. Anchors from before an accepted roll-back need not fit; later anchors must. */
export async function verifyLedger(options: VerifyOptions): Promise<Verification> {
  const { found, accepted: seen } = await verifyAgainst(options)
  const putBack = found.problem?.code === "not-as-signed" || found.problem?.code === "rolled-back"
  const accepted = putBack ? await lastAccepted(options) : seen
  const ended = options.anchors.filter(({ at }) => at <= accepted.at)
  if (!putBack)
    return {
      ...found,
      unvouched: between(
        largest(
          0,
          ended.map(({ size }) => size),
        ),
        accepted.number,
      ),
    }
  if (ended.length === 0) return found
  const anchors = options.anchors.filter(({ at }) => at > accepted.at)
  const { found: since, agreed } = await verifyAgainst({ ...options, anchors }, ended)
  return { ...since, superseded: ended.length, unvouched: between(agreed, accepted.number) }
}

/** The first and the last entry between two entries; null: there is none. */
function between(after: number, before: number): Verification["unvouched"] {
  return after + 1 < before ? { from: after + 1, to: before - 1 } : null
}

/** Our entry by which an operator last accepted a roll-back, and its time (epoch ms). 0: never. */
interface Acceptance {
  readonly number: number
  readonly at: number
}

async function lastAccepted({ redis, keys, seal, pageSize = 500 }: VerifyOptions): Promise<Acceptance> {
  let last = { number: 0, at: 0 }
  for await (const page of readLedger(redis, keys, { after: "0-0", pageSize })) {
    for (const read of page) {
      const entry = openRead(seal, read)
      if (entry?.era?.accepts === true) last = { number: entry.number, at: entry.at }
    }
  }
  return last
}

/**
 * Verifies the whole ledger against the records, even while others commit. It finds any changed, missing, added or
 * moved entry of a chain, any changed or older record, and any erasable record that changed or is missing although
 * nobody erased it. Up to the last anchor it also finds entries in another order, and a Redis that was put back as a
 * whole. `agreed`: how many entries are as the `ended` anchors say. `accepted`: the last acceptance that was read.
 * Throws `StoreError` if Redis is silent.
 */
async function verifyAgainst(
  options: VerifyOptions,
  ended: readonly Anchored[] = [],
): Promise<{ readonly found: Verification; readonly agreed: number; readonly accepted: Acceptance }> {
  const check = createAnchorCheck(options.anchors)
  const before = createAnchorCheck(ended)
  let agrees = true
  let accepted: Acceptance = { number: 0, at: 0 }
  const erasables = createErasableCheck(options)
  const look: EntryLook = (read, entry, number) => {
    erasables.note(entry, number)
    const begun = entry.event["kind"] === "era" ? openRead(options.seal, read) : null
    if (begun?.era?.accepts === true) accepted = begun
    const leaf = entryLeaf(read)
    agrees &&= before.see(leaf) === null
    return anchorProblem("not-as-signed", check.see(leaf))
  }
  const walk = createLedgerWalk({ ...options, pageSize: options.pageSize ?? 500, look })
  const problem =
    (await verifyEntries(options, walk)) ??
    anchorProblem("rolled-back", check.end()) ??
    (await verifyRecords(options, walk)) ??
    (await erasables.problem(walk))
  const cases = [...walk.chains.keys()].filter(isCaseChain).length
  const anchored = Math.min(check.anchored, walk.entries())
  const counted = { entries: walk.entries(), chains: walk.chains.size, cases, anchored, superseded: 0, unvouched: null }
  return { found: { ...counted, erased: erasables.erased(), problem }, agreed: before.agreed(), accepted }
}

function anchorProblem(code: "not-as-signed" | "rolled-back", found: AnchorProblem | null): LedgerProblem | null {
  return found === null ? null : { code, number: found.number, chain: null, message: found.message }
}

/**
 * Verifies the entries alone, each by its MAC, its number and its chain, and hands each of them to `look`. Records,
 * anchors and erasable records are left to `verifyLedger`. Throws `StoreError`, and what `look` throws.
 */
export async function verifyWhile(
  options: SealedPlace,
  look: EntryLook,
): Promise<{ readonly entries: number; readonly problem: LedgerProblem | null }> {
  const walk = createLedgerWalk({ ...options, pageSize: 500, look })
  const problem = await verifyEntries(options, walk)
  return { entries: walk.entries(), problem }
}

/** Reads the last sequence number before and after the entries: it may only grow, and the ledger must reach it. */
async function verifyEntries(options: SealedPlace, walk: LedgerWalk): Promise<LedgerProblem | null> {
  const { redis, keys } = options
  const before = await readSequence(redis, keys)
  const problem = await walk.go()
  if (problem !== null) return problem
  const after = await readSequence(redis, keys)
  const seen = walk.entries()
  if (seen >= before && seen <= after) return null
  const message = `the ledger ends at entry ${seen}, the sequence says ${seen < before ? before : after}`
  return { code: "cut-off", number: seen + 1, chain: null, message }
}

async function verifyRecords(options: VerifyOptions, walk: LedgerWalk): Promise<LedgerProblem | null> {
  for (const chain of walk.chains.keys()) {
    const problem = (await verifyRecord(options, walk, chain)) ?? (await verifyNumbers(options, walk, chain))
    if (problem !== null) return problem
  }
  return await findStrayRecord(options, walk)
}

/** Checks a chain's list of entry numbers, on which a freeze relies. The list is read last, so it may be ahead. */
async function verifyNumbers(options: VerifyOptions, walk: LedgerWalk, chain: string): Promise<LedgerProblem | null> {
  const listed = await readChain(options, chain)
  const problem = listed.length > numbersOf(walk, chain).length ? await walk.go() : null
  if (problem !== null) return problem
  const seen = numbersOf(walk, chain)
  const wrong = seen.find((number, index) => index < listed.length && listed[index] !== String(number))
  // An entry that the end of the list lacks may have been appended since: then the list has it now.
  const length = seen.length > listed.length ? (await readChain(options, chain)).length : listed.length
  if (wrong === undefined && length >= seen.length && listed.length <= seen.length) return null
  const number = wrong ?? seen[Math.min(length, seen.length - 1)] ?? null
  const message = `the list of ${chain} is not that of its entries, at entry ${number}`
  return { code: "numbers-changed", number, chain, message }
}

function numbersOf(walk: LedgerWalk, chain: string): readonly number[] {
  return walk.chains.get(chain)?.numbers ?? []
}

/** Verifies a chain's record. We read the record last, so it may be ahead of the chain for a while, never behind. */
async function verifyRecord(options: VerifyOptions, walk: LedgerWalk, chain: string): Promise<LedgerProblem | null> {
  for (;;) {
    const head = await readHead(options, chain)
    if ("code" in head) return head
    if (head.count > countOf(walk, chain)) {
      const problem = await walk.go()
      if (problem !== null) return problem
      if (countOf(walk, chain) > head.count) continue
    }
    return compare(walk, chain, head)
  }
}

function countOf(walk: LedgerWalk, chain: string): number {
  return walk.chains.get(chain)?.count ?? 0
}

function compare(walk: LedgerWalk, chain: string, head: ChainHead): LedgerProblem | null {
  const seen = walk.chains.get(chain)
  const number = seen?.numbers.at(-1) ?? null
  const have = seen?.count ?? 0
  if (head.count < have)
    return { code: "record-behind", number, chain, message: `the record of ${chain} is older than its entry ${number}` }
  if (head.count > have)
    return { code: "record-ahead", number, chain, message: `the record of ${chain} names entries that are not there` }
  if (head.mac === seen?.mac) return null
  return { code: "record-differs", number, chain, message: `the record of ${chain} names another last entry` }
}

/** Finds a record without an entry. Records are read after the entries, so a new record gets a second look. */
async function findStrayRecord(options: VerifyOptions, walk: LedgerWalk): Promise<LedgerProblem | null> {
  const { redis, keys } = options
  const scan = (from: string) => scanOwner(redis, keys.tag, { from, match: `${keys.tag}:*` })
  for await (const found of partsOf("scan records", scan)) {
    const chains = found.map((key) => chainOfKey(keys, key)).filter((chain) => chain !== null)
    const unseen = chains.filter((chain) => !walk.chains.has(chain))
    const problem = unseen.length === 0 ? null : await walk.go()
    if (problem !== null) return problem
    const stray = unseen.find((chain) => !walk.chains.has(chain))
    if (stray !== undefined)
      return { code: "record-without-entries", number: null, chain: stray, message: `no entry speaks of ${stray}` }
  }
  return null
}
