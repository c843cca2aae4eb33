// Whose card is looked at next: each open case after the one before, over all replicas, however the list changes
// meanwhile.

import { expect, test } from "vitest"
import { openStore } from "../support.ts"

/** Turns over a list of cases, oldest first, as two replicas see them. */
async function twoReplicas(...listed: readonly string[]) {
  const { store, connection, installation } = await openStore()
  const redis = connection.commands
  for (const [at, id] of listed.entries()) await redis.zadd(store.keys.list, at, id)
  const other = await openStore({ installation })
  return { redis, list: store.keys.list, turns: [store.turns, other.store.turns] as const }
}

const plain = (caseId: string) => ({ caseId, after: null })

test("what was looked at longest ago comes first, whichever replica looks", async () => {
  const { turns } = await twoReplicas("a", "b", "c")
  const [one, two] = turns

  expect(await one.next(2)).toEqual([plain("a"), plain("b")])
  await one.done("a", null)
  expect(await two.next(2)).toEqual([plain("b"), plain("c")])
  await two.done("b", null)
  await two.done("c", null)
  expect(await one.next(5)).toEqual([plain("a"), plain("b"), plain("c")])
})

test("a case goes on after the route that was looked at last, and comes in full in the next round", async () => {
  const { turns } = await twoReplicas("a", "b")
  const [one, two] = turns

  await one.done("a", "channel:C1")

  expect(await two.next(1)).toEqual([{ caseId: "a", after: "channel:C1" }])
  await two.done("a", null)
  expect(await one.next(2)).toEqual([plain("b"), plain("a")])
})

test("where the last case is not listed any more, the one behind its place is next", async () => {
  const { redis, list, turns } = await twoReplicas("a", "b", "c")
  await turns[0].done("b", "channel:C1")
  await redis.zrem(list, "b")

  expect(await turns[1].next(3)).toEqual([plain("c"), plain("a")])
})

test("a case that is gone when it is noted leaves the turn where it was, and an empty list has none", async () => {
  const { redis, list, turns } = await twoReplicas("a", "b")
  await turns[0].done("a", null)

  await turns[0].done("gone", null)

  expect(await turns[0].next(1)).toEqual([plain("b")])
  await redis.del(list)
  expect(await turns[0].next(3)).toEqual([])
})
