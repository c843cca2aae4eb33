// What replicas share about each instance: its polls (port `Polls`), paused runs that nobody is asked about (port
// `PauseMemory`) and how far its audit rows are in the ledger (port `AuditTrail`). All is sealed, because the
// platform's words may name people. We skip what we did not seal, and the next look overwrites it.
import { z } from "zod"
import type { Frozen } from "../../domain/content/record/frozen.ts"
import { pausesSchema, pollFailureSchema, sightingSchema } from "../../flow/ports/record/port-records.ts"
import type { AuditTrail, PauseMemory, Polls, PollsKnown } from "../../flow/ports.ts"
import { attempt } from "../errors.ts"
import type { LedgerFreshness } from "../freshness/freshness.ts"
import { type ChainedPlace, commitRecord, lookAtRecord, type RecordWriter } from "../ledger/chained-record.ts"
import { chainOf, type Keys } from "../redis/keys.ts"
import { createSealedValues, type SealedPlace } from "../redis/sealed-record.ts"

const storedSuccess = z.object({ at: z.number() })

/** A field about a trouble that was told has a name that begins with this. */
const toldPrefix = "told "

/** Makes the record of polls: for each instance, one sealed field of each kind. */
export function createPolls({ redis, keys, seal }: SealedPlace): Polls {
  const key = keys.polls
  const kind = <Value>(began: string, schema: z.ZodType<Value>) => {
    const values = createSealedValues(seal, "poll", schema)
    const fieldOf = (instance: string) => `${began} ${instance}`
    return {
      put: async (instance: string, value: Frozen<Value>): Promise<void> => {
        const field = fieldOf(instance)
        await attempt("note a poll", () => redis.hset(key, field, values.seal(`${key} ${field}`, value)))
      },
      in: (fields: Readonly<Record<string, Buffer>>, instance: string): Value | null =>
        values.open(`${key} ${fieldOf(instance)}`, fields[fieldOf(instance)]),
    }
  }
  const polled = kind("polled", storedSuccess)
  const failed = kind("failed", pollFailureSchema)
  const saw = kind("saw", sightingSchema)
  const knownIn = (fields: Readonly<Record<string, Buffer>>): PollsKnown => ({
    of: (instance) => ({
      polledAt: polled.in(fields, instance)?.at ?? null,
      failure: failed.in(fields, instance),
      sighting: saw.in(fields, instance),
    }),
    told: new Set(
      Object.keys(fields).flatMap((field) => (field.startsWith(toldPrefix) ? [field.slice(toldPrefix.length)] : [])),
    ),
  })
  return {
    read: async () => knownIn(await attempt("read how polls go", () => redis.hgetallBuffer(key))),
    succeeded: (instance, at) => polled.put(instance, { at }),
    failed: (instance, { at, why, refused }) => failed.put(instance, { at, why, refused }),
    saw: (instance, { at, named }) => saw.put(instance, { at, named }),
    told: async (trouble) => void (await attempt("note a trouble", () => redis.hset(key, toldPrefix + trouble, "1"))),
    over: async (trouble) => void (await attempt("end a trouble", () => redis.hdel(key, toldPrefix + trouble))),
  }
}

/** How long we remember the paused runs of an instance that nobody looks at any more, in ms. */
const pausesKeptMs = 30 * 86_400_000

/** Makes the memory of paused runs: one sealed record for each instance. */
export function createPauses({ redis, keys, seal }: SealedPlace): PauseMemory {
  const values = createSealedValues(seal, "pauses", pausesSchema)
  return {
    takeTurn: async (instance, everyMs) => {
      const key = keys.pauses(instance).turn
      return (await attempt("take a turn", () => redis.set(key, "1", "PX", everyMs, "NX"))) === "OK"
    },
    read: async (instance) => {
      const key = keys.pauses(instance).record
      return values.open(key, await attempt("read paused runs", () => redis.getBuffer(key)))
    },
    save: async (instance, pauses) => {
      const key = keys.pauses(instance).record
      const sealed = values.seal(key, pauses)
      await attempt("remember paused runs", () => redis.set(key, sealed, "PX", pausesKeptMs))
    },
  }
}

const storedMark = z.object({
  version: z.number(),
  readTo: z.number(),
  seen: z.array(z.object({ approval: z.string(), madeAt: z.number() })),
  chain: z.object({ count: z.number(), mac: z.string() }),
})

/** What the trail needs. */
export interface AuditTrailOptions extends SealedPlace, RecordWriter {
  readonly freshness: Pick<LedgerFreshness, "head" | "judge">
}

/** Makes the trail of an installation. It goes on even from an older record: better to tell rows twice than never. */
export function createAuditTrail(options: AuditTrailOptions): AuditTrail {
  const look = (instance: string) => {
    const what = `how far the audit rows of ${instance} were read`
    return lookAtRecord(options, auditsPlace(options.keys, instance), { schema: storedMark, what })
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
      // The first look has no row to tell, so it writes `audits-begun`: each record needs an entry.
      const told = next.version === 1 ? [{ kind: "audits-begun" as const, at, instance }, ...events] : events
      const change = { before, next, events: told, repairs: !fresh }
      const { done } = await commitRecord(options, auditsPlace(options.keys, instance), change)
      return done.kind === "committed"
    },
  }
}

function auditsPlace(keys: Keys, instance: string): ChainedPlace {
  return { purpose: "audits", key: keys.audits(instance), chain: chainOf.audits(instance) }
}
