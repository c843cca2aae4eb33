// The meter: what it counts, under which words, and that it changes nothing about what it measures.
import { expect, test } from "vitest"
import { createLog } from "../../src/log.ts"
import { createMeter, createWords } from "../../src/measure/meter.ts"
import { noTraces } from "../../src/measure/traces.ts"
import { ChatError } from "../../src/slack/transport/errors.ts"

/** A meter on a clock that goes on by so many ms with each look. */
function aMeter(stepMs = 0) {
  let now = 1_000
  return createMeter({ traces: noTraces, clock: () => (now += stepMs) })
}

const limited = new ChatError({
  code: "rate-limited",
  method: "chat.update",
  message: "later",
  retryable: true,
  retryAfterMs: 7_000,
})

test("a call is run once, its answer passed on, and counted by what came back", async () => {
  const meter = aMeter(250)
  const call = { to: "platform", instance: "main", method: "GET /approvals/{id}" } as const

  const answer = await meter.call(
    call,
    async () => ({ status: 409 }),
    ({ status }) => String(status),
  )

  expect(answer).toEqual({ status: 409 })
  const text = await meter.metrics.registry.metrics()
  expect(text).toContain(
    'countersign_platform_calls_total{platform="main",method="GET /approvals/{id}",result="409"} 1',
  )
  expect(text).toContain('countersign_platform_call_seconds_sum{platform="main",method="GET /approvals/{id}"} 0.25')
})

test("a call that fails is counted by the error's code, and the error passed on as it is", async () => {
  const meter = aMeter()
  const run = () => Promise.reject(limited)

  await expect(meter.call({ to: "slack", method: "chat.update" }, run)).rejects.toBe(limited)

  const text = await meter.metrics.registry.metrics()
  expect(text).toContain('countersign_slack_calls_total{method="chat.update",result="rate-limited"} 1')
  expect(text).toContain('countersign_rate_limited_total{to="slack"} 1')
  expect(text).toContain('countersign_rate_limit_wait_seconds_total{to="slack"} 7')
})

test("a platform's 429 counts as one, though it does not say for how long", async () => {
  const meter = aMeter()

  await meter.call({ to: "platform", instance: "main", method: "GET /approvals" }, async () => 429, String)

  const text = await meter.metrics.registry.metrics()
  expect(text).toContain('countersign_rate_limited_total{to="platform"} 1')
  expect(text).toContain('countersign_rate_limit_wait_seconds_total{to="platform"} 0')
})

test("steps and polls are counted by how they ended", async () => {
  const meter = aMeter()
  const broken = () => Promise.reject(new TypeError("a mistake of ours"))

  await meter.step({ name: "present", caseId: "c" }, async () => undefined)
  await expect(meter.step({ name: "resolve", caseId: "c" }, broken)).rejects.toThrow(TypeError)
  await expect(meter.poll("main", () => Promise.reject(limited))).rejects.toBe(limited)
  const before = await meter.metrics.registry.metrics()
  await meter.poll("main", async () => undefined)

  const text = await meter.metrics.registry.metrics()
  expect(text).toContain('countersign_steps_total{step="present",result="ok"} 1')
  expect(text).toContain('countersign_steps_total{step="resolve",result="failed"} 1')
  expect(text).toContain('countersign_polls_total{platform="main",result="rate-limited"} 1')
  expect(before).not.toContain('countersign_poll_last_success_timestamp_seconds{platform="main"}')
  expect(text).toContain('countersign_poll_last_success_timestamp_seconds{platform="main"} 1')
})

test("an alarm is counted by its code where it is logged, also through a child of the log", async () => {
  const meter = aMeter()
  const lines: string[] = []
  const log = meter.watching(createLog({ write: (line) => void lines.push(line), clock: () => 0, secrets: [] }))

  log.error("alarm", { code: "no-rule", caseId: "c" })
  log.child({ instance: "main" }).error("alarm", { code: "no-rule" })
  log.error("something-else", { code: "no-alarm" })

  const text = await meter.metrics.registry.metrics()
  expect(text).toContain('countersign_alarms_total{code="no-rule"} 2')
  expect(text).not.toContain("no-alarm")
  expect(lines).toHaveLength(3)
})

test("labels stay bounded: an odd word, and the hundred and first, are counted as other", async () => {
  const words = createWords()

  const odd = ['"} 1\n', "x".repeat(61), "", "<img src=x>", "naïve", "a\u202Eb"].map(words)
  const plain = Array.from({ length: 150 }, (_, index) => words(`code-${index}`))

  expect(odd).toEqual(Array.from({ length: 6 }, () => "other"))
  expect(new Set(plain).size).toBe(101)
  expect(words("code-0")).toBe("code-0")
})

test("hostile words make no series of their own", async () => {
  const meter = aMeter()
  const hostile = Array.from({ length: 500 }, (_, index) => `evil-${index}"}\n`)

  for (const word of hostile) {
    meter.refused(word)
    await meter.call(
      { to: "slack", method: word },
      async () => word,
      (answer) => answer,
    )
    await meter.call(
      { to: "platform", instance: "main", method: "GET /approvals" },
      async () => word,
      (answer) => answer,
    )
  }

  const text = await meter.metrics.registry.metrics()
  expect(text).not.toContain("evil")
  expect(text).toContain('countersign_refusals_total{reason="other"} 500')
  expect(text.split("\n").length).toBeLessThan(300)
})
