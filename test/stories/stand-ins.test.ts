// Somebody goes away and another person stands in for them, on two replicas: told, voted, judged again, and back.

import { describe, expect, it } from "vitest"
import { actionIds, viewIds } from "../../src/slack/ids.ts"
import { absenceBlocks } from "../../src/slack/views/absence-form.ts"
import { aWorld } from "./a-world.ts"
import { ask, card, cards, decided, directOf, press, record, settled, threadSays, told, until } from "./acts.ts"
import { aWorldOfProcesses, kill } from "./processes.ts"
import { limitMs, sandboxCast, type World } from "./world.ts"

const { alice, bob, rita, approvals } = sandboxCast

const rules = `
  - name: everything
    routes: [${approvals}]
    approvers: [${alice}, ${bob}]
    stand_ins: [${rita}]
    quorum: 2
    unknown_requester: allow
    require_reason: never`

const type = (here: World, person: string, words: string) =>
  here.sandbox.command(person, approvals, `/approvals ${words}`)

/** The newest message that somebody got directly with these words. */
function sent(here: World, person: string, words: string, ms = limitMs) {
  return until(`${person} to be sent "${words}"`, () => cards(here, words, directOf(here, person)).at(-1), ms)
}

/** How long it may take after a restart, in ms: whoever died had half a minute to tell people. */
const afterMs = 90_000

describe.each(["socket", "http"] as const)("in %s mode", (mode) => {
  it("a stand-in votes while somebody is away, and the vote is void once they are back", async () => {
    const here = await aWorld({ mode, rules })
    await here.start()
    const asked = await ask(here)
    await card(here)

    await type(here, alice, `away until ${inDays(9)} <@${rita}|rita>`)
    await told(here, alice, "You are away until")
    const [toAlice] = await Promise.all([alice, rita].map((one) => sent(here, one, "is away until")))
    const open = await card(here, "delete_user_data away")
    expect(open.words).toContain("who is away")
    await press(here, rita, open, "approve")
    await threadSays(here, open, "approved this")

    await here.sandbox.click(alice, { channel: toAlice?.channel ?? "", ts: toAlice?.ts ?? "" }, actionIds.endAbsence)
    await Promise.all([alice, rita].map((one) => sent(here, one, "The absence of")))
    await press(here, bob, await card(here), "approve")
    await threadSays(here, open, "they do not stand in any more")
    expect(await record(here, asked.id)).toMatchObject({ status: "pending" })

    await press(here, alice, await card(here), "approve")
    expect(await decided(here, asked.id)).toMatchObject({ status: "approved" })
    await settled(here, "delete_user_data")
  })

  it("two approve: one for herself, one for somebody who is away; the record says for whom", async () => {
    const here = await aWorld({ mode, rules })
    await here.start()
    const asked = await ask(here)
    await card(here)

    await type(here, alice, "away")
    const view = await until("the form", () => {
      const open = here.sandbox.openView(alice)
      return open?.definition.callback_id === viewIds.away ? open : undefined
    })
    const chosen = { [absenceBlocks.until]: inDays(2), [absenceBlocks.standIn]: `T0SANDBOX:${rita}` }
    await here.sandbox.submit(alice, view.id, chosen)
    await told(here, alice, "may vote for you")
    await press(here, rita, await card(here, "delete_user_data away"), "approve")
    await press(here, bob, await card(here), "approve")

    const row = await decided(here, asked.id)
    const { countersign } = row["resolution_data"] as { countersign: { approvers: readonly object[] } }
    expect(row).toMatchObject({ status: "approved" })
    expect(countersign.approvers).toMatchObject([{ slack: `T0SANDBOX:${rita}`, for: [`T0SANDBOX:${alice}`] }, {}])
    const end = await settled(here, "delete_user_data")
    expect(end.words).toContain(`for <@${alice}>`)
    await type(here, alice, "back")
    await told(here, alice, "That absence is over")
    await type(here, alice, "back")
    await told(here, alice, "Nobody is away there")
  })

  it("a bot that is killed right after the entry of an absence, or of its end, has both told after its restart", async ({
    onTestFinished,
  }) => {
    const { here, start } = await aWorldOfProcesses({ mode, rules }, onTestFinished)
    const bot = await start()
    here.sandbox.faults.web("conversations.open", { kind: "never_answer" })

    await type(here, alice, `away until ${inDays(9)} <@${rita}|rita>`)
    await told(here, alice, "You are away until")
    await kill(bot)
    here.sandbox.faults.clear()
    const next = await start()
    await Promise.all([alice, rita].map((one) => sent(here, one, "is away until", afterMs)))

    here.sandbox.faults.web("conversations.open", { kind: "never_answer" })
    await type(here, alice, "back")
    await told(here, alice, "That absence is over")
    await kill(next)
    here.sandbox.faults.clear()
    await start()
    await Promise.all([alice, rita].map((one) => sent(here, one, "The absence of", afterMs)))
    for (const one of [alice, rita]) expect(cards(here, "is away until", directOf(here, one))).toHaveLength(1)
  })
})

/** A day so many days from now, as people write it. */
function inDays(days: number): string {
  return new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)
}
