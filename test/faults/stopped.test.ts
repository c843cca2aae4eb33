// Stops at the worst moments, on real processes: between what people decided and what leaves. `npm run faults` draws
// more.
import { afterAll, expect, test } from "vitest"
import type { Ended } from "./drive.ts"
import { openLanes } from "./lanes.ts"
import type { Schedule } from "./schedule.ts"
import type { Stopping } from "./stops.ts"
import { plainTerms } from "./terms.ts"
import { timelineText } from "./timeline.ts"

/** A seed that takes longer has hung, in ms of real time. */
const hangMs = 180_000
const lanes = await openLanes({ count: 2, hangMs })
afterAll(() => lanes.close())

const base = { mode: "socket", history: true, quorum: 1, routes: 1, terms: { ...plainTerms, finish: true } } as const

/** Alice approves, and the stop comes as the verdict is about to leave. In the end people press again. */
function schedule(seed: number, skewsMs: readonly number[], stop: Pick<Stopping, "ms" | "until" | "kills">): Schedule {
  const strike = { kind: "stop", story: null, ...stop } as const
  const when = { kind: "label", label: "platform.resolve:before", nth: 1 } as const
  const approve = { kind: "press", person: "alice", verb: "approve", route: 0 } as const
  const wait = (ms: number) => ({ kind: "wait", ms }) as const
  const story = [wait(3_000), approve, wait(10_000)]
  return { ...base, seed, skewsMs, stories: [story], faults: [{ when, strike }] }
}

test("R21 a process that dies between decision and POST leaves nothing that is sent after a stop, however short it was", async () => {
  const schedules = [
    schedule(1, [0, 150], { ms: 600, until: false, kills: true }),
    schedule(2, [0], { ms: 400, until: false, kills: true }),
    schedule(3, [0, 0], { ms: 20_000, until: true, kills: true }),
  ]
  const ended: Ended[] = []

  await lanes.run(
    schedules.map((one) => ({ kind: "play", schedule: one, plant: null, hangMs })),
    (end) => ended.push(end) > 0,
  )

  const words = ended
    .filter(({ violations }) => violations.length > 0)
    .map(({ seed, violations, timeline }) => `seed ${seed}: ${violations.join("\n")}\n${timelineText(timeline)}`)
  if (words.length > 0) expect.fail(words.join("\n"))
  expect(ended.map(({ struck }) => struck.map(({ fault }) => fault))).toEqual(schedules.map(() => ["stop"]))
  // The verdict ended, and people pressed again.
  for (const { told } of ended) expect(told).toMatchObject({ stopped: 1, "stop-ended": 1, reopened: 1, resolved: 1 })
}, 400_000)
