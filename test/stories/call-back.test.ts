// Call back: whoever asked ends their own request, from Details to the platform's record, the receipt and the ledger.
import { describe, expect, it } from "vitest"
import { actionIds, formIds } from "../../src/slack/ids.ts"
import { aWorld } from "./a-world.ts"
import {
  approveFromOldScreen,
  ask,
  card,
  cardSaying,
  decided,
  formOf,
  ledgerOf,
  onScreen,
  press,
  record,
  settled,
  threadSays,
  told,
  until,
  viewSays,
} from "./acts.ts"
import { plainRule, sandboxCast, type World } from "./world.ts"

const asked = { user_id: "rita@sandbox.example" }
const { rita, alice, gus } = sandboxCast

/** Opens Details of the first card for a person, who may see it. */
async function detailsOf(here: World, person: string): Promise<string> {
  const { channel, ts } = await card(here)
  await here.sandbox.click(person, { channel, ts }, actionIds.details)
  await viewSays(here, person, "Digest")
  return here.sandbox.openView(person)?.id ?? ""
}

/** What a person's modal offers. */
function buttonsOf(here: World, person: string): string {
  return JSON.stringify(here.sandbox.openView(person)?.definition.blocks)
}

describe.each(["socket", "http"] as const)("in %s mode", (mode) => {
  it("whoever asked calls it back in Details: record, card, thread and ledger say so", async () => {
    const here = await aWorld({ mode, rules: `${plainRule}\n    quorum: 2` })
    const row = await ask(here, asked)
    const open = await card(here)
    await press(here, alice, open, "approve")
    await threadSays(here, open, "approved this")
    const details = await detailsOf(here, rita)
    expect(buttonsOf(here, rita)).not.toContain(actionIds.reject)

    await here.sandbox.click(rita, details, actionIds.callBack)
    const form = await formOf(here, rita)
    expect(form.definition).toMatchObject({ title: { text: "Call Back" }, submit: { text: "Call Back" } })
    await here.sandbox.submit(rita, form.id, { [formIds.reason]: "wrong account" })

    expect(await decided(here, row.id)).toMatchObject({
      status: "rejected",
      resolved_by: "rita@sandbox.example",
      resolution_data: { countersign: { called_back: true, reason: "wrong account" } },
    })
    await viewSays(here, rita, "this is called back")
    await settled(here, "Called back")
    await cardSaying(here, "wrong account")
    await threadSays(here, open, "called it back: “wrong account”")
    const entries = await ledgerOf(here)
    expect(entries.find(({ kind }) => kind === "called-back")).toMatchObject({ verb: "reject", rules: [] })
  })

  it("is offered to nobody else, and a forged press of a guest or an approver is refused", async () => {
    const here = await aWorld({ mode })
    const row = await ask(here, asked)
    const details = await detailsOf(here, alice)
    expect(buttonsOf(here, alice)).not.toContain(actionIds.callBack)
    const { channel, ts } = await card(here)
    const seen = here.sandbox.messages(channel).find((one) => one.ts === ts)
    const forged = JSON.parse(JSON.stringify(seen).replaceAll(actionIds.reject, actionIds.callBack))

    for (const [person, says] of [
      [alice, "it is not certain that this was you"],
      [gus, "it is not certain that this was you"],
    ] as const) {
      await here.sandbox.click(person, { channel, ts }, actionIds.callBack, { seen: forged })
      await viewSays(here, person, says)
    }

    expect(details).not.toBe("")
    expect(await record(here, row.id)).toMatchObject({ status: "pending" })
    const entries = await until("the refusals", async () => {
      const found = (await ledgerOf(here)).filter(({ kind }) => kind === "refused")
      return found.length === 2 ? found : undefined
    })
    expect(entries.map(({ why }) => why)).toEqual(["not-requester", "not-requester"])
  })
})

it("whoever presses on an old screen afterwards hears who called it back", async () => {
  const here = await aWorld({})
  await ask(here, asked)
  const open = await card(here)
  const seen = JSON.parse(JSON.stringify(onScreen(here, open.ts)))
  const details = await detailsOf(here, rita)
  await here.sandbox.click(rita, details, actionIds.callBack)
  await here.sandbox.submit(rita, (await formOf(here, rita)).id, {})
  await settled(here, "Called back")

  await approveFromOldScreen(here, alice, seen)

  await told(here, alice, `already called back by <@${rita}>`)
})
