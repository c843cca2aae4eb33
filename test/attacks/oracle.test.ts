// The oracle of the random attacker reports each thing that people's last acts do not explain, and nothing else.
import { expect, test } from "vitest"
import { honestOf, scheduleOf } from "./draw.ts"
import { createOracle, type Oracle, type Rules } from "./oracle.ts"
import { setUps, strokeKinds } from "./schedule.ts"

const both = { people: ["alice", "bob"], address: true, quorum: 2 }
const wrong = "approve is sent, and people's last acts do not make that"

/** An oracle with one approval, for which two have to agree. */
function anOracle(rules: Rules = both): Oracle {
  const oracle = createOracle({ rules, holder: "rita", at: 0 })
  oracle.asked("a", "v1", 1_000)
  oracle.shown("a", 1_500, 60_000)
  return oracle
}

/** Somebody approves, and that is carried out at once. */
function approves(oracle: Oracle, person: string, at: number, shown = "v1"): void {
  oracle.pressed("a", { person, verb: "approve", shown }, at)(at + 100)
}

test("two approvers on what the platform holds are enough, whoever has the address is one, and one of them is not", () => {
  const oracle = anOracle()
  approves(oracle, "alice", 2_000)
  expect(oracle.sent("a", "approve", 2_200)).toBe(wrong)
  approves(oracle, "mallory", 2_300)
  expect(oracle.sent("a", "approve", 2_500)).toBe(wrong)
  expect(oracle.continued("a", 2_600)).toContain("is continued")

  approves(oracle, "rita", 3_000)

  expect(oracle.sent("a", "approve", 3_200)).toBeNull()
  expect(oracle.continued("a", 3_300)).toBeNull()
})

test("one person makes as many approvals alone as the limit lets through, and what ended is none of them", () => {
  const oracle = anOracle({ ...both, quorum: 1, alone: 1 })
  oracle.asked("b", "v1", 1_000)
  oracle.asked("c", "v1", 1_000)
  const pressed = (id: string, person: string, at: number) =>
    oracle.pressed(id, { person, verb: "approve", shown: "v1" }, at)(at + 100)
  approves(oracle, "alice", 2_000)
  expect(oracle.sent("a", "approve", 2_200)).toBeNull()
  pressed("b", "alice", 2_300)
  pressed("b", "bob", 2_400)
  expect(oracle.sent("b", "approve", 2_600)).toBeNull()
  pressed("c", "alice", 2_700)
  expect(oracle.sent("c", "approve", 2_900)).toBe("approve is sent, and one person made more than 1 alone")

  oracle.ended("a", 3_000)

  expect(oracle.sent("c", "approve", 3_100)).toBeNull()
})

test("R21 nothing is approved or let run more than a moment after a stop, unless it is ended, or nobody had read it", () => {
  const oracle = anOracle({ ...both, quorum: 1 })
  approves(oracle, "alice", 2_000)
  const ended = oracle.stopped((id) => id === "a", 3_000)
  expect(oracle.sent("a", "approve", 4_500)).toBeNull()
  expect(oracle.sent("a", "approve", 5_000)).toBe("approve is sent, and a stop covers it")
  expect(oracle.continued("a", 5_000)).toBe("its run is continued, and a stop covers it")
  oracle.struck(6_000)
  expect(oracle.sent("a", "approve", 6_000)).not.toBeNull()

  ended(7_000)

  expect(oracle.sent("a", "approve", 7_100)).toBeNull()
  oracle.stopped(() => true, 8_000)
  oracle.struck(9_000)
  expect(oracle.sent("a", "approve", 10_000)).toBeNull()
})

test("a vote that was taken back counts no more, not even when the other one came before", () => {
  const oracle = anOracle()
  approves(oracle, "alice", 2_000)
  oracle.withdrawn("a", "alice", { asked: 2_500, told: 2_600 })
  approves(oracle, "bob", 3_000)
  expect(oracle.sent("a", "approve", 3_200)).toBe(wrong)

  approves(oracle, "alice", 4_000)

  expect(oracle.sent("a", "approve", 4_200)).toBeNull()
})

test("what was taken back a moment before Redis was brought back may count for a while; what is older than that may not", () => {
  for (const [told, sent, expected] of [
    [9_900, 11_000, null],
    [9_900, 20_000, wrong],
    [8_000, 11_000, wrong],
  ] as const) {
    const oracle = anOracle()
    approves(oracle, "alice", 2_000)
    oracle.withdrawn("a", "alice", { asked: told - 100, told })
    oracle.splitting(10_000)
    approves(oracle, "bob", 10_200)

    expect(oracle.sent("a", "approve", sent)).toBe(expected)
  }
})

test("content that changes between the bot's read and its POST is nobody's fault; content that it read later is", () => {
  for (const [readAt, expected] of [
    [2_400, null],
    [3_100, wrong],
  ] as const) {
    const oracle = anOracle({ ...both, quorum: 1 })
    approves(oracle, "alice", 2_000)
    oracle.read("a", readAt)
    oracle.changed("a", "v2", 3_000)
    // Another replica's read says nothing of what this one knew.
    oracle.read("a", 3_400)

    expect(oracle.sent("a", "approve", 4_500)).toBe(expected)
    expect(oracle.sent("a", "approve", 6_000)).toBe(wrong)
  }
})

test("a press that nobody answered before the vote was taken back may still be carried out", () => {
  const oracle = anOracle()
  approves(oracle, "alice", 2_000)
  oracle.pressed("a", { person: "alice", verb: "approve", shown: "v1" }, 2_100)
  oracle.withdrawn("a", "alice", { asked: 2_500, told: 2_600 })
  approves(oracle, "bob", 3_000)

  expect(oracle.sent("a", "approve", 3_200)).toBeNull()
})

test("who rejects after they approved is for it no more, and one rejection is enough", () => {
  const oracle = anOracle()
  approves(oracle, "alice", 2_000)
  oracle.pressed("a", { person: "alice", verb: "reject", shown: "v1" }, 3_000)(3_100)
  approves(oracle, "bob", 3_500)

  expect(oracle.sent("a", "approve", 3_600)).toBe(wrong)
  expect(oracle.sent("a", "reject", 3_600)).toBeNull()
})

test("votes of a verdict that ended are void, and those on other content", () => {
  const oracle = anOracle({ ...both, quorum: 1 })
  approves(oracle, "alice", 2_000)
  oracle.ended("a", 2_500)
  expect(oracle.sent("a", "approve", 2_600)).toBe(wrong)
  approves(oracle, "alice", 3_000)
  oracle.changed("a", "v2", 3_500)
  expect(oracle.sent("a", "approve", 5_000)).toBe(wrong)

  approves(oracle, "alice", 5_500, "v2")

  expect(oracle.sent("a", "approve", 5_700)).toBeNull()
})

test("who is taken off the list, or loses the address, counts until that is certain", () => {
  const oracle = anOracle({ ...both, quorum: 1 })
  approves(oracle, "alice", 2_000)
  const active = oracle.activating({ people: ["bob"], address: true, quorum: 1 }, 3_000)
  expect(oracle.sent("a", "approve", 3_500)).toBeNull()
  active(4_000)
  expect(oracle.sent("a", "approve", 8_000)).toBe(wrong)
  approves(oracle, "rita", 9_000)
  oracle.linking("mallory", 9_500)(9_600)
  expect(oracle.sent("a", "approve", 14_000)).toBe(wrong)

  approves(oracle, "mallory", 15_000)

  expect(oracle.sent("a", "approve", 15_200)).toBeNull()
})

test("nothing is decided when its time is over", () => {
  const oracle = anOracle({ ...both, quorum: 1 })
  approves(oracle, "alice", 64_000)

  expect(oracle.sent("a", "approve", 64_200)).toBe("approve is sent, and its time was over")
})

test("where Redis is believed, what was taken away before counts again, and a vote that was taken back does not", () => {
  const oracle = anOracle({ ...both, quorum: 1 })
  oracle.activating({ people: ["bob"], address: true, quorum: 1 }, 2_000)(2_500)
  approves(oracle, "bob", 3_000)
  oracle.withdrawn("a", "bob", { asked: 3_500, told: 3_600 })
  oracle.believing(["rita", "mallory"], 70_000)
  expect(oracle.sent("a", "approve", 70_100)).toBe(wrong)

  approves(oracle, "alice", 71_000)

  expect(oracle.sent("a", "approve", 71_200)).toBeNull()
})

test("a seed draws the same schedule each time; a thousand draw every stroke in every set-up, and their honest twins none", () => {
  expect(scheduleOf(7)).toEqual(scheduleOf(7))
  const all = Array.from({ length: 1_000 }, (_, seed) => scheduleOf(seed))
  const strokesIn = (schedules: typeof all) =>
    schedules.flatMap(({ acts }) => acts.flatMap((act) => ("strokes" in act ? act.strokes : [])))

  for (const setUp of setUps) {
    const kinds = strokesIn(all.filter((one) => one.setUp === setUp)).map(({ kind }) => kind)
    expect(new Set(kinds)).toEqual(new Set(strokeKinds))
  }
  expect(strokesIn(all.map(honestOf))).toEqual([])
})
