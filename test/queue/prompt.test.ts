// Prompt work: begun where it is asked for, a job only where it cannot end there.
import { expect, test } from "vitest"
import type { OpenedCase } from "../../src/flow/ports.ts"
import { createPrompt, type PromptOptions } from "../../src/queue/prompt.ts"
import { aCase } from "../support/builders.ts"

const silent = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined }

/** Prompt work whose runs a test ends by hand; `left` are the jobs that it made. */
function aPrompt(changes: Partial<PromptOptions<OpenedCase>> = {}) {
  const runs: { readonly id: string; readonly end: PromiseWithResolvers<{ againInMs: number } | undefined> }[] = []
  const left: string[] = []
  const prompt = createPrompt<OpenedCase>({
    max: 2,
    run: (id) => {
      const end = Promise.withResolvers<{ againInMs: number } | undefined>()
      runs.push({ id, end })
      return end.promise
    },
    leave: async (id, delayMs) => void left.push(`${id} in ${delayMs}`),
    log: silent,
    ...changes,
  })
  return { prompt, runs, left }
}

test("what ends is no job", async () => {
  const { prompt, runs, left } = aPrompt()

  expect(prompt.begin("a")).toBe(true)
  runs[0]?.end.resolve(undefined)
  await prompt.end()

  expect([runs.length, left]).toEqual([1, []])
})

test("the first run is told what was opened, and it is free as long as fewer run than may", async () => {
  const told: unknown[] = []
  const ends: PromiseWithResolvers<undefined>[] = []
  const { prompt } = aPrompt({
    run: (id, opened) => {
      told.push([id, opened?.by])
      const end = Promise.withResolvers<undefined>()
      ends.push(end)
      return end.promise
    },
  })
  const opened = (by: string) => ({ current: aCase(), by })

  prompt.begin("a", opened("me"))
  prompt.begin("a")
  expect(prompt.isFree()).toBe(true)
  prompt.begin("b")
  expect(prompt.isFree()).toBe(false)

  ends[0]?.resolve(undefined)
  await expect
    .poll(() => told)
    .toEqual([
      ["a", "me"],
      ["b", undefined],
      ["a", undefined],
    ])
  for (const end of ends) end.resolve(undefined)
  await prompt.end()
  expect(prompt.isFree()).toBe(false)
})

test("the end waits until what did not end here is a job", async () => {
  const job = Promise.withResolvers<void>()
  const { prompt, runs } = aPrompt({ leave: () => job.promise })
  prompt.begin("a")
  runs[0]?.end.resolve({ againInMs: 1_000 })
  let ended = false
  const end = prompt.end().then(() => {
    ended = true
  })

  await new Promise((resolve) => setImmediate(resolve))
  expect(ended).toBe(false)

  job.resolve()
  await end
  expect(ended).toBe(true)
})

test("asked for again while it runs, it runs once more, however often", async () => {
  const { prompt, runs } = aPrompt()
  prompt.begin("a")
  prompt.begin("a")
  prompt.begin("a")

  runs[0]?.end.resolve(undefined)
  await expect.poll(() => runs.length).toBe(2)
  runs[1]?.end.resolve(undefined)
  await prompt.end()

  expect(runs).toHaveLength(2)
})

test("asked for at whatever moment of its end, it runs once more", async () => {
  for (let turns = 0; turns < 8; turns += 1) {
    const { prompt, runs } = aPrompt()
    prompt.begin("a")
    runs[0]?.end.resolve(undefined)
    for (let turn = 0; turn < turns; turn += 1) await Promise.resolve()

    expect(prompt.begin("a")).toBe(true)
    await expect.poll(() => runs.length, { message: `after ${turns} turns` }).toBe(2)

    runs[1]?.end.resolve(undefined)
    await prompt.end()
  }
})

test("what has to wait, and what failed, is left to a job", async () => {
  const { prompt, runs, left } = aPrompt()
  prompt.begin("a")
  prompt.begin("b")

  runs[0]?.end.resolve({ againInMs: 70 })
  runs[1]?.end.reject(new Error("Slack is away"))
  await prompt.end()

  expect(left).toEqual(["a in 70", "b in 500"])
})

test("where not even a job can be made, it is left to the sweep, and nothing is thrown", async () => {
  const { prompt, runs } = aPrompt({ leave: () => Promise.reject(new Error("Redis is away")) })
  prompt.begin("a")

  runs[0]?.end.reject(new Error("Slack is away"))

  await expect(prompt.end()).resolves.toBeUndefined()
})

test("there is room for so many, and none after the end", async () => {
  const { prompt, runs } = aPrompt()

  const begun = ["a", "b", "c", "a"].map((id) => prompt.begin(id))
  const ended = prompt.end()
  for (const { end } of runs) end.resolve(undefined)
  await expect.poll(() => runs.length).toBe(3)
  runs[2]?.end.resolve(undefined)
  await ended

  expect(begun).toEqual([true, true, false, true])
  expect(prompt.begin("d")).toBe(false)
})
