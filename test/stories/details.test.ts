// Details in real life: content that moves under it, masks that are opened, votes that are taken back.
import { describe, expect, it } from "vitest"
import { actionIds } from "../../src/slack/ids.ts"
import { announcedWorld, aWorld } from "./a-world.ts"
import {
  ask,
  card,
  cardSaying,
  decided,
  giveReason,
  ledgerOf,
  pausePolls,
  press,
  record,
  resolves,
  threadSays,
  told,
  until,
  viewSays,
} from "./acts.ts"
import { plainRule, sandboxCast, type World } from "./world.ts"

const pair = `${plainRule}\n    quorum: 2`
const viewId = (here: World, person: string) => here.sandbox.openView(person)?.id ?? ""

async function openDetails(here: World, person: string, words?: string): Promise<void> {
  await here.sandbox.click(person, await card(here, words), actionIds.details)
  await viewSays(here, person, "You may")
}

describe.each(["socket", "http"] as const)("in %s mode", (mode) => {
  it("R2 R4 new content while Details is open: the vote is refused, and old and new stand side by side", async () => {
    const here = await aWorld({ mode })
    const asked = await ask(here)
    await openDetails(here, sandboxCast.alice)
    const moved = JSON.parse(JSON.stringify(await record(here, asked.id)).replaceAll('"U-100"', '"U-999","hard":true'))
    const path = new RegExp(`/approvals/${asked.id}$`)
    pausePolls(here)
    here.proxy.fail({ method: "GET", path, fault: { kind: "answer", status: 200, body: moved } })

    await here.sandbox.click(sandboxCast.alice, viewId(here, sandboxCast.alice), actionIds.approve)

    const said = await viewSays(here, sandboxCast.alice, "has changed since you opened it")
    expect(said).toContain("Before · user_id\nU-100")
    expect(said).toContain("Now · user_id\nU-999")
    expect(said).toContain("Before · hard: not there")
    expect(said).toContain("Revision 2")
    expect(said).toContain("You may approve this")
    expect(resolves(here)).toBe(0)
    await here.sandbox.click(sandboxCast.alice, viewId(here, sandboxCast.alice), actionIds.approve)
    await until("the platform to be asked", () => (resolves(here) === 1 ? true : undefined))
  })

  it("R5 a rejection that the rules had changed under is told why, and made again from the card", async () => {
    const here = await aWorld({ mode, rules: plainRule.replace("never", "reject") })
    const asked = await ask(here)
    await press(here, sandboxCast.alice, await card(here), "reject")
    const moved = JSON.parse(JSON.stringify(await record(here, asked.id)).replaceAll('"U-100"', '"U-999"'))
    const path = new RegExp(`/approvals/${asked.id}$`)
    pausePolls(here)
    here.proxy.fail({ method: "GET", path, fault: { kind: "answer", status: 200, body: moved } })
    await giveReason(here, sandboxCast.alice, "not today")
    await told(here, sandboxCast.alice, "has changed since this was shown")

    await press(here, sandboxCast.alice, await cardSaying(here, "U-999"), "reject")
    await viewSays(here, sandboxCast.alice, "Why do you reject this?")
    await giveReason(here, sandboxCast.alice, "still not")

    await until("the platform to be asked", () => (resolves(here) === 1 ? true : undefined))
  })

  it("R5 a vote can be withdrawn until the verdict is sent, and cast again", async () => {
    const { here, asked, open } = await announcedWorld({ mode, rules: pair })
    await press(here, sandboxCast.alice, open, "approve")
    await cardSaying(here, "must approve; 1 has")
    await openDetails(here, sandboxCast.alice)

    await here.sandbox.click(sandboxCast.alice, viewId(here, sandboxCast.alice), actionIds.withdraw)

    await viewSays(here, sandboxCast.alice, "Your vote is withdrawn")
    await threadSays(here, open, "withdrew their vote")
    await cardSaying(here, "must approve, nobody has yet")
    await press(here, sandboxCast.bob, await cardSaying(here, "must approve, nobody has yet"), "approve")
    await threadSays(here, open, `<@${sandboxCast.bob}> approved`)
    expect((await record(here, asked.id)).status).toBe("pending")
    await press(here, sandboxCast.alice, await cardSaying(here, "must approve; 1 has"), "approve")
    expect(await decided(here, asked.id)).toMatchObject({ status: "approved" })
  })

  it("a vote cannot be withdrawn once the decision is made", async () => {
    const { here, asked, open } = await announcedWorld({ mode, rules: pair })
    await press(here, sandboxCast.alice, open, "approve")
    await cardSaying(here, "must approve; 1 has")
    await openDetails(here, sandboxCast.alice)
    await press(here, sandboxCast.bob, await cardSaying(here, "must approve; 1 has"), "approve")
    await decided(here, asked.id)

    await here.sandbox.click(sandboxCast.alice, viewId(here, sandboxCast.alice), actionIds.withdraw)

    expect(await viewSays(here, sandboxCast.alice, "already approved")).toContain(sandboxCast.bob)
    expect((await record(here, asked.id)).status).toBe("approved")
  })

  it("R4 masked values can be revealed by an approver, which vote and ledger record", async () => {
    const { here, asked, open } = await announcedWorld({ mode, rules: `${plainRule}\n    mask: [user_id]` })
    expect(open.words).toContain("5 characters masked")
    expect(open.words).not.toContain("U-100")
    await openDetails(here, sandboxCast.alice)

    await here.sandbox.click(sandboxCast.alice, viewId(here, sandboxCast.alice), actionIds.reveal)
    await viewSays(here, sandboxCast.alice, "U-100")
    await here.sandbox.click(sandboxCast.alice, viewId(here, sandboxCast.alice), actionIds.approve)

    await decided(here, asked.id)
    const entries = await ledgerOf(here)
    expect(entries.map((entry) => entry["kind"])).toContain("revealed")
    expect(entries.find((entry) => entry["kind"] === "voted")).toMatchObject({ revealed: true })
    expect(JSON.stringify(here.sandbox.messages(sandboxCast.approvals))).not.toContain("U-100")
  })

  it("R4 without revealing the mask counts as shown, and the vote says that nothing was revealed", async () => {
    const here = await aWorld({ mode, rules: `${plainRule}\n    mask: [user_id]` })
    const asked = await ask(here)
    await openDetails(here, sandboxCast.alice)

    await here.sandbox.click(sandboxCast.alice, viewId(here, sandboxCast.alice), actionIds.approve)

    await decided(here, asked.id)
    const entries = await ledgerOf(here)
    expect(entries.find((entry) => entry["kind"] === "voted")).toMatchObject({ revealed: false })
  })
})

it("somebody who is no approver sees Details without the buttons to vote or to reveal", async () => {
  const here = await aWorld({ rules: `${plainRule}\n    mask: [user_id]` })
  await ask(here)
  await here.sandbox.click(sandboxCast.rita, await card(here), actionIds.details)

  const said = await viewSays(here, sandboxCast.rita, "You may not decide this")

  expect(said).not.toContain("Reveal")
  expect(said).not.toContain("U-100")
})
