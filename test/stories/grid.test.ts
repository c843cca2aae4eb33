// Enterprise Grid: interactions name the organization where commands name the workspace. One person stays one.
import { describe, expect, it } from "vitest"
import { actionIds } from "../../src/slack/ids.ts"
import { aWorld } from "./a-world.ts"
import { ask, card, cardSaying, decided, ledgerOf, press, record, until, viewSays } from "./acts.ts"
import { plainRule, sandboxCast, type World } from "./world.ts"

const pair = `${plainRule}\n    quorum: 2`
const viewId = (here: World, person: string) => here.sandbox.openView(person)?.id ?? ""

async function openByCommand(here: World, person: string, id: string): Promise<void> {
  await card(here)
  await here.sandbox.command(person, sandboxCast.general, `/approvals show ${id}`)
  await viewSays(here, person, "You may")
}

describe.each(["socket", "http"] as const)("in a grid, in %s mode, with two replicas", (mode) => {
  it("R18 Approve in Details that a command opened counts, under the workspace's id", async () => {
    const here = await aWorld({ mode, grid: true })
    await here.start()
    const asked = await ask(here)
    await openByCommand(here, sandboxCast.alice, asked.id)

    await here.sandbox.click(sandboxCast.alice, viewId(here, sandboxCast.alice), actionIds.approve)

    expect(await decided(here, asked.id)).toMatchObject({ status: "approved", resolved_by: "alice@sandbox.example" })
    const voted = (await ledgerOf(here)).find(({ kind }) => kind === "voted")
    expect(voted).toMatchObject({ person: `T0SANDBOX:${sandboxCast.alice}` })
  })

  it("R4 R5 what is masked is revealed, and a vote from the card is withdrawn in Details that a command opened", async () => {
    const here = await aWorld({ mode, grid: true, rules: `${pair}\n    mask: [user_id]` })
    await here.start()
    const asked = await ask(here)
    await openByCommand(here, sandboxCast.alice, asked.id)
    await here.sandbox.click(sandboxCast.alice, viewId(here, sandboxCast.alice), actionIds.reveal)
    await viewSays(here, sandboxCast.alice, "user_id: U-100")
    await here.sandbox.click(sandboxCast.alice, viewId(here, sandboxCast.alice), actionIds.approve)
    await cardSaying(here, "must approve; 1 has")

    await openByCommand(here, sandboxCast.alice, asked.id)
    await here.sandbox.click(sandboxCast.alice, viewId(here, sandboxCast.alice), actionIds.withdraw)

    await viewSays(here, sandboxCast.alice, "Your vote is withdrawn")
    await cardSaying(here, "must approve, nobody has yet")
  })

  it("R7 one person who approves by a card and by a command counts once", async () => {
    const here = await aWorld({ mode, grid: true, rules: pair })
    const asked = await ask(here)
    await press(here, sandboxCast.alice, await card(here), "approve")
    await cardSaying(here, "must approve; 1 has")
    await openByCommand(here, sandboxCast.alice, asked.id)

    await viewSays(here, sandboxCast.alice, "must approve; 1 has")
    await expect(
      here.sandbox.click(sandboxCast.alice, viewId(here, sandboxCast.alice), actionIds.approve),
    ).rejects.toThrow("nothing called")
    expect((await record(here, asked.id)).status).toBe("pending")
    await press(here, sandboxCast.bob, await cardSaying(here, "must approve; 1 has"), "approve")
    expect(await decided(here, asked.id)).toMatchObject({ status: "approved" })
  })

  it("R6 a requester who is listed by the organization's id is the same person, and may not approve", async () => {
    const more = `identities:\n  - { subject: rita-at-work, slack: "E0GRID:${sandboxCast.rita}" }`
    const rules = plainRule.replace(`[${sandboxCast.approvers}]`, `["E0GRID:${sandboxCast.rita}", ${sandboxCast.bob}]`)
    const here = await aWorld({ mode, grid: true, more, rules: `${rules}\n    forbid_self_approval: true` })
    const asked = await ask(here, { user_id: "rita-at-work" })

    await press(here, sandboxCast.rita, await card(here), "approve")
    await until("the refusal", async () =>
      (await ledgerOf(here)).find(({ kind, why }) => kind === "refused" && why === "requester"),
    )

    expect((await record(here, asked.id)).status).toBe("pending")
    await press(here, sandboxCast.bob, await card(here), "approve")
    expect(await decided(here, asked.id)).toMatchObject({ status: "approved" })
  })
})
