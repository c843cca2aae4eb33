// The checker of deadlines, withdrawn votes, held rejections, requesters, summaries and runs sees each kind of breach,
// and nothing else.
import { expect, test } from "vitest"
import type { PostedMessage } from "../../src/sandbox/workspace/messages.ts"
import { sandboxCast } from "../../src/sandbox/workspace/seed.ts"
import { scheduleOf } from "./draw.ts"
import type { Look, SeenCard, SeenCase, Told } from "./look.ts"
import { cancelAlarms, runWordsBreaches } from "./paused-runs.ts"
import { limitBreaches, promiseBreaches, summaryBreaches } from "./promises.ts"
import { plainTerms, type Terms } from "./terms.ts"

const alice = `T:${sandboxCast.alice}`
const bob = `T:${sandboxCast.bob}`

let numbers = 0
function entry(kind: string, event: Record<string, unknown> = {}, at = 1_000): Told {
  numbers += 1
  return { number: numbers, chain: "case:c-1", kind, event: { kind, at, ...event } }
}

const voted = (person: string, digest = "d") => entry("voted", { person, digest })
const decided = (people: readonly string[], more: Record<string, unknown> = {}) =>
  entry("decided", { people, digest: "d", verb: "approve", ...more })
const back = (person: string) => entry("called-back", { person, digest: "d", verb: "reject" })
const opened = entry("opened", {}, 0)
const mark = { decision_id: "x", approvers: [{ slack: alice, subject: "alice" }], rules: [] }

interface Situation {
  readonly terms?: Partial<Terms>
  readonly status?: string
  readonly entries?: readonly Told[]
  readonly seen?: Partial<SeenCase>
  readonly now?: number
  readonly requester?: string
  readonly summaries?: Look["summaries"]
  readonly struck?: Look["struck"]
}

function breachesIn(situation: Situation): string {
  const {
    terms = {},
    status = "pending",
    entries = [],
    seen = {},
    now = 5_000,
    requester = null,
    summaries = [],
    struck = [],
  } = situation
  const base = { ...scheduleOf(1), skewsMs: [0], history: true, faults: [] }
  const look = {
    schedule: { ...base, terms: { ...plainTerms, ...terms } },
    now,
    summaries,
    lost: [],
    struck,
  } as unknown as Look
  const row = {
    id: "a-1",
    status,
    resolved_by: "alice",
    tool_args: { target: "T0-v1" },
    resolution_data: null,
    run_id: "r",
  }
  const asked = { number: 0, tool: "task_0", id: "a-1", requester, targets: ["T0-v1"], elsewhere: false }
  const run = { status: "PAUSED", killed: false, heard: false }
  const untouched = { mark: null, posts: [], grants: [], cards: [], ran: 0, continues: 0, run }
  const one: SeenCase = { asked, caseId: "c-1", row, ...untouched, entries: [opened, ...entries], ...seen }
  return promiseBreaches(look, one).join("\n")
}

const timing = { remind: [2], escalate: null, expire: 10, onExpiry: "leave" } as const
const timed = { timing }
const continued = { runs: "continued" } as const
const done = { status: "COMPLETED", killed: false, heard: false }
const approved = { status: "approved", terms: continued, seen: { mark, ran: 1, continues: 1, run: done } }
const ended = entry("run-ended", { end: "completed" })
const cancelled = { ...approved.seen, run: { ...done, status: "CANCELLED" } }
const ranLate = entry("run-ended", { end: "cancelled", ran: ["task_0"] })
const killed = { ...approved.seen, run: { status: "PAUSED", killed: true, heard: true } }
const unknown = entry("run-ended", { end: "unknown" })
const restart = "Nobody can tell what became of the run: the platform was restarted meanwhile"
const saying = (text: string) => [{ message: { text, blocks: [] } as unknown as PostedMessage, thread: [] }]
const redis = { fault: "redis cut", at: "any time", strike: { kind: "redis-restart" } } as const
const death = { fault: "kill", at: "store.commit.note:before", strike: { kind: "kill", restartMs: 0 } } as const

test.each<[string, Situation]>([
  ["a case that waits", {}],
  ["a reminder in time", { terms: timed, entries: [entry("reminded")], now: 9_000 }],
  ["an expiry by which nobody decided", { terms: timed, entries: [entry("expired"), decided([], { by: "expiry" })] }],
  ["two votes and a decision", { entries: [voted(alice), voted(bob), decided([alice, bob])] }],
  [
    "a vote that was taken back and given anew",
    { entries: [voted(alice), entry("withdrawn", { person: alice }), voted(alice), decided([alice])] },
  ],
  ["a run that went on", { ...approved, entries: [voted(alice), decided([alice]), ended] }],
  ["a cancelled run whose call is said to have run", { ...approved, seen: cancelled, entries: [ranLate] }],
  [
    "a cancelled run whose call did not run",
    { ...approved, seen: { ...cancelled, ran: 0 }, entries: [entry("run-ended", { end: "cancelled" })] },
  ],
  [
    "a continue during which the platform was killed",
    { ...approved, seen: { ...killed, cards: saying(restart) }, entries: [unknown] },
  ],
  ["the same, where Redis failed", { ...approved, seen: killed, entries: [unknown], struck: [redis] }],
  ["the same, where a process died", { ...approved, seen: killed, entries: [unknown], struck: [death] }],
])("the checker finds nothing in %s", (_, situation) => {
  expect(breachesIn(situation)).toBe("")
})

test.each<[string, Situation, string]>([
  [
    "two reminders of one deadline",
    { terms: timed, entries: [entry("reminded"), entry("reminded")] },
    "reminded 2 times",
  ],
  ["a reminder that no rule asks for", { entries: [entry("reminded")] }, "reminded 1 times, of at most 0"],
  ["a vote after the expiry", { terms: timed, entries: [entry("expired"), voted(alice)] }, "it expired, and voted"],
  [
    "a decision after the time was over",
    { terms: timed, entries: [entry("decided", { people: [], by: "votes" }, 11_000)] },
    "its time was over, and decided",
  ],
  ["an expiry that nobody noted", { terms: timed, now: 30_000 }, "its time is over, and nobody noted it"],
  ["a reminder that never came", { terms: timed, now: 30_000 }, "nobody was reminded"],
  [
    "an escalation that never came",
    { terms: { timing: { ...timing, expire: null, escalate: 3 } }, now: 30_000 },
    "nobody else was asked",
  ],
  [
    "a vote that was taken back",
    { entries: [voted(alice), entry("withdrawn", { person: alice }), decided([alice])] },
    "had no vote that stood",
  ],
  [
    "a request that somebody else called back",
    { requester: sandboxCast.bob, entries: [back(alice), decided([alice], { verb: "reject" })] },
    "called back what somebody else asked for",
  ],
  ["a vote on other content", { entries: [voted(alice, "older"), decided([alice])] }, "on other content"],
  [
    "who approved for themselves",
    { requester: sandboxCast.alice, entries: [voted(alice), decided([alice])] },
    "approved what they asked for",
  ],
  [
    "a held rejection that was sent",
    { terms: { runs: "held" }, seen: { posts: ['{"status":"rejected","decision_id":"x"}'] } },
    "was sent 1 times (R12)",
  ],
  ["a requester who was not told", { requester: sandboxCast.rita, status: "approved" }, "was not told"],
  [
    "a requester whose card hangs nowhere",
    {
      requester: sandboxCast.rita,
      status: "approved",
      entries: [entry("placed", { route: `person:${sandboxCast.rita}` })],
    },
    "hangs nowhere",
  ],
  [
    "a run that was continued twice",
    { ...approved, entries: [ended], seen: { mark, continues: 2 } },
    "continued 2 times",
  ],
  ["a call that ran twice", { ...approved, entries: [ended], seen: { mark, ran: 2 } }, "its call ran 2 times"],
  [
    "a rejected call that ran",
    { ...approved, status: "rejected", entries: [ended] },
    "ran 1 times, and it is rejected",
  ],
  ["a run that nobody continued", approved, "nobody said what became of its run"],
  ["a run said to be completed", { ...approved, entries: [ended], seen: { mark, run: done } }, "which never ran"],
  ["a run said to be completed that waits", { ...approved, entries: [ended], seen: { mark } }, "and is PAUSED"],
  ["a run given up that is completed", { ...approved, entries: [unknown] }, "and is COMPLETED"],
  [
    "a cancelled run whose call is not said to have run",
    { ...approved, seen: cancelled, entries: [entry("run-ended", { end: "cancelled" })] },
    "said to be cancelled without its call, which ran",
  ],
  [
    "a cancelled run whose call is said to have run, and did not",
    { ...approved, seen: { ...cancelled, ran: 0 }, entries: [ranLate] },
    "said to be cancelled after its call, which never ran",
  ],
  [
    "a death at work that is told as silence",
    { ...approved, seen: { ...killed, cards: saying("The platform never said") }, entries: [unknown] },
    "was killed while it worked on its run, and no card says so",
  ],
  ["a run where nobody continues any", { seen: { ran: 1 } }, "nobody continues runs"],
])("the checker finds %s", (_, situation, words) => {
  expect(breachesIn(situation)).toContain(words)
})

test("a card says how its run stands, and nothing else", () => {
  const seenCase = (run: string, ran: number) =>
    ({ entries: [ended], run: { ...done, status: run }, ran }) as unknown as SeenCase
  const card = (text: string) => saying(text)[0] as SeenCard
  const late = "The run was cancelled, after task_0 had run"

  expect(runWordsBreaches(seenCase("CANCELLED", 1), card(late))).toEqual([])
  expect(runWordsBreaches(seenCase("CANCELLED", 0), card("The run was cancelled"))).toEqual([])
  expect(runWordsBreaches(seenCase("PAUSED", 1), card("Nobody can tell what became of the run."))).toEqual([])
  expect(runWordsBreaches(seenCase("CANCELLED", 1), card("The run was cancelled"))).toHaveLength(1)
  expect(runWordsBreaches(seenCase("CANCELLED", 0), card(late))).toHaveLength(1)
  expect(runWordsBreaches(seenCase("PAUSED", 0), card("The run went on and is completed"))).toHaveLength(1)
})

test("a call that ran although its run was cancelled is an alarm, unless a process died, and nothing else is", () => {
  const look = (alarms: readonly string[], ran: number, struck: readonly unknown[] = []) =>
    ({ alarms, cases: [{ run: cancelled.run, ran }], struck }) as unknown as Look

  expect(cancelAlarms(look(["ran-although-cancelled"], 1))).toEqual([])
  expect(cancelAlarms(look([], 0))).toEqual([])
  expect(cancelAlarms(look([], 1, [death]))).toEqual([])
  expect(cancelAlarms(look([], 1))).toEqual(["a call ran although its run was cancelled, and no alarm says so"])
  expect(cancelAlarms(look(["ran-although-cancelled"], 0)).join()).toContain("that nothing explains")
})

test("one summary of a channel can be reviewed while a case hangs on it, and one more for each second that Redis lost", () => {
  const blocks = [{ action_id: "countersign_review" }] as unknown as PostedMessage["blocks"]
  const summaryIn = (channelId: string) => ({ message: { channelId, blocks } as PostedMessage, thread: [] })
  const [here, there] = [summaryIn(sandboxCast.approvals), summaryIn(sandboxCast.payments)]
  const look = (more: { readonly summaries: readonly unknown[]; readonly cases?: readonly unknown[] }) =>
    ({
      schedule: { ...scheduleOf(1), history: true, routes: 2 },
      lost: [],
      cases: [],
      struck: [],
      ...more,
    }) as unknown as Look
  const waits = { row: { status: "pending" }, entries: [entry("placed", { route: `channel:${sandboxCast.payments}` })] }
  const lost = [{ from: 1_000, to: 2_000 }]
  const tooMany = (channel: string, count: number, most: number) =>
    `${count} summaries in ${channel} can still be reviewed, of at most ${most}`

  expect(summaryBreaches(look({ summaries: [here] }))).toEqual([tooMany(sandboxCast.approvals, 1, 0)])
  expect(summaryBreaches(look({ summaries: [here, there], cases: [waits] }))).toEqual([
    tooMany(sandboxCast.payments, 1, 0),
  ])
  expect(summaryBreaches({ ...look({ summaries: [here, there] }), lost })).toEqual([])
  expect(summaryBreaches({ ...look({ summaries: [here, here] }), lost })).toEqual([
    tooMany(sandboxCast.approvals, 2, 1),
  ])
})

const route = `channel:${sandboxCast.approvals}`
const hung = entry("summarised", { route, place: { channel: sandboxCast.approvals, ts: "5.1" } })

/** A summary in the channel, with its button, that names a tool; and the messages of its thread by their metadata. */
function aSummary(tool: string, thread: readonly Record<string, unknown>[] = []): Look["summaries"][number] {
  const blocks = [{ action_id: "countersign_review" }] as unknown as PostedMessage["blocks"]
  const lines = thread.map((payload) => ({ metadata: { event_payload: payload } }) as unknown as PostedMessage)
  return {
    message: { channelId: sandboxCast.approvals, ts: "5.1", text: tool, blocks } as PostedMessage,
    thread: lines,
  }
}

test("a case that waits on a summary is named there", () => {
  const waiting = { entries: [hung], summaries: [aSummary("task_0")] }

  expect(breachesIn(waiting)).toBe("")
  expect(breachesIn({ ...waiting, summaries: [aSummary("task_1")] })).toContain("none there names it")
  expect(breachesIn({ ...waiting, summaries: [] })).toContain(`the summary on record in ${route} does not hang there`)
  const over = [aSummary("task_1")]
  expect(breachesIn({ entries: [hung, entry("placed", { route })], summaries: over })).toBe("")
  expect(breachesIn({ entries: [hung, entry("expired")], summaries: over })).not.toContain("names it")
})

test("no line of a case stands in a summary's thread twice", () => {
  const first = { case: "c-1", number: 0, lines: 2 }
  const again = { case: "c-1", number: 1, lines: 1 }

  const inThread = (thread: readonly Record<string, unknown>[]) =>
    breachesIn({ summaries: [aSummary("task_0", thread)] })
  expect(inThread([first, { ...again, case: "c-2" }])).toBe("")
  expect(inThread([first, again])).toContain("1 messages of a summary's thread say its lines again, of at most 0")
})

test("the checker finds that people passed a limit one by one, and not that two did together", () => {
  const approvedBy = (...users: readonly string[]) => {
    const approvers = users.map((user) => ({ slack: user, subject: user }))
    return { row: { status: "approved" }, mark: { ...mark, approvers } } as unknown as SeenCase
  }
  const under = (limit: number | null, ...cases: readonly SeenCase[]) =>
    limitBreaches({ schedule: { terms: { ...plainTerms, limit } }, cases } as unknown as Look)
  const [one, other] = [approvedBy(alice), approvedBy("T:bob")]

  expect(under(10, one, other)).toEqual(["2 approvals of 10 passed the limit of 10, each by one person"])
  expect(under(20, one, other)).toEqual([])
  expect(under(10, one, approvedBy(alice, "T:bob"))).toEqual([])
  expect(under(null, one, other)).toEqual([])
})
