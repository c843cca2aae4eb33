// Tickets in a real Redis: written, fired, removed, refused.
import { expect, test, vi } from "vitest"
import type { Ticket } from "../../src/flow/ports/inbound.ts"
import { limitMs } from "../support/limits.ts"
import { aPress, everythingIn, openQueue, PassingError, stepsWith, ticketsInto } from "./support.ts"

const settled = { timeout: limitMs, interval: 5 }

test("a ticket that nobody removed fires with the press as it was", async () => {
  const { queue, tickets } = await openQueue()
  const seen: Ticket[] = []
  const press = aPress()

  const ticket = await tickets.write(press)
  await queue.startWorkers(stepsWith({ ticket: ticketsInto(seen) }))

  await vi.waitFor(() => expect(seen).toEqual([ticket]), settled)
  expect(ticket.interaction).toEqual(press)
})

test("a ticket that was removed never fires", async () => {
  const { queue, tickets } = await openQueue()
  const seen: Ticket[] = []
  const first = await tickets.write(aPress({ interaction: "a" }))
  const second = await tickets.write(aPress({ interaction: "b" }))

  await tickets.remove(first.id)
  await queue.startWorkers(stepsWith({ ticket: ticketsInto(seen) }))

  await vi.waitFor(() => expect(seen).toHaveLength(1), settled)
  expect(seen[0]?.id).toBe(second.id)
})

test("R11 a press that is delivered twice has one ticket", async () => {
  const { queue, tickets } = await openQueue()
  const seen: Ticket[] = []
  const once = await tickets.write(aPress())
  const twice = await tickets.write(aPress())
  const last = await tickets.write(aPress({ interaction: "b" }))

  await queue.startWorkers(stepsWith({ ticket: ticketsInto(seen) }))

  expect(twice.id).toBe(once.id)
  // They fire at the same time, so either may come first.
  const ids = () => seen.map((ticket) => ticket.id).toSorted()
  await vi.waitFor(() => expect(ids()).toEqual([once.id, last.id].toSorted()), settled)
})

test("removing a ticket twice, or from inside its own run, is harmless", async () => {
  const { queue, tickets, logged } = await openQueue()
  const removed: string[] = []
  const ticket = await tickets.write(aPress())

  const remove = async ({ id }: Ticket) => {
    await tickets.remove(id)
    removed.push(id)
  }
  await queue.startWorkers(stepsWith({ ticket: remove }))

  await vi.waitFor(() => expect(removed).toEqual([ticket.id]), settled)
  await tickets.remove(ticket.id)
  expect(logged).toEqual([])
})

test("R15 a waiting ticket shows nothing of its press, and is gone once carried out", async () => {
  const { queue, tickets, keys, connection } = await openQueue()
  const press = aPress({ reason: "because Bob said so", values: { iban: "DE02120300000000202051" } })
  await tickets.write(press)
  const waiting = await everythingIn(connection, keys.tag)

  let ran = 0
  await queue.startWorkers(
    stepsWith({
      ticket: async () => {
        ran += 1
      },
    }),
  )

  await vi.waitFor(async () => {
    expect(ran).toBe(1)
    expect(await connection.commands.exists(keys.tickets.sealed, keys.tickets.due)).toBe(0)
  }, settled)
  for (const secret of ["Bob said so", "DE021203", "hooks.slack", "actions/secret", "channel:C1"])
    expect(waiting).not.toContain(secret)
})

test("R14 a ticket that we did not write raises an alarm and is dropped", async () => {
  const { queue, tickets, keys, connection, alarms } = await openQueue()
  const ticket = await tickets.write(aPress())
  const other = await tickets.write(aPress({ interaction: "b" }))
  const { commands } = connection
  const stolen = await commands.hgetBuffer(keys.tickets.sealed, other.id)
  await commands.hset(keys.tickets.sealed, ticket.id, stolen ?? "")

  const seen: Ticket[] = []
  await queue.startWorkers(stepsWith({ ticket: ticketsInto(seen) }))

  await vi.waitFor(() => expect(alarms).toEqual([{ code: "ticket-tampered", ticket: ticket.id }]), settled)
  await vi.waitFor(async () => expect(await commands.exists(keys.tickets.sealed, keys.tickets.due)).toBe(0), settled)
  expect(seen.map((one) => one.id)).toEqual([other.id])
})

test("a ticket whose step fails for now is tried again", async () => {
  const { queue, tickets } = await openQueue({ random: () => 1 })
  let runs = 0
  await tickets.write(aPress())

  await queue.startWorkers(
    stepsWith({
      ticket: async () => {
        runs += 1
        if (runs < 3) throw new PassingError("not yet")
      },
    }),
  )

  await vi.waitFor(() => expect(runs).toBe(3), settled)
})

test.each(["other-config", "instance-elsewhere"])(
  "R16 a ticket that failed with %s is offered again soon, however often we took it",
  async (code) => {
    const { queue, tickets, logged } = await openQueue({ random: () => 0.99 })
    const otherConfig = Object.assign(new Error("another replica"), { code, retryable: true })
    let runs = 0
    await tickets.write(aPress())

    await queue.startWorkers(
      stepsWith({
        ticket: async () => {
          runs += 1
          if (runs < 5) throw otherConfig
        },
      }),
    )

    await vi.waitFor(() => expect(runs).toBe(5), settled)
    const waits = logged.map(([, fields]) => (fields as { readonly waitMs: number }).waitMs)
    expect(waits.every((wait) => wait <= 500)).toBe(true)
  },
)

test("R15 a ticket whose step fails for good leaves no payload behind", async () => {
  const { queue, tickets, keys, connection, logged } = await openQueue()
  await tickets.write(aPress())

  await queue.startWorkers(stepsWith({ ticket: () => Promise.reject(new TypeError("a bug near hunter2")) }))

  await vi.waitFor(() => expect(logged.map(([event]) => event)).toContain("job-failed"), settled)
  await vi.waitFor(
    async () => expect(await connection.commands.exists(keys.tickets.sealed, keys.tickets.due)).toBe(0),
    settled,
  )
  expect(await everythingIn(connection, keys.tag)).not.toContain("hunter2")
})

test("R11 a late ticket that fails is carried out once, then given up", async () => {
  const { queue, tickets, keys, connection, logged } = await openQueue()
  let runs = 0
  await tickets.write(aPress({ at: Date.now() - 121_000 }))

  await queue.startWorkers(
    stepsWith({
      ticket: async () => {
        runs += 1
        throw new PassingError("Slack is down")
      },
    }),
  )

  await vi.waitFor(() => expect(logged.map(([event]) => event)).toEqual(["job-failed"]), settled)
  await vi.waitFor(
    async () => expect(await connection.commands.exists(keys.tickets.sealed, keys.tickets.due)).toBe(0),
    settled,
  )
  expect(runs).toBe(1)
})

test.for([
  { ageMs: 600_000, runsMost: 2, what: "is told after an outage" },
  { ageMs: 1_801_000, runsMost: 1, what: "is given up when nobody can be told any more" },
])("R11 a late press whose answer Slack did not take $what", async ({ ageMs, runsMost }) => {
  const { queue, tickets, keys, connection } = await openQueue({ random: () => 0.99 })
  const unanswered = Object.assign(new Error("Slack is down"), { code: "unanswered", retryable: true })
  let runs = 0
  await tickets.write(aPress({ at: Date.now() - ageMs }))

  await queue.startWorkers(
    stepsWith({
      ticket: async () => {
        runs += 1
        if (runs < 2) throw unanswered
      },
    }),
  )

  await vi.waitFor(() => expect(runs).toBe(runsMost), settled)
  await vi.waitFor(
    async () => expect(await connection.commands.exists(keys.tickets.sealed, keys.tickets.due)).toBe(0),
    settled,
  )
})

test("R11 a ticket that keeps failing is carried out once more as soon as it is late", async () => {
  const { queue, tickets, logged } = await openQueue()
  const ages: number[] = []
  const at = Date.now() - 119_000
  await tickets.write(aPress({ at }))

  await queue.startWorkers(
    stepsWith({
      ticket: async () => {
        ages.push(Date.now() - at)
        throw new PassingError("Slack is down")
      },
    }),
  )

  await vi.waitFor(() => expect(logged.at(-1)?.[0]).toBe("job-failed"), settled)
  expect(ages.at(-1)).toBeGreaterThanOrEqual(120_000)
  expect(ages.at(-1)).toBeLessThan(121_000)
  expect(ages.slice(0, -1).every((age) => age < 120_000)).toBe(true)
})

test("R11 a ticket that fails in the last millisecond before it is late is carried out once more", async () => {
  const at = Date.now()
  let now = at + 120_000
  const { queue, tickets, logged } = await openQueue({ clock: () => now })
  const ages: number[] = []
  await tickets.write(aPress({ at }))

  await queue.startWorkers(
    stepsWith({
      ticket: async () => {
        ages.push(now - at)
        now += 1
        throw new PassingError("the platform is down")
      },
    }),
  )

  await vi.waitFor(() => expect(logged.at(-1)?.[0]).toBe("job-failed"), settled)
  expect(ages).toEqual([120_000, 120_001])
})
