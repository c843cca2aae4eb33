// Fingerprints: sealed records with chains, one for each tool and caller. The commit that settles a case changes them.
// No decision waits for them.
import { z } from "zod"
import { type FingerprintId, fingerprintName } from "../../domain/fingerprint/call-fields.ts"
import {
  aged,
  dayOf,
  type Fingerprint,
  type Learning,
  nothingKept,
  oldestDay,
} from "../../domain/fingerprint/fingerprint.ts"
import type { FingerprintAsRead, FingerprintChange } from "../../flow/ports.ts"
import { attempt, StoreError } from "../errors.ts"
import type { LedgerFreshness } from "../freshness/freshness.ts"
import { type ChainedPlace, type RecordWriter, readRepairable } from "../ledger/chained-record.ts"
import type { RecordWrite } from "../ledger/commit.ts"
import { extendChain, noEntries } from "../ledger/entry.ts"
import { chainOf, type Keys } from "../redis/keys.ts"
import { type SealedPlace, sealAsIs } from "../redis/sealed-record.ts"

const field = z.object({
  path: z.string(),
  last: z.string().nullable(),
  times: z.number(),
  fresh: z.number(),
  turns: z.number(),
  day: z.number(),
  seen: z.array(z.tuple([z.string(), z.number()])),
  full: z.literal(true).exactOptional(),
  ranges: z.array(z.object({ day: z.number(), least: z.string(), most: z.string() })),
})
const apart = z.array(z.object({ path: z.string(), hash: z.string() }))
const stored = z.object({
  calls: z.number(),
  fields: z.array(field),
  rejected: z.array(z.object({ case: z.string(), at: z.number(), apart })),
  version: z.number(),
  chain: z.object({ count: z.number(), mac: z.string() }),
})

/** How many fingerprints a process remembers; each takes some kB. */
const maxRemembered = 256
/** How many are aged in one go; the others follow in the next. */
const maxAged = 1_000
const dayMs = 86_400_000

/** Where fingerprints are read and written. */
export interface FingerprintsOptions extends SealedPlace, Pick<RecordWriter, "sandbox"> {
  readonly freshness: Pick<LedgerFreshness, "head" | "judge" | "asOf">
}

/** What a commit writes of a fingerprint, and the fingerprint as we read it from then on. */
export interface PreparedFingerprint {
  readonly write: RecordWrite
  readonly written: FingerprintAsRead
}

/** The fingerprints of an installation, with what this process remembers of them. */
export interface Fingerprints {
  read(ids: readonly FingerprintId[]): Promise<readonly FingerprintAsRead[]>
  prepare(change: FingerprintChange): PreparedFingerprint
  /** Remembers what was committed: the next read does not ask Redis. */
  keep(written: FingerprintAsRead): void
  /** A commit found another record under this key: the next read asks Redis. */
  doubt(key: string): void
  /** Ages the fingerprints that hold something too old. `put` commits one record; false if it changed meanwhile. */
  age(learning: Learning, put: (write: RecordWrite) => Promise<boolean>): Promise<void>
}

/** Makes the fingerprints. A read asks Redis only if the ledger names a record that we do not remember. */
export function createFingerprints(options: FingerprintsOptions): Fingerprints {
  const { keys, freshness } = options
  const remembered = new Map<string, FingerprintAsRead>()
  const doubted = new Set<string>()
  const remember = (read: FingerprintAsRead): FingerprintAsRead => {
    remembered.delete(read.name)
    if (read.doubt === null) remembered.set(read.name, read)
    const [oldest] = remembered.size > maxRemembered ? remembered.keys() : []
    if (oldest !== undefined) remembered.delete(oldest)
    return read
  }
  const readNamed = async (name: string): Promise<FingerprintAsRead> => {
    const head = freshness.head(chainOf.fingerprint(name))
    const sure = freshness.asOf() !== null && !doubted.delete(name)
    if (sure && head === null) return { name, state: null, doubt: "none", version: "0", chain: noEntries }
    const known = remembered.get(name)
    if (sure && known !== undefined && known.chain.mac === head?.mac && head.state === "open") return remember(known)
    return remember(await readOne(options, name))
  }
  return {
    read: (ids) => Promise.all(ids.map((id) => readNamed(fingerprintName(id)))),
    prepare: (change) => prepared(options, change),
    keep: (written) => void remember(written),
    doubt: (key) => {
      const prefix = keys.fingerprint("")
      if (key.startsWith(prefix)) doubted.add(key.slice(prefix.length))
    },
    age: async (learning, put) => {
      const ageOne = async (name: string): Promise<boolean> => {
        const read = await readNamed(name)
        if (read.doubt === "none") return false
        const next = aged(read.state ?? nothingKept, learning)
        const event = { kind: "fingerprint-aged", at: learning.at } as const
        const { write, written } = prepared(options, { read, next, event })
        const done = await unlessDamaged(() => put(write))
        if (done === true) remember(written)
        if (done === false) doubted.add(name)
        return done !== null
      }
      await eachDue(options, learning, ageOne)
    },
  }
}

/** Hands over the fingerprints that hold something too old. If `act` returns false, the name leaves the index. */
async function eachDue(
  { redis, keys }: FingerprintsOptions,
  { at, keepDays }: Learning,
  act: (name: string) => Promise<boolean>,
): Promise<void> {
  const old = (dayOf(at) - keepDays + 1) * dayMs
  const due = await attempt("find old fingerprints", () =>
    redis.zrangebyscore(keys.fingerprints, "-inf", `(${old}`, "LIMIT", 0, maxAged),
  )
  for (const name of due)
    if (!(await act(name))) await attempt("forget a fingerprint", () => redis.zrem(keys.fingerprints, name))
}

/** Acts on a record; null if it is damaged, so that nobody can read or replace it. Throws if Redis is away. */
async function unlessDamaged<Result>(act: () => Promise<Result>): Promise<Result | null> {
  try {
    return await act()
  } catch (error) {
    if (!(error instanceof StoreError) || error.retryable) throw error
    return null
  }
}

/** Reads a fingerprint. If it cannot be read, it begins anew, above whatever is there. Throws if Redis is away. */
async function readOne(options: FingerprintsOptions, name: string): Promise<FingerprintAsRead> {
  const place = fingerprintPlace(options.keys, name)
  const what = `the fingerprint ${name} in Redis`
  const found = await unlessDamaged(() => readRepairable(options, place, { schema: stored, what }))
  const chain = options.freshness.head(place.chain) ?? noEntries
  const { value, ...read } = found ?? { value: null, doubt: "behind" as const, version: "0", chain }
  return { name, state: value === null ? null : stateOf(value), ...read }
}

function stateOf({ calls, fields, rejected }: z.infer<typeof stored>): Fingerprint {
  return { calls, fields, rejected }
}

/** Prepares a write. It does not compare the chain's list in Redis: else whoever changed it could block a case. */
function prepared(
  { keys, seal, sandbox }: FingerprintsOptions,
  { read, next, event }: FingerprintChange,
): PreparedFingerprint {
  const { name } = read
  const { chain, ...place } = fingerprintPlace(keys, name)
  const { entries, head } = extendChain(seal, { chain, head: read.chain, sandbox }, [event])
  const version = head.count
  // We do not pack it: it is mostly hashes, and somebody waits.
  const json = JSON.stringify({ ...next, version, chain: head })
  const oldest = oldestDay(next)
  const write: RecordWrite = {
    key: place.key,
    expectedVersion: Buffer.from(read.version, "latin1"),
    fields: { version: String(version), sealed: sealAsIs(seal, place, version, json) },
    chain,
    chainCount: null,
    entries,
    writes: [
      oldest === null
        ? { command: "ZREM", key: keys.fingerprints, args: [name] }
        : { command: "ZADD", key: keys.fingerprints, args: [oldest * dayMs, name] },
    ],
  }
  return { write, written: { name, state: next, doubt: null, version: String(version), chain: head } }
}

function fingerprintPlace(keys: Keys, name: string): ChainedPlace {
  return { purpose: "fingerprint", key: keys.fingerprint(name), chain: chainOf.fingerprint(name) }
}
