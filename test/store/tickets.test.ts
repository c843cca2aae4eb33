// Tickets in a real Redis: written once, taken up by one, held, put off, gone.
import { expect, test } from "vitest"
import type { DueTickets } from "../../src/flow/ports.ts"
import { createTickets, type TicketsOptions } from "../../src/store/tickets.ts"
import { aPress } from "../queue/support.ts"
import { aSeal, noon, openStore } from "./support.ts"

const delayMs = 5_000
const holdMs = 8_000

/** The tickets of two processes with one clock, moved by hand. */
async function aPair(own: Partial<TicketsOptions> = {}) {
  const { connection, store, installation } = await openStore()
  const redis = connection.commands
  let now = noon
  const clock = () => now
  const options = {
    redis,
    keys: store.keys,
    seal: aSeal(installation),
    clock,
    era: () => 3,
    sharedClock: clock,
    ...own,
  }
  const make = () => createTickets({ ...options, delayMs, holdMs })
  return { one: make(), other: make(), redis, keys: store.keys.tickets, pass: (ms: number) => void (now += ms) }
}

const ids = async (tickets: DueTickets, held: readonly string[] = [], limit = 100, leave: readonly string[] = []) =>
  (await tickets.takeDue({ held, limit, leave })).map(({ id }) => id)

test("a ticket is due when its process had its time, and comes back as it was written", async () => {
  const { one, other, pass } = await aPair()
  const press = aPress({ reason: "because", on: { kind: "view", viewId: "V1" } })
  const ticket = await one.write(press)

  pass(delayMs - 1)
  const early = await other.takeDue({ held: [], limit: 100 })
  pass(1)

  expect(early).toEqual([])
  expect(ticket).toEqual({ id: `press-${press.interaction}`, interaction: press, takenAt: noon, era: 3 })
  expect(await other.takeDue({ held: [], limit: 100 })).toEqual([{ id: ticket.id, ticket }])
})

test("by the clock of Redis a ticket without delay is due at once", async () => {
  const { connection, store, installation } = await openStore()
  const options = { redis: connection.commands, keys: store.keys, seal: aSeal(installation), clock: () => 0 }
  const tickets = createTickets({ ...options, era: () => 0, delayMs: 0 })
  const { id } = await tickets.write(aPress())

  expect(await ids(tickets)).toEqual([id])
  expect(await ids(tickets)).toEqual([])
})

test("R11 an interaction that is delivered again keeps its first ticket and its moment", async () => {
  const { one, other, pass } = await aPair()
  await one.write(aPress({ name: "Ann" }))
  pass(delayMs - 1)
  await other.write(aPress({ name: "Bob" }))
  pass(1)

  const taken = await one.takeDue({ held: [], limit: 100 })

  expect(taken.map(({ ticket }) => ticket?.interaction.name)).toEqual(["Ann"])
})

test("two processes that look at once never take up the same ticket", async () => {
  const { one, other, pass } = await aPair()
  const written = await Promise.all(
    Array.from({ length: 30 }, (_, at) => one.write(aPress({ interaction: String(at) }))),
  )
  pass(delayMs)

  const taken = await Promise.all([one, other, one, other].map((tickets) => ids(tickets, [], 10)))

  expect(taken.map((those) => those.length)).toEqual([10, 10, 10, 0])
  expect(new Set(taken.flat())).toEqual(new Set(written.map(({ id }) => id)))
})

test("what is held stays with its process, and a hold that nobody renews ends", async () => {
  const { one, other, pass } = await aPair()
  const { id } = await one.write(aPress())
  pass(delayMs)
  await ids(one)

  pass(holdMs - 1)
  await ids(one, [id])
  pass(holdMs - 1)
  const whileHeld = await ids(other)
  pass(1)

  expect(whileHeld).toEqual([])
  expect(await ids(other)).toEqual([id])
})

test("a ticket that was put off is due after that, and not before", async () => {
  const { one, other, pass } = await aPair()
  const { id } = await one.write(aPress())
  pass(delayMs)
  await ids(one)

  await one.putOff(id, 250)

  expect(await ids(other)).toEqual([])
  pass(250)
  expect(await ids(other)).toEqual([id])
})

test("a ticket that was removed is gone, whatever is said of it afterwards", async () => {
  const { one, redis, keys, pass } = await aPair()
  const { id } = await one.write(aPress())

  await one.remove(id)
  await one.remove(id)
  await one.putOff(id, 0)
  pass(delayMs)

  expect(await ids(one, [id])).toEqual([])
  expect(await redis.exists(keys.sealed, keys.due)).toBe(0)
})

test("what is to be left goes to another process, and counts nothing towards the limit", async () => {
  const { one, other, pass } = await aPair()
  const left = await one.write(aPress({ interaction: "a" }))
  pass(1)
  const next = await one.write(aPress({ interaction: "b" }))
  const last = await one.write(aPress({ interaction: "c" }))
  pass(delayMs)

  expect(await ids(one, [], 1, [left.id])).toEqual([next.id])
  expect(await ids(other)).toEqual([left.id, last.id])
})

test("who may take none only holds on", async () => {
  const { one, other, pass } = await aPair()
  const { id } = await one.write(aPress())
  pass(delayMs)

  expect(await ids(one, [], 0)).toEqual([])
  expect(await ids(other)).toEqual([id])
})

test("a ticket without a moment gets one, and a moment without a ticket goes", async () => {
  const { one, redis, keys, pass } = await aPair()
  const { id } = await one.write(aPress())
  await redis.del(keys.due)
  await ids(one)
  await redis.zadd(keys.due, 0, "press-gone")

  pass(holdMs)

  expect(await ids(one)).toEqual([id])
  expect(await redis.zrange(keys.due, "0", "-1")).toEqual([id])
})

test.each(["of another ticket", "of nothing"])("R14 a ticket with bytes %s is told as none of ours", async (what) => {
  const { one, redis, keys, pass } = await aPair()
  const { id } = await one.write(aPress())
  const other = await one.write(aPress({ interaction: "b" }))
  const stolen = await redis.hgetBuffer(keys.sealed, other.id)
  await redis.hset(keys.sealed, id, what === "of nothing" ? "x" : (stolen ?? ""))
  pass(delayMs)

  const taken = await one.takeDue({ held: [], limit: 100 })

  expect(new Map(taken.map((due) => [due.id, due.ticket?.id ?? null]))).toEqual(
    new Map([
      [id, null],
      [other.id, other.id],
    ]),
  )
})

test("R14 a ticket of another installation's key is none of ours", async () => {
  const { one, redis, keys } = await aPair({ seal: aSeal("another") })
  const { id } = await one.write(aPress())
  const here = await aPair()
  const sealed = await redis.hgetBuffer(keys.sealed, id)
  const { id: ours } = await here.one.write(aPress())
  await here.redis.hset(here.keys.sealed, ours, sealed ?? Buffer.alloc(0))
  here.pass(delayMs)

  expect(await here.one.takeDue({ held: [], limit: 100 })).toEqual([{ id: ours, ticket: null }])
})

test("each call fails with one error while Redis refuses it", async () => {
  const { one, redis, keys } = await aPair()
  await redis.set(keys.sealed, "no hash")
  const refused = { name: "StoreError", code: "redis-refused", retryable: false }

  await expect(one.write(aPress())).rejects.toMatchObject({ ...refused, message: /^write a ticket: / })
  await expect(one.remove("a")).rejects.toMatchObject({ ...refused, message: /^remove a ticket: / })
  await expect(ids(one)).rejects.toMatchObject({ ...refused, message: /^take up tickets: / })
})
