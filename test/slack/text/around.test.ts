// What the platform tells beside an approval's record, on cards and in Details.

import { expect, test } from "vitest"
import { unseen } from "../../../src/domain/content/surroundings.ts"
import { unknownLines } from "../../../src/slack/text/case-facts.ts"
import { mrkdwn, stack } from "../../../src/slack/text/spans.ts"
import { cardOf } from "../../../src/slack/views/card.ts"
import { aFace, recorded } from "../faces.ts"
import { wordsOf } from "../sight.ts"

const member = recorded("get-pending-team-member")
const shown = (around: Partial<typeof unseen>, more = {}) =>
  wordsOf(cardOf(aFace(member, { around: { ...unseen, ...around }, ...more })).blocks).replaceAll(/\s+/g, " ")
const unknown = (around: Partial<typeof unseen>, approval = member) =>
  mrkdwn(stack(unknownLines(aFace(approval, { around: { ...unseen, ...around } }))))

test("trap 23: a member's team is named; where nobody could look, Details says that there may be one", () => {
  expect(shown({ seen: true, team: "support-team" })).toContain("Team: support-team")
  expect(unknown({ seen: true, team: "support-team" })).toBe("")
  expect(unknown({})).toContain("not known; the agent may work in one, or in a workflow")
  expect(unknown({}, recorded("get-pending-team"))).toBe("")
})

test("trap 24: a workflow's step says that nothing is enforced", () => {
  expect(shown({ seen: true, unenforced: true })).toContain("Not enforced: this belongs to a workflow")
})

test("hostile ids are text", () => {
  const { text, blocks } = cardOf(aFace(member, { around: { ...unseen, team: "<!channel>\u202Eabc" } }))

  expect(wordsOf(blocks)).toContain("⟨U+202E⟩abc")
  expect(`${text}${wordsOf(blocks)}`).not.toContain("\u202E")
  expect(text).not.toContain("<!channel>")
})
