// Places that fail: deleted cards, archived channels, a bot that was removed, a route's person who left. The case stays
// reachable.

import { describe, expect, it } from "vitest"
import { caseIdOf } from "../../src/domain/case/case.ts"
import { aChannel, aPerson } from "../../src/sandbox/workspace/seed.ts"
import { actionIds } from "../../src/slack/ids.ts"
import { aWorld } from "./a-world.ts"
import {
  alarms,
  announced,
  ask,
  card,
  cardSaying,
  cards,
  decided,
  directOf,
  press,
  threadSays,
  told,
  until,
  viewSays,
  wordsOf,
} from "./acts.ts"
import { limitMs, plainRule, sandboxCast, type World } from "./world.ts"

const everybody = [
  sandboxCast.alice,
  sandboxCast.bob,
  sandboxCast.rita,
  sandboxCast.gus,
  sandboxCast.sam,
  sandboxCast.dan,
]
const trouble = (here: World) =>
  until("the operator to be told", () => (alarms(here).includes("route-in-trouble") ? true : undefined))

/** Decides a case without its card: by command, and from Home. */
async function decideByCommand(here: World, approvalId: string): Promise<void> {
  await here.sandbox.openHome(sandboxCast.bob)
  const look = () => wordsOf(here.sandbox.home(sandboxCast.bob)?.definition.blocks).includes("delete user data")
  await here.sandbox.waitFor(look, { limitMs, what: "the case on Home" })
  await here.sandbox.command(sandboxCast.alice, sandboxCast.general, `/approvals approve ${approvalId}`)
  await viewSays(here, sandboxCast.alice, "You may approve this")
  await here.sandbox.click(sandboxCast.alice, here.sandbox.openView(sandboxCast.alice)?.id ?? "", actionIds.approve)
  expect(await decided(here, approvalId)).toMatchObject({ status: "approved", resolved_by: "alice@sandbox.example" })
  await viewSays(here, sandboxCast.alice, "Thank you")
}

describe.each(["socket", "http"] as const)("in %s mode", (mode) => {
  it("an archived channel: the operator is told, and the case is decided by command and seen on Home", async () => {
    const here = await aWorld({ mode })
    here.sandbox.workspace.putChannel({
      ...aChannel(sandboxCast.approvals, "approvals", [sandboxCast.bot, ...everybody]),
      archived: true,
    })
    const asked = await ask(here)

    await trouble(here)
    await decideByCommand(here, asked.id)

    expect(cards(here, "delete_user_data")).toEqual([])
  })

  it("a channel that the bot was removed from: the operator is told, and the case is decided by command and seen on Home", async () => {
    const here = await aWorld({ mode, rules: `${plainRule}\n    quorum: 1` })
    const asked = await ask(here)
    await card(here)
    here.sandbox.workspace.putChannel(aChannel(sandboxCast.approvals, "approvals", everybody))
    const second = await ask(here, { tool_args: { user_id: "U-200" } })

    // The first card is in trouble as well, perhaps before the second approval was even met.
    const caseId = caseIdOf(here.installation, "main", second.id)
    await until("trouble with the second card", () =>
      here.log.find((line) => line["code"] === "route-in-trouble" && line["caseId"] === caseId),
    )
    await decideByCommand(here, second.id)

    expect(asked.status).toBe("pending")
  })

  it("a route's person who was deactivated: the other route works, and the operator is told", async () => {
    const rules = plainRule.replace(`[${sandboxCast.approvals}]`, `[${sandboxCast.approvals}, ${sandboxCast.dan}]`)
    const here = await aWorld({ mode, rules })
    here.sandbox.faults.web("conversations.open", { kind: "error", error: "user_disabled" }, { times: 1_000 })
    here.sandbox.workspace.putPerson(aPerson(sandboxCast.dan, "dan", { deleted: true }))
    const asked = await ask(here)

    await press(here, sandboxCast.alice, await card(here), "approve")

    expect(await decided(here, asked.id)).toMatchObject({ status: "approved" })
    await trouble(here)
  })

  it("a card that a moderator deletes is posted again once; deleted twice, it stays away", async () => {
    const here = await aWorld({
      mode,
      rules: `${plainRule}\n    quorum: 3`.replace("[S0APPROVERS]", "[U0ALICE, U0BOB, U0RITA]"),
    })
    const { asked, open } = await announced(here)
    const remove = (ts: string) => here.sandbox.workspace.messages.remove(sandboxCast.approvals, ts)
    const vote = async (person: string) => {
      await here.sandbox.command(person, sandboxCast.general, `/approvals approve ${asked.id}`)
      await viewSays(here, person, "You may approve this")
      await here.sandbox.click(person, here.sandbox.openView(person)?.id ?? "", actionIds.approve)
      await viewSays(here, person, "Thank you")
    }
    remove(open.ts)
    await vote(sandboxCast.alice)
    const again = await cardSaying(here, "must approve; 1 has")
    expect(again.ts).not.toBe(open.ts)

    remove(again.ts)
    await vote(sandboxCast.bob)
    await trouble(here)
    await vote(sandboxCast.rita)

    expect(await decided(here, asked.id)).toMatchObject({ status: "approved" })
    expect(cards(here, "delete_user_data")).toEqual([])
  })

  it("a card that a moderator deletes is posted again at once where the app hears of it", async () => {
    const here = await aWorld({ mode })
    await ask(here)
    const first = await card(here)

    await here.sandbox.deleteMessage(first, "subscribed")
    const second = await card(here)
    expect(second.ts).not.toBe(first.ts)
    expect(cards(here, "delete_user_data")).toHaveLength(1)

    await press(here, sandboxCast.alice, second, "approve")
    await cardSaying(here, "Approved by")
  })

  it("a card that is deleted unheard of is noticed by looking, and posted again once", async () => {
    const here = await aWorld({ mode })
    const asked = await ask(here)
    const first = await card(here)

    await here.sandbox.deleteMessage(first, "not subscribed")

    await press(here, sandboxCast.alice, await card(here), "approve")
    expect(await decided(here, asked.id)).toMatchObject({ status: "approved" })
    expect(cards(here, "delete_user_data")).toHaveLength(1)
  })

  it.each([
    [
      "archived",
      "the channel is archived",
      (here: World) =>
        here.sandbox.workspace.putChannel({
          ...aChannel(sandboxCast.approvals, "approvals", [sandboxCast.bot, ...everybody]),
          archived: true,
        }),
    ],
    [
      "left by the app, which was removed,",
      "the app is not in the channel any more",
      (here: World) => here.sandbox.workspace.putChannel(aChannel(sandboxCast.approvals, "approvals", everybody)),
    ],
  ] as const)(
    "a channel that is %s while a card waits there: Home, list and operator say so",
    async (_, words, change) => {
      const here = await aWorld({ mode })
      const asked = await ask(here)
      await card(here)

      change(here)

      await trouble(here)
      await seenIn(here, words)
      await decideByCommand(here, asked.id)
    },
  )

  it("a route's person who is deactivated while a card waits before them: Home, list and operator say so", async () => {
    const here = await aWorld({ mode, rules: plainRule.replace(`[${sandboxCast.approvals}]`, `[${sandboxCast.dan}]`) })
    here.sandbox.workspace.putPerson(aPerson(sandboxCast.dan, "dan", {}))
    const asked = await ask(here)
    await here.sandbox.waitFor(() => directCards(here, sandboxCast.dan) === 1, { limitMs, what: "the card before dan" })

    here.sandbox.workspace.putPerson(aPerson(sandboxCast.dan, "dan", { deleted: true }))

    await trouble(here)
    await seenIn(here, "their account is deactivated")
    await decideByCommand(here, asked.id)
  })

  it("who asked is told the outcome in their direct messages, once, with the thread of the card left where it is", async () => {
    const here = await aWorld({ mode })
    await ask(here, { user_id: "rita@sandbox.example" })
    const open = await card(here)
    const lines = await threadSays(here, open, "Asked: ")

    await press(here, sandboxCast.alice, open, "approve")
    await here.sandbox.waitFor(() => directCards(here, sandboxCast.rita) === 1, {
      limitMs,
      what: "the message to rita",
    })

    const [message] = cards(here, "Approved", directOf(here, sandboxCast.rita))
    expect(lines[0]).toMatch(
      /^“.*” wants to run delete user data[^\n]*\nAsked: .*1 approval needed under rule everything/,
    )
    expect(message?.words).toContain("Approved by")
    expect(message?.buttons).toEqual([actionIds.details, actionIds.receipt])
    expect(here.sandbox.thread(message?.channel ?? "", message?.ts ?? "")).toEqual([])
    await here.sandbox.click(
      sandboxCast.rita,
      { channel: message?.channel ?? "", ts: message?.ts ?? "" },
      actionIds.receipt,
    )
    await viewSays(here, sandboxCast.rita, "✓ Verified")
  })

  it("an approver who is listed by e-mail is mentioned in the thread by their Slack id, after agent and action", async () => {
    const rules = plainRule.replace(sandboxCast.approvers, "alice@sandbox.example")
    const here = await aWorld({ mode, rules })
    await ask(here)

    const [first = ""] = await threadSays(here, await card(here), "Asked: ")

    expect(first).toMatch(/^“.*” wants to run delete user data/)
    expect(first).toContain(`Asked: <@${sandboxCast.alice}>, 1 approval needed`)
  })

  it("while the platform is slow, the card says that it is being decided, and nobody presses in vain", async () => {
    const here = await aWorld({ mode, timeoutMs: 6_000 })
    here.proxy.fail({ method: "POST", path: /resolve$/, fault: { kind: "delay", ms: 3_000 } })
    const asked = await ask(here)
    await press(here, sandboxCast.alice, await card(here), "approve")

    const deciding = await cardSaying(here, "It is being sent to the agent's platform")

    expect(deciding.buttons).toEqual([actionIds.details])
    expect(await decided(here, asked.id)).toMatchObject({ status: "approved" })
    await cardSaying(here, "Approved by")
  })
})

const directCards = (here: World, person: string) => cards(here, "", directOf(here, person)).length

/** Home and the list say why a case is not shown where it should be. */
async function seenIn(here: World, words: string): Promise<void> {
  await here.sandbox.openHome(sandboxCast.bob)
  const says = () => wordsOf(here.sandbox.home(sandboxCast.bob)?.definition.blocks).includes(words)
  await here.sandbox.waitFor(says, { limitMs, what: `"${words}" on Home` })
  await here.sandbox.command(sandboxCast.alice, sandboxCast.general, "/approvals list")
  await told(here, sandboxCast.alice, words)
}
