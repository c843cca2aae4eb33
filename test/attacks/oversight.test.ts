// The random attacker's oracle knows who stands in and who breaks the glass, and some seeds have that, and other rules.
import { expect, test } from "vitest"
import { scheduleOf } from "./draw.ts"
import { createOracle, type Oracle } from "./oracle.ts"

const rules = { people: ["alice", "bob"], address: false, quorum: 2, standIns: ["rita"], breakers: ["rita"] }
const wrong = "approve is sent, and people's last acts do not make that"

function anOracle(): Oracle {
  const oracle = createOracle({ rules, holder: "nobody", at: 0 })
  oracle.asked("a", "v1", 1_000)
  return oracle
}

function approves(oracle: Oracle, person: string, at: number, glass = false): void {
  oracle.pressed("a", { person, verb: "approve", shown: "v1", glass }, at)(at + 100)
}

test("R1 R5 a stand-in's vote counts while the other is away, and not once they are back or the time is over", () => {
  const oracle = anOracle()
  const back = oracle.away({ person: "alice", standIn: "rita" }, 2_000, 20_000)
  approves(oracle, "rita", 3_000)
  expect(oracle.sent("a", "approve", 3_200)).toBe(wrong)
  back(8_000)
  approves(oracle, "bob", 15_000)
  expect(oracle.sent("a", "approve", 15_200)).toBe(wrong)

  oracle.away({ person: "alice", standIn: "rita" }, 20_000, 5_000)

  expect(oracle.sent("a", "approve", 21_000)).toBeNull()
  expect(oracle.sent("a", "approve", 30_000)).toBe(wrong)
})

test("R1 the votes of somebody and of whoever stands in for them are one, and a stand-in for an approver's own list is none", () => {
  const oracle = anOracle()
  oracle.away({ person: "alice", standIn: "rita" }, 2_000, 20_000)
  oracle.away({ person: "mallory", standIn: "rita" }, 2_000, 20_000)
  approves(oracle, "rita", 3_000)
  approves(oracle, "alice", 4_000)
  expect(oracle.sent("a", "approve", 4_200)).toBe(wrong)

  approves(oracle, "bob", 5_000)

  expect(oracle.sent("a", "approve", 5_200)).toBeNull()
})

test("R1 who breaks the glass decides alone, if the rule lists them for that", () => {
  const oracle = anOracle()
  approves(oracle, "alice", 2_000, true)
  expect(oracle.sent("a", "approve", 2_200)).toBe(wrong)
  approves(oracle, "rita", 2_500)
  expect(oracle.sent("a", "approve", 2_700)).toBe(wrong)

  approves(oracle, "rita", 3_000, true)

  expect(oracle.sent("a", "approve", 3_200)).toBeNull()
  oracle.ended("a", 4_000)
  expect(oracle.sent("a", "approve", 4_200)).toBe(wrong)
})

test("R14 an operator who believes Redis again may let an absence count that had ended", () => {
  const oracle = anOracle()
  oracle.away({ person: "alice", standIn: "rita" }, 2_000, 20_000)(3_000)
  approves(oracle, "rita", 10_000)
  approves(oracle, "bob", 10_000)
  expect(oracle.sent("a", "approve", 10_200)).toBe(wrong)

  oracle.believing([], 11_000)

  expect(oracle.sent("a", "approve", 11_200)).toBeNull()
})

test("many seeds have people who stand in, broken glass and other rules, and no other seed has any of it", () => {
  const schedules = Array.from({ length: 1_000 }, (_, seed) => scheduleOf(seed))
  const kindsIn = (overseen: boolean) =>
    new Set(schedules.filter((one) => one.overseen === overseen).flatMap(({ acts }) => acts.map(({ kind }) => kind)))
  const own = ["away", "back", "break", "review", "propose", "rule"] as const

  expect(schedules.filter(({ overseen }) => overseen).length).toBeGreaterThan(200)
  for (const kind of own) expect(kindsIn(true)).toContain(kind)
  for (const kind of own) expect(kindsIn(false)).not.toContain(kind)
})
