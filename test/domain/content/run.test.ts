// A run as it is read: which of its calls wait, and whether one of them is the call that an approval showed.

import { describe, expect, test } from "vitest"
import { openGatedCalls } from "../../../src/domain/content/approval.ts"
import { type Json, type JsonObject, parseJson } from "../../../src/domain/content/json.ts"
import { executionIn } from "../../../src/domain/content/requirement.ts"
import {
  callId,
  callsInRun,
  entriesOf,
  isCall,
  isSameJson,
  isWaiting,
  memberRunsIn,
  type Run,
  waitingIn,
} from "../../../src/domain/content/run.ts"
import { anApproval, aRequirement } from "../../support/builders.ts"

function aRun(changes: Partial<Run> = {}): Run {
  const base = { id: "run-1", status: "PAUSED", userId: null, parentId: null, content: null }
  return { ...base, tools: [], requirements: [], members: [], ...changes }
}

describe("a call waits", () => {
  test.each([
    { requires_confirmation: true },
    { requires_user_input: true },
    { external_execution_required: true },
    { user_feedback_schema: [] },
  ])("a call waits if it asks: %o", (asks) => {
    expect(isWaiting(asks)).toBe(true)
    expect(isWaiting({ ...asks, confirmed: null, result: null, tool_call_error: null, answered: null })).toBe(true)
  })

  test.each([{}, { requires_confirmation: false }, { requires_user_input: null }, { user_feedback_schema: null }])(
    "a call does not wait if it asks nothing: %o",
    (asks) => expect(isWaiting(asks)).toBe(false),
  )

  test.each([{ confirmed: true }, { tool_call_error: false }, { answered: true }])(
    "R1 a call waits with %o too, as long as it has neither a result nor an error",
    (said) => expect(isWaiting({ requires_confirmation: true, ...said })).toBe(true),
  )

  test.each([{ result: "" }, { tool_call_error: true }, { tool_call_error: "it failed" }])(
    "a call does not wait any more once it has %o",
    (done) => expect(isWaiting({ requires_confirmation: true, ...done })).toBe(false),
  )
})

test("a team's run waits by its requirements, an agent's by its calls", () => {
  const [own, ofMember, done] = [aRequirement("own"), aRequirement("of-member"), aRequirement("done", { result: "x" })]
  const run = aRun({ tools: [executionIn(own), executionIn(done)], requirements: [ofMember, done] })

  expect(entriesOf(run, "agents")).toEqual(run.tools)
  expect(entriesOf(run, "teams")).toEqual(run.requirements)
  expect(waitingIn(run, "agents").map(callId)).toEqual(["call-own"])
  expect(waitingIn(run, "teams").map(callId)).toEqual(["call-of-member"])
})

test("R1 an agent's call that was confirmed and has not run waits; a team's requirements say so of calls that have run, too", () => {
  const confirmed = [aRequirement("own", { confirmed: true }), aRequirement("other", { answered: true })]
  const run = aRun({ tools: confirmed.map(executionIn), requirements: confirmed })

  expect(waitingIn(run, "agents").map(callId)).toEqual(["call-own", "call-other"])
  expect(waitingIn(run, "teams")).toEqual([])
})

test("a call without an id of its own has none", () => {
  expect([{ tool_call_id: "c-1" }, { tool_call_id: 7 }, {}].map(callId)).toEqual(["c-1", "", ""])
})

test("the members that a team's run waits for are named once each", () => {
  const requirements = ["r-2", "r-1", null, "r-2"].map((id) => ({ member_run_id: id }))

  expect(memberRunsIn(aRun({ requirements }))).toEqual(["r-2", "r-1"])
})

test("the calls of a run are its own, those of its requirements and those of its members, however deep", () => {
  const [a, b, c, d] = ["a", "b", "c", "d"].map((tool) => aRequirement(tool))
  const deep = aRun({ tools: [d ?? {}] })
  const run = aRun({
    tools: [a ?? {}],
    requirements: [b ?? {}],
    members: [aRun({ tools: [c ?? {}], members: [deep] })],
  })

  expect(callsInRun(run)).toEqual([a, executionIn(b ?? {}), c, d])
})

describe("a call of a run is the one that was shown", () => {
  const schema = [{ name: "amount", value: 1, description: "How much." }]
  const shown = aRequirement("pay", { tool_args: { table: "t" }, user_input_schema: schema })
  const [call] = openGatedCalls(anApproval({ requirements: [shown] }))
  const is = (changes: JsonObject) => call !== undefined && isCall({ ...executionIn(shown), ...changes }, call)

  test.each([{}, { confirmed: true }, { user_input_schema: [{ name: "amount", value: 1 }, "odd"] }])(
    "a call of a run is the one that was shown with %o too",
    (changes) => expect(is(changes)).toBe(true),
  )

  test.each([
    { tool_call_id: "another" },
    { tool_name: "another" },
    { tool_args: {} },
    { tool_args: null },
    { user_input_schema: null },
    { user_input_schema: [{ name: "amount", value: 2 }] },
    { user_input_schema: [{ name: "other", value: 1 }] },
    { user_input_schema: [{ name: "amount" }] },
  ])("a call of a run is another than was shown with %o", (changes) => expect(is(changes)).toBe(false))

  test("a field without a name or a value is one with null", () => {
    const bare = aRequirement("pay", { user_input_schema: [{}] })
    const [one] = openGatedCalls(anApproval({ requirements: [bare] }))
    const written = { ...executionIn(bare), tool_args: null, user_input_schema: [{ name: null, value: null }] }

    expect(one !== undefined && isCall(written, one)).toBe(true)
  })
})

test("the same JSON is the same however its numbers were written, and absent is null", () => {
  const pairs: readonly (readonly [Json | undefined, Json | undefined])[] = [
    [parseJson("50.0"), 50],
    [parseJson('{"a":1,"b":2}'), { b: 2, a: 1 }],
    [undefined, null],
  ]

  expect(pairs.map(([one, other]) => isSameJson(one, other))).toEqual([true, true, true])
  expect(isSameJson({ a: 1 }, { a: 2 })).toBe(false)
  expect(isSameJson(undefined, 0)).toBe(false)
})
