// A limit in time that holds whatever the work does.
import { expect, test } from "vitest"
import { bounded } from "../../src/outgoing/bounded.ts"

const forEver = () => new Promise<never>(() => {})

test("work that is done in time gives its result, and what it throws", async () => {
  expect(await bounded({ ms: 1_000 }, async () => 7)).toBe(7)
  await expect(bounded({ ms: 1_000 }, () => Promise.reject(new Error("odd")))).rejects.toThrow("odd")
})

test("work that never settles ends in time, for the reason that is given", async () => {
  await expect(bounded({ ms: 10 }, forEver)).rejects.toMatchObject({ name: "TimeoutError" })
  await expect(bounded({ ms: 10, late: () => new Error("too long") }, forEver)).rejects.toThrow("too long")
})

test("the work hears of the end", async () => {
  let heard: unknown
  const work = (signal: AbortSignal) => {
    signal.addEventListener("abort", () => (heard = signal.reason))
    return forEver()
  }

  const end = await bounded({ ms: 10 }, work).catch((error: unknown) => error)

  expect(heard).toBe(end)
})

test("whoever waits can end it before, and nothing begins after that", async () => {
  const ends = new AbortController()
  const ended = expect(bounded({ ms: 60_000, ends: ends.signal }, forEver)).rejects.toThrow("closed")
  let begun = false

  ends.abort(new Error("closed"))
  await ended
  await expect(bounded({ ms: 60_000, ends: ends.signal }, async () => (begun = true))).rejects.toThrow("closed")

  expect(begun).toBe(false)
})
