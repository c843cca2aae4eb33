// The record of one pinned e-mail: whom it means, since when and by whom, and whether it means somebody else by now (R7).
import type { Redis } from "ioredis"
import { z } from "zod"
import type { Seal } from "../../domain/seal.ts"
import { StoreError } from "../errors.ts"
import type { Freshness } from "../freshness/freshness.ts"
import { type Committer, type IndexWrite } from "../ledger/commit.ts"
import { type ChainHead, extendChain, noEntries } from "../ledger/entry.ts"
import { sideWrites } from "../ledger/erasable-record.ts"
import type { LedgerEvent } from "../ledger/ledger-event.ts"
import { chainOf, type Keys } from "../redis/keys.ts"
import { openRecord, type RecordPlace, readRecord, sealRecord } from "../redis/sealed-record.ts"

const slackId = z.object({ team: z.string(), user: z.string() })
const storedPin = z.object({
  version: z.number(),
  /** Null once it was erased. */
  email: z.string().nullable(),
  /** Null while it is pinned to nobody. */
  person: slackId.nullable(),
  /** Since when, epoch ms. */
  at: z.number(),
  /** The operator's account who linked it; null if it was pinned when first seen. */
  by: z.string().nullable().default(null),
  /** Somebody else whom the address was seen to mean, and when. */
  contested: z.object({ now: slackId, at: z.number() }).nullable().default(null),
  chain: z.object({ count: z.number(), mac: z.string() }),
})

/** A pin as Redis keeps it. */
export type StoredPin = Readonly<z.infer<typeof storedPin>>

/** What a pin says, without what the store keeps for itself. */
export type PinState = Omit<StoredPin, "version" | "chain">

/** Where pins are read. */
export interface PinPlace {
  readonly redis: Redis
  readonly keys: Keys
  readonly seal: Seal
  readonly freshness: Pick<Freshness, "head" | "judge" | "isTouched">
}

/** What the pins are made of. */
export interface PinsOptions extends PinPlace {
  readonly commit: Committer
  readonly sandbox: boolean
}

/** The name of a pin: no address stands in a key. An address is compared without regard to case. */
export function pinName(seal: Seal, email: string): string {
  return seal.mac("pin name", email.toLowerCase())
}

/**
 * Reads a pin. Throws `StoreError`: `tampered`; `behind` where it is older than the ledger, or what an operator last said of it may be lost: then it
 * counts for nobody until it is linked anew; or no answer.
 */
export async function readPin(options: PinPlace, name: string): Promise<StoredPin | null> {
  const { pin, fresh } = await lookAtPin(options, name)
  if (fresh && !options.freshness.isTouched(chainOf.pin(name))) return pin
  throw new StoreError("behind", `a pinned e-mail in Redis (${name}) is older than the ledger: link it anew`)
}

/** A pin as Redis has it, and whether it is the newest. `version` is the record's; `head` is where its chain ends by all that is known. */
interface LookedAt {
  readonly pin: StoredPin | null
  readonly fresh: boolean
  readonly version: string
  readonly head: ChainHead
}

async function lookAtPin(place: PinPlace, name: string): Promise<LookedAt> {
  const { redis, keys, seal, freshness } = place
  const where = placeOf(keys, name)
  const chain = chainOf.pin(name)
  const bound = freshness.head(chain)
  const record = await readRecord(redis, where.key)
  const value = openRecord(seal, where, record)
  const read = value === null ? null : storedPin.safeParse(value)
  if (read !== null && !read.success)
    throw new StoreError("tampered", `a pinned e-mail in Redis (${name}) was not written by us`)
  const pin = read?.data ?? null
  const said = pin === null ? null : { ...pin.chain, over: false }
  const standing = await freshness.judge(chain, said, bound)
  if (standing === "again") return lookAtPin(place, name)
  const fresh = standing === "fresh"
  const head = fresh ? (pin?.chain ?? noEntries) : (freshness.head(chain) ?? noEntries)
  return { pin, fresh, version: record.version?.toString() ?? "0", head }
}

/** What becomes of a pin, and what the ledger says of it. */
export interface PinStep {
  readonly next: PinState
  readonly event: LedgerEvent
  readonly writes?: readonly IndexWrite[]
}

/** Changes a pin, also one that is not there yet; a lost race is read again. `step` returns null if there is nothing to do. Throws as `readPin` does. */
export async function changePin(
  options: PinsOptions,
  name: string,
  step: (before: StoredPin | null) => PinStep | null,
): Promise<StoredPin | null> {
  const before = await readPin(options, name)
  const made = step(before)
  if (made === null) return before
  const head = before?.chain ?? noEntries
  const place = { version: String(before?.version ?? 0), head, count: head.count }
  return (await writePin(options, name, made, place)) ?? (await changePin(options, name, step))
}

/** Makes a pin anew, for an operator: also one that is older than the ledger, or of which the end may be lost. Throws `StoreError`. */
export async function renewPin(
  options: PinsOptions,
  name: string,
  step: (before: StoredPin | null) => PinStep | null,
): Promise<StoredPin | null> {
  const { pin, ...place } = await lookAtPin(options, name)
  const made = step(pin)
  if (made === null) return pin
  return (await writePin(options, name, made, { ...place, count: null })) ?? (await renewPin(options, name, step))
}

/** Null if somebody was faster. */
async function writePin(
  options: PinsOptions,
  name: string,
  made: PinStep,
  { version, head: end, count }: Pick<LookedAt, "version" | "head"> & { readonly count: number | null },
): Promise<StoredPin | null> {
  const { keys, seal, sandbox } = options
  const place = placeOf(keys, name)
  const chain = { chain: chainOf.pin(name), head: end, sandbox }
  const { entries, sides, head } = extendChain(seal, chain, [made.event])
  const next: StoredPin = { ...made.next, version: Number(version) + 1, chain: head }
  const done = await options.commit({
    key: place.key,
    expectedVersion: version,
    fields: { version: String(next.version), sealed: sealRecord(seal, place, next.version, JSON.stringify(next)) },
    chain: chain.chain,
    // Whoever put an older record there may have changed the list too.
    chainCount: count,
    entries,
    writes: [...sideWrites(options, sides), ...(made.writes ?? [])],
  })
  if (done.kind !== "committed") return null
  if (done.standing === "fresh") return next
  throw new StoreError("behind", `a pinned e-mail in Redis (${name}) was changed, and that may be lost: link it anew`)
}

function placeOf(keys: Keys, name: string): RecordPlace {
  return { purpose: "pin", key: keys.pin(name) }
}
