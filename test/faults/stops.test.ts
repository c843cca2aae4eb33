// What the checker finds of stops (R21), and in which seeds there are some.
import { expect, test } from "vitest"
import { scheduleOf } from "./draw.ts"
import type { Grant, Look, SeenCase } from "./look.ts"
import { isAttacked } from "./schedule.ts"
import { stopsBreaches } from "./stop-breaches.ts"
import type { Spell } from "./stops.ts"

const asked = { number: 0, tool: "task_0", id: "a-1", requester: null, targets: [], elsewhere: false }
const spell: Spell = { id: "s", match: { tool: ["task_0"] }, from: 10_000, to: 20_000 }
const config = (number: number, kind: string) => told(number, "config", { kind, stop: "s", match: spell.match })
const [begun, over] = [config(3, "stopped"), config(7, "stop-ended")]

function told(number: number, chain: string, event: Readonly<{ kind: string } & Record<string, unknown>>) {
  return { number, chain, kind: event.kind, event: { ...event } }
}

function decided(number: number) {
  return told(number, "case:c-1", { kind: "decided", verb: "approve", decision: "d" })
}

function found(grants: readonly Grant[], entries = [decided(2), begun, over], stops = [spell]): readonly string[] {
  const one = { asked, caseId: "c-1", grants, entries: entries.filter(({ chain }) => chain === "case:c-1") }
  return stopsBreaches({ cases: [one as unknown as SeenCase], entries, stops } as unknown as Look)
}

const resolved = (at: number): Grant => ({ at, what: "resolve", decision: "d" })
const continued = (at: number): Grant => ({ at, what: "continue", decision: null })

test("R21 the checker finds what comes to the platform too late after a stop, and what was decided before it after its end", () => {
  expect(found([resolved(9_000), resolved(11_500), continued(11_500), continued(21_000)])).toEqual([])

  expect(found([resolved(12_000)])).toEqual(["task_0: a resolve came 2000 ms after the stop s, decided before it"])
  expect(found([resolved(25_000)])).toHaveLength(1)
  expect(found([continued(19_000)])).toHaveLength(1)
})

test("R21 what was decided after the end may come, and so may what another stop is about", () => {
  expect(found([resolved(25_000)], [begun, over, decided(8)])).toEqual([])
  const other = { ...spell, match: { tool: ["task_1"] } }
  const about = [decided(2), { ...begun, event: { ...begun.event, match: other.match } }]
  expect(found([resolved(12_000)], about, [other])).toEqual([])
})

test("R21 the checker finds what the ledger grants under a stop, but a stop that Redis lost binds nobody", () => {
  expect(found([], [begun, decided(4), over])).toEqual(["entry 2: decided under stop s"])
  expect(found([resolved(12_000)], [decided(2)])).toEqual([])

  const restored = told(1, "config", { kind: "orders-restored", stops: ["s"] })
  expect(found([], [restored, decided(2)])).toEqual(["entry 2: decided under stop s"])
})

test("many seeds have stops, at every step from the judgement to what leaves, and none of them changes anything else", () => {
  const schedules = Array.from({ length: 1_000 }, (_, seed) => scheduleOf(seed))

  const stopped = schedules.filter(({ faults }) => faults.some(({ strike }) => strike.kind === "stop"))

  expect(stopped.length).toBeGreaterThan(300)
  expect(stopped.filter(isAttacked)).toEqual([])
  const strikes = stopped.flatMap(({ faults }) => faults.filter(({ strike }) => strike.kind === "stop"))
  const labels = strikes.flatMap(({ when }) => (when.kind === "label" ? [when.label.split(":")[0]] : []))
  expect(new Set(labels).size).toBe(5)
  expect(strikes.some(({ strike }) => strike.kind === "stop" && strike.kills)).toBe(true)
})
