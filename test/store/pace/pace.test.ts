// The pace of a channel's messages, over several replicas and by the clock of Redis.

import { setTimeout as after } from "node:timers/promises"
import { expect, test } from "vitest"
import type { Pace, Rank, RateLimitBucket, SlotRequest } from "../../../src/flow/ports.ts"
import type { StoreConnection } from "../../../src/store/redis/connection.ts"
import { openStore } from "../support.ts"

/** A new card of a channel. */
function aPost(key: string, lane: RateLimitBucket = "channel:C1", rank: Rank = "card"): SlotRequest {
  return { buckets: [lane], key, rank }
}

/** Asks until the slot has come; gives the moment, in ms. */
async function post(pace: Pace, key: string): Promise<number> {
  for (;;) {
    const wait = await pace.reserve(aPost(key))
    if (wait === 0) return performance.now()
    await after(wait)
  }
}

test("the first message of a channel goes at once, the next waits its turn", async () => {
  const { store } = await openStore({ paceMs: 1_000 })

  expect(await store.pace.reserve(aPost("a"))).toBe(0)
  const second = await store.pace.reserve(aPost("b"))
  const third = await store.pace.reserve(aPost("c"))

  expect(second).toBeGreaterThan(900)
  expect(second).toBeLessThanOrEqual(1_000)
  expect(third).toBeGreaterThan(1_900)
  expect(await store.pace.reserve(aPost("a", "channel:C2"))).toBe(0)
})

test("whoever asks again keeps the slot they have", async () => {
  const { store } = await openStore({ paceMs: 1_000 })
  await store.pace.reserve(aPost("a"))
  const first = await store.pace.reserve(aPost("b"))

  const again = await store.pace.reserve(aPost("b"))

  expect(again).toBeLessThanOrEqual(first)
  expect(await store.pace.reserve(aPost("c"))).toBeGreaterThan(1_800)
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
  await store.pace.reserve(aPost("a"))
  await store.pace.reserve(aPost("b"))

  await store.pace.hold("channel:C1", 5_000)

  const b = await store.pace.reserve(aPost("b"))
  const c = await store.pace.reserve(aPost("c"))
  expect(b).toBeGreaterThan(4_900)
  expect(b).toBeLessThanOrEqual(5_000)
  // Redis' own clock ran between the two answers.
  expect(c - b).toBeGreaterThan(50)
  expect(await store.pace.reserve(aPost("a", "channel:C2"))).toBe(0)
})

test("a pace of zero holds nobody up, by channel or by method, until Slack refuses, and counts nothing", async () => {
  const { store, connection } = await openStore({ paceMs: 0 })
  const asked = Array.from({ length: 500 }, (_, at) => ({
    buckets: ["channel:C1", "chat.postMessage"] as const,
    key: `k${at}`,
    rank: "card" as const,
  }))

  const waits = await Promise.all(asked.map((one) => store.pace.reserve(one)))
  await store.pace.hold("channel:C1", 3_000)

  expect(new Set(waits)).toEqual(new Set([0]))
  expect(await store.pace.reserve(aPost("late", "channel:C1"))).toBeGreaterThan(2_500)
  const { taken, line } = store.keys.pace("channel:C1")
  expect(await connection.commands.exists(taken, line)).toBe(0)
})

test("what paces a channel is forgotten when the channel is quiet", async () => {
  const { store, connection } = await openStore({ paceMs: 1_000 })
  await store.pace.reserve(aPost("a"))
  await store.pace.reserve(aPost("b"))

  const { state, taken, line } = store.keys.pace("channel:C1")

  expect(await connection.commands.pttl(state)).toBeGreaterThan(0)
  expect(await connection.commands.pttl(taken)).toBeGreaterThan(0)
  expect(await connection.commands.pttl(line)).toBeGreaterThan(60_000)
})

test("who does not come for a minute is forgotten", async () => {
  const { store, connection } = await openStore({ paceMs: 1_000 })
  await store.pace.reserve(aPost("a"))
  await store.pace.reserve(aPost("b"))
  await comeBack(connection, store.keys.pace("channel:C1").due, "b", 61_000)

  await store.pace.reserve(aPost("c"))

  expect(await connection.commands.zrange(store.keys.pace("channel:C1").line, "0", "-1")).toEqual(["c"])
})

test("who is late keeps nobody behind waiting", async () => {
  const { store, connection } = await openStore({ paceMs: 1_000 })
  await store.pace.reserve(aPost("a"))
  await store.pace.reserve(aPost("b"))
  await comeBack(connection, store.keys.pace("channel:C1").due, "b", 1_500)

  expect(await store.pace.reserve(aPost("c"))).toBeLessThanOrEqual(1_000)
})

test("lines of a decision go before new cards, and these before reminders, whoever came first", async () => {
  const { store } = await openStore({ paceMs: 1_000 })
  await store.pace.reserve(aPost("now"))

  const reminder = await store.pace.reserve(aPost("r", "channel:C1", "reminder"))
  const card = await store.pace.reserve(aPost("c"))
  const line = await store.pace.reserve(aPost("l", "channel:C1", "decision"))

  for (const wait of [reminder, card, line]) expect(wait).toBeLessThanOrEqual(1_000)
  expect(await store.pace.reserve(aPost("c"))).toBeGreaterThan(1_500)
  expect(await store.pace.reserve(aPost("r", "channel:C1", "reminder"))).toBeGreaterThan(2_500)
})

test("who is hurried goes before the others of their rank", async () => {
  const { store } = await openStore({ paceMs: 1_000 })
  await store.pace.reserve(aPost("now"))
  await store.pace.reserve(aPost("a"))
  await store.pace.reserve(aPost("b"))

  await store.pace.hurry("channel:C1", "b")
  await store.pace.hurry("channel:C1", "nobody")

  expect(await store.pace.reserve(aPost("b"))).toBeLessThanOrEqual(1_000)
  expect(await store.pace.reserve(aPost("a"))).toBeGreaterThan(1_500)
})

test("a method has its calls a minute over all replicas, and keeps a part of them for decisions", async () => {
  const one = await openStore()
  const two = await openStore({ installation: one.installation })
  const edit = (index: number, rank: Rank) =>
    (index % 2 === 0 ? one : two).store.pace.reserve({ buckets: ["chat.update"], key: `e${index} ${rank}`, rank })
  const waits: number[] = []
  for (let index = 0; index < 41; index += 1) waits.push(await edit(index, "card"))
  for (let index = 0; index < 11; index += 1) waits.push(await edit(index, "decision"))

  expect(waits.slice(0, 40).every((wait) => wait === 0)).toBe(true)
  expect(waits[40]).toBeGreaterThan(50_000)
  expect(waits.slice(41, 51).every((wait) => wait === 0)).toBe(true)
  expect(waits[51]).toBeGreaterThan(50_000)
})

test("a message uses all its lanes or none", async () => {
  const { store } = await openStore({ paceMs: 1_000 })
  await store.pace.hold("chat.postMessage", 5_000)
  const buckets = ["channel:C1", "chat.postMessage"] as const

  expect(await store.pace.reserve({ buckets, key: "a", rank: "card" })).toBeGreaterThan(4_900)

  expect(await store.pace.reserve(aPost("b", "channel:C1", "decision"))).toBe(0)
})

test("a call that somebody waits for is counted and never waits, unless Slack refuses the method", async () => {
  const { store } = await openStore()
  const counted = await Promise.all(Array.from({ length: 150 }, () => store.pace.count("users.info")))
  expect(new Set(counted)).toEqual(new Set([0]))

  await store.pace.hold("users.info", 3_000)

  expect(await store.pace.count("users.info")).toBeGreaterThan(2_900)
  expect(await store.pace.count("views.open")).toBe(0)
})

test("the minute of a method goes by the clock that the pace is given", async () => {
  let now = Date.UTC(2030, 0, 1)
  const { store } = await openStore({ sharedClock: () => now })
  const look = (key: string) => store.pace.reserve({ buckets: ["usergroups.list"], key, rank: "decision" })
  for (let index = 0; index < 20; index += 1) await look(`k${index}`)
  expect(await look("late")).toBe(62_000)

  now += 62_000

  expect(await look("late")).toBe(0)
})

/** As if this waiter had been told to come this many ms ago. */
async function comeBack(connection: StoreConnection, due: string, key: string, agoMs: number): Promise<void> {
  const [seconds = "0"] = (await connection.commands.time()).map(String)
  await connection.commands.zadd(due, Number(seconds) * 1_000 - agoMs, key)
}

test("somebody is asked ten questions an hour at most, over all replicas, whatever the pace of messages", async () => {
  let now = Date.now()
  const clock = () => now
  const one = await openStore({ paceMs: 0, sharedClock: clock })
  const two = await openStore({ installation: one.installation, paceMs: 0, sharedClock: clock })
  const question = { buckets: ["questions person:U1"], key: "question", rank: "decision" } as const

  for (let count = 0; count < 10; count += 1)
    expect(await (count % 2 === 0 ? one : two).store.pace.reserve(question)).toBe(0)

  expect(await one.store.pace.reserve(question)).toBeGreaterThan(0)
  expect(await one.store.pace.reserve({ ...question, buckets: ["questions person:U2"] })).toBe(0)
  now += 3_600_001
  expect(await two.store.pace.reserve(question)).toBe(0)
})
