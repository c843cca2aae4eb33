// Sentinels that name the primary: a failover is another run (R17), and each wrong word in the address is told.
import { randomBytes } from "node:crypto"
import { afterAll, beforeAll, expect, test, vi } from "vitest"
import { connectRedis } from "../../../src/store/redis/connection.ts"
import { limitMs } from "../../support/limits.ts"
import { replicated, startSentinels, type TestSentinels } from "../../support/redis-server.ts"
import { committedCase, openStore, silentLog } from "../support.ts"

const installation = `sentinel-${randomBytes(4).toString("hex")}`

let group: TestSentinels

beforeAll(async () => {
  group = await startSentinels({ sentinelPassword: "watch-word" })
})

afterAll(() => group.stop())

function failing(url: string) {
  return connectRedis({ url, installation, log: silentLog, startMs: 15_000 })
}

test("Sentinels that know no primary of that name are told at once", async () => {
  const failed = failing(group.url.replace("/main", "/another"))

  await expect(failed).rejects.toThrow(/cannot be used: the Sentinels know no primary called another\. Check REDIS_URL/)
})

test("Sentinels that ask for a password of their own are told at once, with where it is given", async () => {
  const failed = failing(group.url.replace("watch-word", "wrong-word"))

  await expect(failed).rejects.toThrow(/WRONGPASS.*\?sentinel_user=…&sentinel_password=…/)
  await expect(failed).rejects.not.toThrow(/wrong-word/)
})

test("a plain address of a Sentinel, and Sentinels where a plain server is, are told apart", async () => {
  const { port } = group.sentinels[0] ?? group.primary
  const plain = failing(`redis://:watch-word@127.0.0.1:${port}`)
  await expect(plain).rejects.toThrow(/is a Sentinel: use redis-sentinel:\/\/<host>:<port>\/<primary's name>/)
  const wrong = failing(`redis-sentinel://127.0.0.1:${group.primary.port}/main`)
  await expect(wrong).rejects.toThrow(/ is no Sentinel: use redis:\/\//)
})

test("R17 when the primary dies the Sentinels name another: the store goes on there, under another run", async () => {
  const open = await openStore({ url: group.url, installation })
  const current = await committedCase(open)
  const before = await open.store.cases.epoch()
  await replicated(group.primary)

  await group.primary.kill()

  await vi.waitFor(async () => expect(await open.store.cases.read(current.id)).toEqual(current), { timeout: limitMs })
  expect(await open.store.cases.epoch()).not.toBe(before)
  expect(/^run_id:(\S+)/m.exec(await group.replica.redis.info("server"))?.[1]).toBe(await open.store.cases.epoch())
  await group.primary.again()
})
