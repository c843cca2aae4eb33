// How far each instance's audit rows are in the ledger (port `AuditTrail`): one record an instance, written together with their entries.
import type { Redis } from "ioredis"
import { z } from "zod"
import type { Seal } from "../../domain/seal.ts"
import type { AuditMark, AuditTrail } from "../../flow/ports.ts"
import { StoreError } from "../errors.ts"
import type { Freshness } from "../freshness/freshness.ts"
import { chainOf, type Keys } from "../redis/keys.ts"
import { openRecord, type RecordPlace, readRecord, sealRecord } from "../redis/sealed-record.ts"
import { type Committer } from "./commit.ts"
import { type ChainHead, extendChain, noEntries } from "./entry.ts"

const stored = z.object({
  version: z.number(),
  readTo: z.number(),
  seen: z.array(z.object({ approval: z.string(), madeAt: z.number() })),
  chain: z.object({ count: z.number(), mac: z.string() }),
})

/** What the trail is made of. */
export interface AuditTrailOptions {
  readonly redis: Redis
  readonly keys: Keys
  readonly seal: Seal
  readonly sandbox: boolean
  readonly commit: Committer
  readonly freshness: Pick<Freshness, "head" | "judge">
}

/** Makes the trail of an installation. */
export function createAuditTrail(options: AuditTrailOptions): AuditTrail {
  const { keys, seal, sandbox, commit } = options
  return {
    read: async (instance) => {
      const { mark } = await look(options, instance)
      return mark === null ? null : { version: mark.version, readTo: mark.readTo, seen: mark.seen }
    },
    enter: async (instance, next, { rows, at }) => {
      const { head: end, fresh, version } = await look(options, instance)
      if (version !== next.version - 1) return false
      const { key, chain } = placeOf(keys, instance)
      const events = rows.map((row) => ({ kind: "audited" as const, at, instance, ...row }))
      // The first look has no row to tell, and every record is told of.
      const told = next.version === 1 ? [{ kind: "audits-begun" as const, at, instance }, ...events] : events
      const { entries, head } = extendChain(seal, { chain, head: end, sandbox }, told)
      const json = JSON.stringify({ ...next, chain: head })
      const done = await commit({
        key,
        expectedVersion: String(version),
        fields: {
          version: String(next.version),
          sealed: sealRecord(seal, placeOf(keys, instance), next.version, json),
        },
        chain,
        // Whoever put an older record there may have changed the list too.
        chainCount: fresh ? end.count : null,
        entries,
      })
      return done.kind === "committed"
    },
  }
}

/** The record as Redis has it, its version, and where its chain ends by all that is known. An older one is gone on from: rows are told twice rather than not. */
interface Looked {
  readonly mark: (AuditMark & { readonly chain: ChainHead }) | null
  readonly version: number
  readonly fresh: boolean
  readonly head: ChainHead
}

async function look(options: AuditTrailOptions, instance: string): Promise<Looked> {
  const { redis, keys, seal, freshness } = options
  const { chain, ...place } = placeOf(keys, instance)
  const bound = freshness.head(chain)
  const value = openRecord(seal, place, await readRecord(redis, place.key))
  const read = value === null ? null : stored.safeParse(value)
  if (read !== null && !read.success)
    throw new StoreError("tampered", `how far the audit rows of ${instance} were read was not written by us`)
  const mark = read?.data ?? null
  const standing = await freshness.judge(chain, mark === null ? null : { ...mark.chain, over: false }, bound)
  if (standing === "again") return look(options, instance)
  const fresh = standing === "fresh"
  const head = fresh ? (mark?.chain ?? noEntries) : (freshness.head(chain) ?? noEntries)
  return { mark, version: mark?.version ?? 0, fresh, head }
}

function placeOf(keys: Keys, instance: string): RecordPlace & { readonly chain: string } {
  return { purpose: "audits", key: keys.audits(instance), chain: chainOf.audits(instance) }
}
