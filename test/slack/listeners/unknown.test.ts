// What Slack delivers and nothing of ours knows: it is acknowledged and logged, in both modes, and counts for nothing.

import { describe, expect, it } from "vitest"
import type { ViewDefinition } from "../../../src/blockkit/view.ts"
import { sandboxCast } from "../../../src/sandbox/workspace/seed.ts"
import { buttons, form } from "../../sandbox/cards.ts"
import { aClient, type Mode } from "../../sandbox/support.ts"
import { aCardModel } from "../card-models.ts"
import { aFlow, anOpenSlackModule } from "../slack-module.ts"

describe.each<Mode>(["socket", "http"])("in %s mode", (mode) => {
  async function aStrangeModule() {
    const flow = aFlow(aCardModel())
    const module = await anOpenSlackModule(mode, flow)
    const warned = () =>
      module.log.lines.filter(({ level }) => level === "warn").map(({ event, fields }) => ({ event, ...fields }))
    return { ...module, flow, warned }
  }

  it("a button of another version is acknowledged and logged by its action_id", async () => {
    const { sandbox, flow, warned } = await aStrangeModule()
    const old = {
      channel: sandboxCast.approvals,
      text: "old",
      blocks: [buttons("countersign_old", "countersign_approved")],
    }
    const { ts = "" } = await aClient(sandbox).chat.postMessage(old)
    const place = { channel: sandboxCast.approvals, ts }

    const first = await sandbox.click(sandboxCast.alice, place, "countersign_old")
    const second = await sandbox.click(sandboxCast.alice, place, "countersign_approved")

    expect([first, second]).toMatchObject([{ ok: true }, { ok: true }])
    expect(warned()).toEqual([
      { event: "unknown-interaction", type: "block_actions", id: "countersign_old" },
      { event: "unknown-interaction", type: "block_actions", id: "countersign_approved" },
    ])
    expect(flow.presses).toEqual([])
  })

  it("a shortcut of another version, on a message and without one, is acknowledged and logged", async () => {
    const { sandbox, slack, warned } = await aStrangeModule()
    const place = await slack.chat.postCard(aCardModel())

    const onMessage = await sandbox.shortcut(sandboxCast.alice, "another_shortcut", place)
    const anywhere = await sandbox.shortcut(sandboxCast.alice, "countersign_show")

    expect([onMessage, anywhere]).toMatchObject([{ ok: true }, { ok: true }])
    expect(warned()).toEqual([
      { event: "unknown-interaction", type: "message_action", id: "another_shortcut" },
      { event: "unknown-interaction", type: "shortcut", id: "countersign_show" },
    ])
  })

  it("a form of another version that is submitted or closed is acknowledged and logged", async () => {
    const { sandbox, warned } = await aStrangeModule()
    const open = () => sandbox.workspace.views.open(sandboxCast.alice, form() as ViewDefinition)

    const submitted = await sandbox.submit(sandboxCast.alice, open().id, { text: "because" })
    const closed = await sandbox.closeView(sandboxCast.alice, open().id)

    expect([submitted, closed]).toMatchObject([{ ok: true }, { ok: true }])
    expect(warned()).toEqual([
      { event: "unknown-interaction", type: "view_submission", id: "why" },
      { event: "unknown-interaction", type: "view_closed", id: "why" },
    ])
  })

  it("another command is told which one is ours", async () => {
    const { sandbox, warned } = await aStrangeModule()

    const outcome = await sandbox.command(sandboxCast.alice, sandboxCast.general, "/other list")

    expect(outcome).toMatchObject({ ok: true })
    expect(sandbox.ephemerals(sandboxCast.alice).map(({ text }) => text)).toEqual([
      "Countersign answers to /approvals only.",
    ])
    expect(warned()).toEqual([{ event: "unknown-interaction", type: "command", id: "/other" }])
  })

  it("Slack's word that it holds events back is acknowledged and logged with its minute, and deliveries go on", async () => {
    const { sandbox, slack, flow, warned } = await aStrangeModule()
    const place = await slack.chat.postCard(aCardModel())

    const ack = await sandbox.limitEvents()
    await sandbox.click(sandboxCast.alice, place, "countersign_approve")

    expect(ack).toMatchObject({ ok: true })
    expect(warned()).toEqual([{ event: "slack-limits-events", minute: expect.any(Number) }])
    expect(flow.presses).toHaveLength(1)
  })
})
