// Inputs: the fields of a form, what typed text means, and what is missing.
import { describe, expect, it } from "vitest"
import { coerce, type InputField, inputsOf, missingIn } from "../../src/domain/inputs.ts"
import type { JsonObject } from "../../src/domain/json.ts"
import { anApproval, recorded } from "../slack/faces.ts"

const field = (more: Partial<InputField>): InputField => ({
  name: "amount",
  kind: "text",
  type: "str",
  description: "",
  guess: null,
  choices: [],
  calls: 1,
  ...more,
})

describe("the fields", () => {
  it("are all of the schema, with the agent's guesses, and none is derived from null", () => {
    const { fields, result } = inputsOf(recorded("get-pending-user-input-all-fields"))

    expect(fields.map(({ name, kind, guess }) => [name, kind, guess])).toEqual([
      ["city", "text", "Oslo"],
      ["days", "integer", 3],
      ["refundable", "truth", null],
    ])
    expect(result).toEqual([])
  })

  it("of types that lose their meaning on the wire are text", () => {
    const { fields } = inputsOf(recorded("get-pending-user-input-choices"))

    expect(fields.map(({ type, kind }) => [type, kind])).toEqual([
      ["str", "text"],
      ["Literal", "text"],
      ["Optional", "text"],
    ])
  })

  it("whose choices are known are choices, and one that several calls share says so", () => {
    const call = (value: string): JsonObject => ({
      tool_execution: {
        tool_name: "set_level",
        requires_user_input: true,
        user_input_schema: [{ name: "level", field_type: "Literal", choices: ["low", "high"], value }],
      },
    })

    const { fields } = inputsOf(anApproval({ requirements: [call("low"), call("high")] }))

    expect(fields).toEqual([
      field({ name: "level", kind: "choice", type: "Literal", guess: "high", choices: ["low", "high"], calls: 2 }),
    ])
  })

  it("of an external execution are its result, of a confirmation nothing", () => {
    expect(inputsOf(recorded("get-pending-external-execution"))).toEqual({ fields: [], result: ["restart_database"] })
    expect(inputsOf(anApproval())).toEqual({ fields: [], result: [] })
  })
})

describe("typed text", () => {
  it.each([
    ["text", " as it is ", " as it is "],
    ["integer", "-42", -42],
    ["number", "12.50", 12.5],
    ["truth", "true", true],
    ["json", '[1, {"a": null}]', [1, { a: null }]],
  ] as const)("for %s: %j means %j", (kind, typed, value) => {
    expect(coerce(field({ kind }), typed)).toEqual({ ok: true, value })
  })

  it("keeps every digit of a number that a double cannot hold", () => {
    const read = coerce(field({ kind: "integer" }), "12345678901234567890")

    expect(read.ok && JSON.stringify(read.value)).toBe("12345678901234567890")
  })

  it("gives back the chosen value as it was", () => {
    expect(coerce(field({ kind: "choice", choices: [1, 2] }), "2")).toEqual({ ok: true, value: 2 })
  })

  it.each([
    ["integer", "1.5", "whole number"],
    ["integer", "007", "whole number"],
    ["number", "NaN", "a number"],
    ["number", "1,5", "a number"],
    ["truth", "yes", "true or false"],
    ["choice", "other", "one of the values"],
    ["json", "{", "as JSON"],
    ["json", '"text"', "as JSON"],
  ] as const)("for %s: %j is sent back", (kind, typed, why) => {
    expect(coerce(field({ kind }), typed)).toEqual({ ok: false, why: expect.stringContaining(why) })
  })
})

describe("what is missing", () => {
  const inputs = { fields: [field({}), field({ name: "toString" })], result: ["restart"] }

  it.each([
    [null, ["amount", "toString", "result"]],
    [{ values: { amount: 1 } }, ["toString", "result"]],
    [{ values: { amount: 1, toString: "x" }, result: "" }, ["result"]],
    [{ values: { amount: null, toString: "x" }, result: "done" }, []],
  ])("in %j is %j", (filled, missing) => {
    expect(missingIn(inputs, filled as JsonObject | null)).toEqual(missing)
  })
})
