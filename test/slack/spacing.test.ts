// Messages of a channel that leave at their slots, late, or both.
import { expect, test } from "vitest"
import { createSpacing } from "../../src/slack/spacing.ts"

/** Says how long each message had to wait that wanted to leave for a channel at these moments. */
async function waits(moments: readonly (readonly [string, number])[], paceMs = 1_030): Promise<readonly number[]> {
  let now = 0
  const waited: number[] = []
  const spaced = createSpacing({
    paceMs,
    clock: () => now,
    wait: async (ms) => void waited.push(ms),
  })
  for (const [channel, at] of moments) {
    now = at
    const before = waited.length
    await spaced(channel)
    if (waited.length === before) waited.push(0)
  }
  return waited
}

test("messages that leave at their slots do not wait", async () => {
  expect(
    await waits([
      ["C1", 0],
      ["C1", 1_030],
      ["C1", 2_060],
    ]),
  ).toEqual([0, 0, 0])
})

test("after one that left late the next waits for the rest, and those behind it make up for that", async () => {
  const late = await waits([
    ["C1", 35],
    ["C1", 1_030],
    ["C1", 2_060],
    ["C1", 3_090],
  ])
  expect(late).toEqual([0, 25, 15, 5])
})

test("no channel waits for another", async () => {
  expect(
    await waits([
      ["C1", 500],
      ["C2", 500],
      ["C1", 1_030],
    ]),
  ).toEqual([0, 0, 490])
})

test("a clock that is set back has nobody wait longer than the pace", async () => {
  expect(
    await waits([
      ["C1", 9_000_000],
      ["C1", 1_000],
    ]),
  ).toEqual([0, 1_020])
})

test("without a pace nobody waits", async () => {
  expect(
    await waits(
      [
        ["C1", 0],
        ["C1", 0],
      ],
      0,
    ),
  ).toEqual([0, 0])
})
