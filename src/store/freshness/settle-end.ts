// Settles what the end of the ledger is: after a new run of Redis, where something is missing, and at a start (R17).
import type { Redis } from "ioredis"
import type { Seal } from "../../domain/seal.ts"
import { type NumberedEntry, readLedger } from "../ledger/read-ledger.ts"
import type { Keys } from "../redis/keys.ts"
import { isCaseChain } from "../redis/keys.ts"
import type { KnownLedger, RecentEntry } from "./known-ledger.ts"
import type { LedgerReader } from "./reader.ts"

/** What an honest failover loses is younger than this, in ms (`appendfsync everysec`, asynchronous replicas). */
export const mayLoseMs = 5_000

/** What of the end that was known is not there. */
export type FoundEnd =
  | { readonly kind: "lost"; readonly lost: readonly RecentEntry[] }
  | { readonly kind: "rolled-back"; readonly why: string }

/** Where entries that were known end in Redis, and what follows them there. */
export interface EndOptions {
  readonly redis: Redis
  readonly keys: Keys
  readonly seal: Seal
}

/**
 * Compares what is known with what Redis holds, forgets what is lost of it, and takes in what stands there instead. Lost is only what was read
 * less than `mayLoseMs` before Redis last went on from it; anything else is a roll-back. Throws `StoreError`.
 */
export async function findEnd(options: EndOptions, known: KnownLedger, reader: LedgerReader): Promise<FoundEnd> {
  const goodAt = reader.goodAt()
  const reads = await readFrom(options, known.settled.end().number)
  const common = commonEnd(known, reads)
  if (common === null) return { kind: "rolled-back", why: `entry ${known.settled.end().number} is not what it was` }
  const missing = known.recent().filter(({ number }) => number > common)
  const old = missing.find(({ readAt }) => readAt < goodAt - mayLoseMs)
  if (old !== undefined)
    return { kind: "rolled-back", why: `entry ${old.number} is gone, which was there for more than ${mayLoseMs} ms` }
  const lost = known.cut(common)
  const wrong = reader.takeIn(reads.filter(({ number }) => number === null || number > common))
  return wrong === null ? { kind: "lost", lost } : { kind: "rolled-back", why: wrong.why }
}

/** All entries from a number on. */
async function readFrom({ redis, keys }: EndOptions, number: number): Promise<readonly NumberedEntry[]> {
  const all: NumberedEntry[] = []
  for await (const page of readLedger(redis, keys, { after: `${Math.max(0, number - 1)}-0`, pageSize: 500 }))
    all.push(...page)
  return all
}

/** The last entry that is there as it is known; null if even the settled end is not. */
function commonEnd(known: KnownLedger, reads: readonly NumberedEntry[]): number | null {
  const settled = known.settled.end().number
  let common: number | null = settled === 0 ? 0 : null
  for (const { number, mac } of reads) {
    if (number === null || known.macAt(number) !== mac) break
    common = number
  }
  return common
}

/** The chains that lost entries touch: those of cases, and links that an operator made or took back, or that were disputed (R7). */
export function touchedBy(lost: readonly Pick<RecentEntry, "chain" | "kind">[]): readonly string[] {
  const counted = lost.filter(({ chain, kind }) => isCaseChain(chain) || disputable.has(kind))
  return [...new Set(counted.map(({ chain }) => chain))]
}

const disputable: ReadonlySet<string> = new Set(["linked", "unlinked", "contested"])
