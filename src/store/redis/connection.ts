// The connections to Redis (one for the store, two for the queue), and which run of the server answers.
import { once } from "node:events"
import { Redis, type RedisOptions } from "ioredis"
import type { Log } from "../../flow/ports.ts"
import { attempt, StoreError } from "../errors.ts"

/** What a connection is made of. */
export interface ConnectOptions {
  /** `redis://…`, `rediss://…` or the path of a Unix socket. */
  readonly url: string
  readonly log: Log
  /** How long the first connection may take, in ms. Default 5,000. */
  readonly startMs?: number
  /** How long one command may take before it fails, in ms. Default 2,500: Slack waits 3,000 for an ack. */
  readonly commandMs?: number
}

/** Connects; warns if `maxmemory-policy` may drop keys. Throws `StoreError` `redis-unreachable` after `startMs`. */
export async function connectRedis(options: ConnectOptions) {
  const { url, log, startMs = 5_000, commandMs = 2_500 } = options
  const workers = clientOf(url, { maxRetriesPerRequest: null }, log)
  const commands = clientOf(url, { maxRetriesPerRequest: 20, commandTimeout: commandMs }, log)
  const endDuplicates = watchDuplicates(workers)
  const close = async () => {
    endDuplicates()
    await Promise.all([end(commands), end(workers)])
  }
  try {
    await Promise.all([ready(commands, url, startMs), ready(workers, url, startMs)])
    await warnOfEviction(commands, log)
  } catch (error) {
    await close()
    throw error
  }
  // A server that died takes its run id along.
  const run = remembered(commands, () => attempt("INFO server", () => readRun(commands)), Number.POSITIVE_INFINITY)
  const clock = remembered(commands, () => attempt("TIME", () => readClock(commands)), clockMs)
  return {
    /** The server's clock as it goes on from when it was last read, epoch ms. Throws `StoreError`. */
    clock,
    /** For commands: fails within `commandMs` when Redis is away. Also fit for queues that only add jobs. */
    commands,
    /** For workers: waits for as long as Redis is away, and is duplicated for blocking reads. */
    workers,
    /** The run of the server that answers now (R17); asked again after every reconnect. Throws `StoreError`. */
    epoch: async () => (await run()).id,
    /** How long that run lasts already, in ms, to a second. Throws `StoreError`. */
    upForMs: async () => performance.now() - (await run()).startedAt,
    /** True while Redis answers; a closer may not wait for a server that is away. */
    ready: () => commands.status === "ready",
    /** Ends all connections at once. May be called twice. */
    close,
  }
}

/** The connections of one process. */
export type StoreConnection = Readonly<Awaited<ReturnType<typeof connectRedis>>>

type ClientOptions = Omit<RedisOptions, "replyMapping">

function clientOf(url: string, options: ClientOptions, log: Log): Redis {
  const common: ClientOptions = {
    ...options,
    retryStrategy: (times) => Math.min(20 * times, 500),
    connectTimeout: 3_000,
    lazyConnect: true,
  }
  const client = url.startsWith("/") ? new Redis({ ...common, path: url }) : new Redis(url, common)
  client.on("error", (error: Error) => log.warn("redis-error", { address: addressOf(url), message: error.message }))
  return client
}

/**
 * Watches what is duplicated from a connection, as BullMQ does for blocking reads. Returns what ends that: one cut off
 * as its worker closed would be tried for ever, and the process would not end.
 */
function watchDuplicates(client: Redis): () => void {
  const made = new Set<Redis>()
  const duplicate = client.duplicate.bind(client)
  client.duplicate = (options) => {
    const one = duplicate(options)
    made.add(one)
    // Whoever uses it says what is wrong with it; ioredis would print what nobody listens to.
    one.on("error", () => undefined)
    one.on("end", () => made.delete(one))
    return one
  }
  return () => {
    for (const one of made) one.disconnect()
  }
}

/** What trying again does not mend: a name, a password or a certificate. */
const lasting = /WRONGPASS|NOAUTH|NOPERM|invalid username|certificate|CERT_|SELF_SIGNED|ERR_TLS|ERR_SSL/i

/** Waits for the first answer. Trying again goes on meanwhile, since a server may come up just after us. */
function ready(client: Redis, url: string, limitMs: number): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  let last: Error | undefined
  const note = (error: Error) => {
    last = error
    if (lasting.test(`${error.message} ${"code" in error ? String(error.code) : ""}`)) reject(unreachable(url, error))
  }
  const timer = setTimeout(() => reject(unreachable(url, last)), limitMs)
  client.on("error", note)
  client.once("ready", resolve)
  // What connect() says is told by the error event as well.
  client.connect().catch(note)
  return promise.finally(() => {
    clearTimeout(timer)
    client.off("error", note)
    client.off("ready", resolve)
  })
}

/** Ends a connection at once. Only one that stands says when it has ended. */
async function end(client: Redis): Promise<void> {
  const ended = client.status === "ready" ? once(client, "end") : undefined
  client.disconnect()
  await ended
}

function unreachable(url: string, cause: Error | undefined): StoreError {
  const why = cause?.message ?? "no answer"
  return new StoreError(
    "redis-unreachable",
    `Redis at ${addressOf(url)} cannot be used: ${why}. Check REDIS_URL (or redis_url) and that the server runs.`,
    { cause },
  )
}

/** The address without user and password. */
function addressOf(url: string): string {
  const parsed = URL.parse(url)
  return parsed === null ? url : `${parsed.protocol}//${parsed.host}${parsed.pathname}`
}

async function warnOfEviction(redis: Redis, log: Log): Promise<void> {
  const memory = await attempt("INFO memory", () => redis.info("memory"))
  const policy = /^maxmemory_policy:(\S+)/m.exec(memory)?.[1]
  if (policy !== undefined && policy !== "noeviction")
    log.warn("redis-may-evict", {
      policy,
      advice: "set maxmemory-policy to noeviction: evicted cases cannot be decided",
    })
}

/** One run of the server. `startedAt` is on this process' own clock, which nobody sets (`performance.now`). */
interface ServerRun {
  readonly id: string
  readonly startedAt: number
}

async function readRun(redis: Redis): Promise<ServerRun> {
  const said = await redis.info("server")
  const id = /^run_id:(\S+)/m.exec(said)?.[1]
  const upForS = /^uptime_in_seconds:(\d+)/m.exec(said)?.[1]
  if (id === undefined) throw new StoreError("redis-refused", "INFO server: Redis does not tell its run_id")
  return { id, startedAt: performance.now() - Number(upForS ?? 0) * 1_000 }
}

/** How long a clock is taken to go as the server's does, in ms. */
const clockMs = 30_000

async function readClock(redis: Redis): Promise<() => number> {
  // From before the question: an answer that comes late makes this clock early, and what is leased by it lasts longer.
  const askedAt = performance.now()
  const [seconds = 0, micros = 0] = (await redis.time()).map(Number)
  const ahead = seconds * 1_000 + Math.floor(micros / 1_000) - askedAt
  return () => Math.floor(performance.now() + ahead)
}

/** Asks the server; keeps its answer for so many ms, at most as long as the connection, then another may answer. */
function remembered<T>(redis: Redis, ask: () => Promise<T>, keptMs: number): () => Promise<T> {
  let known: { readonly askedAt: number; readonly answer: Promise<T> } | undefined
  redis.on("close", () => {
    known = undefined
  })
  return () => {
    if (known !== undefined && performance.now() - known.askedAt < keptMs) return known.answer
    const asked = { askedAt: performance.now(), answer: ask() }
    known = asked
    asked.answer.catch(() => {
      if (known === asked) known = undefined
    })
    return asked.answer
  }
}
