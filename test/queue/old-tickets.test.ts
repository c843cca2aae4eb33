// Tickets that an older Countersign wrote as jobs of BullMQ: brought over and carried out, nothing twice for ever.
import { Queue, Worker } from "bullmq"
import { expect, onTestFinished, test, vi } from "vitest"
import type { Ticket } from "../../src/flow/ports/inbound.ts"
import { bringOver, oldTicketQueue } from "../../src/queue/old-tickets.ts"
import { aSeal } from "../store/support.ts"
import { limitMs } from "../support/limits.ts"
import { aPress, type OpenQueue, openQueue, stepsWith, ticketsInto } from "./support.ts"

const settled = { timeout: limitMs, interval: 10 }
/** What an older Countersign gave each of its jobs. */
const oldOptions = {
  removeOnComplete: true,
  removeOnFail: true,
  stackTraceLimit: 0,
  attempts: 1_000_000_000,
  backoff: { type: "custom" },
} as const

/** The queue of an older replica. */
function anOldQueue({ connection, prefix }: OpenQueue): Queue<unknown> {
  const queue = new Queue<unknown>(oldTicketQueue, { connection: connection.commands, prefix })
  onTestFinished(() => queue.close())
  return queue
}

/** Writes a ticket as an older Countersign does. Its id. */
async function writeOld(open: OpenQueue, queue: Queue<unknown>, { interaction = "old", delay = 0 } = {}) {
  const id = `press-${interaction}`
  const press = aPress({ interaction })
  const text = JSON.stringify({ press, takenAt: press.at, era: 0 })
  const sealed = aSeal(open.installation).encrypt("ticket", text, id).toString("base64")
  await queue.add(oldTicketQueue, { sealed }, { ...oldOptions, jobId: id, delay })
  return id
}

/** An older replica's worker takes the job up and holds it; `die` leaves it as a killed process does. */
async function takenByOld({ connection, prefix }: OpenQueue, lockMs: number) {
  const taken = Promise.withResolvers<string | undefined>()
  const worker = new Worker<unknown>(
    oldTicketQueue,
    async ({ id }) => {
      taken.resolve(id)
      await new Promise(() => undefined)
    },
    { connection: connection.workers, prefix, lockDuration: lockMs, skipStalledCheck: true },
  )
  worker.on("error", () => undefined)
  let open = true
  const die = async () => {
    if (open) await worker.close(true)
    open = false
  }
  onTestFinished(die)
  return { id: await taken.promise, die }
}

const bring = (open: OpenQueue, queue: Queue<unknown>, clock = Date.now) =>
  bringOver({ queue, tickets: open.tickets, clock, log: silent(open), alarm: (alarm) => open.alarms.push(alarm) })

function silent({ logged }: OpenQueue) {
  const note = (event: string, fields?: unknown) => void logged.push([event, fields])
  return { debug: note, info: note, warn: note, error: note }
}

const due = async ({ tickets }: OpenQueue) =>
  (await tickets.takeDue({ held: [], limit: 100 })).map(({ id, ticket }) => [id, ticket?.interaction.name])

test("old tickets that are due, and those that come due later, are carried out by a new replica", async () => {
  const open = await openQueue({ sweepMs: 50 })
  const old = anOldQueue(open)
  const ids = [
    await writeOld(open, old, { interaction: "waiting" }),
    await writeOld(open, old, { interaction: "delayed", delay: 300 }),
  ]
  const seen: Ticket[] = []

  await open.queue.startWorkers(stepsWith({ ticket: ticketsInto(seen) }))

  await vi.waitFor(() => expect(seen.map(({ id }) => id).toSorted()).toEqual(ids.toSorted()), settled)
  expect(seen.find(({ id }) => id === ids[0])?.interaction).toEqual({
    ...aPress({ interaction: "waiting" }),
    at: expect.any(Number),
  })
  await vi.waitFor(async () => expect(await old.getJobCountByTypes("wait", "delayed", "active")).toBe(0), settled)
})

test("an old ticket that is not due is left to the replica that wrote it", async () => {
  const open = await openQueue()
  const old = anOldQueue(open)
  const id = await writeOld(open, old, { delay: 60_000 })

  await bring(open, old)
  const early = await due(open)
  await bring(open, old, () => Date.now() + 60_001)

  expect(early).toEqual([])
  expect(await due(open)).toEqual([[id, "Ann"]])
  expect(await old.getJob(id)).toBeUndefined()
})

test("an old ticket that a living worker holds is left to it, and brought over once that died", async () => {
  const open = await openQueue()
  const old = anOldQueue(open)
  const id = await writeOld(open, old)
  const worker = await takenByOld(open, 1_000)

  await bring(open, old)
  const whileHeld = await due(open)
  await worker.die()
  await vi.waitFor(async () => {
    await bring(open, old)
    expect(await old.getJob(id)).toBeUndefined()
  }, settled)

  expect(worker.id).toBe(id)
  expect(whileHeld).toEqual([])
  expect(await due(open)).toEqual([[id, "Ann"]])
})

test("a cut between ticket and job loses nothing, and the next run ends it", async () => {
  const open = await openQueue()
  const old = anOldQueue(open)
  const id = await writeOld(open, old)
  const cut = Object.assign(Object.create(old), { remove: () => Promise.reject(new Error("cut off")) })

  await bring(open, cut)
  const first = await due(open)
  const left = await old.getJob(id)
  await bring(open, old)
  await open.tickets.remove(id)
  await bring(open, old)

  expect(first).toEqual([[id, "Ann"]])
  expect(left?.id).toBe(id)
  expect(open.logged.map(([event]) => event)).toEqual(["ticket-not-brought-over"])
  expect(await open.connection.commands.exists(open.keys.tickets.sealed)).toBe(0)
})

test("a cut before the ticket was written leaves the job", async () => {
  const open = await openQueue()
  const old = anOldQueue(open)
  const id = await writeOld(open, old)
  const tickets = { adopt: () => Promise.reject(new Error("cut off")) }

  await bring({ ...open, tickets: { ...open.tickets, ...tickets } }, old)

  expect((await old.getJob(id))?.id).toBe(id)
})

test("R14 an old job that holds no ticket raises an alarm and is dropped, and the others go on", async () => {
  const open = await openQueue()
  const old = anOldQueue(open)
  await old.add(oldTicketQueue, { sealed: 1 }, { ...oldOptions, jobId: "press-forged" })
  const id = await writeOld(open, old)

  await bring(open, old)

  expect(open.alarms).toEqual([{ code: "ticket-tampered", ticket: "press-forged" }])
  expect(await due(open)).toEqual([[id, "Ann"]])
  expect(await old.getJob("press-forged")).toBeUndefined()
})
