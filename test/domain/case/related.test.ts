// Related approvals: a team's row and a member's row about one call find each other.

import { expect, test } from "vitest"
import { callKeysOf, pointTo, relationOf } from "../../../src/domain/case/related-approval.ts"
import type { Approval } from "../../../src/domain/content/approval.ts"
import { sha256 } from "../../../src/domain/content/canonical.ts"
import { aCase, anApproval, aRequirement } from "../../support/builders.ts"

const call = aRequirement("pay")
const team = anApproval({
  id: "a-team",
  runId: "run-of-team",
  requirements: [aRequirement("own"), { ...call, member_run_id: "run-of-member" }],
})
const member = anApproval({ id: "a-member", runId: "run-of-member", requirements: [call] })

test("a call is named by 20 characters of its id's hash, once, where it has an id", () => {
  const requirements = [call, call, aRequirement("pay", { tool_call_id: "" }), aRequirement("pay", { tool_call_id: 7 })]
  const flat = { tool_call_id: "flat" }

  expect(callKeysOf(anApproval({ requirements: [...requirements, flat] }))).toEqual([
    sha256("call-pay").slice(0, 20),
    sha256("flat").slice(0, 20),
  ])
  expect(callKeysOf(anApproval({ requirements: null }))).toEqual([])
})

test("a row of thousands is looked up by its first hundred calls", () => {
  const requirements = Array.from({ length: 150 }, (_, at) => aRequirement("pay", { tool_call_id: `c-${at}` }))

  const keys = callKeysOf(anApproval({ requirements }))

  expect(keys).toHaveLength(100)
  expect(keys.at(-1)).toBe(sha256("c-99").slice(0, 20))
})

test("the other row is the member's for the team's, and the team's for the member's", () => {
  expect(relationOf(team, member)).toBe("member")
  expect(relationOf(member, team)).toBe("team")
})

test.each<[string, Approval]>([
  ["another instance", { ...member, instance: "other" }],
  ["the very same id", { ...member, id: team.id }],
  ["another run", { ...member, runId: "run-of-another" }],
  ["another call", { ...member, requirements: [aRequirement("other")] }],
  ["a call without an id", { ...member, requirements: [aRequirement("pay", { tool_call_id: null })] }],
  ["no requirements", { ...member, requirements: null }],
])("a row of %s is no related", (_what, other) => {
  expect([relationOf(team, other), relationOf(other, team)]).toEqual([null, null])
})

test("calls without ids never match each other", () => {
  const nameless = aRequirement("pay", { tool_call_id: null })
  const requirements = [{ ...nameless, member_run_id: member.runId }]

  expect(relationOf({ ...team, requirements }, { ...member, requirements: [nameless] })).toBeNull()
})

test("a case points to a related approval once, to its newest link, and forgets neither the link nor others", () => {
  const linked = { caseId: "c-2", of: "member", link: "https://example.com/1" } as const
  const other = { caseId: "c-3", of: "team", link: null } as const
  const current = { ...aCase(), related: [{ ...linked, link: null }, other] }

  const step = pointTo(current, linked)

  expect(step).toEqual({ next: { ...current, related: [other, linked] }, events: [] })
  expect(pointTo(aCase(), other)?.next.related).toEqual([other])
  expect(pointTo({ ...current, related: [other] }, { ...linked, link: null })?.next.related).toHaveLength(2)
  const known = { ...current, related: [linked] }
  expect(pointTo(known, linked)).toBeNull()
  expect(pointTo(known, { ...linked, link: null })).toBeNull()
  expect(pointTo(known, { ...linked, link: "https://example.com/2" })?.next.related).toMatchObject([
    { link: "https://example.com/2" },
  ])
})
