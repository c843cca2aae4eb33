// A Redis in cluster mode refuses every command and script whose keys lie in two slots: an installation's lie in one.
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Redis } from "ioredis"
import { expect, onTestFinished, test } from "vitest"
import { findRedis } from "../../src/setup/redis/find-redis.mjs"
import { freePort } from "../support/free-port.ts"
import { alarms, ask, card, decided, ledgerOf, press, resolves, settled, until } from "./acts.ts"
import { plainRule, sandboxCast, startWorld } from "./world.ts"

/** A server in cluster mode that holds all slots, so that nothing is refused but what touches two of them. */
async function startCluster(): Promise<Redis> {
  const folder = await mkdtemp(join(tmpdir(), "countersign-cluster-"))
  const program = await findRedis({ env: process.env, log: () => undefined })
  const socket = join(folder, "redis.sock")
  const network = ["--bind", "127.0.0.1", "--port", "0", "--unixsocket", socket]
  const cluster = ["--cluster-enabled", "yes", "--cluster-port", String(await freePort())]
  const args = [...network, ...cluster, "--dir", folder, "--save", ""]
  const server = spawn(program.command, args, { env: { PATH: process.env["PATH"], ...program.env }, stdio: "ignore" })
  const ended = once(server, "exit")
  const redis = new Redis({ path: socket, maxRetriesPerRequest: null, retryStrategy: () => 20 })
  redis.on("error", () => undefined)
  onTestFinished(async () => {
    redis.disconnect()
    server.kill("SIGKILL")
    await ended
    await rm(folder, { recursive: true, force: true })
  })
  await redis.cluster("ADDSLOTSRANGE", 0, 16_383)
  await until("the cluster", async () => {
    return String(await redis.cluster("INFO")).includes("cluster_state:ok") ? true : undefined
  })
  return redis
}

test("in a Redis Cluster approvals go from card to settled, a quorum as well, and no command is refused", async () => {
  const redis = await startCluster()
  await expect(redis.mset("one", 1, "another", 2)).rejects.toThrow("CROSSSLOT")
  await redis.config("RESETSTAT")
  const url = redis.options.path ?? ""
  const here = await startWorld({ redisUrl: url, rules: `${plainRule}\n    quorum: 2` })
  onTestFinished(() => here.close())

  const agreed = await ask(here, { tool_name: "agreed" })
  const both = await card(here, "agreed")
  await press(here, sandboxCast.alice, both, "approve")
  await press(here, sandboxCast.bob, both, "approve")
  await decided(here, agreed.id)
  const refused = await ask(here, { tool_name: "refused" })
  await press(here, sandboxCast.alice, await card(here, "refused"), "reject")
  await decided(here, refused.id)
  await settled(here, "agreed")
  await settled(here, "refused")

  expect(resolves(here)).toBe(2)
  const kinds = (await ledgerOf(here, url)).map((event) => event["kind"])
  expect(kinds.filter((kind) => kind === "resolved")).toHaveLength(2)
  expect(await redis.info("errorstats")).not.toMatch(/CROSSSLOT|MOVED/)
  expect(alarms(here)).toEqual([])
})
