// Masks: what a rule names is hidden wherever it stands, visibly, and nothing else is.
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { Approval } from "../../src/domain/approval.ts"
import type { JsonObject } from "../../src/domain/json.ts"
import { maskApproval } from "../../src/domain/mask.ts"
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
