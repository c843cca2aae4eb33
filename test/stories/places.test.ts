// Places that fail: deleted cards, archived channels, a bot that was removed, a route's person who left. The case stays reachable.
import { afterEach, describe, expect, it } from "vitest"
import { aChannel, aPerson } from "../../src/sandbox/seed.ts"
import { ACTIONS } from "../../src/slack/ids.ts"
import { alarms, ask, card, cardSaying, cards, decided, press, until, viewSays, wordsOf } from "./acts.ts"
import { CAST, limitMs, plainRule, startWorld, type World, type WorldOptions } from "./world.ts"

let world: World | undefined

async function aWorld(options: WorldOptions): Promise<World> {
  world = await startWorld(options)
  return world
}

afterEach(async () => {
  await world?.close()
  world = undefined
})

const everybody = [CAST.alice, CAST.bob, CAST.rita, CAST.gus, CAST.sam, CAST.dan]
const trouble = (here: World) =>
  until("the operator to be told", () => (alarms(here).includes("route-in-trouble") ? true : undefined))

/** Decides a case without its card: by command, and from Home. */
async function decideByCommand(here: World, approvalId: string): Promise<void> {
  await here.sandbox.openHome(CAST.bob)
  const look = () => wordsOf(here.sandbox.home(CAST.bob)?.definition.blocks).includes("delete_user_data")
  await here.sandbox.waitFor(look, { limitMs, what: "the case on Home" })
  await here.sandbox.command(CAST.alice, CAST.general, `/approvals approve ${approvalId}`)
  await viewSays(here, CAST.alice, "You may approve this")
  await here.sandbox.click(CAST.alice, here.sandbox.openView(CAST.alice)?.id ?? "", ACTIONS.approve)
  expect(await decided(here, approvalId)).toMatchObject({ status: "approved", resolved_by: "alice@sandbox.example" })
  await viewSays(here, CAST.alice, "Thank you")
}

describe.each(["socket", "http"] as const)("in %s mode", (mode) => {
  it("an archived channel: the operator is told, and the case is decided by command and seen on Home", async () => {
    const here = await aWorld({ mode })
    here.sandbox.workspace.putChannel({
      ...aChannel(CAST.approvals, "approvals", [CAST.bot, ...everybody]),
      archived: true,
    })
    const asked = await ask(here)

    await trouble(here)
    await decideByCommand(here, asked.id)

    expect(cards(here, "delete_user_data")).toEqual([])
  })

  it("a channel that the bot was removed from: the same, and a settled case does not wait for it", async () => {
    const here = await aWorld({ mode, rules: `${plainRule}\n    quorum: 1` })
    const asked = await ask(here)
    await card(here)
    here.sandbox.workspace.putChannel(aChannel(CAST.approvals, "approvals", everybody))
    const second = await ask(here, { tool_args: { user_id: "U-200" } })

    await trouble(here)
    await decideByCommand(here, second.id)

    expect(asked.status).toBe("pending")
  })

  it("a route's person who was deactivated: the other route works, and the operator is told", async () => {
    const rules = plainRule.replace(`[${CAST.approvals}]`, `[${CAST.approvals}, ${CAST.dan}]`)
    const here = await aWorld({ mode, rules })
    here.sandbox.faults.web("conversations.open", { kind: "error", error: "user_disabled" }, { times: 1_000 })
    here.sandbox.workspace.putPerson(aPerson(CAST.dan, "dan", { deleted: true }))
    const asked = await ask(here)

    await press(here, CAST.alice, await card(here), "approve")

    expect(await decided(here, asked.id)).toMatchObject({ status: "approved" })
    await trouble(here)
  })

  it("a card that a moderator deletes is posted again once; deleted twice, it stays away", async () => {
    const here = await aWorld({
      mode,
      rules: `${plainRule}\n    quorum: 3`.replace("[S0APPROVERS]", "[U0ALICE, U0BOB, U0RITA]"),
    })
    const asked = await ask(here)
    const open = await card(here)
    const remove = (ts: string) => here.sandbox.workspace.messages.remove(CAST.approvals, ts)
    const vote = async (person: string) => {
      await here.sandbox.command(person, CAST.general, `/approvals approve ${asked.id}`)
      await viewSays(here, person, "You may approve this")
      await here.sandbox.click(person, here.sandbox.openView(person)?.id ?? "", ACTIONS.approve)
      await viewSays(here, person, "Thank you")
    }
    remove(open.ts)
    await vote(CAST.alice)
    const again = await cardSaying(here, "1 of 3")
    expect(again.ts).not.toBe(open.ts)

    remove(again.ts)
    await vote(CAST.bob)
    await trouble(here)
    await vote(CAST.rita)

    expect(await decided(here, asked.id)).toMatchObject({ status: "approved" })
    expect(cards(here, "delete_user_data")).toEqual([])
  })
})
