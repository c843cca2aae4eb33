// What the platform tells beside an approval's record, on cards and in Details.

import { expect, test } from "vitest"
import { unseen } from "../../../src/domain/content/surroundings.ts"
import { plainLook } from "../../../src/domain/policy/look.ts"
import { mrkdwn, stack } from "../../../src/slack/lines/spans.ts"
import { createTextFitter } from "../../../src/slack/lines/text-fitter.ts"
import { factLines, isTeamUnknown } from "../../../src/slack/text/case/case-facts.ts"
import { cardOf } from "../../../src/slack/views/card.ts"
import { detailsView } from "../../../src/slack/views/details.ts"
import { aCardModel, recorded } from "../card-models.ts"
import { onlyLiteral } from "../hostile.ts"
import { wordsOf } from "../sight.ts"

const member = recorded("get-pending-team-member")
const shown = (around: Partial<typeof unseen>, more = {}) =>
  wordsOf(cardOf(aCardModel(member, { around: { ...unseen, ...around }, ...more })).blocks).replaceAll(/\s+/g, " ")
const unknown = (around: Partial<typeof unseen>, approval = member) =>
  isTeamUnknown(aCardModel(approval, { around: { ...unseen, ...around } }))

test("trap 23: a member's team is named in Details; where nobody could look, it says that there may be one", () => {
  const model = aCardModel(member, { around: { ...unseen, seen: true, team: "support-team" } })
  expect(mrkdwn(stack(factLines(model, createTextFitter())))).toContain("Team: support-team")
  expect(unknown({ seen: true, team: "support-team" })).toBe(false)
  expect(unknown({})).toBe(true)
  expect(unknown({}, recorded("get-pending-team"))).toBe(false)
})

test("trap 24: a workflow's step says that nothing is enforced", () => {
  expect(shown({ seen: true, unenforced: true })).toContain(
    "Your decision is not binding: it is advice to whoever runs this workflow",
  )
})

test("a card names the workflow by its name and the step; Details name its id, too", () => {
  const step = { ...member, workflowId: "month-end", context: { workflow_name: "Month End", step_name: "clean up" } }
  const model = aCardModel(step)

  expect(wordsOf(cardOf(model).blocks).replaceAll(/\s+/g, " ")).toContain("Workflow: Month End, step clean up")
  expect(mrkdwn(stack(factLines(model, createTextFitter())))).toContain("Month End (month-end), step clean up")
  expect(shown({ workflow: { id: "month-end", name: null, step: null } })).toContain("Workflow: month-end")
})

test("names of a workflow and a step that are too long, hostile or secret are cut, shown as text, and masked", () => {
  const names = { workflow_name: "x".repeat(300), step_name: "<!here>\u202E sk-123abc" }
  const model = aCardModel(
    { ...member, workflowId: "w", context: names },
    { look: { ...plainLook, mask: ["/sk-[a-z0-9]+/"] } },
  )

  const card = cardOf(model)

  expect(card.complete).toBe(false)
  expect(wordsOf(card.blocks)).toContain("⟨U+202E⟩")
  expect(wordsOf(card.blocks)).not.toMatch(/sk-123abc|x{150}/)
  expect(onlyLiteral(card.blocks)).toBe(true)
})

test("hostile ids are text", () => {
  const model = aCardModel(member, { around: { ...unseen, team: "<!channel>\u202Eabc" } })
  const details = { model, approve: { ok: true, rules: [] }, reject: { ok: true, rules: [] }, own: null } as const

  const { blocks } = detailsView({
    details,
    page: 1,
    seen: 0,
    place: null,
    revealed: false,
    pageSize: "large",
    anew: null,
  })

  expect(wordsOf(blocks)).toContain("⟨U+202E⟩abc")
  expect(wordsOf(blocks)).not.toContain("\u202E")
  expect(onlyLiteral(blocks)).toBe(true)
})
