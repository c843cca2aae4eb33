// The clocks of poll and sweep, start and stop of the workers.
import { setTimeout as after } from "node:timers/promises"
import { expect, test, vi } from "vitest"
import type { Steps } from "../../src/queue/steps.ts"
import { limitMs } from "../support/limits.ts"
import { keysLike } from "../support/redis.ts"
import { openQueue, stepsWith } from "./support.ts"

const settled = { timeout: limitMs, interval: 5 }

test("each instance is polled, one run at a time over all replicas, however long a run takes", async () => {
  const instances = [
    { name: "main", pollMs: 30 },
    { name: "other.eu", pollMs: 30 },
  ]
  const one = await openQueue({ instances })
  const two = await openQueue({ instances, installation: one.installation })
  const runs = { main: 0, "other.eu": 0 }
  const now = { main: 0, "other.eu": 0 }
  const most = { main: 0, "other.eu": 0 }
  const poll = async (name: string) => {
    if (name !== "main" && name !== "other.eu") throw new Error(name)
    runs[name] += 1
    now[name] += 1
    most[name] = Math.max(most[name], now[name])
    await after(80)
    now[name] -= 1
  }

  await Promise.all([one, two].map(({ queue }) => queue.startWorkers(stepsWith({ poll }))))

  await vi.waitFor(() => expect(Math.min(runs.main, runs["other.eu"])).toBeGreaterThan(4), settled)
  expect(most).toEqual({ main: 1, "other.eu": 1 })
})

test("a poll that fails is logged and comes again", async () => {
  const { queue, logged } = await openQueue({ instances: [{ name: "main", pollMs: 20 }] })
  let runs = 0
  const poll = async () => {
    runs += 1
    throw new TypeError("a bug")
  }

  await queue.startWorkers(stepsWith({ poll }))

  await vi.waitFor(() => expect(runs).toBeGreaterThan(2), settled)
  expect(logged[0]).toEqual(["step-failed", expect.objectContaining({ step: "poll" })])
})

test("R17 a clock that Redis forgot is wound up again", async () => {
  const { queue, prefix, connection, logged } = await openQueue({ sweepMs: 20, clocksMs: 50 })
  let sweeps = 0
  await queue.startWorkers(stepsWith({ sweep: async () => void (sweeps += 1) }))
  await vi.waitFor(() => expect(sweeps).toBeGreaterThan(1), settled)

  const forgotten = await keysLike(connection.commands, `${prefix.replace("[", "\\[")}:sweep:*`)
  await connection.commands.del(...forgotten)
  const before = sweeps

  await vi.waitFor(() => expect(sweeps).toBeGreaterThan(before + 2), settled)
  expect(logged).toContainEqual(["clock-stopped", { queue: "sweep" }])
})

test("work left over is looked for again and again", async () => {
  const { queue } = await openQueue({ sweepMs: 20 })
  let sweeps = 0

  await queue.startWorkers(stepsWith({ sweep: async () => void (sweeps += 1) }))

  await vi.waitFor(() => expect(sweeps).toBeGreaterThan(2), settled)
})

test("starting fails when a job has no step", async () => {
  const { queue } = await openQueue()
  const steps: Partial<Steps> = { ...stepsWith() }
  const { sweep: _, ...fewer } = steps

  // @ts-expect-error A step is missing, as in a program that was not type-checked.
  const started = queue.startWorkers(fewer)

  await expect(started).rejects.toMatchObject({ code: "no-handler", retryable: false })
  await expect(started).rejects.toThrow("no step carries out the jobs sweep")
})

test("closing waits for the job that runs", async () => {
  const { queue } = await openQueue()
  const started = Promise.withResolvers<void>()
  let ended = false
  const present = async () => {
    started.resolve()
    await after(100)
    ended = true
  }
  await queue.startWorkers(stepsWith({ present }))
  await queue.jobs.present("c-1")
  await started.promise

  await queue.close()

  expect(ended).toBe(true)
})

test("closing does not wait longer than its limit", async () => {
  const { queue, logged } = await openQueue({ closeMs: 100 })
  const started = Promise.withResolvers<void>()
  const gate = Promise.withResolvers<void>()
  const present = async () => {
    started.resolve()
    await gate.promise
  }
  await queue.startWorkers(stepsWith({ present }))
  await queue.jobs.present("c-1")
  await started.promise

  await queue.close()

  expect(logged.map(([event]) => event)).toContain("workers-cut-off")
  gate.resolve()
})
