// The digest of a call: what a gate at the tool compares, and which calls have none.
import { expect, test } from "vitest"
import type { Approval } from "../../../src/domain/content/approval.ts"
import { callDigest, callDigests, type GatedCall } from "../../../src/domain/content/call-digest.ts"
import { canonicalJson, sha256 } from "../../../src/domain/content/canonical.ts"
import { type JsonObject, parseJson } from "../../../src/domain/content/json.ts"
import { anApproval, aRequirement } from "../../support/builders.ts"

const call: GatedCall = {
  run: "run-1",
  call: "call-pay",
  agent: "agent-1",
  team: null,
  tool: "pay",
  args: { amount: 5 },
}

/** An approval of these requirements. */
function approvalOf(requirements: readonly JsonObject[], changes: Partial<Approval> = {}): Approval {
  return anApproval({ requirements, ...changes })
}

const paying = (execution: JsonObject = {}, requirement: JsonObject = {}) =>
  aRequirement("pay", { tool_args: { amount: 5 }, ...execution }, requirement)

test("a call is named by run, id, who makes it, tool and the hash of its arguments", () => {
  const said = `{"agent":"agent-1","args":"${sha256('{"amount":5}')}","call":"call-pay","run":"run-1","team":null,"tool":"pay"}`

  expect(callDigest(call)).toBe(sha256(said))
  expect(callDigests(approvalOf([paying()]), {})).toEqual([callDigest(call)])
})

test("each of its parts makes another digest", () => {
  const others: readonly Partial<GatedCall>[] = [
    { run: "run-2" },
    { call: "call-2" },
    { agent: "agent-2" },
    { agent: null, team: "agent-1" },
    { tool: "pay2" },
    { args: { amount: 6 } },
    { args: { amount: "5" } },
    { args: {} },
  ]
  const digests = [call, ...others.map((other) => ({ ...call, ...other }))].map(callDigest)

  expect(new Set(digests).size).toBe(digests.length)
})

test("a member's call is made in its own run and by itself, a team's own by the team", () => {
  const member = { member_run_id: "run-9", member_agent_id: "member-1" }
  const team = { agentId: null, teamId: "team-1", sourceType: "team" }

  expect(callDigests(approvalOf([paying({}, member)], team), {})).toEqual([
    callDigest({ ...call, run: "run-9", agent: "member-1" }),
  ])
  expect(callDigests(approvalOf([paying()], team), {})).toEqual([callDigest({ ...call, agent: null, team: "team-1" })])
})

test("a form runs with what was filled in, else with the value that stands there, null too", () => {
  const schema = [
    { name: "amount", value: 5 },
    { name: "to", value: null },
    { name: "note", value: null },
  ]
  const form = { requires_user_input: true, requires_confirmation: null, user_input_schema: schema }
  const digests = (values: JsonObject) => callDigests(approvalOf([paying(form)]), values)

  expect(digests({ to: "bob" })).toEqual([callDigest({ ...call, args: { amount: 5, to: "bob", note: null } })])
  expect(digests({ amount: null })).toEqual([callDigest({ ...call, args: { amount: null, to: null, note: null } })])
  expect(digests({ other: 1 })).toEqual([callDigest({ ...call, args: { amount: 5, to: null, note: null } })])
})

test("a field of an odd name is a field like others", () => {
  const schema = parseJson('[{"name": "__proto__", "value": 1}, {"name": "constructor", "value": 2}]')
  const form = { requires_user_input: true, user_input_schema: schema, tool_args: {} }
  const args = parseJson('{"__proto__": 1, "constructor": 3}') as JsonObject

  const [digest] = callDigests(approvalOf([paying(form)]), parseJson('{"constructor": 3}') as JsonObject)

  expect(canonicalJson(args)).toContain("__proto__")
  expect(digest).toBe(callDigest({ ...call, args }))
})

test("values change nothing at a call that asks for none", () => {
  const asked = paying({ user_input_schema: [{ name: "amount", value: 9 }] })

  expect(callDigests(approvalOf([asked]), { amount: 7 })).toEqual([callDigest(call)])
})

test("several calls have one digest each", () => {
  const both = [paying(), aRequirement("look", { tool_args: {} })]

  expect(callDigests(approvalOf(both), {})).toEqual([
    callDigest(call),
    callDigest({ ...call, call: "call-look", tool: "look", args: {} }),
  ])
})

test.each<[string, readonly JsonObject[]]>([
  ["without an id", [paying({ tool_call_id: null })]],
  ["that shares its id", [paying(), paying()]],
  ["that shares its id with one that has run", [paying(), paying({ result: "paid" })]],
  ["of external execution", [paying({ external_execution_required: true, requires_confirmation: null })]],
  ["that needs no approval", [paying({ approval_type: null })]],
  ["that has run", [paying({ result: "paid" })]],
  ["that failed", [paying({ tool_call_error: true })]],
  ["without a tool's name", [paying({ tool_name: null })]],
])("a call %s has none", (_, requirements) => {
  expect(callDigests(approvalOf(requirements), {})).toEqual([])
})

test("an approval that names no calls, or nobody who makes them, has none", () => {
  expect(callDigests(anApproval({ requirements: null }), {})).toEqual([])
  expect(callDigests(approvalOf([paying()], { agentId: null, teamId: null }), {})).toEqual([])
})
