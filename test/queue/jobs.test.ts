// Jobs about cases: one runs and one waits, and what may pass is tried again.
import { setTimeout as after } from "node:timers/promises"
import { expect, test, vi } from "vitest"
import type { Steps } from "../../src/queue/steps.ts"
import { aCase, anApproval } from "../support/builders.ts"
import { limitMs } from "../support/limits.ts"
import { keysLike } from "../support/redis.ts"
import { openQueue, PassingError, stepsWith } from "./support.ts"

const settled = { timeout: limitMs, interval: 5 }
const kinds = ["present", "resolve", "reconcile"] as const

test.each(kinds)("%s runs for the case it was asked for", async (kind) => {
  const { queue } = await openQueue()
  const seen: string[] = []
  await queue.startWorkers(stepsWith({ [kind]: async (caseId: string) => void seen.push(caseId) }))

  await queue.jobs[kind]("c-1", 0)

  await vi.waitFor(() => expect(seen).toEqual(["c-1"]), settled)
})

test("asking for a job that waits changes nothing", async () => {
  const { queue } = await openQueue()
  const seen: string[] = []
  for (let ask = 0; ask < 5; ask += 1) await queue.jobs.present("c-1", 30)
  await queue.jobs.present("c-2", 60)

  await queue.startWorkers(stepsWith({ present: async (caseId) => void seen.push(caseId) }))

  await vi.waitFor(() => expect(seen).toEqual(["c-1", "c-2"]), settled)
})

test("asking for a job now brings one that waits forward", async () => {
  const { queue } = await openQueue()
  const seen: string[] = []
  await queue.startWorkers(stepsWith({ present: async (caseId) => void seen.push(caseId) }))
  await queue.jobs.present("c-1", 60_000)

  await queue.jobs.present("c-1")

  await vi.waitFor(() => expect(seen).toEqual(["c-1"]), settled)
})

test("asking for a job now brings one forward that a step had put off", async () => {
  const { queue, connection, prefix } = await openQueue()
  const putOff = () => connection.commands.zcard(`${prefix}:present:delayed`)
  let runs = 0
  const present = async () => {
    runs += 1
    return runs === 1 ? { againInMs: 60_000 } : undefined
  }
  await queue.startWorkers(stepsWith({ present }))
  await queue.jobs.present("c-1")
  await vi.waitFor(async () => expect([runs, await putOff()]).toEqual([1, 1]), settled)

  await queue.jobs.present("c-1")

  await vi.waitFor(async () => expect([runs, await putOff()]).toEqual([2, 0]), settled)
})

test("asking now, while a job runs that then puts itself off, is not slept over", async () => {
  const { queue, connection, prefix } = await openQueue()
  const gate = Promise.withResolvers<void>()
  let runs = 0
  const present = async () => {
    runs += 1
    await gate.promise
    return { againInMs: 60_000 }
  }
  await queue.startWorkers(stepsWith({ present }))
  await queue.jobs.present("c-1")
  await vi.waitFor(() => expect(runs).toBe(1), settled)

  for (let ask = 0; ask < 3; ask += 1) await queue.jobs.present("c-1")
  gate.resolve()

  await vi.waitFor(() => expect(runs).toBe(2), settled)
  await after(50)
  expect([runs, await connection.commands.zcard(`${prefix}:present:delayed`)]).toEqual([2, 1])
})

test("asking for later, while a job runs that then puts itself off for less, makes nothing late", async () => {
  const { queue } = await openQueue()
  const gate = Promise.withResolvers<void>()
  let runs = 0
  const present = async () => {
    runs += 1
    await gate.promise
    return runs === 1 ? { againInMs: 30 } : undefined
  }
  await queue.startWorkers(stepsWith({ present }))
  await queue.jobs.present("c-1")
  await vi.waitFor(() => expect(runs).toBe(1), settled)

  await queue.jobs.present("c-1", 60_000)
  gate.resolve()

  await vi.waitFor(() => expect(runs).toBe(2), settled)
})

test("who asks just as a job puts itself off and is woken disturbs nobody", async () => {
  const { queue, logged } = await openQueue()
  let runs = 0
  const present = async (caseId: string) => {
    runs += 1
    await queue.jobs.present(caseId)
    return { againInMs: 60_000 }
  }
  await queue.startWorkers(stepsWith({ present }))

  for (let ask = 0; ask < 200; ask += 1) await queue.jobs.present("c-1")

  await vi.waitFor(() => expect(runs).toBeGreaterThan(10), settled)
  expect(logged).toEqual([])
})

test("asking while a job runs makes one more run, never two at once", async () => {
  const { queue } = await openQueue()
  const gate = Promise.withResolvers<void>()
  let runs = 0
  let now = 0
  let most = 0
  const present = async () => {
    runs += 1
    now += 1
    most = Math.max(most, now)
    if (runs === 1) await gate.promise
    now -= 1
  }
  await queue.startWorkers(stepsWith({ present }))
  await queue.jobs.present("c-1")
  await vi.waitFor(() => expect(runs).toBe(1), settled)

  for (let ask = 0; ask < 4; ask += 1) await queue.jobs.present("c-1")
  gate.resolve()

  await vi.waitFor(() => expect(runs).toBe(2), settled)
  await after(50)
  expect([runs, most]).toEqual([2, 1])
})

test("a step that asks for itself with a delay runs again after it", async () => {
  const { queue } = await openQueue()
  const times: number[] = []
  const resolve = async (caseId: string) => {
    times.push(performance.now())
    if (times.length === 1) await queue.jobs.resolve(caseId, 100)
  }
  await queue.startWorkers(stepsWith({ resolve }))

  await queue.jobs.resolve("c-1", 0)

  await vi.waitFor(() => expect(times).toHaveLength(2), settled)
  expect((times[1] ?? 0) - (times[0] ?? 0)).toBeGreaterThan(90)
})

test("a step that wants to run again does, when it said", async () => {
  const { queue, logged } = await openQueue()
  const times: number[] = []
  const present = async () => {
    times.push(performance.now())
    return times.length < 3 ? { againInMs: 60 } : undefined
  }
  await queue.startWorkers(stepsWith({ present }))

  await queue.jobs.present("c-1")

  await vi.waitFor(() => expect(times).toHaveLength(3), settled)
  expect((times[2] ?? 0) - (times[0] ?? 0)).toBeGreaterThan(115)
  expect(logged).toEqual([])
})

test("what may pass is tried again, with longer and longer waits, until it passes", async () => {
  const { queue, logged } = await openQueue({ random: () => 1 })
  let runs = 0
  const reconcile = async () => {
    runs += 1
    if (runs < 4) throw new PassingError("not yet")
  }
  await queue.startWorkers(stepsWith({ reconcile }))

  await queue.jobs.reconcile("c-1")

  await vi.waitFor(() => expect(runs).toBe(4), settled)
  expect(logged.map(([event, fields]) => [event, fields])).toEqual([
    ["job-delayed", expect.objectContaining({ caseId: "c-1", failures: 1, waitMs: 250 })],
    ["job-delayed", expect.objectContaining({ caseId: "c-1", failures: 2, waitMs: 500 })],
    ["job-delayed", expect.objectContaining({ caseId: "c-1", failures: 3, waitMs: 1_000 })],
  ])
})

test("a run without failure makes the next wait short again", async () => {
  const { queue, logged } = await openQueue({ random: () => 1 })
  let runs = 0
  const present = async () => {
    runs += 1
    if (runs === 1 || runs === 3) throw new PassingError("not yet")
    return runs === 2 ? { againInMs: 1 } : undefined
  }
  await queue.startWorkers(stepsWith({ present }))

  await queue.jobs.present("c-1")

  await vi.waitFor(() => expect(runs).toBe(4), settled)
  expect(logged.map(([, fields]) => fields)).toEqual([
    expect.objectContaining({ failures: 1 }),
    expect.objectContaining({ failures: 1 }),
  ])
})

test("a mistake of ours ends the job, is logged, and does not stand in the way of the next", async () => {
  const { queue, logged, connection, prefix } = await openQueue()
  let runs = 0
  const present = async () => {
    runs += 1
    if (runs === 1) throw new TypeError("a bug")
  }
  await queue.startWorkers(stepsWith({ present }))

  await queue.jobs.present("c-1")
  await vi.waitFor(() => expect(logged.map(([event]) => event)).toEqual(["job-failed"]), settled)
  await vi.waitFor(
    async () => expect(await keysLike(connection.commands, `${prefix}:present:[0-9]*`)).toEqual([]),
    settled,
  )
  await queue.jobs.present("c-1")

  await vi.waitFor(() => expect(runs).toBe(2), settled)
})

test("a job that holds nothing we know is dropped and logged", async () => {
  const { queue, logged, connection, prefix } = await openQueue()
  await queue.jobs.present("c-1", 40)
  const [key = ""] = await keysLike(connection.commands, `${prefix}:present:1`)
  await connection.commands.hset(key, "data", "{}")

  await queue.startWorkers(stepsWith())

  const dropped = ["job-failed", expect.objectContaining({ why: "bad-payload" })]
  await vi.waitFor(() => expect(logged).toEqual([dropped]), settled)
})

test("a hundred jobs that wait for the network run at once", async () => {
  const { queue } = await openQueue()
  let most = 0
  let now = 0
  const gate = Promise.withResolvers<void>()
  const present = async () => {
    now += 1
    most = Math.max(most, now)
    if (most === 100) gate.resolve()
    await gate.promise
    now -= 1
  }
  await Promise.all(Array.from({ length: 100 }, (_, index) => queue.jobs.present(`c-${index}`)))

  await queue.startWorkers(stepsWith({ present }))

  await vi.waitFor(() => expect(most).toBe(100), settled)
})

test("a case that was just settled is continued in this process; a step that wants more, or that fails, is a job", async () => {
  const { queue, connection, prefix } = await openQueue({ promptly: 1 })
  const seen: (readonly [string, boolean])[] = []
  const gate = Promise.withResolvers<{ againInMs: number }>()
  const resume: Steps["resume"] = async (caseId, known) => {
    seen.push([caseId, known !== undefined])
    return known === undefined ? undefined : gate.promise
  }
  await queue.startWorkers(stepsWith({ resume }))
  const justSettled = { current: aCase(), record: anApproval(), run: Promise.resolve(null) }

  await queue.jobs.resume("c-1", 0, justSettled)
  // This process may carry out one; the next one is a job.
  await queue.jobs.resume("c-2", 0, justSettled)
  await vi.waitFor(
    () =>
      expect(seen).toEqual([
        ["c-1", true],
        ["c-2", false],
      ]),
    settled,
  )
  gate.resolve({ againInMs: 0 })

  await vi.waitFor(() => expect(seen.at(-1)).toEqual(["c-1", false]), settled)
  await vi.waitFor(async () => expect(await connection.commands.zcard(`${prefix}:resume:delayed`)).toBe(0), settled)
})
