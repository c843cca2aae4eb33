// The pace of a channel's messages, over several replicas and by the clock of Redis.
import { setTimeout as after } from "node:timers/promises"
import { expect, test } from "vitest"
import { openStore } from "./support.ts"

/** Asks until the slot has come; gives the moment, in ms. */
async function post(pace: { reserve(channel: string, key: string): Promise<number> }, key: string): Promise<number> {
  for (;;) {
    const wait = await pace.reserve("C1", key)
    if (wait === 0) return performance.now()
    await after(wait)
  }
}

test("the first message of a channel goes at once, the next waits its turn", async () => {
  const { store } = await openStore({ paceMs: 1_000 })

  expect(await store.pace.reserve("C1", "a")).toBe(0)
  const second = await store.pace.reserve("C1", "b")
  const third = await store.pace.reserve("C1", "c")

  expect(second).toBeGreaterThan(900)
  expect(second).toBeLessThanOrEqual(1_000)
  expect(third).toBeGreaterThan(1_900)
  expect(await store.pace.reserve("C2", "a")).toBe(0)
})

test("whoever asks again keeps the slot they have", async () => {
  const { store } = await openStore({ paceMs: 1_000 })
  await store.pace.reserve("C1", "a")
  const first = await store.pace.reserve("C1", "b")

  const again = await store.pace.reserve("C1", "b")

  expect(again).toBeLessThanOrEqual(first)
  expect(await store.pace.reserve("C1", "c")).toBeGreaterThan(1_800)
})

test("messages of two replicas keep the pace between them, however late they come", async () => {
  const one = await openStore({ paceMs: 60 })
  const two = await openStore({ installation: one.installation, paceMs: 60 })

  const keys = ["a", "b", "c", "d", "e", "f"]
  const times = await Promise.all(
    keys.map((key, index) => post(index % 2 === 0 ? one.store.pace : two.store.pace, key)),
  )

  const sorted = times.toSorted((a, b) => a - b)
  const gaps = sorted.slice(1).map((time, index) => time - (sorted[index] ?? 0))
  // What comes back to us may be a few ms off what Redis counted.
  for (const gap of gaps) expect(gap).toBeGreaterThan(45)
})

test("a held channel lets nobody through before, and keeps the order of those who wait", async () => {
  const { store } = await openStore({ paceMs: 100 })
  await store.pace.reserve("C1", "a")
  await store.pace.reserve("C1", "b")

  await store.pace.hold("C1", 5_000)

  const b = await store.pace.reserve("C1", "b")
  const c = await store.pace.reserve("C1", "c")
  expect(b).toBeGreaterThan(4_900)
  expect(b).toBeLessThanOrEqual(5_000)
  expect(c - b).toBeGreaterThan(90)
  expect(await store.pace.reserve("C2", "a")).toBe(0)
})

test("a pace of zero holds nobody up", async () => {
  const { store } = await openStore({ paceMs: 0 })

  expect(await Promise.all(["a", "b", "c"].map((key) => store.pace.reserve("C1", key)))).toEqual([0, 0, 0])
})

test("what paces a channel is forgotten when the channel is quiet", async () => {
  const { store, connection } = await openStore({ paceMs: 1_000 })
  await store.pace.reserve("C1", "a")
  await store.pace.reserve("C1", "b")

  const { state, slots } = store.keys.pace("C1")

  expect(await connection.commands.pttl(state)).toBeGreaterThan(0)
  expect(await connection.commands.pttl(slots)).toBeGreaterThan(60_000)
})

test("a reservation that nobody came for lapses", async () => {
  const { store, connection } = await openStore({ paceMs: 1_000 })
  await store.pace.reserve("C1", "a")
  await store.pace.reserve("C1", "b")
  const { slots } = store.keys.pace("C1")
  const [seconds = "0"] = (await connection.commands.time()).map(String)
  await connection.commands.zadd(slots, Number(seconds) * 1_000 - 61_000, "b")

  await store.pace.reserve("C1", "c")

  expect(await connection.commands.zrange(slots, "0", "-1")).toEqual(["c"])
})
