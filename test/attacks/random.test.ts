// Some seeds of the random attacker: the bot approves, sends and continues only what people's last honest acts allow.
// `npm run attacks` plays more.
import { afterAll, expect, test } from "vitest"
import { openLanes } from "./lanes.ts"
import type { Ended } from "./play.ts"

const seeds = 12
const lanes = await openLanes(3)
afterAll(() => lanes.close())

test("R14 no attacker on Redis gets an approval that people's last acts do not make, and people get theirs", async () => {
  const ended: Ended[] = []
  const plays = Array.from(
    { length: seeds },
    (_, at) => ({ kind: "play", seed: 1 + at, plant: null, honest: false }) as const,
  )

  await lanes.run(plays, (end) => ended.push(end) > 0)

  expect(ended).toHaveLength(seeds)
  const found = ended.flatMap(({ seed, violations, timeline }) =>
    violations.map((one) => `seed ${seed}: ${one}\n${timeline}`),
  )
  // A comparison would show a part of a timeline only.
  if (found.length > 0) expect.fail(found.join("\n"))
  expect(ended.reduce((sum, { approved }) => sum + approved, 0)).toBeGreaterThan(0)
})
