// The random attacker's oracle knows what people said of earlier calls: who proposed what, and which call is rejected
// for a while. Some seeds have that.
import { expect, test } from "vitest"
import { aPolicy, aRule } from "../support/builders.ts"
import { scheduleOf } from "./draw.ts"
import { createOracle, type Oracle } from "./oracle.ts"
import { type AskedCall, createTalkOracle, type TalkOracle } from "./oracle-talk.ts"
import { plantHere } from "./plants.ts"

const rules = { people: ["alice", "bob", "carol"], address: false, quorum: 1, forbidsOwn: true }
const wrong = "approve is sent, and people's last acts do not make that"
const unfounded = "it is rejected by itself, and no rejection of people lasts for it"

interface Told {
  readonly oracle: Oracle
  readonly talk: TalkOracle
}

function anOracle(changes: Partial<typeof rules> = {}): Told {
  const talk = createTalkOracle()
  return { oracle: createOracle({ rules: { ...rules, ...changes }, holder: "nobody", at: 0, talk }), talk }
}

/** Somebody's agent asks for a call, `amount` 5 unless said otherwise. */
function asks({ oracle, talk }: Told, id: string, at: number, more: Partial<AskedCall> = {}): void {
  talk.asked(id, { run: "run-1", requester: "rita", values: { amount: 5 }, ...more }, at)
  oracle.asked(id, "v1", at)
}

/** Somebody proposes an amount instead, and the platform takes that. */
function sendsBack({ oracle, talk }: Told, id: string, person: string, values: AskedCall["values"], at: number): void {
  talk.sendsBack(id, { person, values })
  oracle.pressed(id, { person, verb: "reject", shown: "v1" }, at)(at + 100)
  expect(oracle.sent(id, "reject", at + 200, { sentBack: true })).toBeNull()
}

function approves({ oracle }: Told, id: string, person: string, at: number): string | null {
  oracle.pressed(id, { person, verb: "approve", shown: "v1" }, at)(at + 100)
  return oracle.sent(id, "approve", at + 200)
}

/** A call that answers what Alice proposed (9), in another run if that is said, struck at a moment. */
function answered(more: Partial<AskedCall> = {}, struckAt: number | null = null, changes: Partial<typeof rules> = {}) {
  const told = anOracle(changes)
  asks(told, "a", 1_000)
  sendsBack(told, "a", "alice", { amount: 9 }, 2_000)
  if (struckAt !== null) told.talk.struck(struckAt)
  asks(told, "b", 4_000, { values: { amount: 9 }, ...more })
  told.talk.shown("b", 5_000)
  return told
}

test("R6 nobody approves a call with a value that they proposed, nor one that they asked for; somebody else does", () => {
  const own = answered({ requester: "carol", run: "run-1" })
  expect(approves(own, "b", "alice", 6_000)).toBe(wrong)
  expect(approves(own, "b", "carol", 7_000)).toBe(wrong)

  expect(approves(own, "b", "bob", 8_000)).toBeNull()
  expect(approves(answered({ values: { amount: 7 } }), "b", "alice", 6_000)).toBeNull()
  expect(approves(answered({}, null, { forbidsOwn: false }), "b", "alice", 6_000)).toBeNull()
})

test("R6 a value is its proposer's after the next send back, too, and another run of the same requester answers", () => {
  const told = answered({ run: "run-2" })
  sendsBack(told, "b", "bob", { to: "ann" }, 6_000)
  asks(told, "c", 8_000, { run: "run-2", values: { amount: 9, to: "ann" } })

  expect(approves(told, "c", "alice", 9_000)).toBe(wrong)
  expect(approves(told, "c", "bob", 10_000)).toBe(wrong)
  expect(approves(told, "c", "carol", 11_000)).toBeNull()
  // What is answered once is answered no more, and who rejects without a proposal proposes nothing.
  asks(told, "d", 12_000, { run: "run-2", values: { amount: 9, to: "ann" } })
  expect(approves(told, "d", "alice", 13_000)).toBeNull()
})

test("R6 R14 who proposed may be lost before the next card hangs: in the same run they still need somebody else", () => {
  const same = answered({}, 3_000)
  expect(approves(same, "b", "alice", 6_000)).toBe(wrong)
  expect(approves(same, "b", "bob", 7_000)).toBeNull()
  expect(approves(answered({ run: "run-2" }, 3_000), "b", "alice", 6_000)).toBeNull()

  for (const struckAt of [1_500, 5_500])
    expect(approves(answered({ run: "run-2" }, struckAt), "b", "alice", 6_000)).toBe(wrong)
  const two = answered({}, null, { quorum: 2 })
  expect(approves(two, "b", "alice", 6_000)).toBe(wrong)
  expect(approves(two, "b", "bob", 7_000)).toBe(wrong)
})

/** A call of `run-1` that Alice rejected, and the same call for 60 s, at 2 s. */
function rejected(isTaken = true): Told {
  const told = anOracle()
  asks(told, "a", 1_000)
  const lasts = told.talk.rejectsFor("a", 60_000, 2_000)
  told.oracle.pressed("a", { person: "alice", verb: "reject", shown: "v1" }, 2_000)(2_100)
  lasts(2_100)
  if (isTaken) expect(told.oracle.sent("a", "reject", 2_200)).toBeNull()
  return told
}

/** What is wrong if a new call is rejected by itself. */
function repeats(told: Told, id: string, at: number, more: Partial<AskedCall> = {}): string | null {
  asks(told, id, at, more)
  return told.oracle.sent(id, "reject", at + 1_000, { again: true })
}

test("R22 only the same call of the same requester is rejected by itself, and never approved", () => {
  expect(repeats(rejected(), "b", 4_000, { run: "run-2" })).toBeNull()
  expect(repeats(rejected(), "b", 4_000, { values: { amount: 6 } })).toBe(unfounded)
  expect(repeats(rejected(), "b", 4_000, { requester: "bob" })).toBe(unfounded)
  expect(repeats(rejected(), "b", 4_000, { requester: null, run: "run-2" })).toBe(unfounded)
  expect(repeats(rejected(false), "b", 4_000)).toBe(unfounded)
  expect(repeats(anOracle(), "b", 4_000)).toBe(unfounded)
  const told = rejected()
  asks(told, "b", 4_000)
  expect(told.oracle.sent("b", "approve", 5_000, { again: true })).toBe("it is approved by itself")
})

test("R22 nothing is rejected by itself once the time is over, or people are asked again; what was asked before may be", () => {
  expect(repeats(rejected(), "b", 60_000)).toBeNull()
  expect(repeats(rejected(), "b", 65_000)).toBe(unfounded)
  const told = rejected()
  asks(told, "b", 4_000)
  told.talk.asksAgain("a", 4_500)

  expect(told.oracle.sent("b", "reject", 5_000, { again: true })).toBeNull()
  expect(repeats(told, "c", 6_000)).toBe(unfounded)
})

test("R22 three calls of a run are rejected by themselves, and no fourth", () => {
  const told = rejected()
  for (const id of ["b", "c", "d"]) expect(repeats(told, id, 4_000)).toBeNull()

  expect(repeats(told, "e", 5_000)).toBe("more than 3 calls of a run are rejected by themselves")
  expect(repeats(told, "f", 5_000, { run: "run-2" })).toBeNull()
})

test("a question and its answer decide nothing, and a vote from before them counts", () => {
  const told = anOracle({ quorum: 2 })
  asks(told, "a", 1_000)
  expect(approves(told, "a", "alice", 2_000)).toBe(wrong)
  // Bob asks, and Rita, who asked for the run, answers: neither is a press, so the oracle hears of neither.
  expect(told.oracle.sent("a", "approve", 4_000)).toBe(wrong)
  expect(told.oracle.sent("a", "reject", 4_000)).toContain("reject is sent")

  expect(approves(told, "a", "bob", 5_000)).toBeNull()
})

test("a quarter of the seeds have agents that hear what people say, and no other seed has any of it", () => {
  const schedules = Array.from({ length: 1_000 }, (_, seed) => scheduleOf(seed))
  const kindsIn = (talks: boolean) =>
    new Set(schedules.filter((one) => one.talks === talks).flatMap(({ acts }) => acts.map(({ kind }) => kind)))
  const own = ["run", "send back", "reject", "ask again", "question", "answer", "ambush"] as const

  expect(schedules.filter(({ talks }) => talks).length).toBeGreaterThan(200)
  for (const kind of own) expect(kindsIn(true)).toContain(kind)
  for (const kind of own) expect(kindsIn(false)).not.toContain(kind)
})

test("the planted bug lets a proposer approve, and other names are those of all seeds", () => {
  const policy = aPolicy([aRule({ forbidSelfApproval: true })])

  const spoilt = plantHere("proposer-approves").around({ policy } as never)

  expect(spoilt.policy.rules).toEqual([{ ...policy.rules[0], proposerMayApprove: true }])
  expect(() => plantHere("none of them")).toThrow("no planted bug is called none of them")
})
