// What a case that was sent back proposes, which call answers it, and how the two compare.
import { describe, expect, test } from "vitest"
import type { Case } from "../../../src/domain/case/case.ts"
import { noteAnswer } from "../../../src/domain/case/notice.ts"
import { takeUpAgain } from "../../../src/domain/case/steps.ts"
import { close, decide, settle } from "../../../src/domain/case/verdict.ts"
import type { Approval } from "../../../src/domain/content/approval.ts"
import type { JsonObject } from "../../../src/domain/content/json.ts"
import type { SlackId } from "../../../src/domain/people/person.ts"
import { type CallChoice, filledWith } from "../../../src/domain/send-back/counterproposal.ts"
import {
  answerableMs,
  answering,
  answerOn,
  isAnswerable,
  isProposedBy,
} from "../../../src/domain/send-back/proposals.ts"
import { aCase, anApproval, aPolicy, aRequirement, aRule, aVote } from "../../support/builders.ts"
import { noon } from "../../support/clock.ts"

const args = { amount: 500, to: "ann", password: "hunter2" }
const policy = aPolicy([aRule({ mask: ["password"] })])
const alice = { team: "T1", user: "UALICE" }

function asking(id: string, changes: JsonObject = {}, more: Partial<Approval> = {}): Approval {
  const requirements = [aRequirement("refund", { tool_args: { ...args, ...changes }, tool_call_id: `c-${id}` })]
  return anApproval({ id, runId: "r-1", sessionId: "s-1", requirements, ...more })
}

/** A case that Alice sent back, settled at noon. */
function sentBack(choice: CallChoice = "changed", changes: JsonObject = { amount: 50 }): Case {
  return sentBackBy(alice, aCase({ approval: asking("first"), policy }), changes, choice)
}

/** An open case of one call once somebody sent it back, settled at noon. */
function sentBackBy(person: SlackId, open: Case, changes: JsonObject, choice: CallChoice = "changed"): Case {
  const filled = filledWith({ calls: [{ call: "c-first", tool: "refund", choice, args: changes }] })
  const vote = aVote({ ...person, verb: "reject", sentBack: true, values: filled, at: noon })
  const sending = decide(open, { id: "d-1", verb: "reject", votes: [vote], at: noon }, "{}").next
  const outcome = { kind: "ours", verb: "reject", decisionId: "d-1", resolvedBy: null, at: noon } as const
  const event = {
    kind: "resolved",
    at: noon,
    decision: "d-1",
    verb: "reject",
    resolvedBy: null,
    sandbox: true,
  } as const
  return settle(sending, outcome, event).next
}

function answered(first: Case, approval: Approval, { now = noon + 1, sameRequester = false } = {}): Case | null {
  const found = answering(first, approval, { now, sameRequester })
  return found === null ? null : noteAnswer(aCase({ approval, policy }), found.answer, now).next
}

/** Which arguments are not as proposed; null if the approval answers nothing. */
function differing(first: Case, approval: Approval, more = {}): readonly unknown[] | null {
  const now = answered(first, approval, more)
  return now === null ? null : (answerOn(now).answers?.calls.flatMap(({ differences }) => differences) ?? null)
}

describe("a call answers a counterproposal", () => {
  test("of the same run, whoever asked: argument by argument, numbers by value, and never what is masked", () => {
    const now = answered(sentBack(), asking("next", { amount: 50, password: "other" }))

    expect(now === null ? null : answerOn(now)).toEqual({
      answers: { by: "T1:UALICE", rules: ["all"], calls: [{ call: 0, masked: true, differences: [] }] },
    })
    expect(JSON.stringify(now?.answers)).not.toContain("hunter2")
    expect(differing(sentBack(), asking("next", { amount: 60, why: "fees" }))).toEqual([
      { name: "amount", proposed: 50 },
      { name: "why" },
    ])
  })

  test("as it is, if that was wanted; one that was not wanted answers nothing", () => {
    expect(differing(sentBack("as-is", {}), asking("next"))).toEqual([])
    expect(differing(sentBack("not-at-all", {}), asking("next"))).toBeNull()
  })

  test("of a member, though its row is the team's: its requirement names the member's run", () => {
    const member = { member_agent_id: "agent-1", member_run_id: "r-1" }
    const [next] = asking("next", { amount: 50 }).requirements ?? []
    const teams = asking("next", {}, { runId: "r-team", agentId: null, requirements: [{ ...next, ...member }] })

    expect(answered(sentBack(), teams)?.answers).not.toHaveProperty("otherRun")
    expect(differing(sentBack(), teams)).toEqual([])
  })

  test("of another run of the session only if one known person asked for both", () => {
    const other = asking("next", { amount: 50 }, { runId: "r-2" })

    expect(differing(sentBack(), other)).toBeNull()
    expect(answered(sentBack(), other, { sameRequester: true })?.answers).toMatchObject({ otherRun: true })
  })

  test.each<[string, Partial<Approval>]>([
    ["instance", { instance: "other" }],
    ["session", { sessionId: "s-2" }],
    ["agent", { agentId: "other" }],
  ])("not from another %s", (_what, more) => {
    expect(differing(sentBack(), asking("next", { amount: 50 }, more))).toBeNull()
  })

  test("not with another tool, and not after a day", () => {
    const requirements = [aRequirement("pay", { tool_args: args })]

    expect(differing(sentBack(), asking("next", {}, { requirements }))).toBeNull()
    expect(differing(sentBack(), asking("next"), { now: noon + answerableMs })).toBeNull()
  })

  test("once: whoever asks again is compared with nothing", () => {
    const first = sentBack()
    const found = answering(first, asking("next"), { now: noon + 1, sameRequester: false })

    const later = { ...first, ...(found && { sentBack: found.left }) }

    expect(isAnswerable(first)).toBe(true)
    expect(isAnswerable(later)).toBe(false)
    expect(differing(later, asking("third"))).toBeNull()
  })

  test("also of a closed case, which keeps for a day what the rules do not mask", () => {
    const closed = close(sentBack(), noon, { blankAfterMs: null, retainArgumentsMs: 0 }).next

    expect(closed.kept?.until).toBe(noon + answerableMs)
    expect(JSON.stringify(closed)).not.toContain("hunter2")
    expect(differing(closed, asking("next", { amount: 50 }))).toEqual([])
  })
})

test("only who proposed a value that the call has now is one of those who ask for it, by any of their accounts", () => {
  const taken = answered(sentBack(), asking("next", { amount: 50 }))
  const refused = answered(sentBack(), asking("next", { amount: 60 }))
  if (taken === null || refused === null) throw new Error("nothing was answered")
  const second = { team: "T2", user: "UALICE2" }
  const identities = [alice, second].map((one) => ({ ...one, subject: "alice@corp.example" }))

  expect(isProposedBy(taken, alice, [])).toBe(true)
  expect(isProposedBy(taken, second, [])).toBe(false)
  expect(isProposedBy(taken, second, identities)).toBe(true)
  expect(isProposedBy(taken, { team: "T1", user: "UBOB" }, [])).toBe(false)
  expect(isProposedBy(refused, alice, [])).toBe(false)
})

test.each([false, true])(
  "R6 whoever proposed a value has proposed it, too, after somebody else sent that call back (closed: %s)",
  (closed) => {
    const bob = { team: "T1", user: "UBOB" }
    const second = answered(sentBack(), asking("second", { amount: 50 }))
    if (second === null) throw new Error("nothing was answered")
    const again = sentBackBy(bob, second, { to: "bob" })
    const before = closed ? close(again, noon, { retainArgumentsMs: 0, blankAfterMs: null }).next : again

    const third = answered(before, asking("third", { amount: 50, to: "bob" }))
    const other = answered(before, asking("third", { amount: 60, to: "bob" }))

    for (const [current, by] of [
      [third, [alice, bob]],
      [other, [bob]],
    ] as const)
      expect([alice, bob].filter((one) => current !== null && isProposedBy(current, one, []))).toEqual(by)
  },
)

test("a case that answers keeps whose counterproposal it was, and nothing of that once it is closed", () => {
  const open = answered(sentBack(), asking("next", { amount: 50 }))
  if (open === null) throw new Error("nothing was answered")
  const outcome = { kind: "elsewhere", status: "rejected", resolvedBy: null, at: noon } as const

  const closed = close(settle(open, outcome, { ...outcome, claimsToBeOurs: false }).next, noon).next

  expect(closed.answers).toMatchObject({ by: "T1:UALICE", calls: [] })
  const again = takeUpAgain(closed, asking("next", { amount: 50 }), policy, noon).next
  expect(isProposedBy(again, alice, [])).toBe(true)
  expect(isProposedBy(again, { team: "T1", user: "UBOB" }, [])).toBe(false)
})
