// The steps of a case up to the decision: what each changes, what it tells, and that an illegal one is thrown back (R1,
// R2, R5).

import { expect, test } from "vitest"
import { rememberCard } from "../../../src/domain/case/card-steps.ts"
import { type Case, caseIdOf, demandNow, revisionOf, routesOf } from "../../../src/domain/case/case.ts"
import { type CaseEvent, isTold } from "../../../src/domain/case/event.ts"
import {
  andThen,
  castVote,
  noteRefusal,
  openCase,
  revise,
  revisionNeeded,
  StepError,
  takeUpAgain,
  voidVote,
} from "../../../src/domain/case/steps.ts"
import { valuesHash } from "../../../src/domain/case/vote.ts"
import { digestOf } from "../../../src/domain/content/digest.ts"
import { aCase, anApproval, aPolicy, aRequirement, aRule, aVote, installation } from "../../support/builders.ts"
import { noon } from "../../support/clock.ts"

const route = "channel:C1"
const place = { channel: "C1", ts: "1.1" }
const states: readonly Case["state"][] = ["open", "sending", "settled", "closed", "frozen"]

test("a new case is open at revision 1, with an empty card for each route of its rules, each once", () => {
  const policy = aPolicy([
    aRule({
      name: "a",
      match: { team: ["x"] },
      routes: [
        { kind: "channel", id: "C1" },
        { kind: "person", id: "U1" },
      ],
    }),
    aRule({ name: "b", routes: [{ kind: "channel", id: "C1" }] }),
  ])

  const { next, events } = openCase({ installation, approval: anApproval(), policy, epoch: "e", at: noon })

  expect(next).toMatchObject({ state: "open", version: 0, epoch: "e", openedAt: noon, votes: [], lines: events })
  expect(next.cards.map((card) => card.route)).toEqual(["channel:C1", "person:U1"])
  expect(next.cards[0]).toEqual({
    route,
    place: null,
    revision: 0,
    modelHash: null,
    told: 0,
    lease: null,
    trouble: null,
    summary: false,
    reposts: 0,
  })
  expect(events).toEqual([
    {
      kind: "opened",
      at: noon,
      approval: "a-1",
      instance: "main",
      revision: 1,
      digest: digestOf(anApproval()),
      tool: "delete_table",
      asked: ["a", "b"].map((rule) => ({ rule, quorum: 1, approvers: ["U1", "U2"] })),
      rules: ["a", "b"],
    },
  ])
})

test("a case's summary keeps what may be kept for good", () => {
  const requirements = [aRequirement("a"), aRequirement("b"), aRequirement("c", { approval_type: null })]

  expect(aCase({ approval: anApproval({ requirements }) }).summary).toEqual({
    tool: "a",
    agent: "Agent One",
    requester: "asker@example.com",
    calls: 2,
    createdAt: noon,
  })
})

test("the id of a case is the same everywhere, and another for another installation, instance or approval", () => {
  const ids = [
    caseIdOf("i", "m", "a"),
    caseIdOf("j", "m", "a"),
    caseIdOf("i", "n", "a"),
    caseIdOf("i", "m", "b"),
    caseIdOf("im", "", "a"),
  ]

  expect(new Set(ids).size).toBe(5)
  expect(caseIdOf("i", "m", "a")).toBe(ids[0])
  expect(ids.every((id) => /^[0-9a-f]{20}$/.test(id))).toBe(true)
})

test("R2: a revision says whether all calls are covered, and whether the content can be approved", () => {
  expect(revisionOf(anApproval(), aPolicy([]), 1)).toMatchObject({ covered: false, approvable: true, quotas: [] })
  expect(revisionOf(anApproval({ toolArgs: { a: "\ud800" } }), aPolicy(), 1)).toMatchObject({
    covered: true,
    approvable: false,
  })
})

test("R2: the same content under the same rules needs no new revision", () => {
  expect(revisionNeeded(aCase(), anApproval({ updatedAt: 1, runStatus: "X" }), aPolicy())).toBeNull()
})

test("R2: new content is a new revision, older votes are void, and who had voted is told", () => {
  const voted = { ...aCase(), votes: [aVote(), aVote({ user: "U2" })] }
  const changed = anApproval({ toolArgs: { table: "orders" } })

  const { next, events } = revise(voted, changed, aPolicy(), noon)

  expect(revisionNeeded(voted, changed, aPolicy())).toBe("content")
  expect(next).toMatchObject({ votes: [], approval: changed, revision: { number: 2, digest: digestOf(changed) } })
  expect(events).toMatchObject([{ kind: "revised", why: "content", revision: 2, voided: ["T1:U1", "T1:U2"] }])
  expect(next.lines.slice(1)).toEqual(events)
})

test("R5: a changed rule is a new revision too, with cards on its new routes; older cards stay", () => {
  const stricter = aPolicy([aRule({ quorum: 2, routes: [{ kind: "channel", id: "C2" }] })])

  const { next, events } = revise(aCase(), anApproval(), stricter, noon)

  expect(revisionNeeded(aCase(), anApproval(), stricter)).toBe("rules")
  expect(next.revision.quotas).toMatchObject([{ name: "all", quorum: 2 }])
  expect(next.cards.map((card) => card.route)).toEqual(["channel:C1", "channel:C2"])
  expect(events).toMatchObject([{ kind: "revised", why: "rules" }])
})

test("a rule that does not concern the approval changes nothing", () => {
  const more = aPolicy([aRule({ name: "other", match: { tool: ["send_*"] } }), aRule()])

  expect(revisionNeeded(aCase(), anApproval(), more)).toBeNull()
})

test("a vote is kept, told, and entered with the digest of its values, never the values", () => {
  const vote = aVote({ values: { secret: "hunter2" }, reason: "fine" })
  const quotas = [{ name: "all", hash: "h", quorum: 2 }]

  const { next, events } = castVote(aCase(), vote, quotas)

  expect(next).toMatchObject({ votes: [vote], revision: { quotas } })
  expect(events).toMatchObject([
    {
      kind: "voted",
      person: "T1:U1",
      verb: "approve",
      reason: "fine",
      values: valuesHash(vote.values),
      rules: ["all"],
    },
  ])
  expect(JSON.stringify(events)).not.toContain("hunter2")
  expect(next.lines.slice(1)).toEqual(events)
})

test("a person's newer vote replaces their older one, and nobody else's", () => {
  const quotas = [{ name: "all", hash: "h", quorum: 3 }]
  const first = castVote(aCase(), aVote(), quotas).next
  const second = castVote(first, aVote({ user: "U2" }), quotas).next

  const { next } = castVote(second, aVote({ values: { a: 1 } }), quotas)

  expect(next.votes.map((vote) => [vote.person.user, vote.values])).toEqual([
    ["U2", null],
    ["U1", { a: 1 }],
  ])
})

test("R5: a vote that counts no more is taken out, with why", () => {
  const { next, events } = voidVote(
    { ...aCase(), votes: [aVote(), aVote({ user: "U2" })] },
    aVote().person,
    "guest",
    noon,
  )

  expect(next.votes.map((vote) => vote.person.user)).toEqual(["U2"])
  expect(events).toEqual([{ kind: "voided", at: noon, person: "T1:U1", why: "guest" }])
})

test("R11 a refusal is entered, and its press never counts again", () => {
  const refused = { at: noon, person: "T1:U9", verb: "approve", why: "not-approver", interaction: "i" } as const

  const { next, events } = noteRefusal(aCase(), refused)

  expect(next).toEqual({ ...aCase(), used: [{ interaction: "i", person: "T1:U9", at: noon }] })
  expect(events).toEqual([{ kind: "refused", ...refused }])
})

test("joined steps are one: the last case, all events in order", () => {
  const joined = andThen(
    noteRefusal(aCase(), { at: 1, person: "p", verb: "reject", why: "w", interaction: "i" }),
    (now) => castVote(now, aVote(), []),
  )

  expect(joined.events.map((event) => event.kind)).toEqual(["refused", "voted"])
  expect(joined.next.votes).toHaveLength(1)
})

test("an approval that is pending again is taken up from the closed case: a new revision, new cards, no votes", () => {
  const closed: Case = {
    ...aCase(),
    state: "closed",
    approval: null,
    votes: [aVote()],
    outcome: { kind: "vanished", at: 1 },
  }
  const before = rememberCard(closed, route, { place, told: 4 }, noon).next

  const { next, events } = takeUpAgain(before, anApproval(), aPolicy(), noon)

  expect(next).toMatchObject({ state: "open", votes: [], outcome: null, decision: null, revision: { number: 2 } })
  expect(next.cards).toEqual(aCase().cards)
  expect(events).toMatchObject([{ kind: "found" }, { kind: "opened", revision: 2, digest: digestOf(anApproval()) }])
  expect(() => takeUpAgain(aCase(), anApproval(), aPolicy(), noon)).toThrow(StepError)
})

const needOpen: readonly (readonly [string, (current: Case) => unknown])[] = [
  ["revised", (current) => revise(current, anApproval(), aPolicy(), noon)],
  ["voted on", (current) => castVote(current, aVote(), [])],
  ["relieved of a vote", (current) => voidVote(current, aVote().person, "why", noon)],
]

test.for(needOpen)("only an open case can be %s", ([name, step]) => {
  for (const state of states) {
    const current = { ...aCase(), state }
    if (state === "open") expect(() => step(current)).not.toThrow()
    else {
      expect(() => step(current)).toThrow(StepError)
      expect(() => step(current)).toThrow(`case ${current.id} is ${state}: it cannot be ${name}`)
    }
  }
})

test("a step error says that trying again does not help", () => {
  expect(new StepError("closed", aCase())).toMatchObject({ code: "illegal-step", retryable: false })
})

test("a case whose content was erased demands nothing", () => {
  expect(demandNow({ ...aCase(), approval: null }, aPolicy())).toEqual({ rules: [], covered: false })
})

test("routes come in the order of the rules, each once", () => {
  const rules = [
    aRule({ routes: [{ kind: "person", id: "U1" }] }),
    aRule({
      routes: [
        { kind: "channel", id: "C1" },
        { kind: "person", id: "U1" },
      ],
    }),
  ]

  expect(routesOf({ rules, covered: true })).toEqual(["person:U1", "channel:C1"])
})

/** Whether people read of it in the thread, for every kind of event. */
const told: Readonly<Record<CaseEvent["kind"], boolean>> = {
  opened: true,
  "counterproposal-answered": true,
  revised: true,
  raised: true,
  placed: false,
  summarised: false,
  admitted: false,
  voted: true,
  "called-back": true,
  withdrawn: true,
  revealed: false,
  voided: true,
  refused: false,
  repeated: false,
  looping: true,
  "asks-again": true,
  decided: true,
  "glass-broken": true,
  asked: true,
  answered: true,
  "glass-reviewed": true,
  "glass-left": true,
  reminded: true,
  escalated: true,
  expired: true,
  sent: false,
  unheard: false,
  attempted: false,
  reopened: true,
  resolved: true,
  elsewhere: true,
  missed: false,
  found: false,
  vanished: true,
  recovered: true,
  frozen: true,
  renewed: true,
  returned: true,
  doubtful: true,
  "without-effect": true,
  "paused-again": true,
  "run-over": true,
  "ran-otherwise": true,
  "decided-outside-rules": true,
  held: true,
  continued: false,
  "run-ended": true,
  "not-resumed": true,
  closed: false,
}

test.each(Object.entries(told))(
  "people read votes and verdicts in the thread, not our book-keeping: %s",
  (kind, reads) => {
    expect(isTold({ kind } as CaseEvent)).toBe(reads)
  },
)
