// The top-level text of a card: all that a notification shows and a screen reader reads.

import { describe, expect, it } from "vitest"
import { plainLook } from "../../../src/domain/policy/look.ts"
import { cardOf, safeCardOf } from "../../../src/slack/views/card.ts"
import { AT, aCardModel, anApproval, aVote, everyState, openStatus } from "../card-models.ts"

const states = everyState()

function textOf(name: string): string {
  const model = states[name]
  if (model === undefined) throw new Error(`no state is called ${name}`)
  return cardOf(model).text
}

describe("the text alone", () => {
  it.each([
    ["who must agree", "open", "1 of <!subteam^S0FINANCE> must approve"],
    [
      "how many have",
      "one-of-two",
      "2 of <!subteam^S0FINANCE> must approve; 1 has, 1 more person has to, and then it runs",
    ],
    ["who has", "one-of-two", /<@U0ALICE> approved it </],
    [
      "why a rule is asked",
      "conditions",
      "2 of <!subteam^S0FINANCE> must approve, because amount is above 500; 1 has, 1 more person has to",
    ],
    [
      "what is approved within a limit so far",
      "within-a-limit",
      /Within the limit of rule \S+ \([\d,]+ in 24 hours\): /,
    ],
    [
      "that a limit is passed, and by what",
      "above-a-limit",
      /Above the limit .*: 4,995\.5 approved for.*, this adds 999/,
    ],
    ["that more must agree because of that", "above-a-limit", /must approve, because of a limit/],
    ["that others are asked too", "escalated", /Escalated: .*more people are asked/],
    ["what is not binding", "workflow-not-continued", "Your decision is not binding: "],
    ["who can reject what nobody can approve", "unapprovable", "1 of <!subteam^S0FINANCE> has to reject it"],
    ["why nothing is left to approve", "run-over", "The run was cancelled without waiting for this, so an approval"],
    ["what ran undecided", "run-over-after-it-ran", "delete_user_data ran although nobody had decided"],
    ["why it was rejected", "rejected", "<@U0ALICE>: “Not on a *Friday* &lt;!channel&gt;”"],
    ["why it is held", "held", "<@U0ALICE>: “Not on a *Friday* &lt;!channel&gt;”"],
    ["that nothing is left to do", "approved", "It may run now. Nothing to do here."],
    ["what the agent waits for", "run-waits", "The agent goes on once 2 other approvals of the same run are decided"],
    [
      "who has to continue a run",
      "run-withheld",
      /On the agent's platform alice@example\.com, who started it, has to continue it/,
    ],
    ["that somebody has to look", "run-ended", "Whoever runs Countersign was told, and has to look"],
    ["that somebody has to ask again", "expired", "Whoever needs it has to ask again."],
  ])("the text alone says %s", (_what, name, words) => {
    expect(textOf(name)).toMatch(
      typeof words === "string" ? new RegExp(words.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&")) : words,
    )
  })

  it("no two ends read the same, so it says what is left to do", () => {
    const ends = [
      "approved",
      "run-waits",
      "run-continued",
      "run-ended",
      "run-withheld",
      "rejected",
      "elsewhere-approved",
    ]

    expect(new Set(ends.map(textOf)).size).toBe(ends.length)
  })

  it("the headline comes first, then who must agree, then the arguments", () => {
    const text = textOf("one-of-two")
    const places = ["Approval needed: ", "must approve", "Asked by ", "\nuser_id: U-100"].map((words) =>
      text.indexOf(words),
    )

    expect(places).toEqual(places.toSorted((a, b) => a - b))
    expect(places[0]).toBe(0)
  })
})

describe("however much there is to say", () => {
  const many = Array.from({ length: 30 }, (_, at) => ({
    name: `rule-${at}`,
    quorum: 1,
    approvers: [`a${at}<&>@corp.example`],
  }))
  const votes = many.map((_, at) => aVote({ user: `U${at}`, reason: "<&>".repeat(80) }))
  const progress = many.map(({ name }) => ({ rule: name, have: 0, need: 1 }))
  const args = { ["k<".repeat(40)]: "v&".repeat(5_000) }
  const wordy = aCardModel(anApproval({ toolArgs: args, requirements: null }), {
    rules: many,
    votes,
    status: { kind: "open", progress },
  })
  const outcome = { kind: "ours", verb: "reject", decisionId: "d", resolvedBy: "r".repeat(900), at: AT } as const

  it("the text stays within what Slack takes, and counts what it leaves out", () => {
    const { text } = cardOf(wordy)

    expect(text.length).toBeLessThanOrEqual(3_900)
    expect(text).toMatch(/^Approval needed: /)
    expect(text).toContain("characters left out)")
    expect(text).toContain("v&amp;v&amp;")
  })

  it("the reasons of those who decided come first, and leave room for what is left to do", () => {
    const settled = { ...wordy, status: { kind: "settled", outcome, run: { kind: "left" } } as const }
    const rejected = { ...settled, votes: votes.map((vote) => ({ ...vote, verb: "reject" as const })) }

    const { text } = cardOf(rejected)

    expect(text.length).toBeLessThanOrEqual(3_900)
    expect(text).toMatch(/^✕ Rejected by .*\n<@U0>: “/)
    expect(text).toMatch(/\nThe agent's platform was told no\. Nothing to do\.$/)
  })
})

it("R4 R15: the text shows neither what rules mask nor what stands in Details alone", () => {
  const approval = anApproval({
    toolName: "send_money",
    toolArgs: { amount: 999, iban: "LT12-secret" },
    requirements: null,
  })
  const limits = states["above-a-limit"]?.limits ?? []
  const news = { items: [{ call: 0, path: "iban", kind: "new" as const, place: ["iban"] }], more: 0 }
  const textWith = (look: object) =>
    cardOf(aCardModel(approval, { look: { ...plainLook, ...look }, limits, news, status: openStatus(0, 1) })).text

  expect(textWith({})).toContain("LT12-secret")
  expect(textWith({ mask: ["iban", "amount"] })).not.toMatch(/LT12-secret|999/)
  expect(textWith({ argumentsInDetails: true })).not.toMatch(/LT12-secret|999/)
})

it("a card that Slack did not take as it was says how it ended and what is left to do", () => {
  const { text } = safeCardOf(states["run-withheld"] ?? aCardModel())

  expect(text).toMatch(/^✓ Approved\nCountersign does not continue the run: /)
})
