// A backup of Redis is restored, as docs/running.md describes it: what was decided since is taken up from the platform's records.
import { spawn } from "node:child_process"
import { once } from "node:events"
import { copyFile, mkdtemp, rename, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Redis } from "ioredis"
import { expect, onTestFinished, test } from "vitest"
import { createSeal } from "../../src/domain/seal.ts"
import { findRedis } from "../../src/setup/find-redis.mjs"
import { startRedis } from "../../src/setup/redis.mjs"
import { connectRedis } from "../../src/store/connection.ts"
import { createStore } from "../../src/store/store.ts"
import { startOwnRedis } from "../support/redis.ts"
import { alarms, ask, card, decided, ledgerOf, press, resolves, settled, until } from "./acts.ts"
import { CAST, startTestBot, startWorld, type World } from "./world.ts"

/** A snapshot of a server as it is now, in a folder of its own. */
async function backUp(url: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "countersign-restored-"))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const redis = new Redis({ path: url })
  try {
    const before = await redis.lastsave()
    await redis.config("SET", "save", "")
    await redis.bgsave()
    await until("the snapshot", async () => {
      const info = await redis.info("persistence")
      return /rdb_bgsave_in_progress:0/.test(info) && (await redis.lastsave()) >= before ? true : undefined
    })
    const [, dir = ""] = await redis.config("GET", "dir").then((pair) => pair as string[])
    await copyFile(join(dir, "dump.rdb"), join(folder, "dump.rdb"))
  } finally {
    redis.disconnect()
  }
  return folder
}

/** Turns a snapshot into an append-only file: a server that is started with one reads nothing else. */
async function loadSnapshot(folder: string): Promise<void> {
  const program = await findRedis({ env: process.env, log: () => undefined })
  const socket = join(folder, "load.sock")
  const args = ["--dir", folder, "--port", "0", "--unixsocket", socket, "--appendonly", "no", "--save", ""]
  const server = spawn(program.command, args, { env: { PATH: process.env["PATH"], ...program.env }, stdio: "ignore" })
  const ended = once(server, "exit")
  const redis = new Redis({ path: socket, retryStrategy: () => 20 })
  redis.on("error", () => undefined)
  await until("the snapshot to be loaded", async () => {
    return /loading:0/.test(await redis.info("persistence")) ? true : undefined
  })
  await redis.config("SET", "appendonly", "yes")
  await until("the append-only file", async () => {
    const info = await redis.info("persistence")
    return /aof_rewrite_in_progress:0/.test(info) && /aof_last_bgrewrite_status:ok/.test(info) ? true : undefined
  })
  redis.disconnect()
  server.kill("SIGTERM")
  await ended
}

async function restore(folder: string): Promise<string> {
  await loadSnapshot(folder)
  const server = await startRedis({ folder, env: process.env, log: () => undefined })
  onTestFinished(() => server.stop())
  return server.url
}

/** What `ledger verify` would say of a Redis. */
async function verify(here: World, url: string): Promise<unknown> {
  const log = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined }
  const connection = await connectRedis({ url, log })
  try {
    const key = Buffer.from(here.env["COUNTERSIGN_KEY"] ?? "")
    const { installation } = here
    const seal = createSeal({ key, installation, nonce: () => Buffer.alloc(12) })
    const store = createStore({ connection, installation, seal, log, sandbox: true, paceMs: 0 })
    return (await store.verifyLedger()).problem
  } finally {
    await connection.close()
  }
}

test("R17 a restored backup knows its cases, takes up what was decided since, and goes on", async () => {
  const first = await startOwnRedis()
  const here = await startWorld({ redisUrl: first.url })
  onTestFinished(async () => {
    await here.close()
    await first.stop()
  })
  const old = await ask(here, { tool_name: "before_backup" })
  await press(here, CAST.alice, await card(here, "before_backup"), "approve")
  await decided(here, old.id)
  const since = await ask(here, { tool_name: "since_backup" })
  const open = await card(here, "since_backup")
  const folder = await backUp(first.url)
  await press(here, CAST.bob, open, "approve")
  await decided(here, since.id)
  await settled(here, "since_backup")
  const sent = resolves(here)
  await here.bot.close()

  await rename(join(here.folder, "checkpoints.jsonl"), join(here.folder, "checkpoints.old.jsonl")).catch(
    () => undefined,
  )
  const url = await restore(folder)
  const log: Record<string, unknown>[] = []
  const bot = await startTestBot({ env: here.env, yaml: here.yaml, log, redisUrl: url })
  onTestFinished(() => bot.close())

  const kinds = async () => (await ledgerOf(here, url)).map((event) => event["kind"])
  await until("what was decided since to be taken up", async () => {
    return (await kinds()).includes("recovered") ? true : undefined
  })
  expect((await settled(here, "since_backup")).ts).toBe(open.ts)
  expect(resolves(here)).toBe(sent)
  const next = await ask(here, { tool_name: "after_restore" })
  await press(here, CAST.alice, await card(here, "after_restore"), "reject")
  expect(await decided(here, next.id)).toMatchObject({ status: "rejected", resolved_by: "alice@sandbox.example" })
  expect(await verify(here, url)).toBeNull()
  expect(alarms({ ...here, log })).toEqual([])
})
