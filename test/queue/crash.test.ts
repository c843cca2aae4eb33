// Processes that are killed, and a Redis that goes away: nothing is lost.
import { spawn } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import { expect, test, vi } from "vitest"
import type { Ticket } from "../../src/flow/ports/inbound.ts"
import { limitMs } from "../support/limits.ts"
import { anOwnRedis, testRedisUrl } from "../support/redis.ts"
import { aPress, openQueue, stepsWith, ticketsInto } from "./support.ts"

const settled = { timeout: limitMs, interval: 10 }
const program = fileURLToPath(new URL("holder.ts", import.meta.url))

/** Starts the holder, waits until it holds its ticket, kills it. */
async function killHolder(installation: string, mode: string): Promise<void> {
  const child = spawn(process.execPath, [program, testRedisUrl(), installation, mode], {
    stdio: ["ignore", "pipe", "ignore"],
  })
  await once(child.stdout, "data")
  const ended = once(child, "exit")
  child.kill("SIGKILL")
  await ended
}

test.each(["hold", "carry"])("a ticket of a process that is killed (%s) fires in another", async (mode) => {
  const { queue, installation } = await openQueue()
  const seen: Ticket[] = []
  await killHolder(installation, mode)

  await queue.startWorkers(stepsWith({ ticket: ticketsInto(seen) }))

  await vi.waitFor(() => expect(seen.map((ticket) => ticket.interaction.name)).toEqual(["Ann"]), settled)
})

test("tickets and jobs outlive a restart of Redis, and workers go on", async () => {
  const server = await anOwnRedis()
  const { queue, tickets } = await openQueue({ url: server.url, ticketDelayMs: 500 })
  const seen: Ticket[] = []
  const presented: string[] = []
  const present = async (caseId: string) => void presented.push(caseId)
  await queue.startWorkers(stepsWith({ ticket: ticketsInto(seen), present }))
  await tickets.write(aPress())
  await queue.jobs.present("c-1", 500)

  await server.restart()

  await vi.waitFor(() => expect([seen.length, presented.length]).toEqual([1, 1]), settled)
  await queue.jobs.present("c-2")
  await vi.waitFor(() => expect(presented).toEqual(["c-1", "c-2"]), settled)
})

test("while Redis is away a ticket is refused in time for the ack", async () => {
  const server = await anOwnRedis()
  const { tickets } = await openQueue({ url: server.url, commandMs: 200 })
  await server.kill()

  const refused = tickets.write(aPress())

  await expect(refused).rejects.toMatchObject({ name: "StoreError", code: "redis-timeout", retryable: true })
})

test("starting the workers while Redis is away fails with one error", async () => {
  const server = await anOwnRedis()
  const { queue } = await openQueue({ url: server.url, commandMs: 200 })
  await server.kill()

  const started = queue.startWorkers(stepsWith())

  await expect(started).rejects.toMatchObject({ name: "QueueError", code: "queue-unreachable", retryable: true })
})

test("closing while Redis is away ends", async () => {
  const server = await anOwnRedis()
  const { queue, connection } = await openQueue({ url: server.url, closeMs: 500 })
  await queue.startWorkers(stepsWith())
  await server.kill()
  await vi.waitFor(() => expect(connection.ready()).toBe(false), settled)

  await expect(queue.close()).resolves.toBeUndefined()
})
