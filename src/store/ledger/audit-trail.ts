// How far each instance's audit rows are in the ledger (port `AuditTrail`): one record an instance, written together with their entries.
import { z } from "zod"
import type { AuditTrail } from "../../flow/ports.ts"
import type { Freshness } from "../freshness/freshness.ts"
import { chainOf, type Keys } from "../redis/keys.ts"
import type { SealedPlace } from "../redis/sealed-record.ts"
import { type ChainedPlace, commitRecord, lookAtRecord, type RecordWriter } from "./chained-record.ts"

const storedMark = z.object({
  version: z.number(),
  readTo: z.number(),
  seen: z.array(z.object({ approval: z.string(), madeAt: z.number() })),
  chain: z.object({ count: z.number(), mac: z.string() }),
})

/** What the trail is made of. */
export interface AuditTrailOptions extends SealedPlace, RecordWriter {
  readonly freshness: Pick<Freshness, "head" | "judge">
}

/** Makes the trail of an installation. An older record is gone on from: rows are told twice rather than not. */
export function createAuditTrail(options: AuditTrailOptions): AuditTrail {
  const look = (instance: string) => {
    const what = `how far the audit rows of ${instance} were read`
    return lookAtRecord(options, placeOf(options.keys, instance), { schema: storedMark, what })
  }
  return {
    read: async (instance) => {
      const { value: mark } = await look(instance)
      return mark === null ? null : { version: mark.version, readTo: mark.readTo, seen: mark.seen }
    },
    enter: async (instance, next, { rows, at }) => {
      const { fresh, ...before } = await look(instance)
      if (before.version !== next.version - 1) return false
      const events = rows.map((row) => ({ kind: "audited" as const, at, instance, ...row }))
      // The first look has no row to tell, and every record is told of.
      const told = next.version === 1 ? [{ kind: "audits-begun" as const, at, instance }, ...events] : events
      const change = { before, next, events: told, repairs: !fresh }
      const { done } = await commitRecord(options, placeOf(options.keys, instance), change)
      return done.kind === "committed"
    },
  }
}

function placeOf(keys: Keys, instance: string): ChainedPlace {
  return { purpose: "audits", key: keys.audits(instance), chain: chainOf.audits(instance) }
}
