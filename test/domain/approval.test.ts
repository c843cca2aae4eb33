// The calls of an approval, as AgentOS records them (R1).
import { readFileSync } from "node:fs"
import { expect, test } from "vitest"
import { type Approval, callsOf, openGatedCalls, ruledCalls } from "../../src/domain/content/approval.ts"
import { isJsonArray, isJsonObject, type Json, parseJson } from "../../src/domain/content/json.ts"
import { readItem } from "../../src/platform/contract.ts"
import { anApproval, aRequirement } from "../support/builders.ts"

/** The approvals of a recorded answer of AgentOS: a row, or a list of rows. */
function recorded(name: string): readonly Approval[] {
  const file = parseJson(readFileSync(new URL(`../fixtures/agentos/${name}.json`, import.meta.url), "utf8"))
  const body = isJsonObject(file) ? file["body"] : undefined
  const rows = isJsonObject(body) && isJsonArray(body["data"]) ? body["data"] : [body ?? null]
  return rows.map((row: Json) => {
    const item = readItem("main", row)
    if (item.kind !== "approval") throw new Error(`${name} cannot be read: ${item.why}`)
    return item.approval
  })
}

function waiting(name: string, at = 0) {
  const approval = recorded(name)[at]
  if (approval === undefined) throw new Error(`${name} has no row ${at}`)
  return openGatedCalls(approval).map(({ tool, args, agentId, pauseType }) => ({ tool, args, agentId, pauseType }))
}

test("a record without requirements is its own call, gated and open", () => {
  expect(callsOf(anApproval())).toEqual([
    {
      id: null,
      tool: "delete_table",
      args: { table: "customers" },
      argsGiven: true,
      oversize: false,
      pauseType: "confirmation",
      agentId: "agent-1",
      memberName: null,
      gated: true,
      open: true,
      fields: [],
      others: [],
    },
  ])
})

test("one row that covers two gated tools has two calls, each with its own arguments", () => {
  const of = { agentId: "two-tools-agent", pauseType: "confirmation" }

  expect(waiting("get-pending-multi-tool")).toEqual([
    { tool: "delete_user_data", args: { user_id: "U-100" }, ...of },
    {
      tool: "send_email",
      args: { to: "u100@example.com", subject: "Your data", body: "We deleted it." },
      ...of,
    },
  ])
})

test("a team's row whose first call ran already waits for the second only", () => {
  expect(waiting("get-pending-team-second-call")).toEqual([
    {
      tool: "send_email",
      args: { to: "ceo@example.com", subject: "Shown only in the second requirement" },
      agentId: "scripted-member",
      pauseType: "confirmation",
    },
  ])
  expect(callsOf(recorded("get-pending-team-second-call")[0] ?? anApproval())).toHaveLength(2)
})

test("a team's row has its own call, without an agent, and its member's, with the member as agent", () => {
  const at = recorded("list-team-and-member").findIndex((approval) => approval.sourceType === "team")

  expect(waiting("list-team-and-member", at).map(({ tool, agentId }) => [tool, agentId])).toEqual([
    ["send_email", null],
    ["delete_user_data", "scripted-member"],
  ])
})

test("a member's own row names the member as agent and no team", () => {
  expect(waiting("get-pending-team-member").map((call) => call.agentId)).toEqual(["support-member"])
})

test("a user_input call has its form, with every field", () => {
  const approval = recorded("get-pending-user-input")[0] ?? anApproval()

  const [call] = openGatedCalls(approval)
  expect(call?.pauseType).toBe("user_input")
  expect(call?.fields.map((field) => [field["name"], field["value"]])).toEqual([
    ["amount", 50],
    ["recipient", null],
    ["note", "lunch"],
  ])
})

test("an integer beyond 2^53 stands in the call digit by digit", () => {
  const text = readFileSync(new URL("../fixtures/agentos/get-pending-big-integer.json", import.meta.url), "utf8")
  const digits = /\d{17,}/.exec(text)?.[0] ?? "none"

  expect(JSON.stringify(waiting("get-pending-big-integer"))).toContain(digits)
})

test.for([
  "get-pending-confirmation",
  "get-pending-external-execution",
  "get-pending-extra-argument",
  "get-pending-hostile-text",
  "get-pending-not-a-number",
  "get-pending-team",
  "get-pending-user-input-all-fields",
  "get-pending-user-input-choices",
  "get-pending-workflow-step",
])("%s has a call that waits, named as the row names it", (name) => {
  const [approval] = recorded(name)

  expect(waiting(name)[0]).toMatchObject({ tool: approval?.toolName, pauseType: approval?.pauseType })
})

test("an ungated neighbour is a call, but none that the decision is about", () => {
  const requirements = [aRequirement("gated"), aRequirement("plain", { approval_type: null })]
  const approval = anApproval({ requirements })

  expect(callsOf(approval).map((call) => [call.tool, call.gated])).toEqual([
    ["gated", true],
    ["plain", false],
  ])
  expect(openGatedCalls(approval).map((call) => call.tool)).toEqual(["gated"])
})

test.for<readonly [string, Json]>([
  ["result", ""],
  ["result", "done"],
  ["tool_call_error", true],
  ["tool_call_error", "it failed"],
])("a call whose %s is %j does not wait any more", ([field, value]) => {
  const approval = anApproval({ requirements: [aRequirement("done", { [field]: value }), aRequirement("next")] })

  expect(openGatedCalls(approval).map((call) => call.tool)).toEqual(["next"])
})

test.for<readonly [string, Json]>([
  ["confirmed", true],
  ["confirmed", false],
  ["answered", true],
  ["tool_call_error", false],
])("R1 a call whose %s is %j, and that has no result, waits like any other", ([field, value]) => {
  const approval = anApproval({ requirements: [aRequirement("first"), aRequirement("second", { [field]: value })] })

  expect(openGatedCalls(approval).map((call) => call.tool)).toEqual(["first", "second"])
})

test("where no requirement waits, the record itself does: the list is never empty", () => {
  const approval = anApproval({ requirements: [aRequirement("done", { result: "x" })] })

  expect(openGatedCalls(approval).map((call) => call.tool)).toEqual(["delete_table"])
  expect(openGatedCalls(anApproval({ requirements: [] }))).toHaveLength(1)
})

test("a platform that does not say whether a call is gated means that it is", () => {
  const { approval_type: _, ...execution } = { approval_type: null, tool_name: "silent", tool_args: {} }

  expect(
    openGatedCalls(anApproval({ requirements: [{ tool_execution: execution }] })).map((call) => call.tool),
  ).toEqual(["silent"])
})

test.for<readonly [Record<string, Json>, string]>([
  [{ requires_user_input: true, external_execution_required: true }, "user_input"],
  [{ external_execution_required: true }, "external_execution"],
  [{}, "confirmation"],
  [{ requires_confirmation: null }, "from the record"],
])("of %j the call waits for %s", ([flags, wanted]) => {
  const approval = anApproval({ pauseType: "from the record", requirements: [aRequirement("a", flags)] })

  expect(openGatedCalls(approval)[0]?.pauseType).toBe(wanted)
})

test("R1: a record that names another tool than all its requirements covers that tool too", () => {
  const approval = anApproval({ toolName: "delete_everything", requirements: [aRequirement("ping")] })

  expect(ruledCalls(approval).map((call) => call.tool)).toEqual(["ping", "delete_everything"])
})

test("R1: a record whose tool one of its requirements names has no call of its own beside them", () => {
  const approval = anApproval({ toolName: "a", requirements: [aRequirement("a"), aRequirement("b")] })

  expect(ruledCalls(approval).map(({ tool }) => tool)).toEqual(["a", "b"])
  expect(ruledCalls({ ...approval, toolName: null }).map(({ tool }) => tool)).toEqual(["a", "b"])
})

test("a call without an id of its own has its requirement's, and says whose member it is", () => {
  const [call] = callsOf(
    anApproval({
      requirements: [{ id: "req-1", member_agent_name: "Mia", tool_execution: { tool_name: "pay", tool_call_id: 7 } }],
    }),
  )

  expect(call).toMatchObject({ id: "req-1", memberName: "Mia", fields: [] })
})

test("R4 a form with something in it that is no field is none, and stands among what nobody understood", () => {
  const form = { user_input_schema: [{ name: "sum" }, "no field"] }

  expect(callsOf(anApproval({ requirements: [aRequirement("pay", form)] }))).toMatchObject([
    { fields: [], others: [["user_input_schema", form.user_input_schema]] },
  ])
})
