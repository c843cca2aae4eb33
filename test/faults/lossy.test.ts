// Seeds without an attacker, in which processes die, and Redis restarts or loses its last second: nothing freezes, and
// no press is lost. `npm run faults -- --lossy` plays more.
import { afterAll, expect, test } from "vitest"
import { lossyScheduleOf } from "./draw.ts"
import type { Ended } from "./drive.ts"
import { openLanes } from "./lanes.ts"
import { timelineText } from "./timeline.ts"

/** Those of the first twenty in which most strikes. */
const seeds = [2, 5, 7, 9, 14, 16, 19, 20]
/** A seed that takes longer has hung, in ms of real time. */
const hangMs = 120_000
const lanes = await openLanes({ count: 3, hangMs })
afterAll(() => lanes.close())

test("R17 no case is frozen and no press is lost where processes are killed and Redis restarts or loses a second", async () => {
  const ended: Ended[] = []
  const plays = seeds.map((seed) => ({ kind: "play", schedule: lossyScheduleOf(seed), plant: null, hangMs }) as const)

  await lanes.run(plays, (end) => ended.push(end) > 0)

  expect(ended).toHaveLength(seeds.length)
  const found = ended.filter(({ violations }) => violations.length > 0)
  const words = found.map(({ seed, violations, timeline }) => {
    return `seed ${seed}: ${violations.join("\n")}\n${timelineText(timeline)}`
  })
  // A comparison would show a part of a timeline only.
  if (words.length > 0) expect.fail(words.join("\n"))
  const struck = new Set(ended.flatMap((end) => end.struck.map(({ fault }) => fault)))
  expect([...struck].toSorted()).toEqual(["kill", "redis restart", "redis restored"])
}, 600_000)
