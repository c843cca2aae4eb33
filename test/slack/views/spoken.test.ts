// Spoken: a screen reader says verb and subject of each button that reads the same on many cards. What is masked on the
// card is masked there, too.

import type { KnownBlock } from "@slack/types"
import { describe, expect, it } from "vitest"
import { plainLook } from "../../../src/domain/policy/look.ts"
import { homeView } from "../../../src/slack/lists/home-and-summary.ts"
import { historyMessage, listMessage } from "../../../src/slack/lists/list-messages.ts"
import { cardOf, safeCardOf } from "../../../src/slack/views/card.ts"
import { changedView, detailsView } from "../../../src/slack/views/details.ts"
import { AT, aCardModel, anApproval, everyState, recorded } from "../card-models.ts"
import { buttonsOf, messageVerdict, viewVerdict } from "../sight.ts"

const may = { ok: true, rules: ["prod-data"] } as const
const spoken = ({ blocks }: { readonly blocks: readonly object[] }) =>
  buttonsOf(blocks as KnownBlock[]).map((button) => button.accessibility_label)
const listing = (...models: readonly ReturnType<typeof aCardModel>[]) => ({ models, total: models.length, more: false })
const asked = { words: [], at: AT }
const surfacesOf = (model: ReturnType<typeof aCardModel>) => {
  const details = { model, approve: may, reject: may, own: null }
  return {
    card: cardOf(model),
    list: listMessage(listing(model), 1, asked),
    history: historyMessage(listing(model), 1, asked),
    home: homeView(
      { mine: listing(model), page: 1, waiting: 1, requests: listing(), decided: listing(model), found: null, at: AT },
      "/approvals",
    ),
    details: detailsView({ details, page: 1, seen: 0, place: null, revealed: false, pageSize: "large", anew: null }),
    changed: changedView({ before: null, now: model }),
  }
}

it("each button has a label of verb and subject", () => {
  const { card, list, home, details, changed } = surfacesOf(aCardModel())

  expect(spoken(card)).toEqual([
    "Approve: delete_user_data by Admin Agent",
    "Reject: delete_user_data by Admin Agent",
    "Details: delete_user_data by Admin Agent",
  ])
  expect(spoken(list)).toEqual(["Details: delete_user_data by Admin Agent"])
  expect(spoken(home)).toEqual([
    "Review: delete_user_data by Admin Agent",
    "Reject: delete_user_data by Admin Agent",
    "Details: delete_user_data by Admin Agent",
  ])
  // "Send Back…" stands in Details alone, where no other button reads alike.
  expect(spoken(details)).toEqual([...spoken(card).slice(0, 2), undefined])
  expect(spoken(changed)).toEqual(["Review: delete_user_data by Admin Agent"])
  expect(spoken(cardOf(everyState()["approved"] ?? aCardModel()))).toEqual([
    "Details: delete_user_data by Admin Agent",
    "Receipt: delete_user_data by Admin Agent",
  ])
  expect(spoken(listMessage(listing(everyState()["closed"] ?? aCardModel()), 1, asked))).toEqual(spoken(list))
})

it("several tools are counted, and who has no name is an agent", () => {
  const model = aCardModel(recorded("get-pending-multi-tool"))

  expect(spoken(cardOf({ ...model, summary: { ...model.summary, agent: null } }))[0]).toBe(
    "Approve: 2 tools by an agent",
  )
})

it.each([
  ["n".repeat(300), "a".repeat(300)],
  ["&".repeat(300), "<".repeat(300)],
  ["😀".repeat(300), "\u202E\n".repeat(300)],
  ["t", "a".repeat(300)],
])("what is long is cut to what Slack takes, and one line: %#", (toolName, sourceName) => {
  const surfaces = surfacesOf(aCardModel(anApproval({ toolName, sourceName, requirements: null })))

  for (const message of [surfaces.card, surfaces.list, surfaces.history]) expect(messageVerdict(message)).toBe("ok")
  for (const view of [surfaces.home, surfaces.details, surfaces.changed]) expect(viewVerdict(view)).toBe("ok")
  const said = Object.values(surfaces).flatMap(spoken)
  for (const label of said.filter((one) => one !== undefined)) expect(label).toMatch(/^[A-Z][A-Za-z ]+: .+ by .*…$/)
})

describe("R4 a secret in a name", () => {
  const look = { ...plainLook, mask: ["/sk-./"] }
  const model = aCardModel(anApproval({ toolName: "pay sk-1", sourceName: "Bot sk-2", requirements: null }), { look })

  it("is masked once in every label, and on no surface read for an imitation", () => {
    for (const surface of Object.values(surfacesOf(model))) {
      expect(JSON.stringify(surface)).not.toMatch(/sk-\d|U\+2592/)
      for (const label of spoken(surface).filter((one) => one !== undefined))
        expect(label).toMatch(/: pay ▒▒▒▒ \d characters masked ▒▒▒▒ by Bot ▒▒▒▒/)
    }
  })
})

it("the safe card says nothing of the agent's, in its labels neither", () => {
  expect(spoken(safeCardOf(aCardModel()))).toEqual([undefined])
})
