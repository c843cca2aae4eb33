// Bounds: whatever there is to answer, Slack takes the answer, and what it leaves out it counts.

import { describe, expect, it } from "vitest"
import type { Answer } from "../../../src/flow/ports/reply.ts"
import { fullHelpMessage, helpMessage, whyMessage } from "../../../src/slack/lists/command-messages.ts"
import { historyMessage, listMessage } from "../../../src/slack/lists/list-messages.ts"
import { answerWords } from "../../../src/slack/text/answer-words.ts"
import type { Message } from "../../../src/slack/views/card.ts"
import { detailsView } from "../../../src/slack/views/details.ts"
import { words } from "../../../src/slack/views/words.ts"
import { AT, aCardModel, anApproval, aVote, everyState } from "../card-models.ts"
import { labels, messageVerdict, viewVerdict, wordsOf } from "../sight.ts"

const many = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, at) => make(at))
const users = many(2_000, (index) => `U${String(index).padStart(10, "0")}`)
const names = many(400, (index) => `${"&".repeat(56)}${index}`)
const vast = aCardModel(
  anApproval({ sourceName: "&".repeat(5_000), toolName: "<".repeat(5_000), requirements: null }),
  {
    rules: names.map((name) => ({ name, quorum: 9 })),
    votes: users.slice(0, 100).map((user) => aVote({ user, reason: "&".repeat(1_000) })),
    troubles: many(50, (index) => ({ route: `channel:C${index}`, why: "is_archived" })),
    related: many(50, (index) => ({ caseId: String(index).padStart(20, "0"), of: "team" as const, link: null })),
  },
)
const may = { ok: true, rules: names } as const
const input = `${"\u202e".repeat(3_000)}\n`.repeat(30)
const details = { model: vast, approve: may, reject: may, own: null, request: { kind: "read" as const, input } }
const listing = { models: many(5, () => vast), total: 5_000, more: true }
const asked = { words: ["agent:x", "y".repeat(2_500)], at: AT }
const ended = { ...vast, status: everyState()["approved"]?.status ?? vast.status }

describe("Slack takes", () => {
  it.each<readonly [string, Message]>([
    [
      "each page of why",
      whyMessage({ details, rules: names.map((name) => ({ name, quorum: 9, users, more: 3 })) }, 2, "/a"),
    ],
    ["why without rules", whyMessage({ details, rules: [] }, 9, "/a")],
    ["a list", listMessage(listing, 2, asked)],
    ["a history", historyMessage({ ...listing, models: many(5, () => ended) }, 2, asked)],
    ["the help", helpMessage("/a")],
    ["all of the help", fullHelpMessage("/a")],
  ])("Slack takes %s", (_what, message) => {
    expect(messageVerdict(message)).toBe("ok")
  })

  it("Slack takes Details", () => {
    const view = detailsView({ details, page: 1, seen: 0, place: null, revealed: false, pageSize: "large", anew: null })

    expect(viewVerdict(view)).toBe("ok")
    expect(wordsOf(view.blocks)).toContain("and 360 more rules, \nnamed by the command why")
    expect(wordsOf(view.blocks)).toContain("and 92 more votes, \neach told in the thread")
    expect(wordsOf(view.blocks)).toContain("and 47 more approvals, \neach of them in the list of what waits")
  })

  const long = "&".repeat(9_000)
  it.each<Answer>([
    { kind: "counted", verb: "approve", progress: names.map((rule) => ({ rule, have: 0, need: 9 })) },
    { kind: "reopened", why: long },
    { kind: "resolved", verb: "approve", resolvedBy: long },
    { kind: "input-missing", names: [...names, long] },
    { kind: "already", verb: "approve", users, pending: false },
    { kind: "refused", refusal: { code: "requester", rule: long } },
    { kind: "refused", refusal: { code: "conflicting-email", email: long } },
    { kind: "elsewhere", outcome: { kind: "elsewhere", status: long, resolvedBy: long, at: AT } },
  ])("Slack takes the answer $kind", (answer) => {
    expect(messageVerdict(words(answerWords(answer)))).toBe("ok")
  })
})

it("a list whose words no button can hold says how its other pages are reached", () => {
  const message = listMessage(listing, 2, asked)

  expect(labels(message.blocks)).not.toContain("Next")
  expect(wordsOf(message.blocks)).toContain("Type the command again with the number of a page")
})

it("who else decided is counted", () => {
  const votes = users.slice(0, 12).map((user) => aVote({ user }))

  expect(
    historyMessage({ models: [{ ...ended, votes }], total: 1, more: false }, 1, { ...asked, words: [] }).text,
  ).toContain("and 4 more")
})
