// Gets to know the ledger at a start: reads it from the newest checkpoint, and compares it with what is outside Redis.
import type { Bound, MarksOfProcess } from "../../flow/ports.ts"
import { readEntries, readEntry, readLedger } from "../ledger/read-ledger.ts"
import { chainOf, isAuditChain, isFingerprintChain, isLinkChain } from "../redis/keys.ts"
import type { SealedPlace } from "../redis/sealed-record.ts"
import { acceptedEra, type Lost } from "./era.ts"
import type { HeadMap } from "./head-map.ts"
import {
  type KnownLedger,
  type KnownStart,
  knowFrom,
  mayLoseMs,
  type RecentEntry,
  theBeginning,
} from "./known-ledger.ts"
import { openRead } from "./open-entry.ts"

/** What a start needs. */
export interface StartOptions extends SealedPlace {
  readonly map: HeadMap
  /** Epoch ms, and ms on this process' own clock. */
  readonly clock: () => number
  readonly now: () => number
}

/** What is known outside Redis. */
export interface Evidence {
  readonly bound: Bound | null
  readonly marks: readonly MarksOfProcess[]
}

/**
 * How the ledger compares with the evidence. `lost`: what is missing at its end. `vouched`: the evidence reaches to
 * the ledger's end. `settled`: entries after the checkpoint that are settled already.
 */
export type StartedFrom =
  | {
      readonly kind: "sound"
      readonly known: KnownLedger
      readonly lost: Lost
      readonly vouched: boolean
      readonly settled: readonly RecentEntry[]
    }
  | { readonly kind: "rolled-back"; readonly known: KnownLedger; readonly why: string; readonly number: number }

/** How old an entry must be by its own time, in ms, to be safe from a lost second whatever the clocks say. */
const surelyOldMs = 60_000

/** Reads the ledger and compares it with the evidence. Throws `StoreError`. */
export async function knowAtStart(options: StartOptions, evidence: Evidence): Promise<StartedFrom> {
  const { bound } = evidence
  const begun = bound === null ? null : await goOnFrom(options, bound)
  const walked = await walk(options, begun ?? theBeginning(), bound)
  const { known, problem, settled } = walked
  const end = known.end()
  if (problem !== null) return { kind: "rolled-back", known, why: problem, number: end.number }
  const superseded = bound !== null && acceptedEra(known.eras()) > bound.era
  if (bound !== null && !superseded && bound.size > end.number)
    return rolledBack(known, `a checkpoint covers ${bound.size} entries, the ledger has ${end.number}`, bound.size)
  if (bound !== null && !superseded && begun === null && !walked.reached)
    return rolledBack(known, `the first ${bound.size} entries are not those of the checkpoint`, bound.size)
  const left = await marksLeft(options, known, evidence.marks)
  if ("why" in left) return rolledBack(known, left.why, left.number)
  const vouched = left.any || bound?.size === end.number || end.number === 0
  return { kind: "sound", known, lost: left.lost, vouched, settled }
}

function rolledBack(known: KnownLedger, why: string, number: number): StartedFrom {
  return { kind: "rolled-back", known, why, number }
}

/** What a checkpoint knew; null unless its last entry is still in its place, and we have its heads. */
async function goOnFrom({ redis, keys, map }: StartOptions, bound: Bound): Promise<KnownStart | null> {
  const { size, mac, peaks } = bound
  const last = await readEntry(redis, keys, String(size))
  if (last?.mac !== mac) return null
  const read = await map.read(bound.heads)
  if (read === null) return null
  const hashes = peaks.map(([leaves, hash]) => ({ leaves, hash: Buffer.from(hash, "hex") }))
  return { end: { number: size, mac }, heads: read.table, eras: read.eras, peaks: hashes }
}

interface Walked {
  readonly known: KnownLedger
  readonly problem: string | null
  /** True if the checkpoint's root was found where it should be. */
  readonly reached: boolean
  /** Entries after the checkpoint that are settled; none without a checkpoint. */
  readonly settled: readonly RecentEntry[]
}

/** Reads the ledger from where our knowledge begins, and compares its root with that of the checkpoint. */
async function walk(options: StartOptions, start: KnownStart, bound: Bound | null): Promise<Walked> {
  const { redis, keys, seal, now, clock } = options
  const known = knowFrom(start)
  const settled: RecentEntry[] = []
  const settle = (readAt: number) => {
    for (const one of known.settle(readAt)) if (bound !== null && one.number > bound.size) settled.push(one)
  }
  let reached = false
  for await (const page of readLedger(redis, keys, { after: `${start.end.number}-0`, pageSize: 500 })) {
    for (const read of page) {
      const next = known.end().number + 1
      const entry = read.number === next ? openRead(seal, read) : null
      if (entry === null)
        return { known, problem: `entry ${next} is not there, or was not written by us`, reached, settled }
      known.see(entry, entry.at < clock() - surelyOldMs ? Number.NEGATIVE_INFINITY : now())
      if (bound === null || next !== bound.size) continue
      settle(now())
      reached = known.settled.tree.root().toString("hex") === bound.root
    }
    settle(Number.NEGATIVE_INFINITY)
  }
  return { known, problem: null, reached, settled }
}

export type MarksLeft =
  | { readonly any: boolean; readonly lost: Lost }
  | { readonly why: string; readonly number: number }

/** Compares marks with the ledger as it stands in Redis. Throws `StoreError`. */
export async function marksLeft(
  { redis, keys }: SealedPlace,
  known: KnownLedger,
  files: readonly MarksOfProcess[],
): Promise<MarksLeft> {
  const numbers = [...new Set(files.flatMap(({ marks }) => marks.map(({ number }) => String(number))))]
  const standing = new Map<number | null, string>()
  for (let at = 0; at < numbers.length; at += 500)
    for (const { number, mac } of await readEntries(redis, keys, numbers.slice(at, at + 500))) standing.set(number, mac)
  return compareMarks(known, files, standing)
}

/**
 * Compares marks with the ledger. If the ledger lacks what a young mark names, this is lost; if it lacks what an older
 * mark names, Redis is rolled back. Young: noted less than `mayLoseMs` before the last mark of the same file. The entry
 * of an older mark must be in its place: while Redis is rolled back, ledger and chains may grow beyond what the mark
 * knows. A lost fingerprint begins anew without an era, so its head says nothing while the ledger reaches the mark.
 * `standing`: the MACs of the entries with the marks' numbers.
 */
export function compareMarks(
  known: KnownLedger,
  files: readonly MarksOfProcess[],
  standing: ReadonlyMap<number | null, string>,
): MarksLeft {
  const since = acceptedEra(known.eras())
  const lost = new Set<string>()
  const config: string[] = []
  let any = false
  for (const { marks } of files) {
    const counted = marks.filter(({ era }) => era >= since)
    any ||= counted.length > 0
    const last = counted.at(-1)
    let lastConfig: string | null = null
    for (const { number, mac, at, heads } of counted) {
      const old = last !== undefined && at < last.at - mayLoseMs
      const ahead = Object.entries(heads).filter(([chain, head]) => isAhead(known, chain, head, number))
      const good = number <= known.end().number && ahead.every(([chain]) => isFingerprintChain(chain))
      if (old && (!good || standing.get(number) !== mac))
        return { why: `entry ${number} was noted by a process, and is gone`, number: last.number }
      if (good) continue
      for (const [chain, [n, end]] of ahead) {
        if (!isMadeGood(chain, n)) lost.add(chain)
        if (chain === chainOf.config) lastConfig = end
      }
    }
    if (lastConfig !== null) config.push(lastConfig)
  }
  return { any, lost: { chains: [...lost], config } }
}

/** True if a loss does no harm: a new link or audit row comes again by itself, and nothing rests on a fingerprint. */
function isMadeGood(chain: string, n: number): boolean {
  return isAuditChain(chain) || isFingerprintChain(chain) || (isLinkChain(chain) && n === 1)
}

/** True if a chain was longer or ended differently. For a chain that is over, only the length of the ledger tells. */
function isAhead(known: KnownLedger, chain: string, [n, mac]: readonly [number, string], number: number): boolean {
  const head = known.head(chain)
  if (number > known.end().number) return true
  if (head === null) return false
  return n > head.count || (n === head.count && mac !== head.mac)
}
