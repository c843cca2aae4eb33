// Requirements: whatever a call is not made of remains, and is shown.
import { readdirSync } from "node:fs"
import fc from "fast-check"
import { describe, expect, it, test } from "vitest"
import { callsOf } from "../../src/domain/content/approval.ts"
import type { Json, JsonObject } from "../../src/domain/content/json.ts"
import { understand } from "../../src/domain/content/requirement.ts"
import { PAUSES, recorded } from "../slack/card-models.ts"
import { aRequirement } from "../support/builders.ts"

const othersOf = (requirement: JsonObject) => Object.fromEntries(understand(requirement).others)

describe("R4 what nobody understood remains:", () => {
  test.each<readonly [string, JsonObject]>([
    ["arguments that are a list", { tool_args: ["rm", "-rf"] }],
    ["arguments that are a JSON text", { tool_args: '{"path": "/"}' }],
    ["a form that is no list", { user_input_schema: { amount: 1 } }],
    ["a form that is no list of objects", { user_input_schema: ["amount"] }],
    ["text in metrics", { metrics: { note: "approve this" } }],
    ["a note", { confirmation_note: "the CTO agreed" }],
    ["that somebody confirmed it", { confirmed: true }],
    ["that somebody refused it", { confirmed: false }],
    ["a form of feedback", { user_feedback_schema: [] }],
    ["a member of a newer platform, even if it says false", { run_as_root: false }],
    ["an id that is a sentence", { child_run_id: "please approve this" }],
    ["a flag that is a text", { requires_confirmation: "rm -rf /" }],
    ["a time that is a text", { created_at: "now, please" }],
    ["a kind of approval that nobody knows", { approval_type: { args: [1] } }],
    ["a name that is none", { tool_name: ["a", "b"] }],
    ["a member's name in the wrong place", { member_agent_name: "Mia" }],
  ])("what nobody understood remains: %s", (_what, odd) => {
    expect(othersOf(aRequirement("pay", odd))).toEqual(odd)
  })

  test.each<readonly [string, JsonObject]>([
    ["arguments beside the call", { tool_args: { amount: 1_000_000 } }],
    ["another tool's name beside the call", { tool_name: "delete_everything" }],
    ["a result that somebody brought", { external_execution_result: "done" }],
    ["a member's name that is no text", { member_agent_name: { a: 1 } }],
    ["a form that is no list, beside the call", { user_input_schema: "amount" }],
    ["a note beside the call", { confirmation_note: "yes" }],
  ])("what nobody understood remains: %s", (_what, beside) => {
    expect(othersOf(aRequirement("pay", { tool_args: { amount: 1 } }, beside))).toEqual(beside)
  })

  it("both of two forms that differ, one of them as the form", () => {
    const [own, beside] = [[{ name: "a", value: 1 }], [{ name: "a", value: 2 }]]
    const read = understand(aRequirement("pay", { user_input_schema: own }, { user_input_schema: beside }))

    expect(read.fields).toEqual(beside)
    expect(read.others).toEqual([["user_input_schema", own]])
  })

  it("both members of one name that stand within and beside the call", () => {
    const { others } = understand(aRequirement("pay", { extra: 1 }, { extra: 2 }))

    expect(others).toEqual([
      ["extra", 1],
      ["extra", 2],
    ])
  })
})

test("what stands beside the call and says the same is shown once", () => {
  const form = [{ name: "a", field_type: "int", description: "", value: 1 }]
  const same = { tool_name: "pay", tool_args: { a: 1 }, user_input_schema: form }

  expect(othersOf(aRequirement("pay", same, same))).toEqual({})
  expect(othersOf(aRequirement("pay", { extra: 1 }, { extra: 1 }))).toEqual({ extra: 1 })
})

test("a requirement without a part of its own for the call is the call", () => {
  const read = understand({ tool_name: "pay", tool_args: { a: 1 }, member_agent_name: "Mia", tool_execution: "odd" })

  expect(read).toMatchObject({ tool: "pay", args: { a: 1 }, memberName: "Mia", others: [["tool_execution", "odd"]] })
})

it.each(PAUSES)("nothing of %s, as it was recorded, is left over", (name) => {
  expect(callsOf(recorded(name)).flatMap((call) => (call.open ? call.others : []))).toEqual([])
})

it("nothing of any recorded approval of 3.1.10 that waits is left over", () => {
  const folder = new URL("../fixtures/agentos/3.1.10", import.meta.url)
  const names = readdirSync(folder).filter((name) => name.startsWith("get-pending"))

  expect(names.length).toBeGreaterThan(3)
  for (const name of names) {
    const calls = callsOf(recorded(`3.1.10/${name.replace(".json", "")}`))
    expect([name, calls.flatMap((call) => (call.open ? call.others : []))]).toEqual([name, []])
  }
})

it("R4 every value of a requirement that is no plain one is part of its call or remains", () => {
  const names = fc.constantFrom(
    ..."tool_name tool_args user_input_schema metrics confirmed member_agent_name tool_execution extra note id".split(
      " ",
    ),
  )
  const value = fc.oneof(
    fc.constant({ secret: "SEEN" }),
    fc.constant(["SEEN"]),
    fc.constant("SEEN and seen"),
    fc.constant([{ name: "SEEN" }]),
  )
  const holder = fc.dictionary(names, value) as fc.Arbitrary<JsonObject>
  fc.assert(
    fc.property(holder, holder, (execution, beside) => {
      const requirement = { ...beside, tool_execution: execution }
      const { tool, args, fields, memberName, others } = understand(requirement)
      const shown = JSON.stringify([tool, args, fields, memberName, others.map(([, one]) => one)])

      for (const one of [...Object.values(execution), ...Object.entries(beside).flatMap(notTheCall)])
        expect(shown).toContain(JSON.stringify(one))
    }),
  )
})

function notTheCall([name, value]: readonly [string, Json]): readonly Json[] {
  return name === "tool_execution" ? [] : [value]
}
