// Inputs: the fields of a form, what typed text means, and what is missing.

import { describe, expect, it } from "vitest"
import {
  asksForInput,
  coerce,
  type InputField,
  inputsOf,
  missingIn,
  wordOf,
} from "../../../src/domain/content/inputs.ts"
import { type JsonObject, parseJson } from "../../../src/domain/content/json.ts"
import { anApproval, recorded } from "../../slack/card-models.ts"

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

  it("the fields of types that lose their meaning on the wire are text", () => {
    const { fields } = inputsOf(recorded("get-pending-user-input-choices"))

    expect(fields.map(({ type, kind }) => [type, kind])).toEqual([
      ["str", "text"],
      ["Literal", "text"],
      ["Optional", "text"],
    ])
  })

  it("the fields whose choices are known are choices, and one that several calls share says so", () => {
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

  it("the fields of an external execution are its result, of a confirmation nothing", () => {
    expect(inputsOf(recorded("get-pending-external-execution"))).toEqual({ fields: [], result: ["restart_database"] })
    expect(inputsOf(anApproval())).toEqual({ fields: [], result: [] })
  })
})

describe("odd forms", () => {
  const asking = (schema: JsonObject["x"], more: JsonObject = {}): JsonObject => ({
    tool_execution: { tool_name: "ask", requires_user_input: true, user_input_schema: schema ?? null, ...more },
  })
  const fieldsOf = (...schemas: readonly JsonObject["x"][]) =>
    inputsOf(anApproval({ requirements: schemas.map((one) => asking(one)) })).fields

  it("say nothing where a field says nothing", () => {
    expect(fieldsOf([{}])).toEqual([field({ name: "", type: "", guess: null })])
    expect(fieldsOf([{ name: 7, field_type: 7, description: 7 }])).toEqual([field({ name: "", type: "" })])
  })

  it("keep the description and the type as the platform writes them, whatever its case", () => {
    expect(fieldsOf([{ name: "n", field_type: "INT", description: "How many." }])).toEqual([
      field({ name: "n", kind: "integer", type: "INT", description: "How many." }),
    ])
  })

  it.each([
    ["integer", "integer"],
    ["float", "number"],
    ["number", "number"],
    ["decimal", "number"],
    ["bool", "truth"],
    ["boolean", "truth"],
    ["list", "json"],
    ["array", "json"],
    ["tuple", "json"],
    ["set", "json"],
    ["dict", "json"],
    ["object", "json"],
  ])("read %s as %s", (type, kind) => {
    expect(fieldsOf([{ name: "n", field_type: type }])[0]?.kind).toBe(kind)
  })

  it.each(["choices", "options", "enum", "allowed_values"])("find choices under %s, past what is no list", (key) => {
    const list = key === "choices" ? {} : { choices: "many" }

    expect(fieldsOf([{ name: "n", ...list, [key]: ["a", 1, true] }])[0]?.choices).toEqual(["a", 1, true])
  })

  it("choose among plain values only; a number with many digits is one", () => {
    const [found] = fieldsOf([{ name: "n", choices: ["a", { b: 1 }, [2], null, parseJson("12345678901234567890")] }])

    expect(JSON.stringify(found?.choices)).toBe('["a",12345678901234567890]')
    expect(fieldsOf([{ name: "n", choices: [{ b: 1 }] }])[0]?.kind).toBe("text")
  })

  it("calls that ask for something else have no fields", () => {
    const confirming = asking([{ name: "n" }], { requires_user_input: null, requires_confirmation: true })

    expect(inputsOf(anApproval({ requirements: [confirming] })).fields).toEqual([])
  })

  it("an external execution without a name has a result all the same", () => {
    const external = asking(null, { tool_name: null, requires_user_input: null, external_execution_required: true })

    expect(inputsOf(anApproval({ toolName: null, requirements: [external] })).result).toEqual([""])
  })
})

it("a field or a result makes an approval ask for more than a press", () => {
  expect(asksForInput({ fields: [], result: [] })).toBe(false)
  expect(asksForInput({ fields: [field({})], result: [] })).toBe(true)
  expect(asksForInput({ fields: [], result: ["restart"] })).toBe(true)
})

it.each([
  ["text", "text"],
  [1, "1"],
  [true, "true"],
  [null, "null"],
] as const)("%j is chosen by the word %s", (value, word) => {
  expect(wordOf(value)).toBe(word)
})

describe("typed text", () => {
  it.each([
    ["text", " as it is ", " as it is "],
    ["integer", "-42", -42],
    ["number", "12.50", 12.5],
    ["integer", " 0 ", 0],
    ["number", "120", 120],
    ["number", "-0.5", -0.5],
    ["number", "1e21", 1e21],
    ["number", "1E+2", 100],
    ["number", "25e-12", 25e-12],
    ["truth", "true", true],
    ["truth", " false", false],
    ["json", '[1, {"a": null}]', [1, { a: null }]],
  ] as const)("typed text is read by its field's type %s: %j means %j", (kind, typed, value) => {
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
    ["integer", "x1", "whole number"],
    ["integer", "1x", "whole number"],
    ["integer", "", "whole number"],
    ["number", "x1", "a number"],
    ["number", "1x", "a number"],
    ["number", "01", "a number"],
    ["number", "1.", "a number"],
    ["number", "1e", "a number"],
    ["number", "NaN", "a number"],
    ["number", "1,5", "a number"],
    ["truth", "yes", "true or false"],
    ["choice", "other", "one of the values"],
    ["json", "{", "as JSON"],
    ["json", '"text"', "as JSON"],
  ] as const)("typed text that does not fit the type %s is sent back: %j", (kind, typed, why) => {
    expect(coerce(field({ kind }), typed)).toEqual({ ok: false, why: expect.stringContaining(why) })
  })
})

describe("what is missing", () => {
  it("is no result where none is asked for", () => {
    expect(missingIn({ fields: [], result: [] }, null)).toEqual([])
    expect(missingIn({ fields: [field({})], result: [] }, { values: [], result: 1 })).toEqual(["amount"])
    expect(missingIn({ fields: [], result: ["restart"] }, { result: 1 })).toEqual(["result"])
  })

  const inputs = { fields: [field({}), field({ name: "toString" })], result: ["restart"] }

  it.each([
    [null, ["amount", "toString", "result"]],
    [{ values: { amount: 1 } }, ["toString", "result"]],
    [{ values: { amount: 1, toString: "x" }, result: "" }, ["result"]],
    [{ values: { amount: null, toString: "x" }, result: "done" }, []],
    [{ values: { amount: "\u3164", toString: " " }, result: "\u2800\u200b" }, ["amount", "toString", "result"]],
  ])("what is missing in %j is told: %j", (filled, missing) => {
    expect(missingIn(inputs, filled as JsonObject | null)).toEqual(missing)
  })

  it("a blank that the call itself came with is a value, as a separator may be", () => {
    const separator = { fields: [field({ guess: " " })], result: [] }

    expect(missingIn(separator, { values: { amount: " " } })).toEqual([])
    expect(missingIn(separator, { values: { amount: "  " } })).toEqual(["amount"])
  })
})
