// A route that another company reads too: nothing is asked there, also when it becomes so while a card hangs; the case
// is decided elsewhere.
import { describe, expect, it } from "vitest"
import { actionIds } from "../../src/slack/ids.ts"
import { aWorld } from "./a-world.ts"
import { alarms, ask, card, cards, decided, told, until, viewSays, wordsOf } from "./acts.ts"
import { limitMs, plainRule, sandboxCast, type World } from "./world.ts"

const alarmed = (here: World, code: string) =>
  until(`the alarm ${code}`, () => (alarms(here).includes(code) ? true : undefined))
const hangs = (here: World) => JSON.stringify(here.sandbox.messages(sandboxCast.approvals))
const covered = (here: World) => until("the cover", () => (hangs(here).includes("Not shown here") ? true : undefined))

async function decideByCommand(here: World, approvalId: string): Promise<void> {
  await here.sandbox.command(sandboxCast.alice, sandboxCast.general, `/approvals approve ${approvalId}`)
  await viewSays(here, sandboxCast.alice, "You may approve this")
  await here.sandbox.click(sandboxCast.alice, here.sandbox.openView(sandboxCast.alice)?.id ?? "", actionIds.approve)
  expect(await decided(here, approvalId)).toMatchObject({ status: "approved", resolved_by: "alice@sandbox.example" })
}

describe.each(["socket", "http"] as const)("in %s mode, with two replicas", (mode) => {
  it("no card is posted, the operator is told before anything is asked, and the case says so and is decided", async () => {
    const here = await aWorld({ mode })
    await here.start()
    await here.sandbox.shareChannel(sandboxCast.approvals, true, "subscribed")
    const asked = await ask(here)

    await alarmed(here, "route-in-trouble")
    await here.sandbox.openHome(sandboxCast.bob)
    const home = () => wordsOf(here.sandbox.home(sandboxCast.bob)?.definition.blocks)
    const said = () => home().includes("the channel is shared with another company")
    await here.sandbox.waitFor(said, { limitMs, what: "the trouble on Home" })
    await decideByCommand(here, asked.id)

    expect(here.sandbox.messages(sandboxCast.approvals)).toEqual([])
  })

  it.each(["subscribed", "not subscribed"] as const)(
    "a card that hangs when the channel becomes shared is covered (the app is %s), and its press counts nothing",
    async (app) => {
      const here = await aWorld({ mode })
      await here.start()
      const asked = await ask(here)
      const hanging = await card(here)

      await here.sandbox.shareChannel(sandboxCast.approvals, true, app)
      await covered(here)
      await alarmed(here, "route-in-trouble")

      expect(hangs(here)).not.toMatch(/delete_user_data|U-100|countersign_approve/)
      expect(hanging.buttons).toContain("countersign_approve")
      await decideByCommand(here, asked.id)
      expect(hangs(here)).not.toMatch(/delete_user_data|U-100|alice/i)
    },
  )

  it("the card shows the case again when the channel is our own again", async () => {
    const here = await aWorld({ mode })
    await here.start()
    await ask(here)
    await card(here)
    await here.sandbox.shareChannel(sandboxCast.approvals, true, "subscribed")
    await covered(here)
    await alarmed(here, "route-in-trouble")

    await here.sandbox.shareChannel(sandboxCast.approvals, false, "subscribed")

    await card(here)
    expect(hangs(here)).not.toContain("Not shown here")
  })

  it.each(["subscribed", "not subscribed"] as const)(
    "a summary that hangs when the channel becomes shared is covered (the app is %s), and comes back when it is our own again",
    async (app) => {
      const here = await aWorld({ mode, paceMs: 3_000, summaryAbove: 2 })
      await here.start()
      await Promise.all([1, 2, 3, 4, 5].map((index) => ask(here, { tool_args: { user_id: `U-10${index}` } })))
      const summary = () => cards(here, "").find(({ buttons }) => buttons.includes(actionIds.review))
      const { ts } = await until("a summary", summary)
      const text = () => here.sandbox.messages(sandboxCast.approvals).find((one) => one.ts === ts)?.text

      await here.sandbox.shareChannel(sandboxCast.approvals, true, app)
      await until("the cover", () => (text()?.includes("Not shown here") ? true : undefined))
      await until("all covers", () => (/delete_user_data|U-10/.test(hangs(here)) ? undefined : true))
      await here.sandbox.shareChannel(sandboxCast.approvals, false, app)

      await until("the summary again", () => (summary()?.ts === ts ? true : undefined))
    },
  )

  it("a press that comes before the cover counts nothing, and who pressed is told why", async () => {
    const here = await aWorld({ mode })
    const asked = await ask(here)
    const { ts, channel } = await card(here)
    here.sandbox.faults.web("chat.update", { kind: "ratelimited", retryAfterS: 1 }, { times: 1_000 })
    await here.sandbox.shareChannel(sandboxCast.approvals, true, "subscribed")
    await until("the attempt to cover it", () => here.log.find(({ event }) => event === "present-failed"))

    await here.sandbox.click(sandboxCast.alice, { channel, ts }, actionIds.approve)

    await told(here, sandboxCast.alice, "shared with another company")
    expect(asked.status).toBe("pending")
  })

  it("a rule that allows it asks there", async () => {
    const here = await aWorld({ mode, rules: `${plainRule}\n    allow_shared_channel: true` })
    await here.sandbox.shareChannel(sandboxCast.approvals, true, "subscribed")
    await ask(here)

    await card(here)

    expect(cards(here, "delete_user_data")).toHaveLength(1)
    expect(alarms(here)).toEqual([])
  })
})
