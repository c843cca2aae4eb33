// Whole sight: everything that would run is seen, and nothing of it can be read as words of ours (R1, R4).

import { describe, expect, it } from "vitest"
import type { Approval } from "../../../src/domain/content/approval.ts"
import { inputsOf } from "../../../src/domain/content/inputs.ts"
import type { JsonObject } from "../../../src/domain/content/json.ts"
import { plainLook } from "../../../src/domain/policy/look.ts"
import type { VoteForm } from "../../../src/flow/ports/inbound.ts"
import { targetOf } from "../../../src/slack/views/button-values.ts"
import { cardOf } from "../../../src/slack/views/card.ts"
import { detailsView } from "../../../src/slack/views/details.ts"
import { surfaces } from "../../../src/slack/views/details-pages.ts"
import { formView } from "../../../src/slack/views/form/vote-form.ts"
import { aRequirement } from "../../support/builders.ts"
import { aCardModel, anApproval, aVote, openStatus } from "../card-models.ts"
import { labels, messageVerdict, viewVerdict, wordsOf } from "../sight.ts"

const may = { ok: true, rules: ["prod-data"] } as const
const ofCall = (execution: JsonObject, beside: JsonObject = {}) =>
  anApproval({ toolName: "pay", toolArgs: {}, requirements: [aRequirement("pay", execution, beside)] })
const masking = (...mask: readonly string[]) => ({ look: { ...plainLook, mask } })
const details = (model: Parameters<typeof cardOf>[0], more: { readonly revealed?: boolean } = {}) => {
  const shown = { model, approve: may, reject: may, own: null }
  return detailsView({
    details: shown,
    page: 1,
    seen: 0,
    place: null,
    revealed: false,
    pageSize: "large",
    anew: null,
    ...more,
  })
}

describe("R4 what the platform says beside a call stands on the card and in Details:", () => {
  it.each<readonly [string, Approval, RegExp]>([
    ["arguments that are a list", ofCall({ tool_args: ["rm", "-rf"] }), /tool_args:\n {2}- rm\n {2}- "-rf"/],
    ["arguments that are a JSON text", ofCall({ tool_args: '{"path":"/"}' }), /tool_args: \{"path":"\/"\}/],
    [
      "a form that is no list of objects",
      ofCall({ user_input_schema: { amount: 9 } }),
      /user_input_schema:\n {2}amount: 9/,
    ],
    ["arguments beside the call", ofCall({}, { tool_args: { amount: 9 } }), /tool_args:\n {2}amount: 9/],
    ["text in metrics", ofCall({ metrics: { note: "SEEN" } }), /metrics:\n {2}note: SEEN/],
    ["a note", ofCall({ confirmation_note: "SEEN" }), /confirmation_note: SEEN/],
    ["that it was confirmed already", ofCall({ confirmed: true }), /confirmed: true/],
  ])("what the platform says beside a call stands on the card and in Details: %s", (_what, approval, words) => {
    const [card, view] = [cardOf(aCardModel(approval)), details(aCardModel(approval))]

    expect(wordsOf(card.blocks)).toMatch(words)
    expect(wordsOf(view.blocks)).toMatch(words)
    expect([messageVerdict(card), viewVerdict(view)]).toEqual(["ok", "ok"])
  })

  it("a second call that was confirmed, and has not run, stands there like the first", () => {
    const approval = anApproval({ requirements: [aRequirement("first"), aRequirement("second", { confirmed: true })] })

    expect(wordsOf(cardOf(aCardModel(approval)).blocks)).toContain(
      "One decision for 2 calls: approving is all or nothing.",
    )
    expect(wordsOf(cardOf(aCardModel(approval)).blocks)).toMatch(/2 of 2:[\s\S]*second/)
  })
})

describe("R4 a name cannot be read as words of ours:", () => {
  it.each([
    ["Approved: Admin", "“Approved: Admin” wants to run"],
    ["Admin” is approved. “x", "“Admin⟨U+201D⟩ is approved. ⟨U+201C⟩x” wants to run"],
  ])("an agent called %s is quoted", (sourceName, words) => {
    const card = cardOf(aCardModel(anApproval({ sourceName })))

    expect(wordsOf(card.blocks).replaceAll("\n", "")).toContain(words)
    expect(card.text).toContain(words)
  })

  it("an agent without a name is not quoted", () => {
    const model = aCardModel(anApproval())

    expect(cardOf({ ...model, summary: { ...model.summary, agent: null } }).text).toContain("An agent wants to run")
  })
})

describe("R4 text that imitates our mask looks unlike it, and the card carries no approval:", () => {
  const mask = "▒▒▒▒ 9 characters masked ▒▒▒▒"

  it.each<readonly [string, Partial<Approval>]>([
    ["as a value", { toolArgs: { secret: mask }, requirements: null }],
    ["as a name", { sourceName: mask }],
    ["as a tool", { toolName: mask, requirements: null }],
  ])("text that imitates our mask looks unlike it, and the card carries no approval: %s", (_where, approval) => {
    const model = aCardModel(anApproval(approval))

    expect(JSON.stringify([cardOf(model), details(model), details(model, { revealed: true })])).not.toContain("▒")
    expect(labels(cardOf(model).blocks)).toEqual(["Review Details", "Reject"])
  })

  it("a key that imitates our mask is written as its escape", () => {
    const model = aCardModel(anApproval({ toolArgs: { [mask]: 1, deep: { [mask]: 2 } }, requirements: null }))

    expect(JSON.stringify(cardOf(model))).not.toContain("▒")
    expect(wordsOf(cardOf(model).blocks)).toContain(String.raw`"\u2592\u2592\u2592\u2592 9 characters`)
  })
})

describe("R4 in Details a mask over more than a value", () => {
  const model = aCardModel(anApproval({ toolArgs: { secret: { a: 1 } }, requirements: null }), masking("secret"))

  it("a mask over more than a value has to be revealed before Approve stands there", () => {
    expect(labels(details(model).blocks)).toEqual(["Reject", "Send Back…", "Reveal Masked Values"])
    expect(wordsOf(details(model).blocks)).toContain("reveal what is masked to approve this")
    expect(labels(details(model, { revealed: true }).blocks)).toEqual(["Approve", "Reject", "Send Back…"])
  })

  it("R20 a mask over a text that is too long to look through has to be revealed too, and says so", () => {
    const long = aCardModel(anApproval({ toolArgs: { a: "b".repeat(70_000) }, requirements: null }), masking("/sk-./"))

    expect(wordsOf(cardOf(long).blocks)).toContain("70000 characters masked as a whole: too long to look through")
    expect(labels(details(long).blocks)).toEqual(["Reject", "Send Back…", "Reveal Masked Values"])
  })
})

it("R4 names, descriptions and what people filled in are masked by patterns on every surface", () => {
  const form = [{ name: "to", field_type: "str", description: "as in sk-1", value: "sk-2" }]
  const requirements = [aRequirement("pay", {}, { user_input_schema: form, member_agent_name: "Mia sk-3" })]
  const votes = [aVote({ values: { values: { to: "sk-4" }, result: "sk-5" } })]
  const model = aCardModel(anApproval({ sourceName: "Bot sk-6", requirements }), { ...masking("/sk-./"), votes })

  expect(JSON.stringify([cardOf(model), details(model)])).not.toMatch(/sk-\d/)
})

describe("R4 the form of a vote", () => {
  const field = (more: JsonObject) => ({ name: "to", field_type: "str", description: "", value: null, ...more })
  const formOf = (fields: readonly JsonObject[], more: Partial<VoteForm> = {}) => {
    const waits = { requires_confirmation: false, requires_user_input: true }
    const approval = anApproval({ requirements: [aRequirement("pay", waits, { user_input_schema: fields })] })
    const model = aCardModel(approval, masking("/sk-[0-9]+/", "secret"))
    const form = { model, inputs: inputsOf(approval), reason: null, earlier: null, ...more }
    return formView({ target: targetOf(model), verb: "approve", place: null }, "approve", form)
  }

  it.each<readonly [string, JsonObject, Partial<VoteForm>]>([
    ["a proposed value", field({ value: "use sk-123" }), {}],
    ["an earlier voter's value", field({}), { earlier: { values: { to: "sk-123" } } }],
    ["a value under a masked name", field({ name: "secret", value: "sk-123" }), {}],
    ["a description", field({ description: "such as sk-123" }), {}],
    ["a name", field({ name: "sk-123" }), {}],
    [
      "an earlier voter's result",
      field({}),
      { earlier: { result: "sk-123" }, inputs: { fields: [], result: ["pay sk-123"] } },
    ],
  ])("never shows %s that a pattern masks", (_what, one, more) => {
    const view = formOf([one], more)

    expect(JSON.stringify(view)).not.toContain("sk-123")
    expect(JSON.stringify(view.blocks)).not.toContain('"initial_value":"')
    expect(viewVerdict(view)).toBe("ok")
  })

  it("shows what is to be chosen masked, and gives back the value itself, never the mask", () => {
    const view = formOf([field({ choices: ["sk-1", "other"] })])

    expect(JSON.stringify(view.blocks)).toContain(
      '"text":"▒▒▒▒ 4 characters masked ▒▒▒▒","emoji":false},"value":"sk-1"',
    )
  })
})

describe("R4 what a surface shows is what it carries:", () => {
  it.each<readonly [string, Parameters<typeof cardOf>[0]]>([
    ["a plain card", aCardModel()],
    ["a folded one", aCardModel(anApproval({ toolArgs: { a: "x".repeat(9_000) }, requirements: null }))],
    ["a masked one", aCardModel(anApproval({ toolArgs: { secret: 1 }, requirements: null }), masking("secret"))],
    ["one with votes", aCardModel(anApproval(), { votes: [aVote()], status: openStatus(1, 2) })],
  ])("what a surface shows is what it carries: %s", (_which, model) => {
    expect(surfaces.carries(model, { kind: "card" })).toBe(labels(cardOf(model).blocks).includes("Approve"))
  })
})
