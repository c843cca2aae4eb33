// Who takes up tickets: one process at a time, and another if that one is gone.
import { describe, expect, test, vi } from "vitest"
import type { Ticket } from "../../src/flow/ports/inbound.ts"
import { limitMs } from "../support/limits.ts"
import { anOwnRedis } from "../support/redis.ts"
import { aPress, type OpenQueue, openQueue, PassingError, stepsWith, ticketsInto } from "./support.ts"

const settled = { timeout: limitMs, interval: 5 }

/** A step that holds what it is given until it is let go. */
function aHold() {
  const seen: string[] = []
  const { promise, resolve } = Promise.withResolvers<void>()
  const step = async ({ id }: Ticket): Promise<void> => {
    seen.push(id)
    await promise
  }
  return { seen, step, letGo: resolve }
}

/** A clock of all processes that is moved by hand. */
function aSharedClock() {
  let now = Date.now()
  return { clock: () => now, pass: (ms: number) => void (now += ms) }
}

/** Lets almost a hold pass, and waits until the ticket is held on to for another one. */
async function passHolds(open: OpenQueue, id: string, { clock, pass }: ReturnType<typeof aSharedClock>) {
  for (const _ of [1, 2, 3]) {
    pass(7_000)
    const due = () => open.connection.commands.zscore(open.keys.tickets.due, id)
    await vi.waitFor(async () => expect(Number(await due())).toBe(clock() + 8_000), settled)
  }
}

test("while one process carries a ticket out no other does, however long it takes", async () => {
  const time = aSharedClock()
  const one = await openQueue({ sharedClock: time.clock })
  const other = await openQueue({ sharedClock: time.clock, installation: one.installation })
  const hold = aHold()
  const seen: Ticket[] = []
  const { id } = await one.tickets.write(aPress())
  time.pass(50)
  await one.queue.startWorkers(stepsWith({ ticket: hold.step }))
  await vi.waitFor(() => expect(hold.seen).toEqual([id]), settled)

  await other.queue.startWorkers(stepsWith({ ticket: ticketsInto(seen) }))
  await passHolds(one, id, time)
  hold.letGo()

  await vi.waitFor(async () => expect(await one.connection.commands.exists(one.keys.tickets.sealed)).toBe(0), settled)
  expect(hold.seen).toEqual([id])
  expect(seen).toEqual([])
})

test("a ticket whose process holds on to it no more is taken up by another", async () => {
  const one = await openQueue({ ticketDelayMs: 0, ticketHoldMs: 100 })
  const seen: Ticket[] = []
  const { id } = await one.tickets.write(aPress())
  const taken = await one.tickets.takeDue({ held: [], limit: 1 })

  const other = await openQueue({ installation: one.installation })
  await other.queue.startWorkers(stepsWith({ ticket: ticketsInto(seen) }))

  expect(taken.map((due) => due.id)).toEqual([id])
  await vi.waitFor(() => expect(seen.map((ticket) => ticket.id)).toEqual([id]), settled)
})

test("a step that asks for it gets its ticket once more", async () => {
  const { queue, tickets, logged } = await openQueue()
  let runs = 0
  await tickets.write(aPress())

  await queue.startWorkers(
    stepsWith({
      ticket: async () => {
        runs += 1
        return runs < 3 ? { againInMs: 20 } : undefined
      },
    }),
  )

  await vi.waitFor(() => expect(runs).toBe(3), settled)
  expect(logged).toEqual([])
})

test("a ticket waits as long again as it has been tried, half a minute at most", async () => {
  let now = Date.now()
  const clock = () => now
  const { queue, tickets, logged } = await openQueue({ clock, sharedClock: clock, ticketDelayMs: 1_000 })
  let runs = 0
  const ticket = async () => {
    runs += 1
    throw new PassingError("not yet")
  }
  await tickets.write(aPress({ at: now }))
  await queue.startWorkers(stepsWith({ ticket }))

  for (const ms of [1_000, 500, 500, 1_000, 2_000, 40_000, 30_000]) {
    const before = runs
    now += ms
    await vi.waitFor(() => expect(logged.length).toBe(before + 1), settled)
  }

  const waits = logged.map(([, fields]) => (fields as { readonly waitMs: number }).waitMs)
  expect(waits).toEqual([500, 500, 1_000, 2_000, 4_000, 30_000, 30_000])
})

describe("R16 a ticket that only another replica can carry out", () => {
  const elsewhere = Object.assign(new Error("another replica"), { code: "instance-elsewhere", retryable: true })

  /** A replica that can't carry out the one ticket there is, and tried once. */
  async function aReplicaThatCannot() {
    let now = Date.now()
    const time = aSharedClock()
    const open = await openQueue({ clock: () => now, sharedClock: time.clock })
    let runs = 0
    const { id } = await open.tickets.write(aPress({ at: now }))
    time.pass(50)
    const ticket = async () => {
      runs += 1
      throw elsewhere
    }
    await open.queue.startWorkers(stepsWith({ ticket }))
    const putOff = async () =>
      expect(Number(await open.connection.commands.zscore(open.keys.tickets.due, id))).toBe(time.clock() + 500)
    await vi.waitFor(putOff, settled)
    return { open, id, time, runs: () => runs, passOwn: (ms: number) => void (now += ms) }
  }

  test("is left to that one, whichever looks first", async () => {
    const { open, id, time, runs } = await aReplicaThatCannot()
    const seen: Ticket[] = []

    time.pass(500)
    const other = await openQueue({ installation: open.installation, sharedClock: time.clock, ticketLookMs: 50 })
    await other.queue.startWorkers(stepsWith({ ticket: ticketsInto(seen) }))

    await vi.waitFor(() => expect(seen.map((ticket) => ticket.id)).toEqual([id]), settled)
    expect(runs()).toBe(1)
  })

  test("is tried again where nobody took it", async () => {
    const { time, runs, passOwn } = await aReplicaThatCannot()

    time.pass(500)
    passOwn(520)

    await vi.waitFor(() => expect(runs()).toBe(2), settled)
  })
})

test("no more run at once than this process may", async () => {
  const { queue, tickets } = await openQueue({ concurrency: 2, ticketDelayMs: 0 })
  const hold = aHold()
  for (const interaction of ["a", "b", "c"]) await tickets.write(aPress({ interaction }))
  await queue.startWorkers(stepsWith({ ticket: hold.step }))

  await vi.waitFor(() => expect(hold.seen).toHaveLength(2), settled)
  const rest = await tickets.takeDue({ held: [], limit: 100 })
  hold.letGo()

  expect(rest.map(({ id }) => id)).toEqual(["press-c"])
})

test("closing begins nothing more, and waits for what runs", async () => {
  const time = aSharedClock()
  const open = await openQueue({ sharedClock: time.clock, closeMs: limitMs })
  const { queue, tickets, keys, connection } = open
  const hold = aHold()
  const { id } = await tickets.write(aPress())
  time.pass(50)
  await queue.startWorkers(stepsWith({ ticket: hold.step }))
  await vi.waitFor(() => expect(hold.seen).toEqual([id]), settled)

  let closed = false
  const closing = queue.close().then(() => {
    closed = true
  })
  const late = await tickets.write(aPress({ interaction: "late" }))
  await passHolds(open, id, time)
  const left = await tickets.takeDue({ held: [], limit: 100 })
  const whileItRan = closed
  hold.letGo()
  await closing

  expect(left.map((due) => due.id)).toEqual([late.id])
  expect(whileItRan).toBe(false)
  expect(hold.seen).toEqual([id])
  expect(await connection.commands.hkeys(keys.tickets.sealed)).toEqual([late.id])
})

test("what does not end in time is cut off as the process closes, and another takes it up", async () => {
  const one = await openQueue({ ticketHoldMs: 200, closeMs: 100 })
  const seen: Ticket[] = []
  const { id } = await one.tickets.write(aPress())
  const hold = aHold()
  await one.queue.startWorkers(stepsWith({ ticket: hold.step }))
  await vi.waitFor(() => expect(hold.seen).toEqual([id]), settled)

  await one.queue.close()
  const other = await openQueue({ installation: one.installation })
  await other.queue.startWorkers(stepsWith({ ticket: ticketsInto(seen) }))

  await vi.waitFor(() => expect(seen.map((ticket) => ticket.id)).toEqual([id]), settled)
  expect(one.logged.map(([event]) => event)).toContain("tickets-cut-off")
  hold.letGo()
})

test("while Redis is away looks fail one after the other, and go on once it is back", async () => {
  const server = await anOwnRedis()
  const { queue, tickets, logged } = await openQueue({ url: server.url, commandMs: 300, ticketDelayMs: 1_000 })
  const seen: Ticket[] = []
  await queue.startWorkers(stepsWith({ ticket: ticketsInto(seen) }))
  const { id } = await tickets.write(aPress())

  await server.kill()
  const failed = () => logged.filter(([event]) => event === "tickets-not-looked-for").length
  await vi.waitFor(() => expect(failed()).toBeGreaterThan(1), settled)
  await server.restart()

  await vi.waitFor(() => expect(seen.map((ticket) => ticket.id)).toEqual([id]), settled)
})
