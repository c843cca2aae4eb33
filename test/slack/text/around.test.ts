// What the platform tells beside an approval's record, on cards and in Details.

import { expect, test } from "vitest"
import { unseen } from "../../../src/domain/content/surroundings.ts"
import { factLines, unknownLines } from "../../../src/slack/text/case-facts.ts"
import { mrkdwn, stack } from "../../../src/slack/text/spans.ts"
import { createTextFitter } from "../../../src/slack/text/text-fitter.ts"
import { cardOf } from "../../../src/slack/views/card.ts"
import { detailsView } from "../../../src/slack/views/details.ts"
import { aFace, recorded } from "../faces.ts"
import { onlyLiteral } from "../hostile.ts"
import { wordsOf } from "../sight.ts"

const member = recorded("get-pending-team-member")
const shown = (around: Partial<typeof unseen>, more = {}) =>
  wordsOf(cardOf(aFace(member, { around: { ...unseen, ...around }, ...more })).blocks).replaceAll(/\s+/g, " ")
const unknown = (around: Partial<typeof unseen>, approval = member) =>
  mrkdwn(stack(unknownLines(aFace(approval, { around: { ...unseen, ...around } }))))

test("trap 23: a member's team is named in Details; where nobody could look, it says that there may be one", () => {
  const face = aFace(member, { around: { ...unseen, seen: true, team: "support-team" } })
  expect(mrkdwn(stack(factLines(face, createTextFitter())))).toContain("Team: support-team")
  expect(unknown({ seen: true, team: "support-team" })).toBe("")
  expect(unknown({})).toContain("not known; the agent may work in one, or in a workflow")
  expect(unknown({}, recorded("get-pending-team"))).toBe("")
})

test("trap 24: a workflow's step says that nothing is enforced", () => {
  expect(shown({ seen: true, unenforced: true })).toContain("Not enforced: this belongs to a workflow")
})

test("hostile ids are text", () => {
  const face = aFace(member, { around: { ...unseen, team: "<!channel>\u202Eabc" } })
  const details = { face, approve: { ok: true, rules: [] }, reject: { ok: true, rules: [] }, own: null } as const

  const { blocks } = detailsView({ details, page: 1, seen: 0, place: null, revealed: false, changed: false })

  expect(wordsOf(blocks)).toContain("⟨U+202E⟩abc")
  expect(wordsOf(blocks)).not.toContain("\u202E")
  expect(onlyLiteral(blocks)).toBe(true)
})
