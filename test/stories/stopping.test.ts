// People in Slack stop an agent and end that, over two replicas (R21).
import { describe, expect, it } from "vitest"
import { actionIds } from "../../src/slack/ids.ts"
import { aWorld } from "./a-world.ts"
import { approveFromOldScreen, ask, card, cards, decided, onScreen, press, told, until, viewSays } from "./acts.ts"
import { sandboxCast, type World } from "./world.ts"

const { alice, bob, general } = sandboxCast

/** What somebody types, and the message that answers it. */
async function typed(here: World, person: string, line: string, words: string) {
  await here.sandbox.command(person, general, line)
  await told(here, person, words)
  const heard = here.sandbox.ephemerals(person).at(-1)
  if (heard === undefined) throw new Error("nothing was answered")
  return heard
}

async function pressEnd(here: World, person: string) {
  const { channelId: channel, ts } = await typed(here, person, "/approvals stops", "in force")
  await here.sandbox.click(person, { channel, ts }, actionIds.endStop)
}

const approvable = (here: World, words: string) =>
  cards(here, words).find(({ buttons }) => buttons.includes(actionIds.approve))

const submitted = (here: World, person: string) =>
  here.sandbox.submit(person, here.sandbox.openView(person)?.id ?? "", {})

describe.each(["socket", "http"] as const)("in %s mode somebody in Slack", (mode) => {
  it("R21 stops an agent by command, and the end by a button asks first and then lets people approve again", async () => {
    const here = await aWorld({ mode })
    await here.start()
    const asked = await ask(here, { tool_name: "refund_order" })
    const open = await card(here, "refund_order")
    const oldScreen = onScreen(here, open.ts)

    await typed(here, alice, "/approvals stop tool:refund_* runaway refunds", "1 approval waits under it")
    await until("the card to say so", () => cards(here, "Stopped")[0])
    await until("the channel to be told", () =>
      here.sandbox.messages(sandboxCast.approvals).find(({ text }) => text.includes("lists what is stopped")),
    )
    expect(cards(here, "Stopped")[0]).toMatchObject({ words: expect.stringContaining("runaway refunds") })
    await approveFromOldScreen(here, bob, oldScreen)
    await told(here, bob, "Nobody can approve this until that stop ends")

    await pressEnd(here, alice)
    await viewSays(here, alice, "1 approval can be approved again")
    await submitted(here, alice)
    await viewSays(here, alice, "Ended:")
    await until("the card to have Approve again", () => approvable(here, "refund_order"))
    await press(here, alice, await card(here, "refund_order"), "approve")
    expect(await decided(here, asked.id)).toMatchObject({ status: "approved" })
  })
})
