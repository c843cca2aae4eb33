// Which seeds have calls that are sent back, questions and rejections that last, and that the checker sees each breach.
import { expect, test } from "vitest"
import type { PostedMessage } from "../../src/sandbox/workspace/messages.ts"
import { sandboxCast } from "../../src/sandbox/workspace/seed.ts"
import { withConversation } from "./conversation.ts"
import { lossyScheduleOf, scheduleOf } from "./draw.ts"
import type { Look, SeenCase, Told } from "./look.ts"
import type { Mark } from "./platform.ts"
import { isAttacked } from "./schedule.ts"
import type { Asked } from "./screen.ts"
import { isSilent, talkBreaches } from "./talk-breaches.ts"
import { hasTalk, isLasting, type Said } from "./talks.ts"

test("some seeds have each kind of conversation, none where somebody attacks, and a rule knows what may last", () => {
  const schedules = Array.from({ length: 1_000 }, (_, seed) => scheduleOf(seed))

  const talking = schedules.filter(({ stories }) => stories.some(hasTalk))
  expect(talking.length).toBeGreaterThan(150)
  expect(talking.filter(isAttacked)).toEqual([])
  expect(new Set(talking.map(({ terms }) => terms.runs))).toEqual(new Set(["none"]))
  const kinds = new Set(talking.flatMap(({ stories }) => stories.flat().map(({ kind }) => kind)))
  for (const kind of [
    "send-back",
    "next-call",
    "question",
    "answer",
    "reject-lasting",
    "same-call",
    "ask-again",
  ] as const)
    expect(kinds).toContain(kind)
  expect(schedules.filter(({ stories, terms }) => stories.some(isLasting) !== terms.lasting)).toEqual([])
})

test("conversation is drawn after all else: what a seed had before stays as it was drawn", () => {
  const drawn = Array.from({ length: 300 }, (_, seed) => lossyScheduleOf(seed))

  const talking = drawn.map((before) => ({ before, now: withConversation(before) }))
  expect(talking.filter(({ now }) => now.stories.some(hasTalk)).length).toBeGreaterThan(20)
  for (const { before, now } of talking) {
    const { stories, faults, terms } = before
    const kept = { stories: now.stories.slice(0, stories.length), faults: now.faults.slice(0, faults.length) }
    expect({ ...now, ...kept, terms: { ...now.terms, lasting: terms.lasting } }).toEqual(before)
  }
})

const { alice, bob, rita } = sandboxCast
const keyOf = (user: string) => `T0SANDBOX:${user}`

const asked: Asked = {
  number: 0,
  tool: "task_0",
  id: "a-1",
  requester: rita,
  targets: ["T0-v1"],
  elsewhere: false,
}
const next: Asked = { ...asked, id: "a-2", targets: ["T0-v50"], follows: asked }

let numbers = 0
function entry(chain: string, kind: string, event: Record<string, unknown> = {}): Told {
  numbers += 1
  return { number: numbers, chain, kind, event: { kind, at: 1_000, ...event } }
}

function says(text: string, more: Partial<PostedMessage> = {}): PostedMessage {
  return { text, blocks: [], channelId: sandboxCast.approvals, ts: "1.1", ...more } as unknown as PostedMessage
}

function markOf(user: string | null, more: Partial<Mark> = {}): Mark {
  const approvers = user === null ? [] : [{ slack: keyOf(user), subject: user }]
  return { decision_id: "d-1", approvers, rules: [], ...more }
}

interface Seen {
  readonly asked: Asked
  readonly caseId: string
  readonly status?: string
  readonly mark?: Mark | null
  readonly proposal?: object
  readonly resolvedBy?: string
  readonly run?: string
  readonly entries?: readonly Told[]
  readonly thread?: readonly string[]
  readonly card?: PostedMessage
  readonly posts?: readonly object[]
}

function aCase(seen: Seen): SeenCase {
  const { mark = null, proposal, resolvedBy = "somebody", run = "r", thread = [], posts = [] } = seen
  const { status = "rejected", card = says("a card") } = seen
  const data = { ...(mark === null ? {} : { countersign: mark }), ...(proposal === undefined ? {} : { proposal }) }
  return {
    asked: seen.asked,
    caseId: seen.caseId,
    row: {
      status,
      resolved_by: resolvedBy,
      run_id: run,
      tool_args: { target: seen.asked.targets[0] },
      resolution_data: data,
    },
    mark,
    posts: posts.map((one) => JSON.stringify(one)),
    entries: seen.entries ?? [],
    cards: [{ message: card, thread: thread.map((text) => says(text)) }],
  } as unknown as SeenCase
}

interface Situation {
  readonly cases: readonly SeenCase[]
  readonly said?: readonly Said[]
  readonly messages?: readonly PostedMessage[]
  readonly lost?: Look["lost"]
}

function breachesIn({ cases, said = [], messages = [], lost = [] }: Situation): string {
  const entries = cases.flatMap((one) => one.entries)
  const schedule = { ...scheduleOf(1), history: true }
  return talkBreaches({ schedule, cases, said, messages, lost, entries, struck: [] } as unknown as Look).join("\n")
}

const saidBy = (kind: Said["kind"], person: string, text: string, about = asked): Said => {
  return { kind, asked: about, person, text, at: 1_000 }
}
const sentBack = saidBy("send-back", alice, "T0-v50")
const proposalOf = (target: string, more: object = {}) => {
  return { calls: [{ call: "c", tool: "task_0", choice: "changed", args: { target, ...more } }] }
}
const proposal = proposalOf("T0-v50")
const voted = entry("case:c-1", "voted", { person: keyOf(alice), sentBack: true, interaction: "i-1" })
const decided = entry("case:c-1", "decided", { decision: "d-1" })
const resolved = entry("case:c-1", "resolved", { decision: "d-1" })
const sentBackEntries = [voted, decided, resolved]
const opened = entry("case:c-2", "opened")
const answers = entry("case:c-2", "counterproposal-answered", { case: "c-1", person: keyOf(alice) })
const first = aCase({ asked, caseId: "c-1", mark: markOf(alice), proposal, entries: sentBackEntries })
const compares = "U0ALICE (rule everything) proposed these arguments"
/** A card with a button, which says this in its blocks. */
const showing = (text: string) =>
  says("", {
    blocks: [{ action_id: "countersign_approve" }, { type: "text", text }] as unknown as PostedMessage["blocks"],
  })
const compared = {
  asked: next,
  caseId: "c-2",
  status: "pending",
  entries: [opened, answers],
  thread: ["This answers what U0ALICE proposed"],
  card: showing(compares),
}
const approvedBy = (user: string, target = next) =>
  aCase({
    ...compared,
    asked: target,
    status: "approved",
    mark: markOf(user, { decision_id: "d-2" }),
    card: says("done"),
  })

test("the checker finds nothing where a call is sent back, and the next one is compared and approved by another", () => {
  expect(breachesIn({ cases: [first, aCase(compared)], said: [sentBack] })).toBe("")
  expect(breachesIn({ cases: [first, approvedBy(bob)], said: [sentBack] })).toBe("")
  // It differs from what was proposed, so it is nobody's but the program's.
  expect(breachesIn({ cases: [first, approvedBy(alice, { ...next, targets: ["T0-v9"] })], said: [sentBack] })).toBe("")
  const late = { asked: next, caseId: "c-3", status: "pending", entries: [entry("case:c-3", "opened")] }
  expect(breachesIn({ cases: [first, aCase(compared), aCase(late)], said: [sentBack] })).toBe("")
})

const uncompared = { ...compared, entries: [opened], thread: [], card: showing("a card") }

test.each<[string, Situation, string]>([
  [
    "another proposal than was sent",
    { cases: [aCase({ asked, caseId: "c-1", mark: markOf(alice), proposal: proposalOf("T0-v51") })] },
    "that T0SANDBOX:U0ALICE never sent",
  ],
  [
    "a proposal with more in it",
    { cases: [aCase({ asked, caseId: "c-1", mark: markOf(alice), proposal: proposalOf("T0-v50", { amount: 1 }) })] },
    "never sent",
  ],
  [
    "a proposal in somebody else's name",
    { cases: [aCase({ asked, caseId: "c-1", mark: markOf(bob), proposal })] },
    "that T0SANDBOX:U0BOB never sent",
  ],
  [
    "a proposal of an approval",
    { cases: [aCase({ asked, caseId: "c-1", status: "approved", mark: markOf(alice), proposal })] },
    "it was approved with a proposal",
  ],
  [
    "a POST with another proposal",
    {
      cases: [
        aCase({
          asked,
          caseId: "c-1",
          mark: markOf(alice),
          proposal,
          posts: [
            { status: "rejected", resolution_data: { countersign: markOf(alice), proposal: proposalOf("T0-v77") } },
          ],
        }),
      ],
    },
    "T0-v77",
  ],
  [
    "a proposal that never came",
    { cases: [aCase({ asked, caseId: "c-1", mark: markOf(alice), entries: sentBackEntries })] },
    "the platform has no proposal",
  ],
  [
    "two calls that are compared with one proposal",
    { cases: [first, aCase(compared), aCase({ ...compared, caseId: "c-3" })] },
    "2 calls were compared",
  ],
  ["a next call that is not compared", { cases: [first, aCase(uncompared)] }, "none of 1 calls was compared"],
  [
    "a card without the comparison",
    { cases: [first, aCase({ ...compared, card: showing("a card") })] },
    "its card is compared 0 times, not 1",
  ],
  [
    "a card with two comparisons",
    { cases: [first, aCase({ ...compared, card: showing(`${compares} ${compares}`) })] },
    "its card is compared 2 times",
  ],
  [
    "a comparison with nothing",
    { cases: [aCase({ ...compared, entries: [opened] })] },
    "its card is compared 1 times, not 0",
  ],
  [
    "a thread that says so twice",
    { cases: [first, aCase({ ...compared, thread: ["This answers what", "This answers what"] })] },
    "its thread says 2 times",
  ],
  [
    "who approved their own proposal",
    { cases: [first, approvedBy(alice)] },
    "T0SANDBOX:U0ALICE approved what they proposed",
  ],
])("the checker finds %s", (_, situation, words) => {
  expect(breachesIn({ said: [sentBack], ...situation })).toContain(words)
})

test("R17 a call that is not compared is no breach where Redis lost a second, or if it came before the rejection", () => {
  const lost = [{ from: 1, to: 2 }]
  expect(breachesIn({ cases: [first, aCase(uncompared)], said: [sentBack], lost })).toBe("")
  const early = { ...opened, number: 0 }
  expect(breachesIn({ cases: [first, aCase({ ...uncompared, entries: [early] })], said: [sentBack] })).toBe("")
})

const asks = entry("case:c-1", "asked", { person: keyOf(alice), interaction: "i-2" })
const told = entry("case:c-1", "answered", {
  person: keyOf(rita),
  question: "i-2",
  interaction: "i-3",
})
const spoken = [saidBy("question", alice, "why-0-0"), saidBy("answer", rita, "because-0-1")]
const talked = { asked, caseId: "c-1", status: "pending", entries: [asks, told], thread: ["“because-0-1”"] }
const direct = (text: string, kind?: string) =>
  says(text, { channelId: "D1", ...(kind === undefined ? {} : { metadata: { event_type: kind, event_payload: {} } }) })
const heard = [direct("because-0-1"), direct("because-0-1", "countersign_question")]

test("the checker finds nothing where a question is answered, told and noted once", () => {
  expect(breachesIn({ cases: [aCase(talked)], said: spoken, messages: heard })).toBe("")
  const lost = [{ from: 1, to: 2 }]
  expect(breachesIn({ cases: [aCase(talked)], said: spoken, lost })).toBe("")
})

test.each<[string, Partial<Situation>, string]>([
  [
    "an answer in a POST",
    { cases: [aCase({ ...talked, posts: [{ reason: "because-0-1" }] })] },
    "the platform reads because-0-1",
  ],
  [
    "a question on the platform's record",
    { cases: [aCase({ ...talked, mark: markOf(alice), proposal: { calls: ["why-0-0"] } })] },
    "the platform reads why-0-0",
  ],
  [
    "an answer that is a vote",
    { cases: [aCase({ ...talked, entries: [asks, told, entry("case:c-1", "voted", { interaction: "i-3" })] })] },
    "what was answered is a vote",
  ],
  ["an answer that nobody gave", { said: spoken.slice(0, 1) }, "it is answered by T0SANDBOX:U0RITA, who did not"],
  [
    "a second answer",
    { cases: [aCase({ ...talked, entries: [asks, told, told] })] },
    "2 answers were taken to 1 questions",
  ],
  [
    "an answer that no thread has",
    { cases: [aCase({ ...talked, thread: ["a line"] })] },
    "its thread has 0 of 1 answers",
  ],
  [
    "an answer that a thread has twice",
    { cases: [aCase({ ...talked, thread: ["because-0-1", "because-0-1"] })] },
    "an answer stands in its thread 2 times",
  ],
  ["an answer of which nobody hears", { messages: heard.slice(1) }, "whoever asked hears 0 of 1 answers"],
  [
    "what a second form says in the thread",
    {
      cases: [aCase({ ...talked, thread: ["because-0-1", "because-0-2"] })],
      said: [...spoken, saidBy("answer", rita, "because-0-2")],
    },
    "its thread has 2 of 1 answers",
  ],
  [
    "an answer of which somebody hears twice",
    { messages: [...heard, direct("because-0-1")] },
    "whoever asked hears an answer 2 times",
  ],
])("the checker finds %s", (_, situation, words) => {
  expect(breachesIn({ cases: [aCase(talked)], said: spoken, messages: heard, ...situation })).toContain(words)
})

const never = saidBy("lasting", alice, "never")
const rejected = aCase({ asked, caseId: "c-1", mark: markOf(alice), entries: [decided] })
function again(at: number, more: Partial<Seen> = {}): SeenCase {
  const chain = `case:c-${at}`
  return aCase({
    asked: { ...asked, id: `a-${at}`, follows: asked },
    caseId: `c-${at}`,
    resolvedBy: "countersign:again",
    mark: markOf(null, { decision_id: `d-${at}`, again: "d-1" }),
    entries: [entry(chain, "opened"), entry(chain, "decided", { by: "again" })],
    ...more,
  })
}

test("the checker finds nothing where three calls of a run are rejected by themselves, and one of another", () => {
  const calls = [again(2), again(3), again(4), again(5, { run: "other" })]

  expect(breachesIn({ cases: [rejected, ...calls], said: [never] })).toBe("")
})

test.each<[string, Situation, string]>([
  [
    "a call rejected by itself for a plain rejection",
    { cases: [rejected, again(2)], said: [] },
    "nobody rejected this call for a while",
  ],
  ["another call", { cases: [rejected, again(2, { asked: next })], said: [never] }, "nobody rejected this call"],
  [
    "a call in the name of nobody's decision",
    { cases: [rejected, again(2, { mark: markOf(null, { again: "d-9" }) })], said: [never] },
    "in the name of no decision",
  ],
  [
    "four calls of a run",
    { cases: [rejected, ...[2, 3, 4, 5].map((at) => again(at))], said: [never] },
    "4 calls of one run",
  ],
])("the checker finds %s", (_, situation, words) => {
  expect(breachesIn(situation)).toContain(words)
})

test("the checker finds a call that was rejected by itself after somebody wanted to be asked again, and not before", () => {
  const ended = () => ({ ...rejected, entries: [decided, entry("case:c-1", "asks-again", { person: keyOf(bob) })] })
  const before = again(2)

  expect(breachesIn({ cases: [ended(), before], said: [never] })).toBe("")
  expect(breachesIn({ cases: [ended(), again(3)], said: [never] })).toContain("wanted to be asked again")
})

test("nobody is asked about a call that was rejected by itself, nor about one that is left undecided", () => {
  const left = [entry("case:c-2", "opened"), entry("case:c-2", "looping")]
  const waits = aCase({ asked: next, caseId: "c-2", status: "pending", entries: left })

  const repeated = again(2)
  expect(isSilent(repeated)).toBe(true)
  // Redis lost it, and it was asked about before the platform said how it ended.
  const recovered = [...repeated.entries, entry("case:c-2", "recovered")]
  expect(isSilent({ ...repeated, entries: recovered })).toBe(false)
  expect(isSilent(waits)).toBe(true)
  expect(isSilent({ ...waits, entries: [...left, entry("case:c-2", "asks-again")] })).toBe(false)
  expect(isSilent({ ...rejected, entries: [decided, entry("case:c-1", "looping")] })).toBe(false)
})
