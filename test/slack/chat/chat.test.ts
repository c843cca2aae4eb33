// Chat against the local workspace: cards and lines are posted, edited and found again, and every refusal of Slack has
// its answer.

import { describe, expect, it } from "vitest"
import type { CaseEvent } from "../../../src/domain/case/event.ts"
import { plainLook } from "../../../src/domain/policy/look.ts"
import { aChannel, sandboxCast } from "../../../src/sandbox/workspace/seed.ts"
import { ChatError } from "../../../src/slack/transport/errors.ts"
import { aQuestion } from "../../support/builders.ts"
import { AT, aCardModel, anApproval, aVote, everyState, openStatus } from "../card-models.ts"
import { labels, wordsOf } from "../sight.ts"
import { aSlackModule } from "../slack-module.ts"

const model = aCardModel()
const resolved = {
  kind: "resolved",
  at: AT,
  decision: "d1",
  verb: "approve",
  resolvedBy: "a@b",
  sandbox: true,
} as const
const voted = { kind: "voided", at: AT, person: "T0SANDBOX:U0ALICE", why: "left the group" } satisfies CaseEvent
const aVoted = (reason: string): CaseEvent => {
  const plain = { subject: "a", values: null, revealed: false, rules: [], revision: 1, digest: "d" }
  const who = { person: "T0SANDBOX:U0ALICE", name: "Alice" }
  return {
    kind: "voted",
    at: AT,
    verb: "reject",
    reason,
    ...who,
    ...plain,
    surface: "card",
    interaction: "i",
    mac: "m",
  }
}
const failure = (work: Promise<unknown>) => work.then(() => null).catch((error: unknown) => error)

describe("cards", () => {
  it("a card is posted with ids only in its metadata, and says where it hangs", async () => {
    const { sandbox, slack } = await aSlackModule()

    const place = await slack.chat.postCard(model)

    const [message] = sandbox.messages(sandboxCast.approvals)
    expect(place).toEqual({ channel: sandboxCast.approvals, ts: message?.ts })
    expect(message?.metadata).toEqual({
      event_type: "countersign_card",
      event_payload: { installation: "main", case: model.caseId, route: model.route, revision: 1 },
    })
    expect(labels(message?.blocks ?? [])).toEqual(["Approve", "Reject", "Details"])
  })

  it("a card that we cannot draw is the safe card, and an alarm says so", async () => {
    const alarms: unknown[] = []
    const { sandbox, slack } = await aSlackModule("socket", { alarm: (alarm) => alarms.push(alarm) })
    const cause = new RangeError("Maximum call stack size exceeded")
    const undrawn = Object.defineProperty({ ...model }, "around", {
      get: () => {
        throw cause
      },
    })

    const place = await slack.chat.postCard(undrawn)
    await slack.chat.updateCard(place, undrawn)

    const [message] = sandbox.messages(sandboxCast.approvals)
    expect(message?.text).toContain("Its card could not be shown here: press Details.")
    expect(labels(message?.blocks ?? [])).toEqual(["Details"])
    const alarm = { code: "card-not-drawn", caseId: model.caseId, error: cause }
    expect(alarms).toEqual([alarm, alarm])
  })

  it("a person's route is a direct message, opened once", async () => {
    const { sandbox, slack } = await aSlackModule()
    const direct = { ...model, route: `person:${sandboxCast.alice}` }

    const first = await slack.chat.postCard(direct)
    sandbox.faults.web("conversations.open", { kind: "status", status: 500 })
    const second = await slack.chat.postCard(direct)

    expect(first.channel).toMatch(/^D/)
    expect(second.channel).toBe(first.channel)
  })

  it("a card is edited in place, and gone when a moderator deleted it", async () => {
    const { sandbox, slack } = await aSlackModule()
    const place = await slack.chat.postCard(model)
    const settled = everyState()["approved"] ?? model

    const updated = await slack.chat.updateCard(place, settled)
    const [message] = sandbox.messages(sandboxCast.approvals)
    sandbox.workspace.messages.remove(place.channel, place.ts)
    const gone = await slack.chat.updateCard(place, settled)

    expect([updated, gone]).toMatchObject([{ kind: "updated" }, { kind: "gone" }])
    expect(labels(message?.blocks ?? [])).toEqual(["Details", "Receipt"])
    expect(wordsOf(message?.blocks)).toContain("✓ Approved\n by \nU0ALICE")
  })

  it.each(["invalid_blocks", "msg_blocks_too_long"])(
    "the safe card goes out, with Details alone, where Slack answers %s",
    async (error) => {
      const { sandbox, slack } = await aSlackModule()
      sandbox.faults.web("chat.postMessage", { kind: "error", error })

      await slack.chat.postCard(model)
      sandbox.faults.web("chat.update", { kind: "error", error })
      const [message] = sandbox.messages(sandboxCast.approvals)
      await slack.chat.updateCard({ channel: sandboxCast.approvals, ts: message?.ts ?? "" }, model)

      expect(labels(sandbox.messages(sandboxCast.approvals)[0]?.blocks ?? [])).toEqual(["Details"])
      expect(sandbox.messages(sandboxCast.approvals)).toHaveLength(1)
    },
  )
})

describe("a Slack that takes no container", () => {
  const settled = everyState()["approved"] ?? model
  const typesOf = (blocks: readonly { readonly type: string }[] = []) => blocks.map(({ type }) => type)

  it("gets the card without it, at once and from then on", async () => {
    const { sandbox, slack, log } = await aSlackModule()
    const place = await slack.chat.postCard(model)
    const shown = () => typesOf(sandbox.messages(sandboxCast.approvals)[0]?.blocks)
    await slack.chat.updateCard(place, settled)
    expect(shown()).toContain("container")

    sandbox.faults.web("chat.update", { kind: "error", error: "invalid_blocks" })
    expect(await slack.chat.updateCard(place, settled)).toEqual({ kind: "updated" })
    await slack.chat.updateCard(place, { ...settled, replaces: true })

    expect(shown()).not.toContain("container")
    expect(wordsOf(sandbox.messages(sandboxCast.approvals)[0]?.blocks)).toContain("user_id: U-100")
    expect(labels(sandbox.messages(sandboxCast.approvals)[0]?.blocks ?? [])).toEqual(["Details", "Receipt"])
    expect(log.lines.filter(({ event }) => event === "new-blocks-refused")).toMatchObject([
      { fields: { types: ["container"] } },
    ])
  })

  it("gets the safe card if it was something else", async () => {
    const { sandbox, slack } = await aSlackModule()
    const place = await slack.chat.postCard(model)
    sandbox.faults.web("chat.update", { kind: "error", error: "invalid_blocks" }, { times: 2 })

    await slack.chat.updateCard(place, settled)
    expect(typesOf(sandbox.messages(sandboxCast.approvals)[0]?.blocks)).toEqual(["section"])
    await slack.chat.updateCard(place, settled)

    expect(typesOf(sandbox.messages(sandboxCast.approvals)[0]?.blocks)).toContain("container")
  })
})

describe("failures say whether trying again can help", () => {
  it.each([
    [
      { kind: "ratelimited", retryAfterS: 7 },
      { code: "rate-limited", retryable: true, retryAfterMs: 7_000 },
    ],
    [
      { kind: "status", status: 503 },
      { code: "unavailable", retryable: true, retryAfterMs: null },
    ],
    [
      { kind: "error", error: "internal_error" },
      { code: "unavailable", slackCode: "internal_error", retryable: true },
    ],
    [{ kind: "never_answer" }, { code: "unreachable", retryable: true, retryAfterMs: null }],
    [
      { kind: "error", error: "is_archived" },
      { code: "refused", slackCode: "is_archived", retryable: false },
    ],
    [
      { kind: "error", error: "channel_not_found" },
      { code: "refused", slackCode: "channel_not_found", retryable: false },
    ],
  ] as const)("a failure of Slack says whether trying again can help: %j", async (fault, expected) => {
    const { sandbox, slack } = await aSlackModule("socket", { timeoutMs: 2_000 })
    sandbox.faults.web("chat.postMessage", fault)

    const error = await failure(slack.chat.postCard(model))

    expect(error).toBeInstanceOf(ChatError)
    expect(error).toMatchObject({ method: "chat.postMessage", ...expected })
  })

  it("a channel that the bot is not in is refused for good", async () => {
    const { slack } = await aSlackModule()

    const error = await failure(slack.chat.postCard({ ...model, route: "channel:C0NOWHERE" }))

    expect(error).toMatchObject({
      slackCode: "channel_not_found",
      retryable: false,
      message: expect.stringContaining("C0NOWHERE"),
    })
  })
})

describe("threads", () => {
  it("each line stands once in the thread, literally, with its number and a link to its card", async () => {
    const { sandbox, slack } = await aSlackModule()
    const place = await slack.chat.postCard(model)

    await slack.chat.tell(place, model, { first: 0, events: [{ ...voted, why: "<!channel> left" }] })
    await slack.chat.tell(place, model, { first: 1, events: [resolved] })

    const lines = sandbox.thread(place.channel, place.ts)
    const card = `<${await slack.chat.linkTo(place)}|card>`
    expect(lines.map((line) => line.text)).toEqual([
      `The vote of <@U0ALICE> does not count any more: &lt;!channel&gt; left · ${card}`,
      `The platform has it: approved, resolved by a@b (demo only) · ${card}`,
    ])
    expect(lines[1]?.metadata).toEqual({
      event_type: "countersign_line",
      event_payload: { case: model.caseId, number: 1, lines: 1 },
    })
    expect(await slack.chat.countLines(place, model)).toBe(2)
  })

  describe("in which a run began", () => {
    it("are linked, and told without arguments and without notifying anybody", async () => {
      const { sandbox, slack } = await aSlackModule()
      const place = await slack.chat.postCard(model)

      const looked = await slack.chat.lookAtThread(place)
      await slack.chat.tellThread(place, model, { first: 0, due: 1 })
      const outcome = { kind: "ours", verb: "approve", decisionId: "d1", resolvedBy: "a@b", at: AT } as const
      const ended = { kind: "settled", outcome } as const
      const votes = [
        { user: "U0ALICE", name: "Ann <!here>", verb: "approve", reason: null, values: null, at: AT } as const,
      ]
      await slack.chat.tellThread(place, { ...model, status: ended, votes }, { first: 1, due: 2 })

      expect(looked).toEqual({ link: expect.stringContaining("/archives/"), open: true })
      const lines = sandbox.thread(place.channel, place.ts)
      expect(lines.map(({ text }) => text)).toEqual([
        "This run waits for an approval of delete_user_data. Those who may decide were asked",
        "✓ Approved by Ann &lt;!here&gt; · delete_user_data",
      ])
      expect(await slack.chat.countLines(place, model)).toBe(2)
    })

    it("are left alone where the app is no member", async () => {
      const { sandbox, slack } = await aSlackModule()
      sandbox.workspace.putChannel(aChannel(sandboxCast.payments, "payments", [sandboxCast.alice]))

      const looked = await slack.chat.lookAtThread({ channel: sandboxCast.payments, ts: "1700000000.000100" })

      expect(looked.open).toBe(false)
    })
  })

  it("lines that are told at once stand in one message, and each of them counts", async () => {
    const { sandbox, slack } = await aSlackModule()
    const place = await slack.chat.postCard(model)

    await slack.chat.tell(place, model, {
      first: 2,
      events: [{ ...voted, why: "left\nThe platform has it" }, resolved],
    })

    const [message, ...others] = sandbox.thread(place.channel, place.ts)
    expect(others).toEqual([])
    expect(message?.text.split("\n")).toEqual([
      "The vote of <@U0ALICE> does not count any more: left⟨U+000A⟩The platform has it",
      expect.stringMatching(/^The platform has it: .*\|card>$/),
    ])
    const point = { type: "rich_text_section" }
    expect(message?.blocks).toMatchObject([{ elements: [{ type: "rich_text_list", elements: [point, point] }] }])
    expect(message?.metadata?.event_payload).toEqual({ case: model.caseId, number: 2, lines: 2 })
    expect(await slack.chat.countLines(place, model)).toBe(2)
  })

  it("ten votes with reasons are told in as many messages as Slack takes, each line once", async () => {
    const { sandbox, slack } = await aSlackModule()
    const place = await slack.chat.postCard(model)
    const events = Array.from({ length: 10 }, (_, at) => aVoted(`${at} ${"<&>".repeat(120)}`))

    let first = 0
    while (first < events.length) first += await slack.chat.tell(place, model, { first, events: events.slice(first) })

    const messages = sandbox.thread(place.channel, place.ts)
    expect(messages.length).toBeGreaterThan(2)
    expect(messages.every(({ text }) => text.length < 3_900)).toBe(true)
    const reasons = messages.flatMap(({ text }) => [...text.matchAll(/“(\d) /g)].map((found) => found[1]))
    expect(reasons.join("")).toBe("0123456789")
    expect(await slack.chat.countLines(place, model)).toBe(10)
  })

  it("who is asked reads agent and action first, masked as on the card", async () => {
    const { sandbox, slack } = await aSlackModule()
    const approval = anApproval({ sourceName: "Bot sk-1", toolArgs: { to: "sk-2" }, requirements: null })
    const secret = aCardModel(approval, { look: { ...plainLook, mask: ["/sk-./"] } })
    const place = await slack.chat.postCard(secret)
    const asked = [{ rule: "prod-data", quorum: 1, names: ["Ann <!here>", "ops"], approvers: ["U0BOB"] }]
    const opened = { approval: "a", instance: "default", revision: 1, digest: "d", rules: ["prod-data"], asked }

    await slack.chat.tell(place, secret, { first: 0, events: [{ kind: "opened", at: AT, ...opened }] })

    const [line] = sandbox.thread(place.channel, place.ts)
    expect(line?.text.split("\n")).toEqual([
      "“Bot ▒▒▒▒ 4 characters masked ▒▒▒▒” wants to run delete user data with 1 argument",
      expect.stringMatching(/^Asked: Ann &lt;!here&gt;, ops and <@U0BOB>, 1 approval needed under rule prod-data · </),
    ])
    expect(JSON.stringify(line)).not.toMatch(/sk-\d/)
  })

  it("a line that is too long alone is cut, with how much of it is left out", async () => {
    const { sandbox, slack } = await aSlackModule()
    const place = await slack.chat.postCard(model)
    const names = Array.from({ length: 10 }, (_, at) => `${"a".repeat(250)}${at}@b.example`)
    const asked = Array.from({ length: 5 }, (_, at) => ({ rule: `rule-${at}`, quorum: 1, names, approvers: [] }))
    const opened = { approval: "a", instance: "default", revision: 1, digest: "d", rules: [], asked } as const

    const events = [{ kind: "opened", at: AT, ...opened } as const, resolved]
    expect(await slack.chat.tell(place, model, { first: 0, events })).toBe(1)

    const { text = "" } = sandbox.thread(place.channel, place.ts)[0] ?? {}
    expect(text.length).toBeLessThan(3_900)
    expect(text).toMatch(/… \([\d,]+ characters left out\) · <http.*\|card>$/)
  })

  it.each(["msg_too_long", "msg_blocks_too_long", "invalid_blocks"])(
    "nothing is told where Slack answers %s, and shorter tries end with a line that says that one is missing",
    async (error) => {
      const { sandbox, slack, log } = await aSlackModule()
      const place = await slack.chat.postCard(model)
      const events = [aVoted("x".repeat(1_200)), aVoted("y".repeat(1_200)), aVoted("z")]
      const told = async (shorter: number) => {
        const count = await slack.chat.tell(place, model, { first: 0, events, shorter })
        return [count, sandbox.thread(place.channel, place.ts).at(-1)?.text ?? ""] as const
      }
      sandbox.faults.web("chat.postMessage", { kind: "error", error })

      expect(await told(0)).toEqual([0, ""])
      expect(log.lines.at(-1)).toMatchObject({ level: "warn", event: "lines-too-long" })
      expect(await told(1)).toEqual([1, expect.stringMatching(/“x{1200}” · <.*card>$/)])
      expect(await told(2)).toEqual([1, expect.stringMatching(/“x+… \([\d,]+ characters left out\) · <.*card>$/)])
      expect(await told(3)).toEqual([1, expect.stringContaining("Slack did not take a line that belongs here")])
      sandbox.faults.web("chat.postMessage", { kind: "error", error })
      expect(await failure(told(3))).toMatchObject({ slackCode: error })
    },
  )

  it("a line whose card has no link stands there all the same", async () => {
    const { sandbox, slack } = await aSlackModule()
    const place = await slack.chat.postCard(model)
    sandbox.faults.web("chat.getPermalink", { kind: "error", error: "channel_not_found" })

    await slack.chat.tell(place, model, { first: 0, events: [resolved] })

    expect(sandbox.thread(place.channel, place.ts)[0]?.text).toMatch(/demo only\)$/)
  })

  it("a line that came twice counts once, other messages not at all", async () => {
    const { sandbox, slack } = await aSlackModule()
    const place = await slack.chat.postCard(model)
    await slack.chat.tell(place, model, { first: 0, events: [voted] })
    await slack.chat.tell(place, model, { first: 0, events: [voted] })
    await slack.chat.tell(place, { ...model, caseId: "f".repeat(20) }, { first: 5, events: [voted] })

    expect(await slack.chat.countLines(place, model)).toBe(1)
    expect(sandbox.thread(place.channel, place.ts)).toHaveLength(3)
  })

  it("without the right to look, nobody knows", async () => {
    const { sandbox, slack } = await aSlackModule()
    const place = await slack.chat.postCard(model)
    sandbox.scopes.delete("channels:history")

    expect(await slack.chat.countLines(place, model)).toBeNull()
    expect(await slack.chat.findCard(model, 0)).toBe("unseen")
  })

  it("a history that does not answer is a failure, not a no", async () => {
    const { sandbox, slack } = await aSlackModule()
    const place = await slack.chat.postCard(model)
    sandbox.faults.web("conversations.history", { kind: "status", status: 500 })
    sandbox.faults.web("conversations.replies", { kind: "status", status: 500 })

    expect(await failure(slack.chat.findCard(model, 0))).toMatchObject({ retryable: true })
    expect(await failure(slack.chat.countLines(place, model))).toMatchObject({ retryable: true })
  })
})

describe("finding a card again", () => {
  it("a card that was posted and not remembered is found by its metadata", async () => {
    const { slack } = await aSlackModule()
    await slack.chat.postCard({ ...model, caseId: "f".repeat(20) })
    const place = await slack.chat.postCard(model)
    await slack.chat.postCard({ ...model, installation: "other" })

    expect(await slack.chat.findCard(model, Date.now())).toEqual(place)
    expect(await slack.chat.findCard({ ...model, route: `channel:${sandboxCast.payments}` }, 0)).toBeNull()
  })

  it("a post whose answer never came is found", async () => {
    const { sandbox, slack } = await aSlackModule("socket", { timeoutMs: 2_000 })
    sandbox.faults.web("chat.postMessage", { kind: "accept_then_never_answer" })

    const error = await failure(slack.chat.postCard(model))
    const found = await slack.chat.findCard(model, Date.now() - 1_000)

    expect(error).toMatchObject({ code: "unreachable", retryable: true })
    expect(found).toEqual({ channel: sandboxCast.approvals, ts: sandbox.messages(sandboxCast.approvals)[0]?.ts })
  })

  it("a question that was posted and not remembered is found by its metadata", async () => {
    const { slack } = await aSlackModule()
    const question = aQuestion({ at: Date.now() })
    await slack.chat.postQuestion(model, { ...question, id: "q-2" })
    const place = await slack.chat.postQuestion(model, question)

    expect(await slack.chat.findQuestion(model, question)).toEqual(place)
    expect(await slack.chat.findQuestion(model, { ...question, id: "q-3" })).toBeNull()
  })

  it("a card from before the window is not looked for", async () => {
    const { slack } = await aSlackModule()
    await slack.chat.postCard(model)

    expect(await slack.chat.findCard(model, Date.now() + 600_000)).toBeNull()
  })
})

describe("answers", () => {
  it("R19: nothing is posted to a response_url that is not Slack's", async () => {
    const { slack, log } = await aSlackModule()

    const settled = await slack.chat.settleClicked("https://hooks.slack.com.evil.example/x", model)

    expect(settled).toBe("refused")
    expect(log.lines.at(-1)?.fields["error"]).toMatchObject({ slackCode: "foreign_url" })
  })

  it("a dead response_url falls back to an ephemeral message", async () => {
    const { sandbox, slack } = await aSlackModule()
    const responseUrl = `${sandbox.url}/response/none`

    await slack.chat.answer(
      { kind: "response", responseUrl, channel: sandboxCast.approvals, user: sandboxCast.alice },
      { kind: "late" },
    )

    expect(sandbox.ephemerals(sandboxCast.alice)).toMatchObject([
      { text: expect.stringContaining("Please press again") },
    ])
    expect(await slack.chat.settleClicked(responseUrl, model)).toBe("refused")
  })

  it("what somebody asked in vain comes back to them directly if the view is closed", async () => {
    const { sandbox, slack } = await aSlackModule()
    const to = { kind: "view", viewId: "V0", user: sandboxCast.alice } as const

    await slack.chat.answer(to, { kind: "not-asked", why: "over", said: "Why this one?" })

    const alice = sandbox.workspace.people.get(sandboxCast.alice)
    const direct = alice === undefined ? "" : sandbox.workspace.directChannel(alice).id
    expect(sandbox.messages(direct)).toMatchObject([{ text: expect.stringContaining("Why this one?") }])
  })

  it("an answer that reaches nobody is a failure", async () => {
    const { sandbox, slack } = await aSlackModule()
    const to = {
      kind: "response",
      responseUrl: `${sandbox.url}/response/none`,
      channel: sandboxCast.approvals,
      user: "U0NOBODY",
    } as const

    expect(await failure(slack.chat.answer(to, { kind: "late" }))).toBeInstanceOf(ChatError)
    expect(
      await failure(slack.chat.answer({ kind: "view", viewId: "V0", user: sandboxCast.alice }, { kind: "late" })),
    ).toMatchObject({
      method: "views.update",
    })
  })
})

it("no message of ours unfurls anything", async () => {
  const sent: string[] = []
  const { slack } = await aSlackModule("socket", {
    fetch: async (url, init) => {
      if (String(url).endsWith("chat.postMessage")) sent.push(init?.body as string)
      return fetch(url, init)
    },
  })

  const place = await slack.chat.postCard(aCardModel(anApproval(), { votes: [aVote()], status: openStatus(1, 2) }))
  await slack.chat.tell(place, model, { first: 0, events: [resolved] })

  expect(sent.map((body) => new URLSearchParams(body).get("unfurl_links"))).toEqual(["false", "false"])
  expect(sent.map((body) => new URLSearchParams(body).get("unfurl_media"))).toEqual(["false", "false"])
})
