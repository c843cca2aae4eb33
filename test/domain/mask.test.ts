// Masks: what a rule names is hidden wherever it stands, visibly, and nothing else is.
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { Approval } from "../../src/domain/approval.ts"
import type { JsonObject } from "../../src/domain/json.ts"
import { isMaskedName, isPattern, maskApproval, maskFilled } from "../../src/domain/mask.ts"
import { anApproval, recorded } from "../slack/faces.ts"

const SECRET = "hunter2-hunter2"
const masked = (toolArgs: JsonObject, words: readonly string[], more: Partial<Approval> = {}) =>
  maskApproval(anApproval({ toolArgs, requirements: null, ...more }), words)

describe("a key", () => {
  it.each([
    ["password", "password"],
    ["capitals do not matter", "PassWord"],
    ["*word", "password"],
    ["pass????", "password"],
  ])("%s hides the value under it, and says how long it is", (word, key) => {
    const words = [word === "capitals do not matter" ? "password" : word]

    const { approval, count } = masked({ [key]: SECRET, other: "seen" }, words)

    expect(approval.toolArgs).toEqual({ [key]: "▒▒▒▒ 15 characters masked ▒▒▒▒", other: "seen" })
    expect(count).toBe(1)
  })

  it("hides a whole object, a number and what lies deep", () => {
    const { approval, count } = masked({ a: { secret: { x: 1 } }, b: [{ secret: 12 }], secret: null }, ["secret"])

    expect(approval.toolArgs).toEqual({
      a: { secret: "▒▒▒▒ 7 characters masked ▒▒▒▒" },
      b: [{ secret: "▒▒▒▒ 2 characters masked ▒▒▒▒" }],
      secret: null,
    })
    expect(count).toBe(2)
  })

  it("hides a field of a form by the field's name", () => {
    const { approval } = maskApproval(recorded("get-pending-user-input"), ["amount"])

    expect(JSON.stringify(approval.requirements)).toContain('"name":"amount","field_type":"float"')
    expect(JSON.stringify(approval.requirements)).toContain('"value":"▒▒▒▒ 2 characters masked')
  })

  it("never hides what the platform names itself", () => {
    const { approval } = maskApproval(anApproval(), ["*"])

    expect(approval.requirements?.[0]).toMatchObject({ tool_execution: { tool_name: "delete_user_data" } })
  })
})

describe("a pattern", () => {
  it("hides its part of any text, each time", () => {
    const { approval, count } = masked({ cmd: "curl -H sk-abc1 -H sk-def2" }, ["/sk-[a-z0-9]+/"])

    expect(approval.toolArgs).toEqual({
      cmd: "curl -H ▒▒▒▒ 7 characters masked ▒▒▒▒ -H ▒▒▒▒ 7 characters masked ▒▒▒▒",
    })
    expect(count).toBe(2)
  })

  it("that matches nothing at all hides nothing", () => {
    expect(masked({ a: "bcd" }, ["/x*/"])).toMatchObject({ approval: { toolArgs: { a: "bcd" } }, count: 0 })
  })
})

it("a record that says something else than its calls does not look the same once masked", () => {
  const [first] = anApproval().requirements ?? []
  const execution = { ...(first?.["tool_execution"] as JsonObject), tool_args: { key: "aaaa" } }
  const { approval } = masked({ key: "bbbb" }, ["key"], { requirements: [{ ...first, tool_execution: execution }] })

  expect(approval.toolArgs).toEqual({ key: "▒▒▒▒ another value, 4 characters masked ▒▒▒▒" })
  expect(JSON.stringify(approval.requirements)).toContain("▒▒▒▒ 4 characters masked")
})

it("no masked value is left anywhere, however it is nested", () => {
  const tree = fc.letrec<{ node: unknown }>((tie) => ({
    node: fc.oneof(
      { maxDepth: 4 },
      fc.string(),
      fc.constant(SECRET),
      fc.dictionary(fc.string(), tie("node"), { maxKeys: 3 }),
      fc.array(tie("node"), { maxLength: 3 }),
    ),
  })).node
  fc.assert(
    fc.property(fc.dictionary(fc.string(), tree), (toolArgs) => {
      const { approval } = masked(toolArgs as JsonObject, [`/${SECRET}/`])

      expect(Object.values(approval.toolArgs ?? {}).map((value) => JSON.stringify(value))).not.toContain(SECRET)
      expect(JSON.stringify(approval.toolArgs)).not.toContain(`"${SECRET}"`)
    }),
  )
})

describe("a requirement", () => {
  const secret = { secret: "aaaa" }
  const hidden = { secret: "▒▒▒▒ 4 characters masked ▒▒▒▒" }
  const requirementOf = (requirement: JsonObject, words: readonly string[]) =>
    maskApproval(anApproval({ toolArgs: null, requirements: [requirement] }), words).approval.requirements?.[0]

  it("is looked into under every name of the platform's own, and never masked as a whole", () => {
    const names = [
      ..."id created_at user_input_schema member_agent_id member_agent_name member_run_id tool_call_id".split(" "),
      ..."tool_name tool_call_error result requires_confirmation confirmed requires_user_input".split(" "),
      ..."external_execution_required approval_type approval_id".split(" "),
    ]
    const requirement = Object.fromEntries(names.map((name) => [name, "seen"]))

    expect(requirementOf({ ...requirement, tool_execution: requirement, other: "aaaa" }, ["*"])).toEqual({
      ...requirement,
      tool_execution: requirement,
      other: hidden.secret,
    })
  })

  it("has its arguments masked, wherever they stand", () => {
    const masked = requirementOf({ tool_args: secret, tool_execution: { tool_args: secret } }, ["secret"])

    expect(masked).toEqual({ tool_args: hidden, tool_execution: { tool_args: hidden } })
    expect(requirementOf({ tool_args: { tool_args: "aaaa", id: "aaaa" } }, ["tool_args", "id"])).toEqual({
      tool_args: { tool_args: hidden.secret, id: hidden.secret },
    })
  })

  it("that is oddly built stays as it is, but for what is named", () => {
    const odd = { tool_execution: "text", tool_args: null, user_input_schema: "form", other: { secret: "aaaa" } }

    expect(requirementOf(odd, ["secret"])).toEqual({ ...odd, other: hidden })
  })

  it("has the fields of its form masked by their names, and by patterns; a field without a name by patterns only", () => {
    const form = [
      { name: "secret", value: "aaaa" },
      { name: "note", value: "an aaaa" },
      { name: "number", value: 1 },
      { value: "an aaaa" },
      { name: 7, value: "plain" },
      { name: "secret", value: "" },
      { name: "secret" },
      "secret",
    ]

    expect(requirementOf({ user_input_schema: form }, ["secret", "/a{4}/", "undefined"])).toEqual({
      user_input_schema: [
        { name: "secret", value: hidden.secret },
        { name: "note", value: `an ${hidden.secret}` },
        { name: "number", value: 1 },
        { value: `an ${hidden.secret}` },
        { name: 7, value: "plain" },
        { name: "secret", value: "" },
        { name: "secret", value: null },
        "secret",
      ],
    })
  })
})

describe("an approval", () => {
  it("without words to mask comes back as it is", () => {
    const approval = anApproval({ toolArgs: { a: 1 } })

    expect(maskApproval(approval, [])).toEqual({ approval, count: 0 })
    expect(maskApproval(approval, []).approval).toBe(approval)
    expect(masked({}, ["a"], { toolArgs: null }).approval.toolArgs).toBeNull()
  })

  it("that repeats one of its calls, or has none, looks the same as they do", () => {
    const hidden = { key: "▒▒▒▒ 4 characters masked ▒▒▒▒" }
    const mine = { tool_args: { key: "aaaa" } }
    const other = { tool_execution: { tool_args: { key: "bbbb" } } }
    const argsWith = (...requirements: readonly JsonObject[]) =>
      masked({ key: "aaaa" }, ["key"], { requirements }).approval.toolArgs

    expect(argsWith()).toEqual(hidden)
    expect(argsWith(other, mine)).toEqual(hidden)
    expect(argsWith(other, { tool_execution: mine })).toEqual(hidden)
    expect(argsWith(other)).toEqual({ key: "▒▒▒▒ another value, 4 characters masked ▒▒▒▒" })
    expect(masked({ id: "" }, ["id"], { requirements: [{ tool_execution: {} }] }).count).toBe(0)
  })
})

it("what was filled in is masked by the names under values and result, which stay", () => {
  const filled = { values: { result: "aaaa", amount: 1 }, result: "aaaa" }

  expect(maskFilled(filled, ["values", "amount"])).toEqual({ ...filled })
  expect(maskFilled(filled, [])).toBe(filled)
  expect(maskFilled({ secret: "aaaa", values: 1 }, ["secret"])).toEqual({
    secret: "▒▒▒▒ 4 characters masked ▒▒▒▒",
    values: 1,
  })
})

it("a field's name is masked by names, without regard to case, and never by patterns", () => {
  expect(["PassWord", "pass"].map((name) => isMaskedName(name, ["*WORD"]))).toEqual([true, false])
  expect(isMaskedName("/a+/", ["/a+/"])).toBe(false)
})

it.each([
  ["/a/", true],
  ["//", false],
  ["/", false],
  ["/ab", false],
  ["ab/", false],
  ["a/b", false],
])("%s is a pattern: %s", (word, pattern) => {
  expect(isPattern(word)).toBe(pattern)
})
