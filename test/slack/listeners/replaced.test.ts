// A replica that a newer Countersign replaced, and that has not noticed yet: what somebody presses may be of the newer
// one's making. So it is neither taken nor acknowledged, and nobody is told anything; Slack says that it failed.
import { describe, expect, it } from "vitest"
import { sandboxCast } from "../../../src/sandbox/workspace/seed.ts"
import { actionIds } from "../../../src/slack/ids.ts"
import { StoreError } from "../../../src/store/errors.ts"
import { buttons } from "../../sandbox/cards.ts"
import { aClient, type Mode } from "../../sandbox/support.ts"
import { aCardModel } from "../card-models.ts"
import { aFlow, anOpenSlackModule, type Module } from "../slack-module.ts"

const { alice, approvals } = sandboxCast

/** A card whose buttons say what we cannot read. */
async function aNewerCard({ sandbox }: Module) {
  const blocks = [buttons(actionIds.approve, actionIds.details, "countersign_newest")]
  const { ts = "" } = await aClient(sandbox).chat.postMessage({ channel: approvals, text: "newer", blocks })
  return { channel: approvals, ts }
}

async function press(module: Module, action: string) {
  return module.sandbox.click(alice, await aNewerCard(module), action)
}

const acts: readonly (readonly [string, (module: Module) => Promise<{ readonly ok: boolean }>])[] = [
  ["Approve on a newer card", (module) => press(module, actionIds.approve)],
  ["Details on a newer card", (module) => press(module, actionIds.details)],
  ["a button that only the newer one knows", (module) => press(module, "countersign_newest")],
  ["the command", ({ sandbox }) => sandbox.command(alice, approvals, "/approvals list")],
  [
    "Approve on a card of ours",
    async ({ sandbox, slack }) => sandbox.click(alice, await slack.chat.postCard(aCardModel()), actionIds.approve),
  ],
  [
    "the event that a channel was shared",
    async ({ sandbox }) => ({ ok: await sandbox.shareChannel(approvals, true, "subscribed") }),
  ],
]

describe.each<Mode>(["socket", "http"])("in %s mode", (mode) => {
  it.each(acts)("R16 %s is neither taken nor answered, and is again once that is over", async (_name, act) => {
    const flow = aFlow(aCardModel())
    const module = await anOpenSlackModule(mode, flow)
    flow.replaced = new StoreError("newer-data", "a newer Countersign took over")

    const refused = await act(module)
    const kept = [...module.sandbox.ephemerals(alice), ...flow.presses, ...flow.changedChannels]
    flow.replaced = null
    const taken = await act(module)

    // What Slack shows as failed leaves no ticket: another replica would carry it out.
    expect([refused.ok, kept, taken.ok]).toEqual([false, [], true])
  })
})

it("a press that may be taken later is answered with 503 in HTTP mode, and one that cannot be with 500", async () => {
  const flow = aFlow(aCardModel())
  const module = await anOpenSlackModule("http", flow)
  const failing = async (error: Error) => {
    flow.broken = error
    return module.sandbox.click(alice, await module.slack.chat.postCard(aCardModel()), actionIds.approve)
  }

  const later = await failing(new StoreError("redis-unreachable", "write a ticket: Redis cannot be used now"))
  const never = await failing(new TypeError("a mistake of ours"))

  expect(JSON.stringify([later, never])).toMatch(/503.*500/)
})
