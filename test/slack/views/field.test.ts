// One field of a form: what is submitted unchanged is exactly the agent's value, and equal choices stay apart.

import type { KnownBlock } from "@slack/types"
import { describe, expect, it } from "vitest"
import { inputsOf } from "../../../src/domain/content/inputs.ts"
import { type Json, type JsonObject, parseJson } from "../../../src/domain/content/json.ts"
import { plainLook } from "../../../src/domain/policy/look.ts"
import type { VoteForm } from "../../../src/flow/ports/inbound.ts"
import { type Choices, stateOf } from "../../../src/sandbox/user-actions/values.ts"
import { readSubmission } from "../../../src/slack/listeners/payloads.ts"
import { targetOf } from "../../../src/slack/views/button-values.ts"
import { formView, readForm } from "../../../src/slack/views/form/vote-form.ts"
import { aRequirement } from "../../support/builders.ts"
import { aCardModel, anApproval } from "../card-models.ts"
import { viewVerdict } from "../sight.ts"

const waits = { requires_confirmation: false, requires_user_input: true }

/** The form of one field. */
function aForm(field: JsonObject, more: Partial<VoteForm> = {}, mask: readonly string[] = []) {
  const schema = [{ name: "to", field_type: "str", description: "", value: null, ...field }]
  const approval = anApproval({ requirements: [aRequirement("pay", waits, { user_input_schema: schema })] })
  const model = aCardModel(approval, { look: { ...plainLook, mask } })
  const form: VoteForm = { model, inputs: inputsOf(approval), reason: null, earlier: null, ...more }
  const view = formView({ target: targetOf(model), verb: "approve", place: null }, "approve", form)
  const block = (view.blocks as KnownBlock[]).find((one) => one.type === "input")
  if (block === undefined) throw new Error("no input")
  return { form, view, hint: block.hint?.text ?? "", element: block.element }
}

/** What comes back when a person submits the form, as Slack's client would send it. */
function submitted({ form, view }: ReturnType<typeof aForm>, choices: Choices = {}) {
  const values = stateOf(view.blocks as never, choices)
  const who = { user: { id: "U1" }, team: { id: "T1" } }
  const body = { type: "view_submission", trigger_id: "t", ...who, view: { id: "V1", state: { values } } }
  return readForm(readSubmission(body, { team: "T1", enterprise: null }), "approve", form)
}

const optionsIn = ({ element }: ReturnType<typeof aForm>) =>
  element.type === "static_select" ? (element.options ?? []).map(({ text, value }) => [text.text, value]) : []

describe("an input has several lines", () => {
  it.each(["a\nb", "a\rb", "a\r\nb", "a\u2028b", "a\u2029b", "a\u0085b", "a\vb", "a\fb"])(
    "an input has several lines for %j",
    (value) => {
      expect(aForm({ value }).element).toMatchObject({ type: "plain_text_input", multiline: true })
    },
  )

  it("an input has several lines for what is masked, long or JSON, and else one", () => {
    const masked = aForm({ value: "sk-1" }, {}, ["/sk-./"])
    const shown = [masked, aForm({ value: "x".repeat(61) }), aForm({ field_type: "dict" }), aForm({ value: "ann" })]

    expect(shown.map(({ element }) => element)).toMatchObject(
      [true, true, true, false].map((multiline) => ({ multiline })),
    )
  })
})

describe("what is submitted unchanged", () => {
  const big = parseJson("12345678901234567890.10")

  it.each<readonly [string, Json]>([
    ["str", "line one\nline two"],
    ["str", "\n first and last \n"],
    ["str", "\ttabbed"],
    ["str", "&<>\"'"],
    ["str", "12"],
    ["str", 12],
    ["str", true],
    ["Optional", { a: [1, "x"] }],
    ["int", 7],
    ["int", "7"],
    ["float", big],
    ["float", 1.5],
    ["list", [1, big, "\n"]],
    ["bool", false],
  ])("what is submitted unchanged in a field of type %s is exactly %j", (field_type, value) => {
    const form = aForm({ field_type, value })

    const read = submitted(form)

    expect(viewVerdict(form.view)).toBe("ok")
    expect(JSON.stringify(read)).toBe(JSON.stringify({ ok: true, filled: { values: { to: value } }, reason: null }))
  })

  it.each<Json>(["a\rb", "a\r\nb", "a\u2028b", "a\u200Bb", "", "x".repeat(3_001)])(
    "a value that Slack would change (%j) does not stand in the input, and the hint says so",
    (value) => {
      const form = aForm({ value })

      expect(form.element).not.toHaveProperty("initial_value")
      expect(form.hint).toContain("It cannot stand here; Details shows it.")
    },
  )

  it("is the first voter's value, whatever its type", () => {
    const form = aForm({ value: "3" }, { earlier: { values: { to: 4 } } })

    expect(submitted(form)).toMatchObject({ filled: { values: { to: 4 } } })
    expect(submitted(form, { field_0: "5" })).toMatchObject({ filled: { values: { to: "5" } } })
  })

  it.each(["\u200b", "\u3164", "\u2800 "])("is refused where nobody sees anything of it: %j", (typed) => {
    expect(submitted(aForm({ value: "ann" }), { field_0: typed })).toEqual({
      ok: false,
      errors: { field_0: "Please fill this in." },
    })
  })

  it("is still refused where it is no value of the field's type", () => {
    expect(submitted(aForm({ field_type: "int", value: "many" }))).toMatchObject({ ok: false })
  })
})

describe("choices that read the same", () => {
  it.each<readonly [readonly Json[], readonly string[]]>([
    [
      ["a", "a"],
      ['"a" · choice 1', '"a" · choice 2'],
    ],
    [
      [1, "1"],
      ["1 · choice 1", '"1" · choice 2'],
    ],
    [
      [true, "true", "no"],
      ["true · choice 1", '"true" · choice 2', '"no" · choice 3'],
    ],
    [
      ["b", "c"],
      ["b", "c"],
    ],
    [
      ["x".repeat(75), "y"],
      ["x".repeat(75), "y"],
    ],
    [
      ["", "x", "x"],
      ['"" · choice 1', '"x" · choice 2', '"x" · choice 3'],
    ],
  ])("choices that read the same stay apart, and each gives its own value: %j", (choices, texts) => {
    const form = aForm({ choices })

    const options = optionsIn(form)

    expect(viewVerdict(form.view)).toBe("ok")
    expect(options.map(([text]) => text)).toEqual(texts)
    const read = options.map(([, value = ""]) => submitted(form, { field_0: value }))
    expect(read).toMatchObject(choices.map((to) => ({ filled: { values: { to } } })))
  })

  it("choices that read the same because they are masked stay apart too", () => {
    const form = aForm({ choices: ["sk-1", "sk-2"] }, {}, ["/sk-./"])

    expect(new Set(optionsIn(form).map(([text]) => text)).size).toBe(2)
    expect(JSON.stringify(optionsIn(form).map(([text]) => text))).not.toMatch(/sk-\d/)
    expect(submitted(form, { field_0: "sk-2" })).toMatchObject({ filled: { values: { to: "sk-2" } } })
  })

  it("begin with the very value that the agent chose, or with none", () => {
    expect(submitted(aForm({ choices: [1, "1"], value: "1" }))).toMatchObject({ filled: { values: { to: "1" } } })
    expect(submitted(aForm({ choices: ["a", "a"], value: "a" }))).toMatchObject({ filled: { values: { to: "a" } } })
    const other = aForm({ choices: [1, 2], value: "1" })
    expect(other.element).not.toHaveProperty("initial_option")
    expect(other.hint).toContain("It cannot stand here")
  })

  it("choices that no menu holds are typed, as JSON where that tells them apart", () => {
    const form = aForm({ choices: [1, "1", "x".repeat(80)] })
    const typed = (text: string) => submitted(form, { field_0: text })

    expect(form.element.type).toBe("plain_text_input")
    expect(typed("1")).toMatchObject({ filled: { values: { to: 1 } } })
    expect(typed('"1"')).toMatchObject({ filled: { values: { to: "1" } } })
  })

  it("the ampersands of choices are counted as Slack counts them", () => {
    expect(aForm({ choices: ["&".repeat(16), "b"] }).element.type).toBe("plain_text_input")
    expect(aForm({ choices: ["&".repeat(15), "b"] }).element.type).toBe("static_select")
  })
})

it("a reason that a rule lists two times is offered once", () => {
  const reason = { required: true, choices: ["No", "No", "Later"] }
  const model = aCardModel()
  const form = { model, inputs: { fields: [], result: [] }, reason, earlier: null }

  expect(viewVerdict(formView({ target: targetOf(model), verb: "reject", place: null }, "reject", form))).toBe("ok")
})
