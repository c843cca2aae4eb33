// The record of one identity link: which person it means, since when, who linked it, and whether it is disputed (R7).

import { z } from "zod"
import type { Seal } from "../../domain/proof/seal.ts"
import { attempt, StoreError } from "../errors.ts"
import type { LedgerFreshness } from "../freshness/freshness.ts"
import {
  type ChainedPlace,
  commitRecord,
  type LookedAt,
  lookAtRecord,
  type RecordWriter,
} from "../ledger/chained-record.ts"
import { type IndexWrite } from "../ledger/commit.ts"
import { noEntries } from "../ledger/entry.ts"
import type { LedgerEvent } from "../ledger/ledger-event.ts"
import { chainOf, type Keys } from "../redis/keys.ts"
import type { SealedPlace } from "../redis/sealed-record.ts"

const slackId = z.object({ team: z.string(), user: z.string() })
const storedLink = z.object({
  version: z.number(),
  /** Null once it was erased. */
  email: z.string().nullable(),
  /** Null while it links to nobody. */
  person: slackId.nullable(),
  /** Since when, epoch ms. */
  at: z.number(),
  /** The operator's account who linked it; null if it was linked when first seen. */
  by: z.string().nullable().default(null),
  /** The person that the address turned out to mean instead, and when we saw that. */
  contested: z.object({ now: slackId, at: z.number() }).nullable().default(null),
  chain: z.object({ count: z.number(), mac: z.string() }),
})

/** A link as Redis keeps it. */
export type StoredLink = Readonly<z.infer<typeof storedLink>>

/** What a link says, without what the store keeps for itself. */
export type LinkState = Omit<StoredLink, "version" | "chain">

/** Where links are read. */
export interface LinkPlace extends SealedPlace {
  readonly freshness: Pick<LedgerFreshness, "head" | "judge" | "catchUp" | "isTouched">
}

/** What changing links needs. */
export type LinksOptions = LinkPlace & RecordWriter

/** The name of a link, so no address stands in a key. Upper and lower case of an address are the same. */
export function linkName(seal: Seal, email: string): string {
  return seal.mac("link name", email.toLowerCase())
}

/**
 * Reads a link. Throws `StoreError`: no answer; `tampered`; `behind` if the link is older than the ledger, or if an
 * operator's last word on it may be lost. Such a link counts for nobody until an operator links it again.
 */
export async function readLink(options: LinkPlace, name: string): Promise<StoredLink | null> {
  const { value, fresh } = await lookAtLink(options, name)
  if (fresh && !options.freshness.isTouched(chainOf.identityLink(name))) return value
  throw new StoreError("behind", `a pinned e-mail in Redis (${name}) is older than the ledger: link it anew`)
}

function lookAtLink(place: LinkPlace, name: string): Promise<LookedAt<StoredLink>> {
  return lookAtRecord(place, linkPlace(place.keys, name), {
    schema: storedLink,
    what: `a pinned e-mail in Redis (${name})`,
  })
}

/** How a link changes, with the entry for the ledger. */
export interface LinkStep {
  readonly next: LinkState
  readonly event: LedgerEvent
  readonly writes?: readonly IndexWrite[]
}

/** Says how a link changes; null if there is nothing to do. Called again after a lost race. */
type StepOf = (before: StoredLink | null) => LinkStep | null

/** Changes a link, or makes it if there is none. After a lost race reads it again. Throws as `readLink` does. */
export async function changeLink(options: LinksOptions, name: string, step: StepOf): Promise<StoredLink | null> {
  const value = await readLink(options, name)
  const before = { value, version: value?.version ?? 0, head: value?.chain ?? noEntries }
  return writeLink(options, name, { before, step, repairs: false, again: () => changeLink(options, name, step) })
}

/** Makes a link anew for an operator, even if the old one is `behind`, forged or perhaps lost. Throws `StoreError`. */
export async function renewLink(options: LinksOptions, name: string, step: StepOf): Promise<StoredLink | null> {
  const before = await lookAtLink(options, name).catch((error: unknown) => withoutForged(options, name, error))
  return writeLink(options, name, { before, step, repairs: true, again: () => renewLink(options, name, step) })
}

/** Removes a record that we did not write, because no commit can follow it. */
async function withoutForged(options: LinksOptions, name: string, error: unknown): Promise<LookedAt<StoredLink>> {
  if (!(error instanceof StoreError) || error.code !== "tampered") throw error
  await attempt("remove a forged link", () => options.redis.del(options.keys.identityLink(name)))
  return lookAtLink(options, name)
}

async function writeLink(
  options: LinksOptions,
  name: string,
  change: {
    readonly before: Omit<LookedAt<StoredLink>, "fresh">
    readonly step: StepOf
    readonly repairs: boolean
    readonly again: () => Promise<StoredLink | null>
  },
): Promise<StoredLink | null> {
  const { before, step, repairs, again } = change
  const made = step(before.value)
  if (made === null) return before.value
  const { next, event, writes = [] } = made
  const { done, version, chain } = await commitRecord<StoredLink>(options, linkPlace(options.keys, name), {
    before,
    next,
    events: [event],
    writes,
    repairs,
  })
  if (done.kind !== "committed") return again()
  if (done.standings[0] === "fresh") return { ...next, version, chain }
  throw new StoreError("behind", `a pinned e-mail in Redis (${name}) was changed, and that may be lost: link it anew`)
}

function linkPlace(keys: Keys, name: string): ChainedPlace {
  return { purpose: "link", key: keys.identityLink(name), chain: chainOf.identityLink(name) }
}
