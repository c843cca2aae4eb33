// What replicas tell each other about Slack: its last answers (port `SharedAnswers`), and open sockets (port
// `Sockets`).
import { z } from "zod"
import type { Json } from "../../domain/content/json.ts"
import {
  type Clock,
  isPortError,
  type Log,
  type OwnSocket,
  type SharedAnswers,
  type Sockets,
} from "../../flow/ports.ts"
import { attempt } from "../errors.ts"
import { pack } from "../redis/pack.ts"
import { openText, type SealedPlace } from "../redis/sealed-record.ts"

/** How long an answer is kept, in ms: nobody takes an older one. */
const answerKeptMs = 600_000

const storedAnswer = z.object({ at: z.number(), value: z.custom<Json>((value) => value !== undefined) })

/** This many answers are remembered as they were opened last. */
const maxOpened = 2_000

/**
 * Makes the shared answers. Each is sealed with its moment, so its age shows. Without Redis there are none, and the log
 * says so.
 */
export function createAnswers({ redis, keys, seal, log }: SealedPlace & { readonly log: Log }): SharedAnswers {
  // No address stands in a key.
  const keyOf = (name: string) => keys.answer(seal.mac("answer", name))
  // Each is read from Redis whenever somebody asks. The same bytes in the same place open to the same answer.
  const opened = new Map<string, { readonly sealed: Buffer; readonly answer: z.infer<typeof storedAnswer> }>()
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
      const before = opened.get(key)
      if (before?.sealed.equals(sealed) === true) return before.answer
      const read = storedAnswer.safeParse(openText(seal, { purpose: "answer", context: key, sealed }))
      if (!read.success) {
        log.error("answer-tampered", { key })
        return null
      }
      if (opened.size >= maxOpened) opened.clear()
      opened.set(key, { sealed, answer: read.data })
      return read.data
    },
    keep: async (name, answer) => {
      const key = keyOf(name)
      const sealed = seal.encrypt("answer", pack(JSON.stringify(answer)), key)
      await attempt("keep an answer", () => redis.set(key, sealed, "PX", answerKeptMs)).catch(ifDown)
    },
  }
}

/**
 * How long a socket counts after its last sign, in ms, even if it closed: Slack may count a dead one for a while, too.
 */
const socketKeptMs = 60_000

const storedSocket = z.object({ until: z.number(), foreign: z.int().min(0) })

/** What the record of sockets needs. */
export interface SocketsOptions extends Pick<SealedPlace, "redis" | "keys"> {
  /** One clock for all replicas. */
  readonly clock: () => Promise<Clock>
}

/** Makes the record of an installation's sockets. It serves a message to the operator, and grants nothing. */
export function createSockets(options: SocketsOptions): Sockets {
  const { redis, keys, clock } = options
  return {
    note: async ({ id, foreign }) => {
      const now = (await clock())()
      const value = JSON.stringify({ until: now + socketKeptMs, foreign })
      await attempt("note a socket", () =>
        Promise.all([redis.hset(keys.sockets, id, value), redis.pexpire(keys.sockets, socketKeptMs)]),
      )
      const { live, ended } = await readSockets(options, now)
      if (ended.length > 0) await attempt("forget sockets", () => redis.hdel(keys.sockets, ...ended))
      return live.length
    },
  }
}

/** The sockets that count at `now`, and the ids of those that count no more. */
export async function readSockets(
  { redis, keys }: Pick<SocketsOptions, "redis" | "keys">,
  now: number,
): Promise<{ readonly live: readonly OwnSocket[]; readonly ended: readonly string[] }> {
  const all = await attempt("read the sockets", () => redis.hgetall(keys.sockets))
  const live: OwnSocket[] = []
  const ended: string[] = []
  for (const [id, value] of Object.entries(all)) {
    const { until, foreign } = socketIn(value)
    if (until > now) live.push({ id, foreign })
    else ended.push(id)
  }
  return { live, ended }
}

/** What is not ours to read counts for nothing. */
function socketIn(value: string): z.infer<typeof storedSocket> {
  try {
    return storedSocket.parse(JSON.parse(value))
  } catch {
    return { until: 0, foreign: 0 }
  }
}
