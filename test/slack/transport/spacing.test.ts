// Messages of a channel that leave at their slots, late, or both.

import { expect, test } from "vitest"
import { createChannelLimiter } from "../../../src/slack/transport/rate-limits.ts"

/** When messages want to leave, in ms. */
type Moments = readonly (readonly [channel: string, at: number])[]

/** Says how long each of them had to wait. */
async function waits(moments: Moments, paceMs = 1_030): Promise<readonly number[]> {
  let now = 0
  const waited: number[] = []
  const waitForChannel = createChannelLimiter({
    paceMs,
    clock: () => now,
    wait: async (ms) => void waited.push(ms),
  })
  for (const [channel, at] of moments) {
    now = at
    const before = waited.length
    await waitForChannel(channel)
    if (waited.length === before) waited.push(0)
  }
  return waited
}

const spaced: readonly (readonly [what: string, moments: Moments, waited: readonly number[]])[] = [
  [
    "at their slots do not wait",
    [
      ["C1", 0],
      ["C1", 1_030],
      ["C1", 2_060],
    ],
    [0, 0, 0],
  ],
  [
    "after one that left late wait for the rest, and those behind make up for that",
    [
      ["C1", 35],
      ["C1", 1_030],
      ["C1", 2_060],
      ["C1", 3_090],
    ],
    [0, 25, 15, 5],
  ],
  [
    "for one channel do not wait for another",
    [
      ["C1", 500],
      ["C2", 500],
      ["C1", 1_030],
    ],
    [0, 0, 490],
  ],
  [
    "by a clock that is set back wait no longer than the pace",
    [
      ["C1", 9_000_000],
      ["C1", 1_000],
    ],
    [0, 1_020],
  ],
]

test.each(spaced)("messages that leave %s", async (_what, moments, waited) => {
  expect(await waits(moments)).toEqual(waited)
})

test("without a pace nobody waits", async () => {
  const atOnce: Moments = [
    ["C1", 0],
    ["C1", 0],
  ]
  expect(await waits(atOnce, 0)).toEqual([0, 0])
})
