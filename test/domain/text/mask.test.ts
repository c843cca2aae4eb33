// Masks: what a rule names is hidden wherever it stands, visibly, and nothing else is.

import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { maskSummary } from "../../../src/domain/case/case.ts"
import { type Approval, callsOf } from "../../../src/domain/content/approval.ts"
import type { Json, JsonObject } from "../../../src/domain/content/json.ts"
import { isMasked, maskApproval, maskFilled } from "../../../src/domain/text/mask.ts"
import { isPattern } from "../../../src/domain/text/masker.ts"
import { anApproval, recorded } from "../../slack/card-models.ts"
import { aRequirement } from "../../support/builders.ts"
import { cpuMs } from "../../support/cpu-time.ts"

const SECRET = "hunter2-hunter2"
const masked = (toolArgs: JsonObject, words: readonly string[], more: Partial<Approval> = {}) =>
  maskApproval(anApproval({ toolArgs, requirements: null, ...more }), words)

describe("a key", () => {
  it.each([
    ["password", "password"],
    ["capitals do not matter", "PassWord"],
    ["*word", "password"],
    ["pass????", "password"],
  ])("a key %s hides the value under it, and says how long it is", (word, key) => {
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

  it("a pattern that matches nothing at all hides nothing", () => {
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

  it("a requirement that is oddly built stays as it is, but for what is named", () => {
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
  it("an approval without words to mask comes back as it is", () => {
    const approval = anApproval({ toolArgs: { a: 1 } })

    expect(maskApproval(approval, [])).toEqual({ approval, count: 0, whole: 0, imitations: 0 })
    expect(maskApproval(approval, []).approval).toBe(approval)
    expect(masked({}, ["a"], { toolArgs: null }).approval.toolArgs).toBeNull()
  })

  it("an approval that repeats one of its calls, or has none, looks the same as they do", () => {
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

it("R4 what was filled in is masked by the names of its fields and by patterns; values and result themselves stay", () => {
  const filled = { values: { result: "aaaa", amount: 1, note: "an sk-1" }, result: "sk-2" }
  const hidden = "▒▒▒▒ 4 characters masked ▒▒▒▒"

  expect(maskFilled(filled, ["values", "result", "/sk-./"])).toMatchObject({
    filled: { values: { result: hidden, amount: 1, note: `an ${hidden}` }, result: hidden },
    count: 3,
  })
  expect(maskFilled(filled, []).filled).toEqual(filled)
})

it("R4 a field is masked by its name, without regard to case, or by a pattern on its value, never by one on its name", () => {
  const masked = (name: string, value: Json, ...words: readonly string[]) => isMasked(name, value, words)

  expect([masked("PassWord", 1, "*WORD"), masked("pass", 1, "*WORD")]).toEqual([true, false])
  expect([masked("/a+/", "b", "/a+/"), masked("b", "xaax", "/a+/"), masked("b", ["aa"], "/a+/")]).toEqual([
    false,
    true,
    true,
  ])
})

describe("R4 names and descriptions", () => {
  const hidden = "▒▒▒▒ 4 characters masked ▒▒▒▒"

  it("names and descriptions of agents, members, tools and fields are masked by patterns", () => {
    const field = { name: "sk-1", field_type: "str", description: "as in sk-2", value: null }
    const requirements = [
      { member_agent_name: "Mia sk-3", tool_execution: { tool_name: "run sk-4" }, user_input_schema: [field] },
    ]
    const names = { sourceName: "Bot sk-5", agentId: "sk-6", teamId: "sk-7", workflowId: "sk-8", toolName: "sk-9" }

    const { approval } = maskApproval(anApproval({ ...names, requirements }), ["/sk-./"])

    expect(JSON.stringify(approval)).not.toContain("sk-")
    expect(approval).toMatchObject({ sourceName: `Bot ${hidden}`, agentId: hidden })
    expect(approval.requirements?.[0]?.["user_input_schema"]).toEqual([
      { name: hidden, field_type: "str", description: `as in ${hidden}`, value: null },
    ])
    expect(
      maskSummary({ tool: "sk-1", agent: "Bot sk-2", requester: "sk-3", calls: 1, createdAt: 1 }, ["/sk-./"]),
    ).toEqual({
      tool: hidden,
      agent: `Bot ${hidden}`,
      requester: "sk-3",
      calls: 1,
      createdAt: 1,
    })
  })

  it("are never masked by names of keys", () => {
    expect(masked({}, ["*"], { sourceName: "name" }).approval.sourceName).toBe("name")
  })
})

describe("R4 a mask says that it must be revealed where it hides", () => {
  const whole = (toolArgs: JsonObject, ...words: readonly string[]) => masked(toolArgs, words).whole

  it("an object or a list, and not where it hides a value", () => {
    expect(whole({ a: { x: 1 } }, "a")).toBe(1)
    expect(whole({ a: [1], b: { a: [2] } }, "a")).toBe(2)
    expect(whole({ a: "text", b: "sk-1" }, "a", "/sk-./")).toBe(0)
  })

  it("arguments that are a text, where some words are names of keys", () => {
    const requirement = (words: readonly string[]) =>
      maskApproval(anApproval({ toolArgs: null, requirements: [{ tool_args: '{"a": "sk-1"}' }] }), words)

    expect(requirement(["a"])).toMatchObject({
      whole: 1,
      approval: { requirements: [{ tool_args: "▒▒▒▒ 13 characters masked ▒▒▒▒" }] },
    })
    expect(requirement(["/sk-./"])).toMatchObject({
      whole: 0,
      approval: { requirements: [{ tool_args: '{"a": "▒▒▒▒ 4 characters masked ▒▒▒▒"}' }] },
    })
  })
})

describe("R4 what nobody understood is masked like everything else", () => {
  const shown = (requirement: JsonObject, ...words: readonly string[]) =>
    callsOf(maskApproval(anApproval({ requirements: [requirement] }), words).approval)[0]?.others

  it.each<readonly [string, JsonObject]>([
    ["by names", { tool_args: [{ secret: "aaaa" }], metrics: { secret: "bbbb" } }],
    ["by patterns", { tool_args: ["sk-1"], metrics: "sk-2", confirmation_note: ["sk-3"], confirmed: "sk-4" }],
  ])("what nobody understood is masked like everything else: %s", (_how, execution) => {
    const words = ["secret", "/sk-./"]

    expect(JSON.stringify(shown(aRequirement("pay", execution), ...words))).not.toMatch(/aaaa|bbbb|sk-/)
    expect(JSON.stringify(shown(aRequirement("pay", {}, execution), ...words))).not.toMatch(/aaaa|bbbb|sk-/)
  })

  it("what differs from the call beside it does not look like it once masked", () => {
    const odd = aRequirement("pay", { tool_args: { secret: "aaaa" } }, { tool_args: { secret: "bbbb" } })

    expect(shown(odd, "secret")).toEqual([["tool_args", { secret: "▒▒▒▒ another value, 4 characters masked ▒▒▒▒" }]])
  })
})

describe("R20 no text makes masking take long:", () => {
  const words = ["*pass*word*", "/[\\w.+-]+@[\\w.-]+\\.[a-z]{2,}/", "/(a+)+$/", "/(?:a.*b|a)/"]
  const huge = (part: string) => part.repeat(Math.ceil(1_000_000 / part.length))

  it.each([
    ["a text", { note: huge("a") }],
    ["a text that almost matches each time", { note: huge("a@") }],
    ["a key", { [huge("pass")]: "x" }],
    [
      "many texts, each short enough to be looked through",
      Object.fromEntries(Array.from({ length: 16 }, (_, at) => [`t${at}`, `${at}${"a".repeat(60_000)}`])),
    ],
    [
      "many small ones",
      Object.fromEntries(Array.from({ length: 10_000 }, (_, at) => [`pas${at}`, `${"a@".repeat(40)}${at}`])),
    ],
  ])("masking takes no time to speak of: %s of 1 MB", (_what, toolArgs) => {
    const begun = cpuMs()

    masked(toolArgs, words)

    expect(cpuMs() - begun).toBeLessThan(2_000)
  })

  it("a text over 64 kB is masked whole where there are patterns, says so, and must be revealed", () => {
    const long = "b".repeat(65_537)
    const said = `▒▒▒▒ 65537 characters masked as a whole: too long to look through ▒▒▒▒`

    expect(masked({ long }, ["/sk-./"])).toMatchObject({ approval: { toolArgs: { long: said } }, whole: 1 })
    expect(masked({ long: long.slice(1) }, ["/sk-./"])).toMatchObject({ count: 0, whole: 0 })
    expect(masked({ long }, ["other"])).toMatchObject({ count: 0, whole: 0 })
  })

  it("what would take too long to look through is masked, and never shown unsearched", () => {
    const toolArgs = Object.fromEntries(
      Array.from({ length: 60 }, (_, at) => [`t${at}`, `${"ab ".repeat(20_000)}sk-${at % 10}`]),
    )

    const { approval, whole } = masked(toolArgs, ["/sk-./", "/[0-9]{4} ?[0-9]{4}/"])

    expect(whole).toBeGreaterThan(0)
    expect(JSON.stringify(approval.toolArgs)).not.toContain("sk-")
  })
})

it("R4 matches of several patterns that overlap are one mask, and no pattern meets a mask", () => {
  expect(masked({ a: "key=abcdef;" }, ["/key=abc/", "/bcdef/", "/characters/"])).toMatchObject({
    approval: { toolArgs: { a: "▒▒▒▒ 10 characters masked ▒▒▒▒;" } },
    count: 1,
  })
})

it("R4 text that looks like a mask of ours is shown as what it is, also where nothing is masked", () => {
  const { approval, count, imitations } = masked({ a: "▒▒▒▒ 9 characters masked ▒▒▒▒" }, [])

  expect(approval.toolArgs).toEqual({ a: "⟨4 × U+2592⟩ 9 characters masked ⟨4 × U+2592⟩" })
  expect([count, imitations]).toEqual([0, 1])
})

it.each([
  ["/a/", true],
  ["//", false],
  ["/", false],
  ["/ab", false],
  ["ab/", false],
  ["a/b", false],
])("the word %s is a pattern or none: %s", (word, pattern) => {
  expect(isPattern(word)).toBe(pattern)
})
