// What a new revision keeps of the one before, and what an approval that is pending again starts with (R2, R5, R6).

import { expect, test } from "vitest"
import type { Case } from "../../../src/domain/case/case.ts"
import { callKeysOf } from "../../../src/domain/case/related-approval.ts"
import { openCase, revise, revisionNeeded, takeUpAgain } from "../../../src/domain/case/steps.ts"
import { aCase, anApproval, aPolicy, aRequirement, aRule, aVote, installation } from "../../support/builders.ts"
import { noon } from "../../support/clock.ts"

const first = anApproval({ requirements: [aRequirement("pay")] })
const second = anApproval({ requirements: [aRequirement("pay"), aRequirement("send")] })
const stricter = aPolicy([aRule({ name: "strict", quorum: 2 })])

test("what nobody looked at yet is new, without lines or votes, and says whom it asks", () => {
  const { next, events } = openCase({ installation, approval: first, policy: aPolicy(), epoch: "e", at: noon })

  expect(events).toEqual([
    {
      kind: "opened",
      at: noon,
      approval: "a-1",
      instance: "main",
      revision: 1,
      digest: next.revision.digest,
      rules: ["all"],
      tool: "pay",
      asked: [{ rule: "all", quorum: 1, approvers: ["U1", "U2"] }],
    },
  ])
  expect(next).toMatchObject({ lines: events, votes: [], noticed: [], related: [], informed: false, before: null })
  expect(next.calls).toEqual(callKeysOf(first))
})

test("R2: new content keeps what was there before it, and every call that the case was ever about", () => {
  const current = { ...aCase({ approval: first }), votes: [aVote()] }

  const { next, events } = revise(current, second, aPolicy(), noon + 1)

  expect(next.before).toEqual({ revision: 1, approval: first })
  expect(next.calls).toEqual(callKeysOf(second))
  expect(revise(next, first, aPolicy(), noon + 2).next.calls).toEqual(callKeysOf(second))
  expect(events).toEqual([
    {
      kind: "revised",
      at: noon + 1,
      revision: 2,
      digest: next.revision.digest,
      rules: ["all"],
      why: "content",
      voided: ["T1:U1"],
      tool: "pay",
    },
  ])
})

test("R15: the ledger names tool and team as the platform does, but for what the rules mask, and none that it lacks", () => {
  const masking = aPolicy([aRule({ mask: ["/k-[0-9]+/"] })])
  const named = anApproval({ toolName: "pay-k-123", teamId: "team-k-45" })
  const opening = { installation, policy: masking, epoch: "e", at: noon }

  const [opened] = openCase({ ...opening, approval: named }).events
  const [revised] = revise(aCase({ approval: named }), { ...named, toolName: "send" }, aPolicy(), noon).events
  const [unnamed] = openCase({ ...opening, approval: anApproval({ toolName: null }) }).events

  expect(opened).toMatchObject({ kind: "opened", tool: expect.stringMatching(/^pay-/), team: expect.any(String) })
  expect(JSON.stringify(opened)).not.toMatch(/k-123|k-45/)
  expect(revised).toMatchObject({ kind: "revised", why: "content", tool: "send", team: "team-k-45" })
  expect(Object.keys(unnamed ?? {})).not.toContain("tool")
  expect(Object.keys(unnamed ?? {})).not.toContain("team")
})

test("R5: other rules keep the content that people saw before, and say whom they ask", () => {
  const changed = revise(aCase({ approval: first }), second, aPolicy(), noon + 1).next

  const { next, events } = revise(changed, second, stricter, noon + 2)

  expect(next.before).toEqual(changed.before)
  expect(events).toMatchObject([
    {
      kind: "revised",
      why: "rules",
      rules: ["strict"],
      asked: [{ rule: "strict", quorum: 2, approvers: ["U1", "U2"] }],
    },
  ])
})

test("R2: a case whose content was not kept has nothing to show from before", () => {
  const { next, events } = revise({ ...aCase(), approval: null }, second, aPolicy(), noon + 1)

  expect(next.before).toBeNull()
  expect(events).toMatchObject([{ why: "content" }])
})

test("a revision that was not needed is one of the content", () => {
  expect(revise(aCase(), anApproval(), aPolicy(), noon + 1).events).toMatchObject([{ why: "content", revision: 2 }])
})

test("R6: another requester is new content, though the digest is the same", () => {
  const other = anApproval({ userId: "other@example.com" })

  expect(revisionNeeded(aCase(), other, aPolicy())).toBe("content")
  expect(revisionNeeded(aCase(), anApproval(), aPolicy())).toBeNull()
  expect(revisionNeeded(aCase(), anApproval(), stricter)).toBe("rules")
})

test("an approval that is pending again starts with lines, related approvals and calls of its own, and nobody informed", () => {
  const related = { caseId: "c-2", of: "team", link: null } as const
  const closed: Case = {
    ...aCase({ approval: first }),
    state: "closed",
    approval: null,
    lines: [{ kind: "closed", at: noon }],
    informed: true,
    related: [related],
  }

  const { next, events } = takeUpAgain(closed, second, aPolicy(), noon + 1)

  expect(next).toMatchObject({ informed: false, related: [], calls: callKeysOf(second), openedAt: noon + 1 })
  expect(events).toMatchObject([
    { kind: "found", at: noon + 1 },
    { kind: "opened", asked: [{ rule: "all" }] },
  ])
  expect(next.lines).toEqual([events[1]])
  expect(() => takeUpAgain(aCase(), second, aPolicy(), noon)).toThrow("it cannot be taken up again")
})
