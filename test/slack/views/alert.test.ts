// Alerts: what went wrong stands out in a modal, in words of ours alone.

import { describe, expect, it } from "vitest"
import { inputsOf } from "../../../src/domain/content/inputs.ts"
import type { Answer } from "../../../src/flow/ports/reply.ts"
import { code, say } from "../../../src/slack/lines/spans.ts"
import { alertBlock, answerBlock } from "../../../src/slack/views/alert-block.ts"
import { targetOf } from "../../../src/slack/views/button-values.ts"
import { answerView, detailsAgainView, detailsView, toldView } from "../../../src/slack/views/details.ts"
import { formView } from "../../../src/slack/views/form/vote-form.ts"
import { aRequirement } from "../../support/builders.ts"
import { aCardModel, anApproval } from "../card-models.ts"
import { viewVerdict, wordsOf } from "../sight.ts"

const may = { ok: true, rules: ["prod-data"] } as const
const details = { model: aCardModel(), approve: may, reject: may, own: null }
const alertsIn = (view: { readonly blocks: readonly object[] }) =>
  view.blocks.flatMap((block) => ("type" in block && block.type === "alert" ? [wordsOf(block)] : []))

describe("an answer in a modal", () => {
  it.each<readonly [Answer, string]>([
    [{ kind: "late" }, "warning"],
    [{ kind: "unseen" }, "warning"],
    [{ kind: "changed", change: null }, "warning"],
    [{ kind: "reason-missing", verb: "reject" }, "warning"],
    [{ kind: "refused", refusal: { code: "guest" } }, "warning"],
    [{ kind: "platform-down" }, "error"],
    [{ kind: "subject-too-long", length: 300 }, "error"],
  ])("an answer that somebody has to heed is an alert: %j", (answer, level) => {
    expect(answerBlock(answer)).toMatchObject({ type: "alert", level })
    expect(viewVerdict(answerView(answer))).toBe("ok")
  })

  it.each<Answer>([
    { kind: "resolved", verb: "approve", resolvedBy: null },
    { kind: "withdrawn" },
    { kind: "already", verb: "approve", users: ["U1"], pending: false },
  ])("an answer of kind $kind went well, or is nobody's fault, and is no alert", (answer) => {
    expect(answerBlock(answer).type).toBe("rich_text")
  })

  it("an answer that holds what others wrote is no alert, nor is one that is too long for it", () => {
    const named = answerBlock({ kind: "input-missing", names: ["Approved by the CTO"] })

    expect(named.type).toBe("rich_text")
    expect(alertBlock([say("Fine: "), code("by the CTO")], "error").type).toBe("rich_text")
    expect(alertBlock([say("x".repeat(200))], "error").type).toBe("alert")
    expect(alertBlock([say("&".repeat(41))], "error").type).toBe("rich_text")
  })
})

it("what goes with an ack is no alert: whether Slack took it nobody says there", () => {
  expect(alertsIn(toldView([say("Your press was not counted.")]))).toEqual([])
})

describe("that something has changed stands out", () => {
  it("a change stands out while Details are read", () => {
    const view = detailsView({
      details,
      page: 1,
      seen: 0,
      place: null,
      revealed: false,
      pageSize: "large",
      anew: "changed",
    })

    expect(viewVerdict(view)).toBe("ok")
    expect(alertsIn(view)).toEqual([expect.stringContaining("Please open all pages again.")])
  })

  it("a change stands out after a press that was not counted, above what is different", () => {
    const change = { before: anApproval({ toolArgs: { a: 1 }, requirements: null }), now: aCardModel() }
    const view = detailsAgainView({ kind: "changed", change }, { details, place: null, pageSize: "large" })

    expect(viewVerdict(view)).toBe("ok")
    expect(alertsIn(view)).toEqual([expect.stringContaining("Your press was not counted.")])
    expect(wordsOf(view.blocks)).toContain("Before · ")
  })
})

it("a form of more fields than a modal holds says that it cannot be approved here", () => {
  const schema = Array.from({ length: 91 }, (_, at) => ({
    name: `n${at}`,
    field_type: "str",
    description: "",
    value: "x",
  }))
  const waits = { requires_confirmation: false, requires_user_input: true }
  const approval = anApproval({ requirements: [aRequirement("pay", waits, { user_input_schema: schema })] })
  const model = aCardModel(approval)
  const form = { model, inputs: inputsOf(approval), reason: { required: true, choices: ["no"] }, earlier: null }

  const view = formView({ target: targetOf(model), verb: "approve", place: null }, "approve", form)

  expect(viewVerdict(view)).toBe("ok")
  expect(alertsIn(view)).toEqual([expect.stringContaining("This asks for 91 values, and a form in Slack holds 90")])
})
