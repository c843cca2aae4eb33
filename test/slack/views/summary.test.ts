// The summary: names what waits, carries no vote, fits Slack's limits for any input; and the modal that walks through
// its cases.

import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { textUnits } from "../../../src/blockkit/totals.ts"
import type { CardModel } from "../../../src/domain/case/card-model.ts"
import type { SlotRequest } from "../../../src/flow/ports/pace.ts"
import type { SummaryModel } from "../../../src/flow/ports.ts"
import { sandboxCast } from "../../../src/sandbox/workspace/seed.ts"
import { actionIds } from "../../../src/slack/ids.ts"
import { say } from "../../../src/slack/lines/spans.ts"
import { summaryOf } from "../../../src/slack/lists/home-and-summary.ts"
import { readNote, readReviewPoint, writeReviewPoint } from "../../../src/slack/views/button-values.ts"
import { detailsView, toldView } from "../../../src/slack/views/details.ts"
import type { Mode } from "../../sandbox/support.ts"
import { limitMs } from "../../support/limits.ts"
import { AT, aCardModel, anApproval, everyState } from "../card-models.ts"
import { buttonsOf, labels, messageVerdict, viewVerdict, wordsOf } from "../sight.ts"
import { aFlow, anOpenSlackModule, aSlackModule } from "../slack-module.ts"

const route = `channel:${sandboxCast.approvals}`
const caseId = (index: number) => index.toString(16).padStart(20, "0")
const aCase = (index: number, more: Partial<CardModel> = {}): CardModel =>
  aCardModel(anApproval({ toolArgs: { user_id: `U-${index}` }, requirements: null }), {
    caseId: caseId(index),
    ...more,
  })
const many = (count: number) => Array.from({ length: count }, (_, index) => aCase(index))

function aSummary(more: Partial<SummaryModel> = {}): SummaryModel {
  return { installation: "main", route, id: "s1", waiting: many(3), ended: [], moved: 0, ...more }
}

const approved = everyState()["approved"] ?? aCardModel()

describe("the summary", () => {
  it("R4: nothing is decided on it: its one button opens the review, and is gone when nothing waits", () => {
    const buttons = buttonsOf(summaryOf(aSummary()).blocks)

    expect(buttons.map((button) => [button.action_id, button.text.text, button.style])).toEqual([
      [actionIds.review, "Review One by One", "primary"],
    ])
    expect(labels(summaryOf(aSummary({ waiting: [], moved: 3 })).blocks)).toEqual([])
  })

  it("R20: it offers no way to decide more than one case", () => {
    expect(JSON.stringify(summaryOf(aSummary({ waiting: many(100) })))).not.toMatch(/approve all|reject all/i)
    expect(labels(summaryOf(aSummary({ waiting: many(100) })).blocks)).toEqual(["Review One by One"])
  })

  it("its text alone says how many wait, and for what", () => {
    const { text } = summaryOf(aSummary())

    expect(text).toContain("3 approvals wait for a decision.")
    expect(text).toContain("delete user data")
  })

  it("says how many cases are not named", () => {
    expect(wordsOf(summaryOf(aSummary({ waiting: many(70) })).blocks)).toContain("and 30 more cases")
  })

  it("masks what its rules say", () => {
    const secret = aCardModel(anApproval({ toolArgs: { password: "hunter2" }, requirements: null }), {
      look: { mask: ["password"], risk: null, danger: false, reasons: [] },
    })

    expect(JSON.stringify(summaryOf(aSummary({ waiting: [secret] })))).not.toContain("hunter2")
  })

  it("fits for any number of cases and any names", () => {
    const text = fc.string({ unit: fc.constantFrom("<!channel>", "&", "\u202e", "a", "😀", "\n"), maxLength: 400 })
    fc.assert(
      fc.property(fc.nat(120), fc.nat(120), text, text, (waiting, ended, agent, tool) => {
        const approval = anApproval({ sourceName: agent, toolName: tool, requirements: null })
        const { summary } = aCardModel(approval)
        const message = summaryOf(
          aSummary({
            waiting: Array.from({ length: waiting }, () =>
              aCardModel(approval, { summary: { ...summary, agent, tool } }),
            ),
            ended: Array.from({ length: ended }, () =>
              aCardModel(null, { summary: { ...summary, agent, tool }, status: approved.status }),
            ),
          }),
        )

        expect(messageVerdict(message)).toBe("ok")
        expect(message.blocks.length).toBeLessThanOrEqual(50)
        expect(textUnits(message.blocks)).toBeLessThanOrEqual(10_000)
        expect(message.text.length).toBeLessThanOrEqual(4_000)
        expect(message.text).not.toContain("<!channel>")
      }),
      { numRuns: 60 },
    )
  })
})

describe("the walk", () => {
  const allowed = { ok: true, rules: ["prod-data"] } as const
  const details = { model: aCase(1), approve: allowed, reject: allowed, own: null }
  const shown = { details, page: 1, seen: 0, place: null, revealed: false, pageSize: "large", anew: null } as const

  it("shows a case whole as Details does, with its own votes and the way on", () => {
    const view = detailsView({ ...shown, walk: { route, left: 2 } })

    expect(viewVerdict(view)).toBe("ok")
    expect(labels(view.blocks)).toEqual(["Approve", "Reject", "Send Back…", "Next Case"])
    expect(readNote(view.private_metadata)?.walk).toEqual({ route, left: 2 })
  })

  it("says when it is at the last case", () => {
    const view = detailsView({ ...shown, walk: { route, left: 0 } })

    expect(labels(view.blocks)).toEqual(["Approve", "Reject", "Send Back…"])
    expect(wordsOf(view.blocks)).toContain("This is the last one of the summary.")
  })

  it("goes on from an answer", () => {
    const view = toldView([say("Thank you")], { walk: { route, at: caseId(1) } })

    expect(viewVerdict(view)).toBe("ok")
    expect(labels(view.blocks)).toEqual(["Next Case"])
  })

  it.each([
    undefined,
    "",
    "[]",
    JSON.stringify(["cs1-walk", "channel:c1", null]),
    JSON.stringify(["cs1-walk", route, "x"]),
    JSON.stringify(["cs1", route, null]),
  ])("a button that says %j leads nowhere", (value) => {
    expect(readReviewPoint(value)).toBeNull()
    expect(readReviewPoint(writeReviewPoint({ route, at: null }))).toEqual({ route, at: null })
  })
})

describe.each<Mode>(["socket", "http"])("in %s mode", (mode) => {
  const limit = { limitMs }

  it("the walk leads from case to case, and a vote on it says that it was made there", async () => {
    const flow = aFlow(aCase(1), aCase(2))
    const { sandbox, slack } = await anOpenSlackModule(mode, flow)
    const place = await slack.chat.postSummary(aSummary({ waiting: [aCase(1), aCase(2)] }))
    const view = () => sandbox.openView(sandboxCast.alice)
    const says = (words: string) =>
      sandbox.waitFor(() => wordsOf(view()?.definition.blocks).includes(words), { ...limit, what: words })
    flow.carried = ({ replyTo }) => slack.chat.answer(replyTo, { kind: "resolved", verb: "approve", resolvedBy: null })

    await sandbox.click(sandboxCast.alice, place, actionIds.review)
    await says("user_id: U-1")
    await sandbox.click(sandboxCast.alice, view()?.id ?? "", actionIds.approve)
    await says("Thank you")
    await sandbox.click(sandboxCast.alice, view()?.id ?? "", actionIds.next)
    await says("user_id: U-2")
    await says("This is the last one")

    expect(flow.presses).toMatchObject([
      { surface: "summary", verb: "approve", target: { caseId: caseId(1), route }, on: { kind: "view" } },
    ])
    expect(flow.opens.map((one) => one.caseId)).toEqual([caseId(1), caseId(2)])
  })

  it("a review on which nothing waits for the person says so", async () => {
    const flow = aFlow()
    const { sandbox, slack } = await anOpenSlackModule(mode, flow)
    const place = await slack.chat.postSummary(aSummary())

    await sandbox.click(sandboxCast.alice, place, actionIds.review)
    await sandbox.waitFor(
      () =>
        wordsOf(sandbox.openView(sandboxCast.alice)?.definition.blocks).includes(
          "Nothing on this summary waits for you",
        ),
      limit,
    )

    expect(flow.opens).toEqual([])
  })

  it("a review by a button that is not ours opens nothing", async () => {
    const flow = aFlow(aCase(1))
    const { sandbox, slack } = await anOpenSlackModule(mode, flow)
    const place = await slack.chat.postSummary(aSummary({ route: `room:${sandboxCast.approvals}` }))

    await sandbox.click(sandboxCast.alice, place, actionIds.review)
    await sandbox.waitFor(() => sandbox.ephemerals(sandboxCast.alice).length === 1, limit)

    expect(sandbox.openView(sandboxCast.alice)).toBeUndefined()
  })

  it("a review while the flow is down says that it failed", async () => {
    const flow = aFlow(aCase(1))
    const { sandbox, slack } = await anOpenSlackModule(mode, flow)
    const place = await slack.chat.postSummary(aSummary())
    flow.broken = new Error("Redis is down")

    await sandbox.click(sandboxCast.alice, place, actionIds.review)

    await sandbox.waitFor(
      () =>
        wordsOf(sandbox.openView(sandboxCast.alice)?.definition.blocks).includes("something went wrong on our side"),
      limit,
    )
  })
})

describe("in Slack", () => {
  it("it is posted with ids only, edited in place, found again, and gone when it was deleted", async () => {
    const { sandbox, slack } = await aSlackModule()
    const model = aSummary()

    const place = await slack.chat.postSummary(model)
    await slack.chat.postSummary({ ...model, id: "s2" })
    const [message] = sandbox.messages(sandboxCast.approvals)
    const updated = await slack.chat.updateSummary(place, aSummary({ waiting: [], moved: 3 }))
    const found = await slack.chat.findSummary(model, Date.now() - 60_000)
    sandbox.workspace.messages.remove(place.channel, place.ts)
    const gone = await slack.chat.updateSummary(place, model)

    expect(message?.metadata).toEqual({
      event_type: "countersign_summary",
      event_payload: { installation: "main", route, summary: "s1" },
    })
    expect([updated.kind, gone.kind, found]).toEqual(["updated", "gone", place])
  })

  it("its thread names the case before each line", async () => {
    const { sandbox, slack } = await aSlackModule()
    const place = await slack.chat.postSummary(aSummary())

    await slack.chat.tellOnSummary(place, aCase(2), { first: 0, events: [{ kind: "vanished", at: AT }] })

    const [line] = sandbox.thread(place.channel, place.ts)
    expect(line?.text).toContain(caseId(2))
    expect(line?.text).toContain("The platform does not know this approval any more")
    expect(await slack.chat.countLines(place, aCase(2))).toBe(1)
    expect(await slack.chat.countLines(place, aCase(3))).toBe(0)
  })

  it("a call that Slack limits holds its method, and is not made again before; other methods go on", async () => {
    const held = new Map<string, number>()
    const pace = {
      reserve: async () => 0,
      count: async (method: string) => held.get(method) ?? 0,
      hold: async (lane: string, ms: number) => void held.set(lane, ms),
    }
    const { sandbox, slack } = await aSlackModule("socket", { pace })
    sandbox.faults.web("users.info", { kind: "ratelimited", retryAfterS: 7 })
    const look = () =>
      slack.people.look({ team: "T0SANDBOX", user: sandboxCast.alice }, 0).catch((error: unknown) => error)

    expect(await look()).toMatchObject({ code: "rate-limited", retryAfterMs: 7_000 })
    expect(held).toEqual(new Map([["users.info", 7_000]]))
    expect(await look()).toMatchObject({ code: "rate-limited", retryAfterMs: 7_000, method: "users.info" })
    expect(await slack.people.inChannel(sandboxCast.approvals, { team: "T0SANDBOX", user: sandboxCast.alice }, 0)).toBe(
      true,
    )
    held.clear()
    expect(await look()).toMatchObject({ user: sandboxCast.alice })
  })

  it("what is looked for after a crash keeps to the minute's calls, and fails with the wait where they are used up", async () => {
    const asked: unknown[] = []
    const pace = {
      reserve: async ({ buckets, rank }: SlotRequest) => {
        asked.push([...buckets, rank])
        return 3_000
      },
      count: async () => 0,
      hold: async () => undefined,
    }
    const { sandbox, slack } = await aSlackModule("socket", { pace })
    const place = await slack.chat.postCard(aCardModel())
    const failure = (work: Promise<unknown>) => work.catch((error: unknown) => error)

    const found = await failure(slack.chat.findCard(aCardModel(), AT))
    const counted = await failure(slack.chat.countLines(place, aCardModel()))

    expect(found).toMatchObject({ code: "rate-limited", retryAfterMs: 3_000, method: "conversations.history" })
    expect(counted).toMatchObject({ code: "rate-limited", retryAfterMs: 3_000, method: "conversations.replies" })
    expect(asked).toEqual([
      ["conversations.history", "decision"],
      ["conversations.replies", "decision"],
    ])
    expect(sandbox.busiestMinute("conversations.history")).toBe(0)
    expect(sandbox.busiestMinute("conversations.replies")).toBe(0)
  })

  it("a post that Slack limits holds no method: its channel waits alone", async () => {
    const held: string[] = []
    const pace = {
      reserve: async () => 0,
      count: async () => 0,
      hold: async (lane: string) => void held.push(lane),
    }
    const { sandbox, slack } = await aSlackModule("socket", { pace })
    sandbox.faults.web("chat.postMessage", { kind: "ratelimited", retryAfterS: 7 })

    await expect(slack.chat.postCard(aCardModel())).rejects.toMatchObject({ retryAfterMs: 7_000 })

    expect(held).toEqual([])
  })
})
