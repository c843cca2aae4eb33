// Starts Redis servers for tests that need more than one: each at its own port, with the options that a test wants.
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { Redis } from "ioredis"
import { findRedis } from "../../src/setup/redis/find-redis.mjs"
import { freePort } from "./free-port.ts"
import { limitMs } from "./limits.ts"

/** A running server. */
export interface TestServer {
  readonly port: number
  /** As its administrator. */
  readonly redis: Redis
  /** Ends it at once (SIGKILL); what it answered stays. May be called twice. */
  readonly kill: () => Promise<void>
  /** Starts it again over its data. */
  readonly again: () => Promise<void>
  /** Ends it for good and removes its folder. */
  readonly stop: () => Promise<void>
}

/** What runs ends with this process, also where that fails. */
const running = new Set<ChildProcess>()
process.once("exit", () => {
  for (const child of running) child.kill("SIGKILL")
})

/**
 * Starts a server on 127.0.0.1. `args` are more words of its command line; `file` is a configuration file instead of
 * them, as Sentinel has one. The port 10,000 above is free as well, for the bus of a cluster.
 */
export async function startServer(
  options: { readonly args?: readonly string[]; readonly file?: string; readonly password?: string } = {},
): Promise<TestServer> {
  const { args = [], file, password } = options
  const program = await findRedis({ env: process.env, log: () => undefined })
  const folder = await mkdtemp(join(tmpdir(), "countersign-server-"))
  const port = await portWithBus()
  if (file !== undefined) await writeFile(join(folder, "server.conf"), file)
  const common = ["--port", String(port), "--bind", "127.0.0.1", "--dir", folder, "--logfile", join(folder, "log")]
  const keeping = ["--save", "", "--appendonly", "yes", "--appendfsync", "no"]
  const usual = [...keeping, "--maxmemory-policy", "noeviction", "--hz", "100"]
  const words = file === undefined ? [...common, ...usual, ...args] : [join(folder, "server.conf"), ...common, ...args]
  const begin = () => {
    const env = { PATH: process.env["PATH"], ...program.env }
    const child = spawn(program.command, words, { env, stdio: "ignore" })
    running.add(child)
    return { child, ended: once(child, "exit").finally(() => running.delete(child)) }
  }
  let { child, ended } = begin()
  const patient = { maxRetriesPerRequest: null, retryStrategy: () => 20, enableReadyCheck: false }
  const redis = new Redis({ port, ...patient, ...(password === undefined ? {} : { password }) })
  redis.on("error", () => undefined)
  await redis.ping()
  const kill = async () => {
    child.kill("SIGKILL")
    await ended
  }
  return {
    port,
    redis,
    kill,
    again: async () => {
      ;({ child, ended } = begin())
      // It may still be loading its data.
      await eventually(() => redis.ping())
    },
    stop: async () => {
      redis.disconnect()
      await kill()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** Looks again and again until it throws no more. This also runs outside of vitest. */
async function eventually(look: () => Promise<unknown>): Promise<void> {
  for (const end = Date.now() + limitMs; ; ) {
    try {
      await look()
      return
    } catch (error) {
      if (Date.now() > end) throw error
      await sleep(25)
    }
  }
}

async function portWithBus(): Promise<number> {
  for (;;) {
    const port = await freePort()
    if (port < 55_000 && (await isFree(port + 10_000))) return port
  }
}

async function isFree(port: number): Promise<boolean> {
  const holder = createServer().listen(port, "127.0.0.1")
  try {
    await once(holder, "listening")
    return true
  } catch {
    return false
  } finally {
    holder.close()
  }
}

/** A cluster: three servers share the slots. A fourth follows the first, if a test asks for it. */
export interface TestCluster {
  /** As REDIS_URL has it. */
  readonly url: string
  readonly servers: readonly TestServer[]
  /** Follows the owner of `tag`. */
  readonly replica: TestServer | undefined
  /** Which server owns a tag. */
  readonly owner: (tag: string) => Promise<TestServer>
  readonly stop: () => Promise<void>
}

const slots = 16_384

/** Starts a cluster. With `followed` a fourth server follows whichever owns that tag. Whoever starts it stops it. */
export async function startCluster(
  options: {
    readonly followed?: string
    readonly args?: readonly string[]
    readonly announced?: readonly number[]
  } = {},
): Promise<TestCluster> {
  const { followed, args = [], announced } = options
  // While a server seems to be away for so long, a cluster takes no commands for its slots.
  const mode = ["--cluster-enabled", "yes", "--cluster-node-timeout", "2000", ...args]
  const count = followed === undefined ? 3 : 4
  const all = await Promise.all(
    Array.from({ length: count }, (_, at) => startServer({ args: [...mode, ...announcing(announced?.[at])] })),
  )
  const servers = all.slice(0, 3)
  const [first] = servers
  await Promise.all(all.map(setEpoch))
  await Promise.all(servers.map(({ redis }, at) => redis.call("CLUSTER", "ADDSLOTS", ...slotsOf(at).map(String))))
  for (const { port } of all.slice(1)) await first?.redis.call("CLUSTER", "MEET", "127.0.0.1", String(port))
  await whole(all)
  const owner = (tag: string) => ownerAmong(servers, tag)
  const replica = all[3]
  if (replica !== undefined && followed !== undefined) await follow(replica, await owner(followed))
  return {
    url: `redis-cluster://${servers.map(({ port }) => `127.0.0.1:${port}`).join(",")}`,
    servers,
    replica,
    owner,
    stop: async () => {
      await Promise.all(all.map((server) => server.stop()))
    },
  }
}

/** An epoch of its own for each. A command whose answer is late is sent again: then it has one already. */
async function setEpoch({ redis }: TestServer, at: number): Promise<void> {
  try {
    await redis.call("CLUSTER", "SET-CONFIG-EPOCH", String(at + 1))
  } catch (error) {
    if (!String(error).includes("already non-zero")) throw error
  }
}

/** For clients that reach a server at another port than it has. */
function announcing(port: number | undefined): readonly string[] {
  return port === undefined ? [] : ["--cluster-announce-port", String(port)]
}

function slotsOf(at: number): readonly number[] {
  const from = Math.floor((slots * at) / 3)
  return Array.from({ length: Math.floor((slots * (at + 1)) / 3) - from }, (_, index) => from + index)
}

async function whole(all: readonly TestServer[]): Promise<void> {
  const state = async ({ redis }: TestServer) => String(await redis.call("CLUSTER", "INFO"))
  await eventually(async () => {
    for (const said of await Promise.all(all.map(state)))
      if (!said.includes("cluster_state:ok") || !said.includes(`cluster_known_nodes:${all.length}`))
        throw new Error(`the cluster is not whole: ${said}`)
  })
}

async function ownerAmong(servers: readonly TestServer[], tag: string): Promise<TestServer> {
  for (const server of servers) {
    const asked = await server.redis.exists(tag).then(
      () => true,
      () => false,
    )
    if (asked) return server
  }
  throw new Error(`nobody owns ${tag}`)
}

async function follow(replica: TestServer, primary: TestServer): Promise<void> {
  const id = String(await primary.redis.call("CLUSTER", "MYID"))
  await replica.redis.call("CLUSTER", "REPLICATE", id)
  await followed(replica)
}

/** Waits until a server holds what the one that it follows does. */
export async function followed(replica: TestServer): Promise<void> {
  await eventually(async () => {
    const said = await replica.redis.info("replication")
    if (!said.includes("master_link_status:up")) throw new Error(`the replica does not follow: ${said}`)
  })
}

/** Waits until a primary's replica has all that was written by now. */
export async function replicated({ redis }: TestServer): Promise<void> {
  const field = async (name: RegExp) => Number(name.exec(await redis.info("replication"))?.[1] ?? -1)
  const written = await field(/^master_repl_offset:(\d+)/m)
  await eventually(async () => {
    if ((await field(/^slave0:.*offset=(\d+)/m)) < written) throw new Error("the replica is behind")
  })
}

/** What a replica logs in with, so that it can be shut out while everybody else goes on. */
export const replicaLogin = [
  "--masteruser",
  "replica",
  "--masterauth",
  "replica",
  "--user",
  "replica",
  "on",
  ">replica",
  "+@all",
]

/** From now on nothing more reaches the replica: what is written meanwhile will be lost. */
export async function cutReplica({ redis }: TestServer): Promise<void> {
  await redis.call("ACL", "SETUSER", "replica", "off")
  await redis.call("CLIENT", "KILL", "TYPE", "replica")
}

/** A primary, the replica that follows it, and the Sentinels that watch both. */
export interface TestSentinels {
  /** As REDIS_URL has it. */
  readonly url: string
  readonly primary: TestServer
  readonly replica: TestServer
  readonly sentinels: readonly TestServer[]
  readonly stop: () => Promise<void>
}

/** Starts a primary called `main`, its replica and three Sentinels. `sentinelPassword` is asked by the latter. */
export async function startSentinels(options: { readonly sentinelPassword?: string } = {}): Promise<TestSentinels> {
  const { sentinelPassword } = options
  const primary = await startServer({ args: replicaLogin })
  const replica = await startServer({ args: [...replicaLogin, "--replicaof", "127.0.0.1", String(primary.port)] })
  await followed(replica)
  const own = sentinelPassword === undefined ? {} : { password: sentinelPassword }
  const file = [
    `sentinel monitor main 127.0.0.1 ${primary.port} 2`,
    "sentinel down-after-milliseconds main 400",
    "sentinel failover-timeout main 2000",
    ...(sentinelPassword === undefined
      ? []
      : [`requirepass ${sentinelPassword}`, `sentinel sentinel-pass ${sentinelPassword}`]),
  ].join("\n")
  const start = () => startServer({ file, args: ["--sentinel"], ...own })
  const sentinels = await Promise.all([start(), start(), start()])
  await eventually(async () => {
    for (const { redis } of sentinels) {
      const said = String(await redis.call("INFO", "sentinel"))
      if (!/slaves=1,sentinels=3/.test(said)) throw new Error(`a Sentinel does not know the others: ${said}`)
    }
  })
  const hosts = sentinels.map(({ port }) => `127.0.0.1:${port}`).join(",")
  const login = sentinelPassword === undefined ? "" : `?sentinel_password=${sentinelPassword}`
  const all = [primary, replica, ...sentinels]
  return {
    url: `redis-sentinel://${hosts}/main${login}`,
    primary,
    replica,
    sentinels,
    stop: async () => {
      await Promise.all(all.map((server) => server.stop()))
    },
  }
}
