// Presses at a steady rate, what becomes of their times, and how growth is told.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { setTimeout as wait } from "node:timers/promises"
import { expect, test } from "vitest"
import { exponentOf, growthOf } from "../../bench/load/exponent.ts"
import { createTimes, sendSteadily } from "../../bench/load/open-loop.ts"
import { pressSteadily } from "../../bench/load/presses.ts"
import { isKept, passesAt, searchUpwards } from "../../bench/load/search.ts"
import type { PostedCard } from "../../bench/parts/clicks.ts"
import type { Latency } from "../../bench/parts/figure.ts"
import { startWorld, type World } from "../../bench/parts/world.ts"
import { onLoopback } from "../support/on-loopback.ts"
import { opened } from "../support/opened.ts"

/** Plays a replica whose acks take so long; then it says "Deciding" on the card, and how it ended by either way. */
async function aSlowReplica(world: World, ackMs: number) {
  const heardAt: number[] = []
  const tell = (url: string, body: string | URLSearchParams) => fetch(url, { method: "POST", body })
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const byUpdate = heardAt.push(performance.now()) % 2 === 0
    let body = ""
    for await (const chunk of request.setEncoding("utf8")) body += String(chunk)
    await wait(ackMs)
    response.end()
    const { response_url, container } = JSON.parse(new URLSearchParams(body).get("payload") ?? "{}")
    await tell(response_url, JSON.stringify({ text: "Deciding: x", replace_original: true }))
    const [ts, text] = [container.message_ts, "✓ Approved by x"]
    if (byUpdate) await tell(`${world.url}/api/chat.update`, new URLSearchParams({ ts, text }))
    else await tell(response_url, JSON.stringify({ text, replace_original: true }))
  }
  const server = createServer((request, response) => void answer(request, response))
  return { url: (await opened(onLoopback(server))).url, heardAt }
}

function someCards(count: number): readonly PostedCard[] {
  return Array.from({ length: count }, (_, at) => ({ channel: "C0BENCH", ts: `1.${at}`, value: `${at}` }))
}

/** A clock that only waiting moves, late by `lateMs` each time. */
function aLateClock(lateMs: number) {
  const clock = { at: 0 }
  return { clock, now: () => clock.at, wait: async (ms: number) => void (clock.at += ms + lateMs) }
}

function aLatency(rate: number, p99: number, unanswered = 0): Latency {
  const times = { p50: 1, p99, p999: p99 }
  return { kind: "latency", rate, seconds: 10, unanswered, ack: times, card: times }
}

test("an open loop sends each when it is due, although no answer ever comes", async () => {
  const { now, wait, clock } = aLateClock(0)
  const sent: (readonly [number, number, number])[] = []

  await sendSteadily({ rate: 50, count: 4, now, wait, send: (at, due) => sent.push([at, due, clock.at]) })

  expect(sent).toEqual([
    [0, 0, 0],
    [1, 20, 20],
    [2, 40, 40],
    [3, 60, 60],
  ])
})

test("an open loop that comes late sends at once all that is due, each counted from when it was due", async () => {
  const { now, wait, clock } = aLateClock(45)
  const sent: (readonly [number, number])[] = []

  await sendSteadily({ rate: 50, count: 5, now, wait, send: (_, due) => sent.push([due, clock.at]) })

  expect(sent).toEqual([
    [0, 0],
    [20, 65],
    [40, 65],
    [60, 65],
    [80, 125],
  ])
})

test("the times of a known sequence have its quantiles, to three digits", () => {
  const times = createTimes()

  for (let ms = 1; ms <= 1_000; ms += 1) times.record(ms)

  const { p50, p99, p999 } = times.quantiles()
  expect(p50 / 500).toBeCloseTo(1, 2)
  expect(p99 / 990).toBeCloseTo(1, 2)
  expect(p999 / 999).toBeCloseTo(1, 2)
})

test("a time below a microsecond counts as one", () => {
  const times = createTimes()

  times.record(0)

  expect(times.quantiles()).toEqual({ p50: 0.001, p99: 0.001, p999: 0.001 })
})

test("presses keep their rate although acks are slow, and end when their cards say how it ended", async () => {
  const world = await opened(startWorld())
  const ackMs = 400
  const { url, heardAt } = await aSlowReplica(world, ackMs)
  const presses = { rate: 50, seconds: 0.2, cards: someCards(10), replicas: [url], graceMs: 10_000 }

  const latency = await pressSteadily(world, presses)

  const spread = Math.max(...heardAt) - Math.min(...heardAt)
  expect(heardAt).toHaveLength(10)
  expect(spread).toBeLessThan(ackMs)
  expect(latency).toMatchObject({ kind: "latency", rate: 50, seconds: 0.2, unanswered: 0 })
  // A timer may be a ms early.
  expect(latency.ack.p50).toBeGreaterThan(ackMs - 2)
  expect(latency.card.p50).toBeGreaterThan(latency.ack.p50)
})

test("presses that nobody takes are sent all the same, and count with the time until the end", async () => {
  const world = await startWorld()
  await world.close()
  const presses = { rate: 100, seconds: 0.05, cards: someCards(5), replicas: [world.url], graceMs: 30 }

  const latency = await pressSteadily(world, presses)

  expect(latency).toMatchObject({ rate: 100, unanswered: 5 })
  expect(latency.ack.p50).toBeGreaterThanOrEqual(30)
  expect(latency.card.p50).toBeGreaterThanOrEqual(30)
})

test("a rate is kept if every press was answered, and the card's p99 is at most a second", () => {
  expect(isKept(aLatency(10, 1_000))).toBe(true)
  expect(isKept(aLatency(10, 1_001))).toBe(false)
  expect(isKept(aLatency(10, 20, 1))).toBe(false)
})

test("the card's p99 passes a second between the last rate that was kept and the first that was not", () => {
  const measured = [aLatency(10, 200), aLatency(50, 1_200), aLatency(20, 300), aLatency(100, 900)]

  expect(passesAt(measured)).toEqual({ kept: 20, passed: 50 })
  expect(passesAt([aLatency(10, 200)])).toEqual({ kept: 10, passed: null })
  expect(passesAt([aLatency(10, 2_000)])).toEqual({ kept: 0, passed: 10 })
})

test("a search goes up in short steps from the last rate that was kept, and ends at the first that is not", async () => {
  const press = async (rate: number) => aLatency(rate, rate <= 150 ? 500 : 1_500)

  const steps = await searchUpwards([aLatency(100, 500)], press)

  expect(steps.map(({ rate }) => rate)).toEqual([120, 144, 173])
  expect(passesAt(steps)).toEqual({ kept: 144, passed: 173 })
})

test("a search below a rate that failed does not try it again", async () => {
  const press = async (rate: number) => aLatency(rate, 500)

  const steps = await searchUpwards([aLatency(50, 500), aLatency(70, 3_000)], press)

  expect(steps.map(({ rate }) => rate)).toEqual([60])
})

test.each([
  { what: "constant", time: () => 5, exponent: 0 },
  { what: "linear", time: (pending: number) => 3 * pending, exponent: 1 },
  { what: "quadratic", time: (pending: number) => pending ** 2, exponent: 2 },
])("a $what time has the exponent $exponent", ({ time, exponent }) => {
  expect(exponentOf([100, 1_000, 10_000].map((pending) => [pending, time(pending)]))).toBeCloseTo(exponent)
})

test("growth that a bound ends is seen, since all sizes count", () => {
  const sizes = [100, 1_000, 10_000, 100_000]
  const points = sizes.map((pending) => ({ pending, ms: Math.min(pending, 500), answer: 40 }))

  expect(growthOf({ kind: "curve", scenario: "20c", what: "a list", points }).excess).toBeGreaterThan(0.1)
})

test("growth that a fixed cost hides is seen at the three largest sizes, less what the answer grows", () => {
  const points = [100, 1_000, 10_000, 100_000].map((pending) => ({
    pending,
    // A fixed cost hides at the smallest what happens at the others.
    ms: pending === 100 ? 900 : pending / 2,
    answer: pending === 100 ? 1 : Math.sqrt(pending),
  }))

  const growth = growthOf({ kind: "curve", scenario: "20", what: "a poll", points })

  expect(growth.ms).toBeCloseTo(1)
  expect(growth.answer).toBeCloseTo(0.5)
  expect(growth.excess).toBeCloseTo(0.5)
})
