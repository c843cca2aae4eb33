// Channels that another company reads too: nothing of a case is written there without a fresh word of Slack's, and what
// hangs is covered.

import type { FetchFunction } from "@slack/web-api"
import { describe, expect, it, onTestFinished } from "vitest"
import type { Place } from "../../../src/domain/case/case.ts"
import type { Chat, SummaryModel } from "../../../src/flow/ports.ts"
import { sandboxCast } from "../../../src/sandbox/workspace/seed.ts"
import { createSlack } from "../../../src/slack/app.ts"
import { mrkdwn } from "../../../src/slack/lines/spans.ts"
import { troubleLines } from "../../../src/slack/text/list-words.ts"
import { ChatError } from "../../../src/slack/transport/errors.ts"
import type { Mode } from "../../sandbox/support.ts"
import { aQuestion } from "../../support/builders.ts"
import { AT, aCardModel } from "../card-models.ts"
import { wordsOf } from "../sight.ts"
import { aFlow, anOpenSlackModule, aSharedAnswers, aSlackModule, type Module, optionsFor } from "../slack-module.ts"

const model = aCardModel()
const lines = { first: 0, events: [{ kind: "voided", at: AT, person: "T0SANDBOX:U0ALICE", why: "left" } as const] }
const summary: SummaryModel = {
  installation: "main",
  route: model.route,
  id: "s1",
  waiting: [model],
  ended: [],
  moved: 0,
}
const share = ({ sandbox }: Pick<Module, "sandbox">, shared = true) =>
  sandbox.shareChannel(sandboxCast.approvals, shared, "not subscribed")
const failure = (work: Promise<unknown>) => work.then(() => null).catch((error: unknown) => error)
const place: Place = { channel: sandboxCast.approvals, ts: "1.1" }

const writes: readonly (readonly [string, (chat: Chat) => Promise<unknown>])[] = [
  ["a card", (chat) => chat.postCard(model)],
  ["lines", (chat) => chat.tell(place, model, lines)],
  ["lines below a summary", (chat) => chat.tellOnSummary(place, model, lines)],
  ["a summary", (chat) => chat.postSummary(summary)],
  ["a question", (chat) => chat.postQuestion(model, aQuestion())],
  ["a line in a thread that is not ours", (chat) => chat.tellThread(place, model, { first: 0, due: 1 })],
]

describe("in a channel that is shared with another company", () => {
  it.each(writes)(
    "nothing is posted in a channel that is shared with another company, for good until that changes: %s",
    async (_what, write) => {
      const module = await aSlackModule()
      await share(module)

      const error = await failure(write(module.slack.chat))

      expect(error).toMatchObject({ name: "ChatError", code: "shared-channel", retryable: false })
      expect(error).toHaveProperty("message", expect.stringContaining("allow_shared_channel"))
      expect(module.sandbox.messages(sandboxCast.approvals)).toEqual([])
    },
  )

  it("an invitation to share it that is open counts as well", async () => {
    const channel = { id: sandboxCast.approvals, is_member: true, is_ext_shared: false, is_pending_ext_shared: true }
    const inviting: FetchFunction = async (url, init) =>
      String(url).endsWith("conversations.info") ? Response.json({ ok: true, channel }) : fetch(url, init)
    const module = await aSlackModule("socket", { fetch: inviting })

    expect(await failure(module.slack.chat.postCard(model))).toMatchObject({ code: "shared-channel" })
  })

  it("what a rule allows is posted, and Slack is not asked", async () => {
    const module = await aSlackModule("socket", { mayBeShared: (channel) => channel === sandboxCast.approvals })
    await share(module)
    module.sandbox.faults.web("conversations.info", { kind: "status", status: 500 }, { times: 100 })

    await module.slack.chat.postCard(model)

    expect(module.sandbox.messages(sandboxCast.approvals)).toHaveLength(1)
  })

  it("a person who is asked directly is asked all the same", async () => {
    const module = await aSlackModule()
    await share(module)

    const { channel } = await module.slack.chat.postCard({ ...model, route: `person:${sandboxCast.alice}` })

    expect(module.sandbox.messages(channel)).toHaveLength(1)
  })

  it.each([
    ["card", (chat: Chat) => chat.postCard(model), (chat: Chat, at: Place) => chat.updateCard(at, model)],
    [
      "question",
      (chat: Chat) => chat.postQuestion(model, aQuestion()),
      (chat: Chat, at: Place) => chat.updateQuestion(at, model, aQuestion()),
    ],
    ["summary", (chat: Chat) => chat.postSummary(summary), (chat: Chat, at: Place) => chat.updateSummary(at, summary)],
    [
      "card whose thread is to be told",
      (chat: Chat) => chat.postCard(model),
      (chat: Chat, at: Place) => chat.tell(at, model, lines).then(() => chat.updateCard(at, model)),
    ],
  ] as const)("a %s that hangs is covered instead of edited, and shown again later", async (_what, post, edit) => {
    const module = await aSlackModule("socket", { channelMs: 0 })
    const { chat } = module.slack
    const hanging = await post(chat)
    const seen = () => JSON.stringify(module.sandbox.messages(sandboxCast.approvals)[0])
    const before = wordsOf(module.sandbox.messages(sandboxCast.approvals)[0]?.blocks ?? [])
    await share(module)

    const error = await failure(edit(chat, hanging))
    const covered = seen()
    await share(module, false)
    await edit(chat, hanging)

    expect(error).toMatchObject({ code: "shared-channel" })
    expect(covered).toContain("Not shown here")
    expect(covered).not.toMatch(/delete_user_data|Approve|actions/)
    expect(wordsOf(module.sandbox.messages(sandboxCast.approvals)[0]?.blocks ?? [])).toEqual(before)
  })

  it("a card that Slack does not let us cover is logged", async () => {
    const module = await aSlackModule("socket", { channelMs: 0 })
    const hanging = await module.slack.chat.postCard(model)
    await share(module)
    module.sandbox.faults.web("chat.update", { kind: "error", error: "edit_window_closed" })

    expect(await failure(module.slack.chat.updateCard(hanging, model))).toMatchObject({ code: "shared-channel" })
    expect(module.log.lines.map(({ event }) => event)).toContain("card-not-covered")
  })

  it("a click's own response_url carries no card there, and a look says that it is exposed", async () => {
    const module = await aSlackModule("socket", { channelMs: 0 })
    const hanging = await module.slack.chat.postCard(model)
    expect(await module.slack.chat.look(hanging, model.route)).toEqual({ kind: "there" })
    await share(module)

    expect(await module.slack.chat.settleClicked("https://hooks.slack.com/actions/1", model)).toBe("refused")
    expect(await module.slack.chat.look(hanging, model.route)).toEqual({ kind: "exposed" })
  })
})

it.each([
  ["a channel that is shared", "the channel is shared with another company", null],
  ["a scope that is missing", "Slack does not say whether the channel is shared with another company", "missing_scope"],
  ["a channel that the app was removed from", "the app is not in the channel any more", "channel_not_found"],
])("lists and Home say what it means when nothing is posted because of %s", async (_what, words, refusal) => {
  const module = await aSlackModule()
  await share(module)
  if (refusal !== null) module.sandbox.faults.web("conversations.info", { kind: "error", error: refusal })
  const error = await failure(module.slack.chat.postCard(model))
  const why = error instanceof Error ? error.message : ""

  const said = troubleLines(aCardModel(undefined, { troubles: [{ route: model.route, why }] })).map(mrkdwn)

  expect(said).toEqual([expect.stringContaining(words)])
})

describe("without a fresh word of Slack's nothing is posted", () => {
  it.each([
    [{ kind: "status", status: 503 }, true],
    [{ kind: "ratelimited", retryAfterS: 7 }, true],
    [{ kind: "error", error: "missing_scope" }, false],
  ] as const)("nothing is posted where Slack's word on the channel is %j", async (fault, retryable) => {
    const { sandbox, slack } = await aSlackModule()
    sandbox.faults.web("conversations.info", fault)

    const error = await failure(slack.chat.postCard(model))

    expect(error).toBeInstanceOf(ChatError)
    expect(error).toMatchObject({ method: "conversations.info", retryable })
    expect(sandbox.messages(sandboxCast.approvals)).toEqual([])
  })

  it("Slack's word is asked for anew after a while, once for all replicas", async () => {
    const clock = { now: AT }
    const answers = aSharedAnswers()
    let asked = 0
    const counting: FetchFunction = (url, init) => {
      if (String(url).endsWith("conversations.info")) asked += 1
      return fetch(url, init)
    }
    const more = { clock: () => clock.now, fetch: counting, answers }
    const module = await aSlackModule("socket", more)
    const other = await createSlack(optionsFor(module.sandbox, "socket", more))
    onTestFinished(() => other.close().then(() => other.disconnect()))

    for (const { chat } of [module.slack, other, module.slack]) await chat.postCard(model)
    expect(asked).toBe(1)
    clock.now += 30_001
    await share(module)

    for (const { chat } of [other, module.slack])
      expect(await failure(chat.postCard(model))).toMatchObject({ code: "shared-channel" })
    expect(asked).toBe(2)
  })
})

it("what one replica was told of a change counts for all of them at once", async () => {
  const answers = aSharedAnswers()
  const module = await aSlackModule("socket", { answers })
  const other = await createSlack(optionsFor(module.sandbox, "socket", { answers }))
  onTestFinished(() => other.close().then(() => other.disconnect()))
  await other.chat.postCard(model)
  await share(module)

  await module.slack.chat.exposed(model.route, 0)

  expect(await failure(other.chat.postCard(model))).toMatchObject({ code: "shared-channel" })
})

describe.each<Mode>(["socket", "http"])("in %s mode", (mode) => {
  it("the events that a channel was shared, or is not any more, reach the flow", async () => {
    const flow = aFlow()
    const { sandbox } = await anOpenSlackModule(mode, flow)

    const taken = [true, false].map((shared) => sandbox.shareChannel(sandboxCast.approvals, shared, "subscribed"))

    expect(await Promise.all(taken)).toEqual([true, true])
    await expect.poll(() => flow.changedChannels).toEqual([sandboxCast.approvals, sandboxCast.approvals])
  })

  it("one that cannot be taken note of is logged, and looked for later", async () => {
    const flow = aFlow()
    const { sandbox, log } = await anOpenSlackModule(mode, flow)
    flow.broken = new Error("Redis is down")

    await sandbox.shareChannel(sandboxCast.approvals, true, "subscribed")

    await expect.poll(() => log.lines.map(({ event }) => event)).toContain("sharing-not-noted")
  })
})
