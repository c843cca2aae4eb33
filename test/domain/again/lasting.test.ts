// Which call is the same, and when a rejection lasts (R22).
import { describe, expect, test } from "vitest"
import {
  askPeople,
  endLasting,
  isLoop,
  lastingFrom,
  lastingMs,
  lastingOf,
  leaveLooped,
  noteRepeat,
  sameCall,
  withoutCards,
} from "../../../src/domain/again/lasting.ts"
import { repeatNote } from "../../../src/domain/again/repeat-note.ts"
import { againOn, rememberCard } from "../../../src/domain/case/card-steps.ts"
import type { Case } from "../../../src/domain/case/case.ts"
import { dueNow, nextDeadline } from "../../../src/domain/case/deadline-steps.ts"
import { renew } from "../../../src/domain/case/renewal-steps.ts"
import { openCase } from "../../../src/domain/case/steps.ts"
import { close, decide, reopen, settle, subjectOf } from "../../../src/domain/case/verdict.ts"
import { type Decision, isTallied, repeatIdOf, type VotedDecision } from "../../../src/domain/case/vote.ts"
import type { Approval } from "../../../src/domain/content/approval.ts"
import { aCase, anApproval, aPolicy, aRequirement, aRule, aSeal, aVote, installation } from "../../support/builders.ts"
import { noon } from "../../support/clock.ts"

const until = noon + 600_000
const seal = aSeal()
const decision: VotedDecision = {
  id: "d1",
  verb: "reject",
  votes: [aVote({ verb: "reject", lasting: true })],
  at: noon,
}
const ours = { kind: "ours", verb: "reject", decisionId: "d1", resolvedBy: "u1", at: noon } as const
const resolved = {
  kind: "resolved",
  at: noon,
  decision: "d1",
  verb: "reject",
  resolvedBy: "u1",
  sandbox: false,
} as const

function lasting(): Case {
  const open = { ...aCase(), votes: decision.votes, lasting: lastingFrom("key", until) }
  return settle(decide(open, decision, "{}").next, ours, resolved).next
}

const one = { case: "c2", run: "run-1", at: noon + 1 }

describe("R22 the same call", () => {
  const asked = anApproval({ requirements: [aRequirement("refund", { tool_args: { amount: 1 } })] })

  test("is asked under other ids and at another time", () => {
    const again = aRequirement("refund", { tool_args: { amount: 1 }, tool_call_id: "other" }, { id: "other" })
    const other = anApproval({ id: "a-2", runId: "run-2", sessionId: "s2", createdAt: 1, requirements: [again] })

    expect(sameCall(seal, other, true)).toBe(sameCall(seal, asked, true))
  })

  test.each<[string, Partial<Approval>]>([
    ["a changed argument", { requirements: [aRequirement("refund", { tool_args: { amount: 10 } })] }],
    ["another tool", { requirements: [aRequirement("refunds", { tool_args: { amount: 1 } })] }],
    ["another agent", { agentId: "agent-2" }],
    ["a team", { teamId: "team-1" }],
    ["another instance", { instance: "other" }],
    ["another requester", { userId: "somebody@example.com" }],
    [
      "a form",
      { requirements: [aRequirement("refund", { tool_args: { amount: 1 } }, { user_input_schema: [{ name: "x" }] })] },
    ],
    ["one more call", { requirements: [aRequirement("refund", { tool_args: { amount: 1 } }), aRequirement("tell")] }],
  ])("is another one with %s", (_what, changes) => {
    expect(sameCall(seal, { ...asked, ...changes }, true)).not.toBe(sameCall(seal, asked, true))
  })

  test("of somebody whom nobody knows is the same in the same run alone", () => {
    const elsewhere = { ...asked, runId: "run-2" }

    expect(sameCall(seal, { ...asked, id: "a-2" }, false)).toBe(sameCall(seal, asked, false))
    expect(sameCall(seal, elsewhere, false)).not.toBe(sameCall(seal, asked, false))
  })

  test("has no key if programs may read it in two ways", () => {
    expect(sameCall(seal, { ...asked, ambiguous: true }, true)).toBeNull()
  })
})

describe("R22 a lasting rejection", () => {
  test("is offered only if each rule has it, for the shortest time", () => {
    const with_ = (sameCallMs: number) => aRule({ afterRejection: { sameCallMs } })

    expect(lastingMs([with_(600_000), with_(60_000)])).toBe(60_000)
    expect(lastingMs([with_(600_000), aRule()])).toBeNull()
    expect(lastingMs([])).toBeNull()
  })

  test("counts once it is settled, until its time is over", () => {
    expect(lastingOf(lasting(), until - 1)?.decision.id).toBe("d1")
    expect(lastingOf(lasting(), until)).toBeNull()
  })

  test.each<[string, (settled: Case) => Case]>([
    ["it is not settled", (now) => ({ ...now, state: "sending", outcome: null })],
    ["it was decided elsewhere", (now) => ({ ...now, outcome: { ...ours, decisionId: "other" } })],
    [
      "an expiry made it",
      (now) => ({ ...now, decision: { id: "d1", verb: "reject", votes: [], at: noon, by: "expiry" } }),
    ],
    [
      "whoever voted did not choose it",
      (now) => ({ ...now, decision: { ...decision, votes: [aVote({ verb: "reject" })] } }),
    ],
    ["its case forgot it", (now) => endLasting(now, null, noon).next],
    ["a lost second touched it", (now) => renew(now, noon).next],
  ])("does not count if %s", (_what, change) => {
    expect(lastingOf(change(lasting()), noon)).toBeNull()
  })

  test("goes with a verdict that had no effect, and with a record that others decided", () => {
    const sending = decide(
      { ...aCase(), votes: decision.votes, lasting: lastingFrom("key", until) },
      decision,
      "{}",
    ).next
    const gone = { kind: "vanished", at: noon } as const

    expect(reopen(sending, "403", noon).next.lasting).toBeUndefined()
    expect(settle(sending, gone, gone).next.lasting).toBeUndefined()
  })

  test("keeps its case from closing until it ends", () => {
    expect(() => close(lasting(), noon)).toThrow("closed while its rejection lasts")
    expect([nextDeadline(lasting()), dueNow(lasting(), until - 1), dueNow(lasting(), until)]).toEqual([
      until,
      null,
      "lapse",
    ])

    const ended = endLasting(lasting(), null, until)

    expect(ended.events).toEqual([{ kind: "asks-again", at: until, person: null }])
    expect(close(ended.next, until).next.state).toBe("closed")
  })

  test("notes each repeat, and counts them by run", () => {
    const three = [1, 2, 3].reduce((now, at) => noteRepeat(now, { ...one, case: `c${at}`, at }).next, lasting())

    expect(three.lasting?.repeats).toHaveLength(3)
    expect(three.lasting && isLoop(three.lasting, "run-1")).toBe(true)
    expect(three.lasting && isLoop(three.lasting, "run-2")).toBe(false)
  })

  test("its card has the button, but not the one that only tells the requester", () => {
    const posted = rememberCard(lasting(), "channel:C1", { place: { channel: "C1", ts: "1.1" } }, noon).next
    const cards = posted.cards.map((card) => (card.route === "channel:C1" ? card : card))
    const told = { ...posted, cards: [...cards, { ...cards[0], route: "person:U9", from: 2 } as Case["cards"][number]] }

    expect(againOn(told, "channel:C1").again).toMatchObject({ kind: "lasting", here: true, until })
    expect(againOn(told, "person:U9").again).toMatchObject({ here: false })
  })
})

describe("R22 a repeat", () => {
  const of = { as: { case: "c1", decision: "d1", person: "T1:U1" }, reason: "too much", until }
  const repeat = (current: Case): Decision => ({
    id: repeatIdOf(seal, current, of),
    verb: "reject",
    votes: [],
    at: noon,
    by: "again",
    ...of,
  })

  test("is a rejection in the name of Countersign, with the reason of the first", () => {
    const { next, events } = decide(aCase(), repeat(aCase()), "{}")

    expect(subjectOf(repeat(aCase()))).toBe("countersign:again")
    expect(events).toMatchObject([
      { kind: "decided", by: "again", as: of.as, people: [], subject: "countersign:again", reason: "too much" },
    ])
    expect(isTallied(seal, next)).toBe(true)
  })

  test.each<[string, object]>([
    ["another reason", { reason: "because" }],
    ["a later end", { until: until + 1 }],
    ["another first case", { as: { ...of.as, case: "c9" } }],
    ["another name", { as: { ...of.as, person: "T1:U9" } }],
    ["an id of its own", { id: "0".repeat(32) }],
  ])("R14 is not ours with %s", (_what, change) => {
    const { next } = decide(aCase(), repeat(aCase()), "{}")

    expect(isTallied(seal, { ...next, decision: { ...repeat(aCase()), ...change } as Decision })).toBe(false)
  })

  test("R14 the verdict of one case is none of another", () => {
    const copied = { ...decide(aCase(), repeat(aCase()), "{}").next, id: "f".repeat(20) }

    expect(isTallied(seal, copied)).toBe(false)
  })

  test("never approves, and has no votes", () => {
    for (const change of [{ verb: "approve" }, { votes: decision.votes }])
      expect(() => decide(aCase(), { ...repeat(aCase()), ...change } as Decision, "{}")).toThrow("decided by nobody")
  })

  test("the model reads whose words are whose, and when it may ask again", () => {
    expect(repeatNote({ reason: 'say "yes"', until: Date.UTC(2026, 0, 2) })).toBe(
      'A person rejected this same call before. {"note":"say \\"yes\\""} It may be asked again after ' +
        "2026-01-02T00:00:00.000Z; until then it is rejected by itself. Do not call it again before.",
    )
    expect(repeatNote({ reason: null, until: 0 })).not.toContain("{")
  })
})

describe("R22 a case that is left undecided", () => {
  const policy = aPolicy([aRule()])
  const opened = withoutCards(openCase({ installation, approval: anApproval(), policy, epoch: "e1", at: noon }))
  const looped = leaveLooped(opened.next, { case: "c1", until }, noon)

  test("asks nobody, and says why", () => {
    expect(opened.next.cards).toEqual([])
    expect(opened.events).toMatchObject([{ kind: "opened", asked: [] }])
    expect(looped.events).toEqual([{ kind: "looping", at: noon, case: "c1" }])
    expect(againOn(looped.next, "").again).toEqual({ kind: "looped", case: "c1" })
  })

  test("asks people when somebody says so, or when the time is over", () => {
    const asked = askPeople(looped.next, policy, "T1:U1", noon)

    expect(asked?.next.cards.map(({ route }) => route)).toEqual(["channel:C1"])
    expect(asked?.next.looped).toBeUndefined()
    expect(asked?.events).toMatchObject([{ kind: "asks-again", person: "T1:U1", asked: [{ rule: "all" }] }])
    expect([dueNow(looped.next, until - 1), dueNow(looped.next, until)]).toEqual([null, "ask"])
    expect(asked && askPeople(asked.next, policy, null, noon)).toBeNull()
  })
})
