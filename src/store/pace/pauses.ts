// Paused runs that nobody is asked about, as the replicas remember them (port `PauseMemory`): sealed, one record an instance.
import type { Redis } from "ioredis"
import { z } from "zod"
import type { Seal } from "../../domain/seal.ts"
import type { PauseMemory, Pauses } from "../../flow/ports.ts"
import { attempt } from "../errors.ts"
import { openText } from "../redis/codec.ts"
import type { Keys } from "../redis/keys.ts"

/** How long an instance that nobody looks at any more is remembered, in ms. */
const keptMs = 30 * 86_400_000

const stored: z.ZodType<Pauses> = z.object({
  listedTo: z.number(),
  unread: z.array(z.object({ sessionId: z.string(), changedAt: z.number() })),
  paused: z.array(
    z.object({
      runId: z.string(),
      sessionId: z.string(),
      runner: z.enum(["agents", "teams", "workflows"]),
      component: z.string().nullable(),
      calls: z.array(z.string()),
      tools: z.array(z.string()),
      since: z.number(),
      toldAt: z.number().nullable(),
    }),
  ),
})

/** Makes the memory of an installation. What we did not seal is passed over, and overwritten by the next look. */
export function createPauses(parts: { readonly redis: Redis; readonly keys: Keys; readonly seal: Seal }): PauseMemory {
  const { redis, keys, seal } = parts
  return {
    takeTurn: async (instance, everyMs) => {
      const key = keys.pauses(instance).turn
      return (await attempt("take a turn", () => redis.set(key, "1", "PX", everyMs, "NX"))) === "OK"
    },
    read: async (instance) => {
      const key = keys.pauses(instance).record
      const sealed = await attempt("read paused runs", () => redis.getBuffer(key))
      if (sealed === null) return null
      return stored.safeParse(openText(seal, { purpose: "pauses", context: key, sealed })).data ?? null
    },
    save: async (instance, pauses) => {
      const key = keys.pauses(instance).record
      const sealed = seal.encrypt("pauses", JSON.stringify(pauses), key)
      await attempt("remember paused runs", () => redis.set(key, sealed, "PX", keptMs))
    },
  }
}
