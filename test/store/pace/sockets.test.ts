// The sockets of all replicas: each counts for a minute after it was last heard of, and nothing of it stays.

import { expect, test } from "vitest"
import { aClock } from "../../sandbox/support.ts"
import { openStore } from "../support.ts"

const minute = 60_000

async function aCount() {
  const clock = aClock()
  return { clock, ...(await openStore({ sharedClock: clock })) }
}

test("sockets of several replicas are counted together, each once", async () => {
  const { store } = await aCount()
  await store.sockets.note({ id: "a", foreign: 0 })
  await store.sockets.note({ id: "b", foreign: 0 })

  expect(await store.sockets.note({ id: "a", foreign: 1 })).toBe(2)
})

test("one that was not heard of for a minute counts no more, and is forgotten", async () => {
  const { store, connection, clock } = await aCount()
  await store.sockets.note({ id: "a", foreign: 0 })
  clock.advance(minute - 1)
  const before = await store.sockets.note({ id: "b", foreign: 0 })
  clock.advance(1)

  expect([before, await store.sockets.note({ id: "b", foreign: 0 })]).toEqual([2, 1])
  expect(await connection.commands.hkeys(store.keys.sockets)).toEqual(["b"])
})

test("the record ends a minute after the last socket was heard of", async () => {
  const { store, connection } = await aCount()
  await store.sockets.note({ id: "a", foreign: 0 })

  const left = await connection.commands.pttl(store.keys.sockets)

  expect(left).toBeGreaterThan(minute - 10_000)
  expect(left).toBeLessThanOrEqual(minute)
})

test("what is not ours to read counts for nothing", async () => {
  const { store, connection } = await aCount()
  await connection.commands.hset(store.keys.sockets, "x", "no record", "y", '{"until":"never"}')

  expect(await store.sockets.note({ id: "a", foreign: 0 })).toBe(1)
})
