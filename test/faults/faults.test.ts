// The fault harness itself: the seed alone makes the schedule, the checker sees each kind of breach, and the figures
// are those of the run.
import { describe, expect, test } from "vitest"
import type { PostedMessage } from "../../src/sandbox/workspace/messages.ts"
import { sandboxCast } from "../../src/sandbox/workspace/seed.ts"
import { attackedScheduleOf, lossyScheduleOf, scheduleOf } from "./draw.ts"
import type { Ended } from "./drive.ts"
import { breaches } from "./invariants.ts"
import type { Look, SeenCase, Told } from "./look.ts"
import { outages } from "./outages.ts"
import type { Mark, Row } from "./platform.ts"
import { createChance } from "./prng.ts"
import { reportText } from "./report.ts"
import { lastLine } from "./results.ts"
import { isAttacked, type Story } from "./schedule.ts"
import type { Asked, Pressed } from "./screen.ts"
import { stepOf } from "./steps.ts"
import type { Struck } from "./strikes.ts"
import { plainTerms } from "./terms.ts"
import { timelineText } from "./timeline.ts"
import { answersMissing, linesOf } from "./tolerances.ts"

test("a seed draws the same schedule each time, and another seed another", () => {
  expect(scheduleOf(7)).toEqual(scheduleOf(7))
  expect(scheduleOf(8)).not.toEqual({ ...scheduleOf(7), seed: 8 })
})

test("some seeds have an attacker, and there is one in each that is drawn so: a vote is taken back before the first stroke", () => {
  const some = Array.from({ length: 1_000 }, (_, seed) => scheduleOf(seed)).filter(isAttacked)
  const all = Array.from({ length: 100 }, (_, seed) => attackedScheduleOf(seed))

  expect(some.length).toBeGreaterThan(50)
  expect(all.every(isAttacked)).toBe(true)
  const kinds = all.map(({ stories }) => stories[0]?.map(({ kind }) => kind).filter((kind) => kind !== "wait"))
  expect(new Set(kinds.map(String))).toEqual(new Set(["press,withdraw,attack,press"]))
})

test("a seed in which only Redis and processes break has no attacker", () => {
  const schedules = Array.from({ length: 100 }, (_, seed) => lossyScheduleOf(seed))

  expect(schedules.filter(isAttacked)).toEqual([])
  const kinds = new Set(schedules.flatMap(({ faults }) => faults.map(({ strike }) => strike.kind)))
  expect([...kinds].toSorted()).toEqual(["kill", "redis-restart", "redis-restored"])
})

test("a thousand seeds draw every kind of fault, and each in one to three replicas", () => {
  const schedules = Array.from({ length: 1_000 }, (_, seed) => scheduleOf(seed))

  const kinds = new Set(schedules.flatMap(({ faults }) => faults.map(({ strike }) => strike.kind)))
  expect([...kinds].toSorted()).toEqual([
    "amnesia",
    "away",
    "back",
    "continue-cut",
    "delivery",
    "kill",
    "lost-post",
    "meanwhile",
    "platform",
    "platform-killed",
    "propose",
    "redis-away",
    "redis-restart",
    "redis-restored",
    "rolling",
    "slack",
    "sockets",
    "stop",
  ])
  expect(new Set(schedules.map(({ skewsMs }) => skewsMs.length))).toEqual(new Set([1, 2, 3]))
})

test("some seeds are crowded: a dozen cards that nobody touches hang for longer than a minute, and the history can be read", () => {
  const schedules = Array.from({ length: 1_000 }, (_, seed) => scheduleOf(seed))

  const untouched = (story: Story) => story.every(({ kind }) => kind === "wait")
  const crowded = schedules.filter(({ stories }) => stories.filter(untouched).length >= 12)

  expect(crowded.length).toBeGreaterThan(10)
  const waits = crowded.map(({ stories }) =>
    Math.max(...stories.flat().map((act) => (act.kind === "wait" ? act.ms : 0))),
  )
  expect(Math.min(...waits)).toBeGreaterThan(60_000)
  expect(new Set(crowded.map(({ history }) => history))).toEqual(new Set([true]))
})

test("some seeds have a limit, which more is asked for than one person may approve alone", () => {
  const schedules = Array.from({ length: 1_000 }, (_, seed) => [scheduleOf(seed), lossyScheduleOf(seed)]).flat()

  const limited = schedules.filter(({ terms }) => terms.limit !== null)

  expect(limited.length).toBeGreaterThan(100)
  expect(new Set(limited.map(({ quorum, terms }) => `${quorum} ${terms.runs}`))).toEqual(new Set(["1 none"]))
  expect(Math.min(...limited.map(({ stories }) => stories.length))).toBeGreaterThan(1)
})

test("where runs are continued, some are cancelled, and many continues are cut off", () => {
  const schedules = Array.from({ length: 1_000 }, (_, seed) => scheduleOf(seed))

  const cancelled = schedules.filter(({ stories }) => stories.flat().some(({ kind }) => kind === "cancel"))
  const cut = schedules.filter(({ faults }) =>
    faults.some(({ strike }) => strike.kind === "platform-killed" || strike.kind === "continue-cut"),
  )

  expect(cancelled.length).toBeGreaterThan(100)
  expect(cut.length).toBeGreaterThan(200)
  expect(new Set([...cancelled, ...cut].map(({ terms }) => terms.runs))).toEqual(new Set(["continued"]))
})

test("chance is even over a range", () => {
  const chance = createChance(1)
  const counts = [0, 0, 0, 0]
  for (let draw = 0; draw < 4_000; draw += 1) counts[chance.below(4)] = (counts[chance.below(4)] ?? 0) + 1

  expect(Math.min(...counts)).toBeGreaterThan(800)
})

const asked: Asked = {
  number: 0,
  tool: "task_0",
  id: "a-1",
  requester: null,
  targets: ["T0-v1"],
  elsewhere: false,
}
const pressed: Pressed = {
  asked,
  person: sandboxCast.alice,
  verb: "approve",
  shown: "T0-v1",
  place: { channel: sandboxCast.approvals, ts: "1.1" },
  card: null,
  at: 5_000,
  acked: true,
  inModal: false,
}
const mark: Mark = {
  decision_id: "d-1",
  approvers: [{ slack: `T:${sandboxCast.alice}`, subject: "alice@sandbox.example" }],
  rules: [],
}
const row: Row = {
  id: "a-1",
  status: "approved",
  resolved_by: "alice@sandbox.example",
  tool_args: { target: "T0-v1" },
  resolution_data: { countersign: mark },
  run_id: "r-1",
}

function aMessage(ts: string, more: Partial<PostedMessage> = {}): PostedMessage {
  const said = { text: 'Approved: agent wants to run task_0 with target: "T0-v1"', blocks: [], metadata: undefined }
  const place = {
    ts,
    channelId: sandboxCast.approvals,
    authorId: sandboxCast.bot,
    threadTs: undefined,
    broadcast: false,
    editedTs: undefined,
  }
  return { ...said, ...place, ...more }
}

function aLine(number: number): PostedMessage {
  return aMessage(`2.${number}`, {
    metadata: { event_type: "countersign_line", event_payload: { case: "c-1", number } },
  })
}

function entry(number: number, kind: string, event: Record<string, unknown> = {}): Told {
  return { number, chain: "case:c-1", kind, event: { kind, ...event } }
}

const entries = [
  entry(1, "opened"),
  entry(2, "placed", {
    route: `channel:${sandboxCast.approvals}`,
    place: { channel: sandboxCast.approvals, ts: "1.1" },
  }),
  entry(3, "voted", { person: `T:${sandboxCast.alice}`, interaction: "i-1" }),
  entry(4, "decided", { decision: "d-1", verb: "approve", people: [`T:${sandboxCast.alice}`] }),
  entry(5, "resolved", { decision: "d-1" }),
  entry(6, "closed"),
]
const seen: SeenCase = {
  asked,
  caseId: "c-1",
  row,
  mark,
  posts: [JSON.stringify({ resolution_data: { countersign: mark } })],
  grants: [{ at: 6_000, what: "resolve", decision: "d-1" }],
  entries,
  cards: [{ message: aMessage("1.1"), thread: [0, 1, 2, 3].map(aLine) }],
  ran: 0,
  continues: 0,
  run: { status: "PAUSED", killed: false, heard: false },
}
const well: Look = {
  now: 9_000,
  summaries: [],
  schedule: { ...scheduleOf(1), history: true, quorum: 1, routes: 1, terms: plainTerms, faults: [] },
  cases: [seen],
  pressed: [pressed],
  said: [],
  messages: [],
  ephemerals: [],
  entries,
  ledger: null,
  jobs: [],
  alarms: [],
  busiestMinute: () => 0,
  mistakes: [],
  falls: [],
  struck: [],
  lost: [],
  stops: [],
  absences: new Map(),
  installation: "f",
  revisions: [],
  errors: [],
}

function withCase(change: Partial<SeenCase>): Look {
  return { ...well, cases: [{ ...seen, ...change }], entries: change.entries ?? entries }
}

const live = aMessage("1.1", { blocks: [{ action_id: "countersign_approve" }] as unknown as PostedMessage["blocks"] })

const turnedAway: Struck = {
  fault: "sockets",
  at: "any time",
  strike: { kind: "sockets", reason: "link_disabled", times: 1 },
}

describe("the checker", () => {
  test("finds nothing where all is well", () => {
    expect(breaches(well)).toEqual([])
  })

  test.for<[string, Look, string]>([
    ["a person who never pressed", { ...well, pressed: [] }, "never pressed it"],
    ["content that no voter saw", withCase({ row: { ...row, tool_args: { target: "T0-v2" } } }), "never showed"],
    ["another name on the record", withCase({ row: { ...row, resolved_by: "eve" } }), "the record names eve"],
    ["too few voters", { ...well, schedule: { ...well.schedule, quorum: 2 } }, "fewer than 2"],
    [
      "a body made anew",
      withCase({ posts: [...seen.posts, seen.posts[0]?.replace("}}", ',"x":1}}') ?? ""] }),
      "different bodies",
    ],
    [
      "an end that the ledger lacks",
      withCase({ entries: entries.filter(({ kind }) => kind !== "resolved") }),
      "the ledger nothing",
    ],
    ["a second end", withCase({ entries: [...entries, entry(7, "resolved", { decision: "d-1" })] }), "ends it 2 times"],
    ["another decision", withCase({ mark: { ...mark, decision_id: "d-2" } }), "another decision"],
    ["a press that nobody answered", { ...well, pressed: [pressed, { ...pressed, at: 6_000 }] }, "1 presses of"],
    [
      "a press that counted twice",
      { ...well, entries: [...entries, entry(7, "voted", { interaction: "i-1" })] },
      "counted two times",
    ],
    [
      "a card that can still be pressed",
      withCase({ cards: [{ message: live, thread: seen.cards[0]?.thread ?? [] }] }),
      "can still be pressed",
    ],
    [
      "a second card",
      withCase({ cards: [...seen.cards, { message: aMessage("1.2"), thread: [] }] }),
      "cards were replaced",
    ],
    [
      "a line twice",
      withCase({ cards: [{ message: aMessage("1.1"), thread: [0, 1, 2, 3, 3].map(aLine) }] }),
      "say lines again",
    ],
    [
      "a line too few",
      withCase({ cards: [{ message: aMessage("1.1"), thread: [0, 1, 2].map(aLine) }] }),
      "3 of 4 lines",
    ],
    [
      "an approval that was said to be gone",
      withCase({ entries: [...entries, entry(9, "vanished")] }),
      "there all the time",
    ],
    [
      "an outage after which a rejection that was held is decided",
      {
        ...withCase({ entries: [...entries.slice(0, 3), entry(4, "held"), ...entries.slice(3)] }),
        schedule: { ...well.schedule, seed: -6 },
      },
      "its rejection was held, and it is decided all the same",
    ],
    ["a case that was begun anew", withCase({ entries: [...entries, entry(9, "opened")] }), "its votes are lost"],
    [
      "a verdict that ended with the database",
      withCase({
        entries: [...entries, entry(9, "reopened", { why: "the platform refused: 404 Approval not found" })],
      }),
      "its verdict was given up",
    ],
    ["a ticket left over", { ...well, jobs: ["1 ticket"] }, "a ticket is left over"],
    ["a ledger that does not verify", { ...well, ledger: "broken" }, "does not verify"],
    ["an alarm of tampering", { ...well, alarms: ["tampered-case"] }, "tampered-case"],
    [
      "more look-ups than Slack allows",
      { ...well, busiestMinute: () => 51 },
      "history was called 51 times in a minute, of",
    ],
    [
      "sockets opened in a storm",
      { ...well, busiestMinute: () => 31 },
      "open was called 31 times in a minute, of at most",
    ],
    ["sockets turned away unheard", { ...well, struck: [turnedAway] }, "no alarm says so"],
    ["a process that fell", { ...well, falls: ["bot 1"] }, "a replica fell"],
  ])("finds %s", ([, look, words]) => {
    expect(breaches(look).join("\n")).toContain(words)
  })

  test("a lost answer may leave one card where the bot has no right to look, and its like nothing more", () => {
    const second = withCase({ cards: [...seen.cards, { message: aMessage("1.2"), thread: [] }] })
    const strike = {
      kind: "slack",
      method: "chat.postMessage",
      fault: { kind: "accept_then_never_answer" },
      times: 1,
    } as const
    const struck = [{ fault: "slack accept then never answer", at: "any time", strike }]
    const blind = { ...second, schedule: { ...well.schedule, history: false } }

    expect(breaches({ ...blind, struck })).toEqual([])
    expect(breaches(blind).join("\n")).toContain("1 cards were replaced, and only 0 can have been lost")
    expect(breaches({ ...second, struck })).toHaveLength(1)
  })
})

test("R17 what Redis lost before an operator decided it is nobody's case, and only then", () => {
  const forgotten = {
    asked: { ...asked, elsewhere: true },
    row: { ...row, resolution_data: null },
    mark: null,
    entries: [],
  }
  const look = { ...withCase(forgotten), pressed: [] }

  expect(breaches({ ...look, lost: [{ from: 1_000, to: 2_000 }] })).toEqual([])
  expect(breaches(look).join("\n")).toContain("the ledger does not know it")
})

test("R17 a verdict that Redis lost may be made anew with another body, and only then", () => {
  const bodies = [1, 2].map((at) => JSON.stringify({ at, resolution_data: { countersign: mark } }))
  const look = withCase({ posts: bodies })

  expect(breaches({ ...look, lost: [{ from: 4_000, to: 5_000 }] })).toEqual([])
  expect(breaches(look)).toEqual(["task_0: decision d-1 was sent as 2 different bodies (R9)"])
})

test("R9 a verdict that content overtook stays on its way, and only where the operator was told", () => {
  const pending = { ...row, status: "pending", resolution_data: null }
  const changed = { ...asked, targets: ["T0-v1", "T0-v2"] }
  const decided = entries.filter(({ kind }) => kind !== "resolved" && kind !== "closed")
  const cards = [{ message: aMessage("1.1", { text: "Approving task_0" }), thread: [0, 1, 2].map(aLine) }]
  const look = withCase({ asked: changed, row: pending, mark: null, entries: decided, cards })
  const stuck = { ...look, pressed: [{ ...pressed, asked: changed }], jobs: ["1 resolve delayed"] }

  expect(breaches({ ...stuck, alarms: ["content-changed-while-sending"] })).toEqual([])
  const route = `channel:${sandboxCast.payments}`
  const place = { channel: sandboxCast.payments, ts: "5.1" }
  const summarised = [...decided, entry(7, "summarised", { route, place })]
  const seenBoth = withCase({ ...look.cases[0], entries: summarised })
  const summaries = [{ message: aMessage("5.1", { channelId: sandboxCast.payments }), thread: [] }]
  const both = { ...seenBoth, summaries, pressed: stuck.pressed, schedule: { ...well.schedule, routes: 2 as const } }
  expect(breaches({ ...both, jobs: ["1 reconcile active"], alarms: ["content-changed-while-sending"] })).toEqual([])
  expect(breaches(stuck).join("\n")).toContain("never reached the platform")
})

function anEnd(seed: number, more: Partial<Ended> = {}): Ended {
  return {
    seed,
    violations: [],
    struck: [{ fault: "kill", at: "chat.tell:after", strike: { kind: "kill", restartMs: 0 } }],
    convergedMs: 2_000,
    told: { voted: 2 },
    timeline: [],
    hung: false,
    ...more,
  }
}

test("a run ends with one line, and an outage that takes more than a minute to mend is a violation", () => {
  expect(lastLine([anEnd(1), anEnd(2, { violations: ["x"] })]).line).toBe("seeds 2, faults 2, violations 1")
  const late = anEnd(-1, { convergedMs: 61_000 })
  expect(lastLine([anEnd(1), late])).toEqual({ line: "seeds 1, faults 2, violations 1", violations: 1 })
  expect(outages).toHaveLength(6)
})

test("the report counts the faults by step, and names the outages and what planted bugs were found by", () => {
  const expired = anEnd(2, {
    struck: [{ fault: "kill", at: "store.commit.expired:after", strike: { kind: "kill", restartMs: 0 } }],
  })
  const planted = [{ plant: "card-twice", seed: 7, breach: "two | cards\nsay so", seeds: 9 }]
  const text = reportText({ ended: [anEnd(1), expired, anEnd(-1)], planted, tookS: 12 })

  expect(text).toContain("`seeds 2, faults 2, violations 0`, in 12 s")
  expect(text).toContain("| kill |  |  | 1 |  |  |  |  | 1 |")
  expect(text).toContain("| platform | 2.0 s | 0 |")
  expect(text).toContain("| a card is posted two times | 7 | two / cards say so |")
})

test("every effect and commit at which a seed strikes belongs to a step of the report", () => {
  const schedules = Array.from({ length: 1_000 }, (_, seed) => scheduleOf(seed))
  const whens = schedules.flatMap(({ faults }) => faults.map(({ when }) => when))
  const labels = new Set(whens.flatMap((when) => (when.kind === "label" ? [when.label] : [])))

  expect([...labels].filter((label) => stepOf(label) === "any time")).toEqual([])
})

test("a press is answered by a vote on its own case, or by a word to its person", () => {
  const other = { ...asked, tool: "task_1", id: "a-2" }
  const pressedOther: Pressed = { ...pressed, asked: other }
  const voteOnly = { ...well, pressed: [pressed, pressedOther] }
  const word = { personId: sandboxCast.alice, text: "Someone else decided it." } as Look["ephemerals"][number]
  const promise = { ...word, text: "It is tried again by itself." }

  expect(breaches(voteOnly).join("\n")).toContain("1 presses of U0ALICE were not counted, and 0 of them were answered")
  expect(breaches({ ...voteOnly, ephemerals: [promise] }).join("\n")).toContain("0 of them were answered")
  expect(breaches({ ...voteOnly, ephemerals: [word] })).toEqual([])
})

test("R17 a press that was kept may have been carried out in a second that Redis lost", () => {
  const [from, to] = [pressed.at + 10_000, pressed.at + 10_600]
  const kept = { personId: sandboxCast.alice, text: "Your press is kept" } as Look["ephemerals"][number]
  const unheard = { ...withCase({ entries: [] }), lost: [{ from, to }] }

  expect(answersMissing(unheard)).toHaveLength(1)
  expect(answersMissing({ ...unheard, ephemerals: [kept] })).toEqual([])
  expect(answersMissing({ ...unheard, ephemerals: [kept], lost: [] })).toHaveLength(1)
})

test("R17 a press whose vote Redis lost is answered by the card, where the platform's record names its person", () => {
  const recovered = [...entries.filter(({ kind }) => kind !== "voted" && kind !== "decided"), entry(9, "recovered", {})]
  const look = withCase({ entries: recovered })
  const unanswered = "1 presses of U0ALICE were not counted"

  expect(answersMissing(look)).toEqual([])
  expect(answersMissing(withCase({ entries: recovered, mark: null })).join()).toContain(unanswered)
})

test("R17 a thread says that its case was begun anew, unless the case is closed by then", () => {
  const [renewed, closed] = [entry(9, "renewed"), entry(10, "closed")]
  const before = entries.filter(({ kind }) => kind !== "closed")

  expect(linesOf([...before, renewed, closed])).toBe(linesOf(before) + 1)
  expect(linesOf([...before, closed, renewed])).toBe(linesOf(before))
})

test("a timeline reads in order, with who and when", () => {
  expect(
    timelineText([
      { at: 12, real: 2, who: "bot 1", what: "up" },
      { at: 3, real: 1, who: "fault", what: "kill" },
    ]),
  ).toBe("       3 ms  fault      kill\n      12 ms  bot 1      up")
})
