// The listeners end to end, in both modes: clicks, forms, Details and commands through Bolt, from and to a local
// workspace.

import { describe, expect, it } from "vitest"
import type { CardModel } from "../../../src/domain/case/card-model.ts"
import type { Settled } from "../../../src/flow/ports/chat.ts"
import type { Interaction } from "../../../src/flow/ports/interaction.ts"
import { sandboxCast } from "../../../src/sandbox/workspace/seed.ts"
import type { Sandbox } from "../../../src/sandbox.ts"
import { actionIds, shortcutId, viewIds } from "../../../src/slack/ids.ts"
import { targetOf } from "../../../src/slack/views/button-values.ts"
import type { Mode } from "../../sandbox/support.ts"
import { limitMs } from "../../support/limits.ts"
import { platformFailure } from "../../support/port-failure.ts"
import { aCardModel, anApproval, everyState } from "../card-models.ts"
import { labels, wordsOf } from "../sight.ts"
import { type AFlow, aFlow, anOpenSlackModule } from "../slack-module.ts"

const limit = { limitMs }
const model = aCardModel()
const long = aCardModel(anApproval({ toolArgs: { body: "x".repeat(120_000) }, requirements: null }))
const viewOf = (sandbox: Sandbox, person: string = sandboxCast.alice) => sandbox.openView(person)?.definition
const words = (sandbox: Sandbox, person?: string) => wordsOf(viewOf(sandbox, person)?.blocks)
/** The form that is open for Alice, once it is more than "Loading…". */
const aForm = (sandbox: Sandbox) => {
  const look = () => {
    const view = sandbox.openView(sandboxCast.alice)
    return view?.definition.callback_id === viewIds.form ? view : undefined
  }
  return sandbox.waitFor(look, limit)
}
const buttons = (sandbox: Sandbox, person?: string) => labels(viewOf(sandbox, person)?.blocks ?? [])

describe.each<Mode>(["socket", "http"])("in %s mode", (mode) => {
  async function aCard(flow: AFlow, shown: CardModel = model) {
    const module = await anOpenSlackModule(mode, flow)
    const place = await module.slack.chat.postCard(shown)
    return { ...module, place }
  }

  describe("a vote on the card", () => {
    it("becomes a press with all that binds it, taken before the ack", async () => {
      const flow = aFlow(model)
      const { sandbox, place } = await aCard(flow)
      const before = Date.now()

      const outcome = await sandbox.click(sandboxCast.alice, place, actionIds.approve)

      const [press] = flow.presses
      expect(outcome).toMatchObject({ ok: true })
      expect(press).toMatchObject({
        interaction: expect.stringMatching(/^[0-9a-f]{64}$/),
        person: { team: "T0SANDBOX", user: sandboxCast.alice },
        target: targetOf(model),
        on: { kind: "card", place },
        surface: "card",
        verb: "approve",
        reason: null,
        values: null,
        replyTo: { kind: "response", channel: sandboxCast.approvals, user: sandboxCast.alice },
      })
      expect(press?.at).toBeGreaterThanOrEqual(before - 1_000)
      expect(press?.at).toBeLessThanOrEqual(Date.now() + 1_000)
    })

    it("settles the clicked card by its response_url and answers privately", async () => {
      const flow = aFlow(model)
      const { sandbox, slack, place } = await aCard(flow)
      flow.carried = async ({ replyTo }: Interaction) => {
        if (replyTo.kind !== "response") return
        await slack.chat.settleClicked(replyTo.responseUrl, everyState()["approved"] ?? model)
        await slack.chat.answer(replyTo, { kind: "already", verb: "approve", users: [sandboxCast.bob], pending: false })
      }

      await sandbox.click(sandboxCast.alice, place, actionIds.approve)
      await sandbox.waitFor(() => sandbox.ephemerals(sandboxCast.alice).length === 1, limit)

      expect(labels(sandbox.messages(sandboxCast.approvals)[0]?.blocks ?? [])).toEqual(["Details", "Receipt"])
      expect(sandbox.ephemerals(sandboxCast.alice)[0]?.text).toBe(
        `This was already approved by <@${sandboxCast.bob}>. Your press was not counted.`,
      )
    })

    it("settles it without a container where the response_url takes none, and not at all where it takes nothing", async () => {
      const flow = aFlow(model)
      const { sandbox, slack, place } = await aCard(flow)
      const settled: Settled[] = []
      flow.carried = async ({ replyTo }: Interaction) => {
        if (replyTo.kind !== "response") return
        settled.push(await slack.chat.settleClicked(replyTo.responseUrl, everyState()["approved"] ?? model))
      }
      const pressed = async (error: string) => {
        sandbox.faults.web("response_url", { kind: "error", error })
        await sandbox.click(sandboxCast.alice, place, actionIds.approve)
        await expect.poll(() => settled.length).toBeGreaterThan(before.length)
        return sandbox.messages(sandboxCast.approvals)[0]?.blocks.map(({ type }) => type)
      }
      const before = [...settled]

      expect(await pressed("cannot_update_message")).toContain("actions")
      before.push(...settled)
      const plain = await pressed("invalid_blocks")

      expect(settled).toEqual(["refused", "taken"])
      expect(plain).toContain("rich_text")
      expect(plain).not.toContain("container")
    })

    it("does not know whether the clicked card is settled if Slack took that and did not answer", async () => {
      const flow = aFlow(model)
      const { sandbox, slack, place } = await aCard(flow)
      const settled: Settled[] = []
      flow.carried = async ({ replyTo }: Interaction) => {
        if (replyTo.kind !== "response") return
        settled.push(await slack.chat.settleClicked(replyTo.responseUrl, everyState()["approved"] ?? model))
      }
      sandbox.faults.web("response_url", { kind: "accept_then_never_answer" })

      await sandbox.click(sandboxCast.alice, place, actionIds.approve)

      await expect.poll(() => settled, { timeout: limitMs }).toEqual(["unknown"])
    })

    it("a vote of a person of another workspace carries their own team", async () => {
      const flow = aFlow(model)
      const { sandbox, place } = await aCard(flow)

      await sandbox.click(sandboxCast.sam, place, actionIds.reject)

      expect(flow.presses[0]).toMatchObject({ person: { team: "T0ELSEWHERE", user: sandboxCast.sam }, verb: "reject" })
    })

    it("is not counted, and Slack says so, if the ticket cannot be written", async () => {
      const flow = aFlow(model)
      const { sandbox, place, log } = await aCard(flow)
      flow.broken = new Error("Redis is down")

      const outcome = await sandbox.click(sandboxCast.alice, place, actionIds.approve)

      expect(outcome).toMatchObject({ ok: false })
      expect(flow.presses).toEqual([])
      expect(log.lines.map((line) => line.event)).toContain("slack-listener-failed")
    })

    it("R11: a delivery that came twice has the same id both times", async () => {
      const flow = aFlow(model)
      const { sandbox, place } = await aCard(flow)
      sandbox.faults.delivery({ kind: "twice" })

      await sandbox.click(sandboxCast.alice, place, actionIds.approve)
      await expect.poll(() => flow.presses.length).toBe(2)

      expect(flow.presses[0]?.interaction).toBe(flow.presses[1]?.interaction)
    })

    it("a button that is not ours counts nothing", async () => {
      const flow = aFlow(model)
      const { sandbox, slack, log } = await aCard(flow)
      const forged = { ...model, installation: "" }
      const place = await slack.chat.postCard(forged)

      await sandbox.click(sandboxCast.alice, place, actionIds.approve)
      await sandbox.waitFor(() => sandbox.ephemerals(sandboxCast.alice).length === 1, limit)

      expect(flow.presses).toEqual([])
      expect(log.lines.map((line) => line.event)).toContain("foreign-button")
    })
  })

  describe("a reason", () => {
    async function aReasonForm() {
      const flow = aFlow(model)
      flow.wants.add("reject")
      const { sandbox, slack, place } = await aCard(flow)
      flow.carried = ({ replyTo }) =>
        slack.chat.answer(replyTo, { kind: "resolved", verb: "reject", resolvedBy: "a@b" })
      await sandbox.click(sandboxCast.alice, place, actionIds.reject)
      const view = await aForm(sandbox)
      await expect.poll(() => flow.opens.length).toBe(1)
      return { flow, sandbox, place, view }
    }

    it("is asked in a form that is remembered, and travels with the vote", async () => {
      const { flow, sandbox, place, view } = await aReasonForm()

      const outcome = await sandbox.submit(sandboxCast.alice, view.id, { reason: "  not today  " })
      const closed = sandbox.openView(sandboxCast.alice)
      await sandbox.waitFor(() => sandbox.ephemerals(sandboxCast.alice).length === 1, limit)

      expect(flow.opens[0]).toMatchObject({
        viewId: view.id,
        purpose: "form",
        verb: "reject",
        place,
        ...shownOf(model),
      })
      expect(outcome).toMatchObject({ ok: true, errors: {} })
      expect(flow.presses[0]).toMatchObject({
        on: { kind: "view", viewId: view.id },
        surface: "form",
        verb: "reject",
        reason: "not today",
        target: targetOf(model),
        replyTo: { kind: "response", channel: place.channel, user: sandboxCast.alice },
      })
      expect(closed).toBeUndefined()
      expect(sandbox.ephemerals(sandboxCast.alice)[0]?.text).toContain("Thank you: this is rejected. ")
    })

    it("a reason whose message takes no answer any more is answered all the same", async () => {
      const { sandbox, view } = await aReasonForm()
      sandbox.faults.web("response_url", { kind: "error", error: "expired_url" })

      await sandbox.submit(sandboxCast.alice, view.id, { reason: "not today" })

      await sandbox.waitFor(() => sandbox.ephemerals(sandboxCast.alice).length === 1, limit)
    })

    it("given above Details is answered there, once the form closed", async () => {
      const flow = aFlow(model)
      flow.wants.add("reject")
      const { sandbox, slack, place } = await aCard(flow)
      flow.carried = ({ replyTo }) => slack.chat.answer(replyTo, { kind: "withdrawn" })
      await sandbox.click(sandboxCast.alice, place, actionIds.details)
      await sandbox.waitFor(() => buttons(sandbox).includes("Send Back…"), limit)
      const details = sandbox.openView(sandboxCast.alice)?.id ?? ""
      await sandbox.click(sandboxCast.alice, details, actionIds.reject)
      const view = await aForm(sandbox)

      await sandbox.submit(sandboxCast.alice, view.id, { reason: "no" })

      await sandbox.waitFor(() => words(sandbox).includes("Your vote is withdrawn"), limit)
      expect(sandbox.openView(sandboxCast.alice)?.id).toBe(details)
      expect(flow.presses[0]?.replyTo).toEqual({ kind: "view", viewId: details, user: sandboxCast.alice })
    })

    it("given on the Home closes its form, and what the Home does not show is told directly, with what it was about", async () => {
      const flow = aFlow(model)
      const { sandbox, slack } = await aCard(flow)
      flow.carried = ({ replyTo }) => slack.chat.answer(replyTo, { kind: "late" })
      const none = { models: [], total: 0, more: false }
      const mine = { models: [model], total: 1, more: false }
      const home = { mine, page: 1, waiting: 1, requests: none, decided: none, found: null, at: model.openedAt }
      await slack.chat.publishHome(sandboxCast.alice, home)
      await sandbox.click(sandboxCast.alice, sandbox.home(sandboxCast.alice)?.id ?? "", actionIds.homeReject)
      const view = await aForm(sandbox)

      await sandbox.submit(sandboxCast.alice, view.id, { reason: "not today" })

      const alice = sandbox.workspace.people.get(sandboxCast.alice)
      const direct = alice === undefined ? "" : sandbox.workspace.directChannel(alice).id
      const message = await sandbox.waitFor(() => sandbox.messages(direct)[0], limit)
      expect(sandbox.openView(sandboxCast.alice)).toBeUndefined()
      expect(message.text).toMatch(/^\*?delete user data with user_id: U-100\*?\n.*[Pp]lease press again/)
      expect(flow.presses[0]?.replyTo).toMatchObject({ kind: "direct", user: sandboxCast.alice })
    })

    it.each(["   ", "\u200b", "\u3164", "\u2800"])("a reason that says nothing (%j) is sent back", async (reason) => {
      const flow = aFlow(model)
      flow.wants.add("reject")
      const { sandbox, place } = await aCard(flow)
      await sandbox.click(sandboxCast.alice, place, actionIds.reject)
      const view = await aForm(sandbox)

      const outcome = await sandbox.submit(sandboxCast.alice, view.id, { reason })

      expect(outcome).toMatchObject({ errors: { reason: "Please say why." } })
      expect(flow.presses).toEqual([])
    })

    it("whoever may not vote is told so in a modal, in the words of a refusal, and fills in nothing", async () => {
      const flow = aFlow(model)
      flow.wants.add("reject")
      flow.refusal = { kind: "refused", refusal: { code: "guest" } }
      const { sandbox, place } = await aCard(flow)

      await sandbox.click(sandboxCast.alice, place, actionIds.reject)
      await sandbox.waitFor(() => words(sandbox).includes("Guests may not decide"), limit)

      expect(viewOf(sandbox)).toMatchObject({ callback_id: viewIds.told })
      expect(viewOf(sandbox)).not.toHaveProperty("submit")
      expect([flow.opens, flow.presses, sandbox.ephemerals(sandboxCast.alice)]).toEqual([[], [], []])
    })

    it("whoever may not vote any more is told so above Details, and the answer has no form", async () => {
      const flow = aFlow(model)
      flow.wants.add("reject")
      const { sandbox, place } = await aCard(flow)
      await sandbox.click(sandboxCast.alice, place, actionIds.details)
      await sandbox.waitFor(() => buttons(sandbox).includes("Send Back…"), limit)
      const details = sandbox.openView(sandboxCast.alice)?.id ?? ""
      flow.refusal = { kind: "already", verb: "reject", users: [sandboxCast.bob], pending: false }

      await sandbox.click(sandboxCast.alice, details, actionIds.reject)
      await sandbox.waitFor(() => words(sandbox).includes("was already rejected"), limit)

      expect(sandbox.openView(sandboxCast.alice)?.id).not.toBe(details)
      expect(flow.opens.map(({ purpose }) => purpose)).toEqual(["details"])
    })

    it("if nobody can tell who may vote, the modal says so, and no form opens", async () => {
      const flow = aFlow(model)
      flow.wants.add("reject")
      const { sandbox, place } = await aCard(flow)
      flow.ask = async () => {
        throw platformFailure("timeout")
      }

      await sandbox.click(sandboxCast.alice, place, actionIds.reject)

      await sandbox.waitFor(() => words(sandbox).includes("cannot be shown now"), limit)
      expect(flow.opens).toEqual([])
    })

    it("R11: if the trigger died, the person is asked to press again", async () => {
      const flow = aFlow(model)
      flow.wants.add("reject")
      const { sandbox, place } = await aCard(flow)
      sandbox.faults.web("views.open", { kind: "error", error: "expired_trigger_id" })

      await sandbox.click(sandboxCast.alice, place, actionIds.reject)
      await sandbox.waitFor(() => sandbox.ephemerals(sandboxCast.alice).length === 1, limit)

      expect(sandbox.ephemerals(sandboxCast.alice)[0]?.text).toContain("Please press again")
    })
  })

  describe("Details", () => {
    it("opens at once, is remembered for its person, and carries the votes", async () => {
      const flow = aFlow(model)
      const { sandbox, place } = await aCard(flow)

      await sandbox.click(sandboxCast.bob, place, actionIds.details)
      await sandbox.waitFor(() => buttons(sandbox, sandboxCast.bob).length > 0, limit)

      const viewId = sandbox.openView(sandboxCast.bob)?.id ?? ""
      expect(buttons(sandbox, sandboxCast.bob)).toEqual(["Approve", "Reject", "Send Back…"])
      expect(words(sandbox, sandboxCast.bob)).toContain(`Digest ${model.digest}`)
      expect(flow.opens).toMatchObject([
        { viewId, person: { user: sandboxCast.bob }, purpose: "details", verb: null, place },
      ])

      await sandbox.click(sandboxCast.bob, viewId, actionIds.approve)
      expect(flow.presses[0]).toMatchObject({
        on: { kind: "view", viewId },
        surface: "details",
        target: targetOf(model),
      })
    })

    it("R4: the approval is on the last page, and nowhere before every page was opened", async () => {
      const flow = aFlow(long)
      const { sandbox, place } = await aCard(flow, long)
      const card = sandbox.messages(sandboxCast.approvals)[0]
      expect(labels(card?.blocks ?? [])).toEqual(["Review Details", "Reject"])

      await sandbox.click(sandboxCast.alice, place, actionIds.details)
      await sandbox.waitFor(() => words(sandbox).includes("Page 1 of 3"), limit)
      expect(buttons(sandbox)).toEqual(["Next", "Reject", "Send Back…"])
      expect(words(sandbox)).toContain("Open every page to approve this.")
      const viewId = sandbox.openView(sandboxCast.alice)?.id ?? ""
      for (const page of [2, 3]) {
        await sandbox.click(sandboxCast.alice, viewId, `${actionIds.page}_next`)
        await sandbox.waitFor(() => words(sandbox).includes(`Page ${page} of 3`), limit)
      }

      expect(buttons(sandbox)).toEqual(["Previous", "Approve", "Reject", "Send Back…"])
      await sandbox.click(sandboxCast.alice, viewId, `${actionIds.page}_previous`)
      await sandbox.waitFor(() => words(sandbox).includes("Page 2 of 3"), limit)
      expect(buttons(sandbox)).toEqual(["Previous", "Next", "Approve", "Reject", "Send Back…"])
    })

    it("Details and pages that fail say only that they cannot be shown: the case may be decided by now", async () => {
      const flow = aFlow(long)
      const { sandbox, place } = await aCard(flow, long)
      const failed = "This cannot be shown now: something went wrong on our side. Please try again."
      flow.broken = new Error("Redis is down")
      await sandbox.click(sandboxCast.alice, place, actionIds.details)
      await sandbox.waitFor(() => words(sandbox).includes(failed), limit)
      flow.broken = null
      await sandbox.click(sandboxCast.alice, place, actionIds.details)
      await sandbox.waitFor(() => words(sandbox).includes("Page 1 of 3"), limit)
      flow.broken = new Error("Redis is down")

      await sandbox.click(sandboxCast.alice, sandbox.openView(sandboxCast.alice)?.id ?? "", `${actionIds.page}_next`)

      await sandbox.waitFor(() => words(sandbox).includes(failed), limit)
      expect(words(sandbox)).not.toMatch(/decided/)
    })

    it("R4: content that changed between two pages makes all pages unseen", async () => {
      const flow = aFlow(long)
      const { sandbox, place } = await aCard(flow, long)
      await sandbox.click(sandboxCast.alice, place, actionIds.details)
      await sandbox.waitFor(() => words(sandbox).includes("Page 1 of 3"), limit)
      const changed = aCardModel(anApproval({ toolArgs: { body: "y".repeat(120_000) }, requirements: null }), {
        revision: 2,
      })
      flow.models.set(changed.caseId, changed)

      await sandbox.click(sandboxCast.alice, sandbox.openView(sandboxCast.alice)?.id ?? "", `${actionIds.page}_next`)
      await sandbox.waitFor(() => words(sandbox).includes("Revision 2"), limit)

      expect(words(sandbox)).toContain("Page 1 of 3")
      expect(buttons(sandbox)).toEqual(["Next", "Reject", "Send Back…"])
      expect(flow.opens.at(-1)).toMatchObject({ revision: 2, digest: changed.digest.slice(0, 16) })
    })

    it("what changed meanwhile is an alert, and plain words for a Slack that takes none", async () => {
      const flow = aFlow(long)
      const { sandbox, place, log } = await aCard(flow, long)
      const turned = async (letter: string, revision: number) => {
        const approval = anApproval({ toolArgs: { body: letter.repeat(120_000) }, requirements: null })
        flow.models.set(long.caseId, aCardModel(approval, { revision }))
        await sandbox.click(sandboxCast.alice, sandbox.openView(sandboxCast.alice)?.id ?? "", `${actionIds.page}_next`)
        await sandbox.waitFor(() => words(sandbox).includes(`Revision ${revision}`), limit)
        return viewOf(sandbox)?.blocks.filter((block) => wordsOf(block).includes("This has changed"))
      }
      await sandbox.click(sandboxCast.alice, place, actionIds.details)
      await sandbox.waitFor(() => words(sandbox).includes("Page 1 of 3"), limit)

      expect(await turned("y", 2)).toMatchObject([{ type: "alert", level: "warning" }])
      sandbox.faults.web("views.update", { kind: "error", error: "invalid_arguments" })
      expect(await turned("z", 3)).toMatchObject([{ type: "section" }])
      await expect.poll(() => log.lines.filter(({ event }) => event === "new-blocks-refused").length).toBe(1)
      expect(await turned("w", 4)).toMatchObject([{ type: "section" }])
    })

    it("a reason is asked above it", async () => {
      const flow = aFlow(model)
      flow.wants.add("approve")
      const { sandbox, place } = await aCard(flow)
      await sandbox.click(sandboxCast.alice, place, actionIds.details)
      await sandbox.waitFor(() => buttons(sandbox).includes("Send Back…"), limit)

      await sandbox.click(sandboxCast.alice, sandbox.openView(sandboxCast.alice)?.id ?? "", actionIds.approve)
      await sandbox.waitFor(() => viewOf(sandbox)?.callback_id === "countersign_form", limit)
      await expect.poll(() => flow.opens.at(-1)?.purpose).toBe("form")

      expect(flow.opens.at(-1)).toMatchObject({
        viewId: sandbox.openView(sandboxCast.alice)?.id,
        verb: "approve",
        place,
      })
    })

    it("Details say so if the case is not to be seen, or the platform does not answer", async () => {
      const flow = aFlow()
      const { sandbox, place } = await aCard(flow)

      await sandbox.click(sandboxCast.alice, place, actionIds.details)
      await sandbox.waitFor(() => words(sandbox).includes("no approval with that id"), limit)
      flow.hidden = { kind: "hidden", why: "guest" }
      await sandbox.click(sandboxCast.alice, place, actionIds.details)
      await sandbox.waitFor(() => words(sandbox).includes("Guests cannot open this"), limit)
      await sandbox.shortcut(sandboxCast.alice, shortcutId, place)
      await sandbox.waitFor(() => words(sandbox).includes("Guests cannot open this"), limit)
      flow.broken = platformFailure()
      await sandbox.click(sandboxCast.bob, place, actionIds.details)
      await sandbox.waitFor(() => words(sandbox, sandboxCast.bob).includes("platform does not answer"), limit)

      expect(buttons(sandbox)).toEqual([])
    })
  })
})

function shownOf({ caseId, route, revision, digest }: CardModel) {
  return { caseId, route, revision, digest: digest.slice(0, 16) }
}
