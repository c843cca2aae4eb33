// In whose name runs are continued: one owner over all replicas, and only what we wrote ourselves.

import { expect, test } from "vitest"
import { openStore } from "../support.ts"

test("one of many replicas that ask at once takes a run, and keeps it when it asks again", async () => {
  const { store } = await openStore()
  const cases = Array.from({ length: 20 }, (_, index) => `case-${index}`)

  const taken = await Promise.all(cases.map((one) => store.continues.take(["d-1"], one)))

  expect(taken.filter(Boolean)).toHaveLength(1)
  const owner = cases[taken.indexOf(true)] ?? ""
  expect(await store.continues.takenBy("d-1")).toBe(owner)
  expect(await store.continues.take(["d-1"], owner)).toBe(true)
})

test("all decisions of a pause are taken, or none", async () => {
  const { store } = await openStore()
  await store.continues.take(["d-2"], "case-b")

  expect(await store.continues.take(["d-1", "d-2"], "case-a")).toBe(false)

  expect(await store.continues.takenBy("d-1")).toBeNull()
  expect(await store.continues.takenBy("d-2")).toBe("case-b")
})

test("an owner lapses after 30 days", async () => {
  const { store, connection } = await openStore()

  await store.continues.take(["d-1"], "case-a")

  const left = await connection.commands.pttl(store.keys.continued("d-1"))
  expect(left).toBeGreaterThan(29 * 86_400_000)
  expect(left).toBeLessThanOrEqual(30 * 86_400_000)
})

test.each(["case-b", "case-b.forged", ""])(
  "R14 an owner that we did not write (%j) is never believed",
  async (value) => {
    const { store, connection } = await openStore()
    await connection.commands.set(store.keys.continued("d-1"), value)

    await expect(store.continues.takenBy("d-1")).rejects.toMatchObject({ code: "tampered", retryable: false })
    expect(await store.continues.take(["d-1"], "case-a")).toBe(false)
  },
)

test("R14 an owner of one decision does not pass for another's", async () => {
  const { store, connection } = await openStore()
  await store.continues.take(["d-1"], "case-a")
  const value = await connection.commands.get(store.keys.continued("d-1"))
  await connection.commands.set(store.keys.continued("d-2"), value ?? "")

  await expect(store.continues.takenBy("d-2")).rejects.toMatchObject({ code: "tampered" })
})
