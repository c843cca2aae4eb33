// What Slack said a moment ago, shared by all replicas (port `SharedAnswers`): sealed with its moment, so that an old one is seen to be old.
import type { Redis } from "ioredis"
import { z } from "zod"
import type { Json } from "../../domain/json.ts"
import type { Seal } from "../../domain/seal.ts"
import { isPortError, type Log, type SharedAnswers } from "../../flow/ports.ts"
import { attempt } from "../errors.ts"
import { openText } from "../redis/codec.ts"
import type { Keys } from "../redis/keys.ts"
import { pack } from "../redis/pack.ts"

/** How long an answer is kept, in ms: nobody takes an older one. */
const KEPT_MS = 600_000

const storedAnswer = z.object({ at: z.number(), value: z.custom<Json>((value) => value !== undefined) })

/** What the answers are made of. */
export interface AnswersOptions {
  readonly redis: Redis
  readonly keys: Keys
  readonly seal: Seal
  readonly log: Log
}

/** Makes the shared answers of an installation. While Redis does not answer there are none, which is logged. */
export function createAnswers({ redis, keys, seal, log }: AnswersOptions): SharedAnswers {
  // No address stands in a key.
  const keyOf = (name: string) => keys.answer(seal.mac("answer", name))
  const ifDown = (error: unknown): null => {
    if (!isPortError(error)) throw error
    log.warn("answers-not-shared", { error })
    return null
  }
  return {
    read: async (name) => {
      const key = keyOf(name)
      const sealed = await attempt("read an answer", () => redis.getBuffer(key)).catch(ifDown)
      if (sealed === null) return null
      const read = storedAnswer.safeParse(openText(seal, { purpose: "answer", context: key, sealed }))
      if (read.success) return read.data
      log.error("answer_tampered", { key })
      return null
    },
    keep: async (name, answer) => {
      const key = keyOf(name)
      const sealed = seal.encrypt("answer", pack(JSON.stringify(answer)), key)
      await attempt("keep an answer", () => redis.set(key, sealed, "PX", KEPT_MS)).catch(ifDown)
    },
  }
}
