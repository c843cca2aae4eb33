// A socket that Slack turns away: how soon we try again, and what the operator hears of it. Once Slack is well, nothing
// of that is left.

import { describe, expect, it, onTestFinished } from "vitest"
import type { Alarm } from "../../../src/flow/ports.ts"
import type { Sandbox } from "../../../src/sandbox.ts"
import { createBackoff, createSocket } from "../../../src/slack/transport/socket-mode.ts"
import { aClock, aSandbox } from "../../sandbox/support.ts"
import { aLog } from "../slack-module.ts"

const minute = 60_000

/** A socket to the sandbox, whose waits take no time until there were `most` of them; then the test lets it go on. */
async function aSocket(sandbox: Sandbox, most: number) {
  const clock = aClock()
  const log = aLog()
  const alarms: Alarm[] = []
  const waits: number[] = []
  let held = Promise.withResolvers<void>()
  let left = most
  const wait = async (ms: number, signal: AbortSignal) => {
    waits.push(ms)
    left -= 1
    signal.addEventListener("abort", () => held.reject(signal.reason), { once: true })
    if (left <= 0) await held.promise
  }
  const socket = createSocket({
    appToken: sandbox.tokens.app,
    apiUrl: sandbox.apiUrl,
    clock,
    random: () => 0.5,
    wait,
    countMs: 15_000,
    alarm: (alarm) => alarms.push(alarm),
    log,
  })
  held.promise.catch(() => {})
  onTestFinished(() => socket.close())
  /** From now on there are so many waits more that take no time. */
  const goOn = (more: number) => {
    left = more
    const before = held
    held = Promise.withResolvers<void>()
    held.promise.catch(() => {})
    before.resolve()
  }
  const backs = () => log.lines.filter((line) => line.event === "socket-back").length
  return { socket, clock, log, alarms, waits, goOn, backs }
}

/** How many of these waits begin within so many ms. */
function begunWithin(ms: number, waits: readonly number[]): number {
  const begins = waits.map((_, at) => waits.slice(0, at + 1).reduce((sum, wait) => sum + wait, 0))
  return begins.filter((at) => at <= ms).length
}

describe.each(["too_many_websockets", "link_disabled"] as const)("a socket that is greeted and told %s", (reason) => {
  it("is tried again ever more slowly, and the operator hears of it once", async () => {
    const sandbox = await aSandbox()
    sandbox.faults.socket(reason, Number.POSITIVE_INFINITY)
    const { socket, alarms, waits } = await aSocket(sandbox, 12)

    await socket.start()
    await expect.poll(() => waits.length).toBe(12)

    expect(waits.slice(0, 5)).toEqual([0, 375, 750, 1_500, 3_000])
    expect(Math.max(...waits)).toBeLessThanOrEqual(30_000)
    expect(begunWithin(10_000, waits)).toBeLessThanOrEqual(6)
    expect(alarms).toEqual([{ code: "slack-socket-refused", reason, hint: expect.any(String) }])
  })

  it("comes back within one wait of at most 30 s after Slack is well, and once it lived a minute is quick again", async () => {
    const sandbox = await aSandbox()
    sandbox.faults.socket(reason, Number.POSITIVE_INFINITY)
    const { socket, clock, alarms, waits, goOn, backs } = await aSocket(sandbox, 12)
    await socket.start()
    await expect.poll(() => waits.length).toBe(12)
    const before = backs()

    sandbox.faults.clear()
    goOn(9)
    await expect.poll(backs).toBe(before + 1)
    expect(waits).toHaveLength(12)
    clock.advance(minute)
    sandbox.refreshSockets()
    await expect.poll(backs).toBe(before + 2)

    expect(waits.slice(12)).toEqual([0])
    expect(alarms).toHaveLength(1)
  })

  it("is news again after a socket that lived", async () => {
    const sandbox = await aSandbox()
    sandbox.faults.socket(reason)
    const { socket, clock, alarms, backs } = await aSocket(sandbox, 9)
    await socket.start()
    await expect.poll(backs).toBe(1)
    clock.advance(minute)

    sandbox.faults.socket(reason)
    sandbox.refreshSockets()
    await expect.poll(backs).toBe(3)

    expect(alarms).toHaveLength(2)
  })
})

it("a socket that Slack renews is opened again at once, without an alarm", async () => {
  const sandbox = await aSandbox()
  const { socket, clock, log, alarms, waits, backs } = await aSocket(sandbox, 9)
  await socket.start()
  clock.advance(minute)

  sandbox.refreshSockets()
  await expect.poll(backs).toBe(1)

  expect(waits).toEqual([0])
  expect(alarms).toEqual([])
  expect(log.lines).toContainEqual({
    level: "warn",
    event: "socket-dropped",
    fields: { reason: "refresh_requested", livedMs: minute },
  })
})

it("Slack's Retry-After on apps.connections.open is kept", async () => {
  const sandbox = await aSandbox()
  const { socket, waits, backs } = await aSocket(sandbox, 9)
  await socket.start()
  sandbox.faults.web("apps.connections.open", { kind: "ratelimited", retryAfterS: 7 }, { times: 2 })

  sandbox.refreshSockets()
  await expect.poll(backs).toBe(1)

  expect(waits).toEqual([0, 7_000, 7_000])
})

it("an app-level token that is refused from now on is told by name, once, and tried again", async () => {
  const sandbox = await aSandbox()
  const { socket, alarms, backs } = await aSocket(sandbox, 9)
  await socket.start()
  sandbox.faults.web("apps.connections.open", { kind: "error", error: "token_revoked" }, { times: 3 })

  sandbox.refreshSockets()
  await expect.poll(backs).toBe(1)

  expect(alarms).toEqual([{ code: "slack-socket-refused", reason: "token_revoked", hint: expect.any(String) }])
})

it("a start that is turned away before its hello says why", async () => {
  const sandbox = await aSandbox()
  for (let count = 0; count < 10; count++) await (await aSocket(sandbox, 1)).socket.start()

  const error = await (await aSocket(sandbox, 1)).socket.start().catch((thrown: unknown) => thrown)

  expect(error).toMatchObject({ name: "ChatError", code: "unreachable", retryable: true })
  expect(String(error)).toContain("the connection closed before Slack said hello: too_many_websockets")
})

it("waits differ by chance, by half at most, and stay below 30 s however often there were some", () => {
  const [least, most] = [createBackoff(() => 0), createBackoff(() => 1)]
  const waits = (backoff: typeof least) => Array.from({ length: 2_000 }, () => backoff.next())

  expect(waits(least).slice(0, 9)).toEqual([0, 250, 500, 1_000, 2_000, 4_000, 8_000, 15_000, 15_000])
  expect(waits(most).at(-1)).toBe(30_000)
})
