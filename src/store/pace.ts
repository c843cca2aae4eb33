// When a channel may get its next message: one pace for all replicas (port `Pace`).
import type { Redis } from "ioredis"
import type { Pace } from "../flow/ports.ts"
import { attempt, StoreError } from "./errors.ts"
import type { Keys } from "./keys.ts"
import { holdScript, reserveScript } from "./pace-script.ts"
import { createScript } from "./script.ts"

/** What the pace is made of. */
export interface PaceOptions {
  readonly redis: Redis
  readonly keys: Keys
  /** At least so many ms between two messages of a channel; Slack takes one a second. */
  readonly paceMs: number
}

/** Makes the pace of an installation, by the clock of Redis. Throws `StoreError` if Redis does not answer. */
export function createPace({ redis, keys, paceMs }: PaceOptions): Pace {
  const reserve = createScript(redis, reserveScript)
  const hold = createScript(redis, holdScript)
  return {
    reserve: async (channel, key) => {
      const { state, slots } = keys.pace(channel)
      const wait = await attempt("reserve a slot", () => reserve([state, slots], [paceMs, key]))
      if (typeof wait !== "number") throw new StoreError("redis-refused", "reserve a slot: Redis answered no number")
      return wait
    },
    hold: async (channel, ms) => {
      const { state, slots } = keys.pace(channel)
      await attempt("hold a channel", () => hold([state, slots], [paceMs, Math.ceil(ms)]))
    },
  }
}
