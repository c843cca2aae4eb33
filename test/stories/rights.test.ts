// The whole bot as a user of Redis that has the smallest ACL which the doctor prints, on a server without CONFIG.
import { expect, it, onTestFinished } from "vitest"
import { smallestAcl } from "../../src/store/redis/rights.ts"
import { startCluster, startServer, type TestServer } from "../support/redis-server.ts"
import { aWorld } from "./a-world.ts"
import { alarms, ask, card, cardSaying, decided, ledgerOf, press, resolves, settled } from "./acts.ts"
import { anInstallation, plainRule, sandboxCast } from "./world.ts"

const password = "smallest"

/** Two decisions, one by a quorum of which a vote was taken back, then a stop and a start. */
async function play(redisUrl: string, installation: string): Promise<void> {
  const rules = `${plainRule}\n    quorum: 2`
  const here = await aWorld({ redisUrl, installation, rules, more: "retention: 1d", summaryAbove: 1 })
  const agreed = await ask(here, { tool_name: "agreed" })
  const both = await card(here, "agreed")
  await press(here, sandboxCast.alice, both, "approve")
  await cardSaying(here, "must approve; 1 has")
  await press(here, sandboxCast.bob, both, "approve")
  await decided(here, agreed.id)
  await settled(here, "agreed")
  await here.bot.close()
  const refused = await ask(here, { tool_name: "refused" })
  await here.start()
  await press(here, sandboxCast.alice, await card(here, "refused"), "reject")
  await decided(here, refused.id)
  await settled(here, "refused")
  expect(resolves(here)).toBe(2)
  const kinds = (await ledgerOf(here, redisUrl)).map((event) => event["kind"])
  expect(kinds.filter((kind) => kind === "resolved")).toHaveLength(2)
  expect(alarms(here)).toEqual([])
}

/** What the servers refused to the user, as their log of refusals says. */
async function refusals(servers: readonly TestServer[]): Promise<readonly unknown[]> {
  const logs = await Promise.all(servers.map(({ redis }) => redis.call("ACL", "LOG")))
  return logs.flat()
}

it("under the smallest ACL approvals go from card to settled, and a server without CONFIG refuses nothing", async () => {
  const installation = anInstallation()
  const server = await startServer({ args: ["--rename-command", "CONFIG", ""] })
  onTestFinished(() => server.stop())
  const rules = smallestAcl(installation, "server").split(" ")
  await server.redis.call("ACL", "SETUSER", "countersign", "on", `>${password}`, ...rules)

  await play(`redis://countersign:${password}@127.0.0.1:${server.port}`, installation)

  expect(await refusals([server])).toEqual([])
  expect(await server.redis.info("errorstats")).not.toMatch(/NOPERM/)
})

it("under the smallest ACL for a cluster approvals go from card to settled, and no server refuses anything", async () => {
  const installation = anInstallation()
  const cluster = await startCluster()
  onTestFinished(() => cluster.stop())
  const rules = smallestAcl(installation, "cluster").split(" ")
  for (const { redis } of cluster.servers)
    await redis.call("ACL", "SETUSER", "countersign", "on", `>${password}`, ...rules)

  await play(cluster.url.replace("://", `://countersign:${password}@`), installation)

  expect(await refusals(cluster.servers)).toEqual([])
})
