// The connection to Redis: how it starts, what it says when Redis is away, and how it notices a restart.

import { Redis } from "ioredis"
import { expect, test, vi } from "vitest"
import { miss } from "../../../src/domain/case/verdict.ts"
import { connectRedis } from "../../../src/store/redis/connection.ts"
import { limitMs } from "../../support/limits.ts"
import { opened } from "../../support/opened.ts"
import { anOwnRedis, testRedisUrl } from "../../support/redis.ts"
import { committedCase, noon, openStore, silentLog } from "../support.ts"

test("an unreachable Redis is one clear error that tells no password", async () => {
  const url = "redis://ann:hunter2@127.0.0.1:1/0"

  const failed = connectRedis({ url, installation: "test", log: silentLog, startMs: 300 })

  await expect(failed).rejects.toMatchObject({ name: "StoreError", code: "redis-unreachable", retryable: true })
  await expect(failed).rejects.toThrow(
    /^Redis at redis:\/\/127\.0\.0\.1:1\/0 cannot be used: .*ECONNREFUSED.*REDIS_URL/,
  )
  await expect(failed).rejects.not.toThrow(/hunter2/)
})

test("a socket that is not there is one clear error", async () => {
  const failed = connectRedis({ url: "/tmp/nobody/redis.sock", installation: "test", log: silentLog, startMs: 200 })

  await expect(failed).rejects.toThrow(/Redis at \/tmp\/nobody\/redis\.sock cannot be used: .*ENOENT/)
})

test("a wrong password is told at once", async () => {
  const server = await anOwnRedis()
  const admin = new Redis(server.url)
  await admin.config("SET", "requirepass", "right")
  admin.disconnect()

  const failed = connectRedis({ url: server.url, installation: "test", log: silentLog, startMs: 15_000 })

  await expect(failed).rejects.toThrow(/NOAUTH/)
})

test("a server that may evict keys is warned of", async () => {
  const server = await anOwnRedis()
  const admin = new Redis(server.url)
  await admin.config("SET", "maxmemory-policy", "allkeys-lru")
  admin.disconnect()
  const warned: unknown[] = []
  const log = { ...silentLog, warn: (event: string, fields: unknown) => warned.push([event, fields]) }

  const connection = await connectRedis({ url: server.url, installation: "test", log })
  await connection.close()

  expect(warned).toEqual([["redis-may-evict", expect.objectContaining({ policy: "allkeys-lru" })]])
})

test("R17 after a restart the epoch is another and the case is still there", async () => {
  const server = await anOwnRedis()
  const open = await openStore({ url: server.url })
  const current = await committedCase(open)
  const before = await open.store.cases.epoch()
  expect(await open.store.cases.epoch()).toBe(before)

  await server.restart()

  await vi.waitFor(async () => expect(await open.store.cases.epoch()).not.toBe(before), { timeout: limitMs })
  const done = await open.store.cases.commit({ ...miss(current, noon), expectedVersion: 1 })
  expect(done.kind).toBe("committed")
  expect((await open.store.verifyLedger()).problem).toBeNull()
})

test("while Redis is away a call fails in time, says that trying again helps, and works once Redis is back", async () => {
  const server = await anOwnRedis()
  const open = await openStore({ url: server.url, commandMs: 200 })
  const current = await committedCase(open)
  await server.kill()

  const failed = open.store.cases.read(current.id)

  await expect(failed).rejects.toMatchObject({ name: "StoreError", retryable: true })
  await server.restart()
  await vi.waitFor(async () => expect(await open.store.cases.read(current.id)).toEqual(current), { timeout: limitMs })
})

test("the clock that replicas share is that of Redis, read once in a while", async () => {
  const connection = await opened(connectRedis({ url: testRedisUrl(), installation: "test", log: silentLog }))

  const clock = await connection.clock()
  const [seconds = 0] = (await connection.commands.time()).map(Number)

  expect(Math.abs(clock() - seconds * 1_000)).toBeLessThan(2_000)
  expect(await connection.clock()).toBe(clock)
})

test("closing ends what was duplicated for workers, whether it stands or is tried again", async () => {
  const server = await anOwnRedis()
  const standing = await connectRedis({ url: testRedisUrl(), installation: "test", log: silentLog })
  const broken = await connectRedis({ url: server.url, installation: "test", log: silentLog })
  const duplicates = [standing, broken].map(({ workers }) => {
    const duplicate = workers instanceof Redis ? workers.duplicate() : workers.duplicate()
    return duplicate.on("error", () => undefined)
  })
  await Promise.all(duplicates.map((one) => one.connect()))
  await server.kill()
  await vi.waitFor(() => expect(duplicates[1]?.status).toBe("reconnecting"), { timeout: limitMs })

  await Promise.all([standing.close(), broken.close()])
  await server.restart()
  const other = await opened(connectRedis({ url: server.url, installation: "test", log: silentLog }))

  await vi.waitFor(() => expect(duplicates[0]?.status).toBe("end"), { timeout: limitMs })
  expect(
    String(await other.commands.client("LIST"))
      .split("\n")
      .filter(Boolean),
  ).toHaveLength(2)
})

test("closing twice is harmless, and ends what would wait for Redis", async () => {
  const connection = await connectRedis({ url: testRedisUrl(), installation: "test", log: silentLog })

  await connection.close()
  await connection.close()

  expect(connection.ready()).toBe(false)
  await expect(connection.epoch()).rejects.toMatchObject({ code: "redis-unreachable" })
})
