// The one clock of all deadlines: a delayed job that whoever spoke last has set, and that survives its process.
import { expect, test, vi } from "vitest"
import { limitMs } from "../support/limits.ts"
import { openQueue, PassingError, stepsWith } from "./support.ts"

const settled = { timeout: limitMs, interval: 5 }

test("a clock goes off at its time, once", async () => {
  const { queue } = await openQueue()
  const at: number[] = []
  await queue.startWorkers(stepsWith({ remind: async () => void at.push(Date.now()) }))
  const asked = Date.now()

  await queue.jobs.remind(200)

  await vi.waitFor(() => expect(at).toHaveLength(1), settled)
  expect(at[0]).toBeGreaterThanOrEqual(asked + 200)
})

test("the last word counts: it is put forward and put off, and is one job all the time", async () => {
  const { queue } = await openQueue()
  let runs = 0
  await queue.startWorkers(stepsWith({ remind: async () => void (runs += 1) }))

  await queue.jobs.remind(60_000)
  await queue.jobs.remind(10)
  await queue.jobs.remind(60_000)
  await queue.jobs.remind(100)

  await vi.waitFor(() => expect(runs).toBe(1), settled)
})

test("a step sets it anew, and who asks meanwhile brings it forward", async () => {
  const { queue } = await openQueue()
  let runs = 0
  const remind = async () => {
    runs += 1
    return runs === 1 ? { againInMs: 60_000 } : undefined
  }
  await queue.startWorkers(stepsWith({ remind }))
  await queue.jobs.remind(0)
  await vi.waitFor(() => expect(runs).toBe(1), settled)

  await vi.waitFor(async () => {
    await queue.jobs.remind(0)
    expect(runs).toBeGreaterThan(1)
  }, settled)
})

test("what may pass is tried again", async () => {
  const { queue } = await openQueue()
  let runs = 0
  const remind = async () => {
    runs += 1
    if (runs < 3) throw new PassingError()
  }
  await queue.startWorkers(stepsWith({ remind }))

  await queue.jobs.remind(0)

  await vi.waitFor(() => expect(runs).toBe(3), settled)
})

test("set by one process it goes off in another", async () => {
  const first = await openQueue()
  const second = await openQueue({ installation: first.installation })
  let runs = 0

  await first.queue.jobs.remind(100)
  await first.queue.close()
  await second.queue.startWorkers(stepsWith({ remind: async () => void (runs += 1) }))

  await vi.waitFor(() => expect(runs).toBe(1), settled)
})
