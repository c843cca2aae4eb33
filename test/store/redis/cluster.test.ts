// A Redis Cluster under the store: whom it asks for time and run, and what a failover is (R17).
import { randomBytes } from "node:crypto"
import { Cluster } from "ioredis"
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from "vitest"
import { miss } from "../../../src/domain/case/verdict.ts"
import { connectRedis } from "../../../src/store/redis/connection.ts"
import { createKeys } from "../../../src/store/redis/keys.ts"
import { ownerOf, scanOwner } from "../../../src/store/redis/owner.ts"
import { limitMs } from "../../support/limits.ts"
import { startCluster, type TestCluster } from "../../support/redis-server.ts"
import { anApproval, committedCase, noon, openStore, silentLog } from "../support.ts"

const installation = `cluster-${randomBytes(4).toString("hex")}`
const { tag } = createKeys(installation)

let cluster: TestCluster

beforeAll(async () => {
  cluster = await startCluster({ followed: tag })
})

afterAll(() => cluster.stop())

async function connected(url = cluster.url, commandMs = 2_500) {
  const connection = await connectRedis({ url, installation, log: silentLog, commandMs })
  onTestFinished(() => connection.close())
  return connection
}

async function runOf(port: number): Promise<string> {
  const server = [...cluster.servers, cluster.replica].find((one) => one?.port === port)
  return /^run_id:(\S+)/m.exec(String(await server?.redis.info("server")))?.[1] ?? ""
}

test("a cluster holds cases, its ledger verifies, and every key of the installation lies at one server", async () => {
  const open = await openStore({ url: cluster.url, installation })
  const current = await committedCase(open)

  const found = await scanOwner(open.connection.commands, tag, { from: "0", match: `${tag}:*` })

  expect(await open.store.cases.read(current.id)).toEqual(current)
  expect((await open.store.verifyLedger()).problem).toBeNull()
  expect(found[1]).toContain(open.store.keys.case(current.id))
  const owner = await cluster.owner(tag)
  expect(await owner.redis.exists(open.store.keys.case(current.id))).toBe(1)
})

test("one node of a cluster is enough to find the others, and time and run are those of the server that owns the tag", async () => {
  const owner = await cluster.owner(tag)
  const [seed] = cluster.servers.filter(({ port }) => port !== owner.port)

  const connection = await connected(`redis-cluster://127.0.0.1:${seed?.port}`)

  expect(ownerOf(connection.commands, tag)).toBe(`127.0.0.1:${owner.port}`)
  expect(await connection.epoch()).toBe(await runOf(owner.port))
  const [seconds = 0] = (await owner.redis.time()).map(Number)
  expect(Math.abs((await connection.clock())() - seconds * 1_000)).toBeLessThan(2_000)
})

test("a plain address of a cluster's node ends with one sentence that says which address to use", async () => {
  for (const { port } of cluster.servers) {
    const failed = connectRedis({ url: `redis://:secret-word@127.0.0.1:${port}`, installation, log: silentLog })

    await expect(failed).rejects.toMatchObject({ code: "redis-refused", retryable: false })
    await expect(failed).rejects.toThrow(/127\.0\.0\.1:\d+ is a node of a Redis Cluster: use redis-cluster:\/\//)
    await expect(failed).rejects.not.toThrow(/secret-word/)
  }
})

test("R17 in a cluster a replica that takes over is another run, without a break of any connection", async () => {
  const open = await openStore({ url: cluster.url, installation })
  const current = await committedCase(open, anApproval({ id: "taken-over" }))
  const before = await open.store.cases.epoch()
  const { replica } = cluster

  await vi.waitFor(
    async () => {
      // A replica that is not ready for it lets it be.
      if (/role:slave/.test(String(await replica?.redis.info("replication"))))
        await replica?.redis.call("CLUSTER", "FAILOVER")
      await open.store.cases.read(current.id)
      expect(ownerOf(open.connection.commands, tag)).toBe(`127.0.0.1:${replica?.port}`)
    },
    { timeout: limitMs },
  )

  expect(await open.store.cases.epoch()).toBe(await runOf(replica?.port ?? 0))
  expect(await open.store.cases.epoch()).not.toBe(before)
  expect(await open.store.cases.read(current.id)).toEqual(current)
  const done = await open.store.cases.commit({ ...miss(current, noon), expectedVersion: current.version })
  expect(done.kind).toBe("committed")
})

test("while the owner of a cluster's tag is away a call fails in time, and works once it is back, under another run", async () => {
  const { servers, replica } = cluster
  const open = await openStore({ url: cluster.url, installation, commandMs: 300 })
  const before = await open.store.cases.epoch()
  const owner = [...servers, ...(replica === undefined ? [] : [replica])].find(
    ({ port }) => ownerOf(open.connection.commands, tag) === `127.0.0.1:${port}`,
  )

  await owner?.kill()
  const begun = performance.now()
  await expect(open.store.cases.read("nothing")).rejects.toMatchObject({ name: "StoreError", retryable: true })
  const tookMs = performance.now() - begun
  await vi.waitFor(() => expect(open.connection.ready()).toBe(false), { timeout: limitMs })
  await owner?.again()
  await vi.waitFor(async () => expect(await open.store.cases.read("nothing")).toBeNull(), { timeout: limitMs })

  expect(tookMs).toBeLessThan(2_000)
  expect(await open.store.cases.epoch()).not.toBe(before)
})

test("a cluster's client whose servers are all unreachable says so, without the password", async () => {
  const url = "redis-cluster://ann:hunter2@127.0.0.1:1,127.0.0.1:2"

  const failed = connectRedis({ url, installation, log: silentLog, startMs: 300 })

  await expect(failed).rejects.toMatchObject({ code: "redis-unreachable", retryable: true })
  await expect(failed).rejects.toThrow(/redis-cluster:\/\/127\.0\.0\.1:1,127\.0\.0\.1:2 cannot be used: .*ECONNREFUSED/)
  await expect(failed).rejects.not.toThrow(/hunter2/)
})

test("closing ends what was duplicated of a cluster's client, whether it stands or not", async () => {
  const connection = await connectRedis({ url: cluster.url, installation, log: silentLog })
  const { workers } = connection
  if (!(workers instanceof Cluster)) throw new Error("no cluster's client")
  const [standing, waiting] = [workers.duplicate(), workers.duplicate()]
  await standing.connect()

  await connection.close()
  await connection.close()

  await vi.waitFor(() => expect([standing.status, waiting.status]).toEqual(["end", "end"]), { timeout: limitMs })
})
