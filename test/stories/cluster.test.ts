// The whole bot on a Redis Cluster of three servers and on Sentinels, and failovers that lose the last second (R17).
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest"
import { createKeys } from "../../src/store/redis/keys.ts"
import {
  cutReplica,
  replicaLogin,
  replicated,
  startCluster,
  startSentinels,
  type TestCluster,
  type TestServer,
} from "../support/redis-server.ts"
import { announcedWorld, aWorld } from "./a-world.ts"
import {
  alarms,
  ask,
  card,
  cardSaying,
  decided,
  ledgerOf,
  placed,
  press,
  record,
  resolves,
  settled,
  threadSays,
  until,
} from "./acts.ts"
import { anInstallation, plainRule, sandboxCast } from "./world.ts"

let cluster: TestCluster
beforeAll(async () => {
  cluster = await startCluster()
})

afterAll(() => cluster.stop())

it("in a Redis Cluster approvals go from card to settled, a quorum as well, and no command is refused", async () => {
  for (const { redis } of cluster.servers) await redis.config("RESETSTAT")
  const here = await aWorld({ redisUrl: cluster.url, rules: `${plainRule}\n    quorum: 2` })

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
  const kinds = (await ledgerOf(here, cluster.url)).map((event) => event["kind"])
  expect(kinds.filter((kind) => kind === "resolved")).toHaveLength(2)
  const errors = await Promise.all(cluster.servers.map(({ redis }) => redis.info("errorstats")))
  expect(errors.join()).not.toMatch(/CROSSSLOT|MOVED/)
  expect(alarms(here)).toEqual([])
})

/** What loses the last second: where Redis is, who has the primary's part, and how another one gets it. */
interface Failover {
  readonly redisUrl: string
  readonly installation: string
  readonly primary: TestServer
  readonly takeOver: () => Promise<unknown>
}

/** The first of two votes is lost with the primary: it counts for nobody, and people are asked again. */
async function loseAVote({ redisUrl, installation, primary, takeOver }: Failover): Promise<void> {
  const { here, asked, open } = await announcedWorld({ redisUrl, installation, rules: `${plainRule}\n    quorum: 2` })
  await placed(here)
  await replicated(primary)
  await cutReplica(primary)
  await press(here, sandboxCast.alice, open, "approve")
  await cardSaying(here, "must approve; 1 has")

  await primary.kill()
  await takeOver()
  await until("the loss to be noticed", () => (alarms(here).includes("era-begun") ? true : undefined))
  // What was drawn in between is about votes that nobody counts any more.
  await threadSays(here, open, "look and vote again")
  const again = await cardSaying(here, "must approve, nobody has yet")
  expect((await record(here, asked.id)).status).toBe("pending")
  for (const person of [sandboxCast.alice, sandboxCast.bob])
    await until("a press to be taken", async () =>
      (await press(here, person, again, "approve")).ok ? true : undefined,
    )

  expect(await decided(here, asked.id)).toMatchObject({ status: "approved" })
  await settled(here, "Approved")
  expect(resolves(here)).toBe(1)
  const kinds = (await ledgerOf(here, redisUrl)).map((event) => event["kind"])
  expect(kinds.filter((kind) => kind === "decided")).toHaveLength(1)
  expect(alarms(here).filter((code) => code !== "era-begun")).toEqual([])
}

it("R17 a failover of a Redis Cluster that loses a vote is noticed, and people are asked again", async () => {
  const installation = anInstallation()
  const { tag } = createKeys(installation)
  const own = await startCluster({ followed: tag, args: replicaLogin })
  onTestFinished(() => own.stop())
  const { replica } = own
  if (replica === undefined) throw new Error("no replica")
  const takeOver = () => replica.redis.call("CLUSTER", "FAILOVER", "TAKEOVER")

  await loseAVote({ redisUrl: own.url, installation, primary: await own.owner(tag), takeOver })
})

it("R17 a failover by Sentinels that loses a vote is noticed, and people are asked again", async () => {
  const own = await startSentinels()
  onTestFinished(() => own.stop())

  // Whom the Sentinels choose takes over by itself.
  await loseAVote({ ...own, redisUrl: own.url, installation: anInstallation(), takeOver: async () => undefined })
})
