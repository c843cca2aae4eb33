// The connections to Redis (one for the store, two for the queue), and the epoch of the server that answers.
import { EventEmitter, once } from "node:events"
import type { Log } from "../../flow/ports.ts"
import { readRedisAddress, shownAddress } from "../../redis-address.ts"
import { attempt, StoreError } from "../errors.ts"
import { createClient, tellOfNodes, watchDuplicates } from "./client.ts"
import { createKeys } from "./keys.ts"
import { askInfo, askOwner, isReady, type RedisClient, remembered } from "./owner.ts"
import { judgeServer, startTrouble } from "./start-trouble.ts"

/** What a connection needs. */
export interface ConnectOptions {
  /** An address as REDIS_URL has it (`src/redis-address.ts`), or the path of a Unix socket. */
  readonly url: string
  /** A CA in PEM that counts beside the usual ones. Default: none. */
  readonly ca?: string | null
  /** We ask the server that holds this installation for time and epoch; a cluster has many servers. */
  readonly installation: string
  readonly log: Log
  /** How long the first connection may take, in ms. Default 5,000. */
  readonly startMs?: number
  /** How long one command may take before it fails, in ms. Default 2,500: Slack waits 3,000 for an ack. */
  readonly commandMs?: number
}

/**
 * Connects; warns if `maxmemory-policy` may drop keys. Throws `StoreError`: `redis-unreachable` after `startMs`, or at
 * once if another try cannot help; `redis-refused` if the server's kind, or its TLS, is not what the address says.
 */
export async function connectRedis(options: ConnectOptions) {
  const { url, ca = null, installation, log, startMs = 5_000, commandMs = 2_500 } = options
  const read = readRedisAddress(url)
  if (!read.ok) throw new StoreError("redis-refused", `REDIS_URL ${read.problem}`)
  const { address } = read
  const { tag } = createKeys(installation)
  const workers = createClient({ address, ca, commandMs: null })
  const commands = createClient({ address, ca, commandMs })
  for (const client of [workers, commands]) {
    const warn = (at: string, { message }: Error) => log.warn("redis-error", { address: at, message })
    client.on("error", (error: Error) => warn(shownAddress(url), error))
    client.on("error", () => hearMore(client))
    client.on("node error", (error: Error, node: string) => warn(node, error))
  }
  const endDuplicates = watchDuplicates(workers)
  let closed: Promise<unknown> | undefined
  const close = async () => {
    endDuplicates()
    // If a cluster's client is told twice to end, it waits for servers once more.
    await (closed ??= Promise.all([end(commands), end(workers)]))
  }
  try {
    await Promise.all([ready(commands, url, startMs), ready(workers, url, startMs)])
    await judgeServer({ redis: commands, tag, url, log })
  } catch (error) {
    await close()
    throw error
  }
  const asking = <T>(tried: string, ask: (redis: RedisClient, tag: string) => Promise<T>, keptMs: number) =>
    remembered(commands, { tag, ask: () => attempt(tried, () => ask(commands, tag)), keptMs })
  // A server keeps its run id for as long as it runs.
  const run = asking("INFO server", readRun, Number.POSITIVE_INFINITY)
  const clock = asking("TIME", readClock, clockMs)
  return {
    /** The server's clock, counted on from the last read, epoch ms. Throws `StoreError`. */
    clock,
    /** For commands: fails within `commandMs` when Redis is away. Also fit for queues that only add jobs. */
    commands,
    /** For workers: waits for as long as Redis is away, and can be duplicated for blocking reads. */
    workers,
    /** The epoch of the server that answers now (R17); we ask again after every reconnect. Throws `StoreError`. */
    epoch: async () => (await run()).id,
    /** How long that server has been running, in ms, to a second. Throws `StoreError`. */
    upForMs: async () => performance.now() - (await run()).startedAt,
    /** True while Redis answers: whoever closes must not wait for a server that is away. */
    ready: () => isReady(commands, tag),
    /** Ends all connections at once. May be called twice. */
    close,
  }
}

/** The connections of one process. */
export type StoreConnection = Readonly<Awaited<ReturnType<typeof connectRedis>>>

/** Listens for a socket's second error, such as an alert of TLS: ioredis 6.0.0 hears one, the next would end us. */
function hearMore(client: RedisClient): void {
  const socket: unknown = Reflect.get(client, "stream")
  if (socket instanceof EventEmitter) socket.once("error", () => undefined)
}

/** Waits for the first answer. Meanwhile tries again: a server may come up just after us. */
function ready(client: RedisClient, url: string, limitMs: number): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const trouble = startTrouble(url)
  const note = (error: Error) => {
    if (trouble.note(error)) fail()
  }
  const fail = () => void trouble.told().then(reject, reject)
  const timer = setTimeout(fail, limitMs)
  // One of several nodes or Sentinels may be wrong. Its error explains the failure only if none of them helps.
  const hear = (error: Error) => void trouble.note(error)
  const ofOne = ["node error", "sentinelError"]
  client.on("error", note)
  for (const event of ofOne) client.on(event, hear)
  const stopTelling = tellOfNodes(client)
  client.once("ready", resolve)
  // An event says the same as connect().
  client.connect().catch(note)
  return promise.finally(() => {
    clearTimeout(timer)
    client.off("error", note)
    for (const event of ofOne) client.off(event, hear)
    stopTelling()
    client.off("ready", resolve)
  })
}

/** Ends a connection at once. Only an open connection says when it has ended. */
async function end(client: RedisClient): Promise<void> {
  const ended = client.status === "ready" ? once(client, "end") : undefined
  client.disconnect()
  await ended
}

/** One run of the server. `startedAt` is on this process' own clock, which nobody sets (`performance.now`). */
interface ServerRun {
  readonly id: string
  readonly startedAt: number
}

async function readRun(redis: RedisClient, tag: string): Promise<ServerRun> {
  const said = await askInfo(redis, tag, "server")
  const id = /^run_id:(\S+)/m.exec(said)?.[1]
  const upForS = /^uptime_in_seconds:(\d+)/m.exec(said)?.[1]
  if (id === undefined) throw new StoreError("redis-refused", "INFO server: Redis does not tell its run_id")
  return { id, startedAt: performance.now() - Number(upForS ?? 0) * 1_000 }
}

/** How long we assume that our clock goes as the server's does, in ms. */
const clockMs = 30_000

async function readClock(redis: RedisClient, tag: string): Promise<() => number> {
  // We note the time before we ask. So a late answer makes this clock fast, and leases by it last longer.
  const askedAt = performance.now()
  const answer = await askOwner(redis, tag, "TIME")
  const [seconds = 0, micros = 0] = Array.isArray(answer) ? answer.map(Number) : []
  const ahead = seconds * 1_000 + Math.floor(micros / 1_000) - askedAt
  return () => Math.floor(performance.now() + ahead)
}
