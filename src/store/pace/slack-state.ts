// What replicas share about Slack: its last answers (port `SharedAnswers`), open sockets (port `Sockets`), the views
// that people opened (R18, port `Views`), and whose Home we keep current (port `Homes`).
import { z } from "zod"
import type { Json } from "../../domain/content/json.ts"
import { personKey, slackIdOf } from "../../domain/people/person.ts"
import { openedViewSchema } from "../../flow/ports/record/port-records.ts"
import {
  type Clock,
  type Homes,
  isPortError,
  type Log,
  type OwnSocket,
  type SharedAnswers,
  type Sockets,
  type Views,
} from "../../flow/ports.ts"
import { attempt } from "../errors.ts"
import { pack } from "../redis/pack.ts"
import { createSealedValues, openText, type SealedPlace } from "../redis/sealed-record.ts"

/** How long an answer is kept, in ms: nobody takes an older answer. */
const answerKeptMs = 600_000

const storedAnswer = z.object({ at: z.number(), value: z.custom<Json>((value) => value !== undefined) })

/** How many opened answers are remembered. */
const maxOpened = 2_000

/** Makes the shared answers. Each is sealed with its moment, so we know its age. If Redis is away, there are none. */
export function createAnswers({ redis, keys, seal, log }: SealedPlace & { readonly log: Log }): SharedAnswers {
  // No address stands in a key.
  const keyOf = (name: string) => keys.answer(seal.mac("answer", name))
  // We read an answer from Redis whenever somebody asks, and open it only if its bytes have changed.
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

/** How long a socket counts after its last sign, in ms, even if it closed: Slack may count it for a while, too. */
const socketKeptMs = 60_000

const storedSocket = z.object({ until: z.number(), foreign: z.int().min(0) })

/** What the record of sockets needs. */
export interface SocketsOptions extends Pick<SealedPlace, "redis" | "keys"> {
  /** One clock for all replicas. */
  readonly clock: () => Promise<Clock>
}

/** Makes the record of an installation's sockets. We use it only to warn the operator; it grants nothing. */
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

/** What a field says about a socket. A field that we cannot read counts for nothing. */
function socketIn(value: string): z.infer<typeof storedSocket> {
  try {
    return storedSocket.parse(JSON.parse(value))
  } catch {
    return { until: 0, foreign: 0 }
  }
}

/** How long a view is kept, in seconds: a day. */
const viewKeptS = 86_400

/** Makes the views of an installation. If a view's seal is broken, we did not open that view, and log this. */
export function createViews({ redis, keys, seal, log }: SealedPlace & { readonly log: Log }): Views {
  const values = createSealedValues(seal, "view", openedViewSchema)
  return {
    remember: async (view) => {
      const key = keys.view(view.viewId)
      const sealed = values.seal(key, view)
      await attempt("remember a view", () => redis.set(key, sealed, "EX", viewKeptS))
    },
    read: async (viewId) => {
      const key = keys.view(viewId)
      const sealed = await attempt("read a view", () => redis.getBuffer(key))
      const view = values.open(key, sealed)
      if (sealed !== null && view === null) log.error("view-tampered", { viewId })
      return view
    },
  }
}

/** How long we keep a Home up to date that nobody opens again, in ms. */
const homeKeptMs = 7 * 86_400_000

/** How long the mark that some case changed stays, in seconds. */
const changedKeptS = 3_600

/** Makes the record of opened Homes. It judges nothing. Every call throws `StoreError` if Redis does not answer. */
export function createHomes({ redis, keys }: Pick<SealedPlace, "redis" | "keys">): Homes {
  const { opened, shown, changed } = keys.homes
  return {
    opened: async (id, at) => {
      await attempt("remember a Home", async () => {
        await redis.zadd(opened, at, personKey(id))
        await redis.zremrangebyscore(opened, "-inf", at - homeKeptMs)
      })
    },
    list: async (limit) => {
      const members = await attempt("list Homes", () => redis.zrevrange(opened, 0, limit - 1))
      return members.map(slackIdOf)
    },
    shown: async (id, hash) => void (await attempt("note a Home", () => redis.hset(shown, personKey(id), hash))),
    lastShown: (id) => attempt("read a Home", () => redis.hget(shown, personKey(id))),
    changed: async () => void (await attempt("mark Homes", () => redis.set(changed, "1", "EX", changedKeptS))),
    takeChanged: async () => (await attempt("read the mark of Homes", () => redis.getdel(changed))) !== null,
  }
}
