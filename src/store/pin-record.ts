// The record of one pinned e-mail: whom it means, since when and by whom, and whether it means somebody else by now (R7).
import type { Redis } from "ioredis"
import { z } from "zod"
import type { Seal } from "../domain/seal.ts"
import { openRecord, type RecordPlace, sealRecord } from "./codec.ts"
import { type Committer, type IndexWrite, readRecord } from "./commit.ts"
import { extendChain, noEntries } from "./entry.ts"
import { StoreError } from "./errors.ts"
import { chainOf, type Keys } from "./keys.ts"
import type { LedgerEvent } from "./ledger-event.ts"
import { sideWrites } from "./side.ts"

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

/** Reads a pin. Throws `StoreError`: `tampered`, or no answer. */
export async function readPin({ redis, keys, seal }: PinPlace, name: string): Promise<StoredPin | null> {
  const place = placeOf(keys, name)
  const value = openRecord(seal, place, await readRecord(redis, place.key))
  if (value === null) return null
  const read = storedPin.safeParse(value)
  if (read.success) return read.data
  throw new StoreError("tampered", `a pinned e-mail in Redis (${name}) was not written by us`)
}

/** What becomes of a pin, and what the ledger says of it. */
export interface PinStep {
  readonly next: PinState
  readonly event: LedgerEvent
  readonly writes?: readonly IndexWrite[]
}

/** Changes a pin, also one that is not there yet; a lost race is read again. `step` returns null if there is nothing to do. */
export async function changePin(
  options: PinsOptions,
  name: string,
  step: (before: StoredPin | null) => PinStep | null,
): Promise<StoredPin | null> {
  const { keys, seal, sandbox } = options
  const before = await readPin(options, name)
  const made = step(before)
  if (made === null) return before
  const place = placeOf(keys, name)
  const chain = { chain: chainOf.pin(name), head: before?.chain ?? noEntries, sandbox }
  const { entries, sides, head } = extendChain(seal, chain, [made.event])
  const next: StoredPin = { ...made.next, version: (before?.version ?? 0) + 1, chain: head }
  const done = await options.commit({
    key: place.key,
    expectedVersion: String(next.version - 1),
    fields: { version: String(next.version), sealed: sealRecord(seal, place, next.version, JSON.stringify(next)) },
    chain: chain.chain,
    chainCount: chain.head.count,
    entries,
    writes: [...sideWrites(options, sides), ...(made.writes ?? [])],
  })
  return done.kind === "committed" ? next : await changePin(options, name, step)
}

function placeOf(keys: Keys, name: string): RecordPlace {
  return { purpose: "pin", key: keys.pin(name) }
}
