// The Home tab and the message shortcut: what waits, with buttons that work, and never one that is stale.
import { describe, expect, it } from "vitest"
import { actionIds, formIds, shortcutId } from "../../src/slack/ids.ts"
import { announcedWorld, aWorld } from "./a-world.ts"
import { ask, card, decided, directOf, press, record, threadSays, viewSays, wordsOf } from "./acts.ts"
import { limitMs, plainRule, sandboxCast, type World } from "./world.ts"

function homeSays(here: World, person: string, words: string): Promise<string> {
  const look = () => {
    const said = wordsOf(here.sandbox.home(person)?.definition.blocks)
    return said.includes(words) ? said : undefined
  }
  return here.sandbox.waitFor(look, { limitMs, what: `${person}'s Home to say "${words}"` })
}

const homeId = (here: World, person: string) => here.sandbox.home(person)?.id ?? ""

describe.each(["socket", "http"] as const)("in %s mode", (mode) => {
  it("Home shows what waits, follows every change, and its Review leads to the vote", async () => {
    const here = await aWorld({ mode })
    const asked = await ask(here)
    await card(here)
    await here.sandbox.openHome(sandboxCast.alice)
    expect(await homeSays(here, sandboxCast.alice, "delete user data")).toContain("Nothing yet.")
    await ask(here, { tool_name: "pay_invoice" })
    const both = await homeSays(here, sandboxCast.alice, "pay invoice")
    const blockId = both.indexOf("delete user data") < both.indexOf("pay invoice") ? "home0" : "home1"

    await here.sandbox.click(sandboxCast.alice, homeId(here, sandboxCast.alice), actionIds.details, { blockId })
    await viewSays(here, sandboxCast.alice, "You may approve this")
    await here.sandbox.click(sandboxCast.alice, here.sandbox.openView(sandboxCast.alice)?.id ?? "", actionIds.approve)

    await decided(here, asked.id)
    const after = await homeSays(here, sandboxCast.alice, "Approved")
    expect(after.indexOf("pay invoice")).toBeLessThan(after.indexOf("Decided lately"))
    expect(after.indexOf("delete user data")).toBeGreaterThan(after.indexOf("Decided lately"))
  })

  it("Reject on Home asks in a form, where a reason may stand, and rejects", async () => {
    const here = await aWorld({ mode })
    const asked = await ask(here)
    await card(here)
    await here.sandbox.openHome(sandboxCast.bob)
    await homeSays(here, sandboxCast.bob, "delete user data")

    await here.sandbox.click(sandboxCast.bob, homeId(here, sandboxCast.bob), actionIds.homeReject)
    await viewSays(here, sandboxCast.bob, "Why do you reject this?")
    await here.sandbox.submit(sandboxCast.bob, here.sandbox.openView(sandboxCast.bob)?.id ?? "", {
      [formIds.reason]: "not today",
    })

    expect(await decided(here, asked.id)).toMatchObject({
      status: "rejected",
      resolution_data: { countersign: { reason: "not today" } },
    })
    await homeSays(here, sandboxCast.bob, "“not today”")
    await homeSays(here, sandboxCast.bob, "Nothing waits for you.")
    expect(here.sandbox.openView(sandboxCast.bob)).toBeUndefined()
    expect(here.sandbox.messages(directOf(here, sandboxCast.bob))).toEqual([])
  })

  it("a rejection on Home that does not count any more is told by direct message, once its form closed", async () => {
    const { here, asked, open } = await announcedWorld({ mode })
    await here.sandbox.openHome(sandboxCast.bob)
    await homeSays(here, sandboxCast.bob, "delete user data")
    await here.sandbox.click(sandboxCast.bob, homeId(here, sandboxCast.bob), actionIds.homeReject)
    await viewSays(here, sandboxCast.bob, "Why do you reject this?")
    await press(here, sandboxCast.alice, open, "approve")
    await decided(here, asked.id)

    await here.sandbox.submit(sandboxCast.bob, here.sandbox.openView(sandboxCast.bob)?.id ?? "", {
      [formIds.reason]: "not today",
    })

    const direct = directOf(here, sandboxCast.bob)
    const look = () => here.sandbox.messages(direct).find(({ text }) => text.includes("already"))
    await here.sandbox.waitFor(look, { limitMs, what: "what became of the rejection" })
    expect(here.sandbox.openView(sandboxCast.bob)).toBeUndefined()
  })

  it("R8 Home shows nobody what they may not see, and requesters nothing to vote on", async () => {
    const here = await aWorld({ mode })
    await ask(here, { user_id: "rita@sandbox.example" })
    await card(here)

    for (const person of [sandboxCast.rita, sandboxCast.gus]) await here.sandbox.openHome(person)

    const rita = await homeSays(here, sandboxCast.rita, "Nothing waits for you.")
    expect(rita).toContain("1 approval waits for other people")
    expect(rita.indexOf("delete user data")).toBeGreaterThan(rita.indexOf("Your requests"))
    expect(await homeSays(here, sandboxCast.gus, "Nothing waits for you.")).not.toMatch(
      /more approval|delete user data/,
    )
  })

  it("the search field of Home finds what waits and what was decided, and shows nobody what they may not see", async () => {
    const here = await aWorld({ mode })
    const asked = await ask(here, { tool_name: "refund_order" })
    await press(here, sandboxCast.alice, await card(here, "refund_order"), "approve")
    await decided(here, asked.id)
    await ask(here, { tool_name: "refund_all" })
    await ask(here)
    await card(here)
    for (const person of [sandboxCast.bob, sandboxCast.gus]) await here.sandbox.openHome(person)
    await homeSays(here, sandboxCast.bob, "delete user data")
    const search = (person: string, choose: string) =>
      here.sandbox.click(person, homeId(here, person), actionIds.search, { choose })
    const found = async (person: string, asked: string) => {
      await search(person, asked)
      const said = await homeSays(here, person, `Found for  ${asked}`)
      return said.slice(said.indexOf("Found for"), said.indexOf("Waiting for you"))
    }

    const bob = await found(sandboxCast.bob, "refund since:1d")
    const gus = await found(sandboxCast.gus, "refund")
    const other = await found(sandboxCast.bob, "tool:delete*")

    expect(bob).toMatch(/refund all.*Approved.*refund order/s)
    expect(bob).not.toContain("delete user data")
    expect(gus).toContain("Nothing like that waits. Nothing like that was decided.")
    expect(other).toContain("delete user data")
    const example = /"placeholder":\{"type":"plain_text","text":"([^"]+)"/.exec(
      JSON.stringify(here.sandbox.home(sandboxCast.bob)?.definition),
    )?.[1]
    expect(example).toMatch(/^[a-z]+ agent:[a-z-]+$/)
    const ofExample = await found(sandboxCast.bob, example ?? "")
    expect(ofExample).not.toContain("Nothing like that waits.")
    await here.sandbox.command(sandboxCast.bob, sandboxCast.general, `/approvals list ${example}`)
    await here.sandbox.waitFor(
      () =>
        here.sandbox.ephemerals(sandboxCast.bob).some(({ text }) => text.includes("waiting, the most urgent first")),
      { limitMs, what: "the list to find what the example of Home's search finds" },
    )
    await here.sandbox.click(sandboxCast.bob, homeId(here, sandboxCast.bob), `${actionIds.homePage}_clear`)
    await here.sandbox.waitFor(
      () => !wordsOf(here.sandbox.home(sandboxCast.bob)?.definition.blocks).includes("Found for"),
      { limitMs, what: "the search to be cleared" },
    )
  })

  it("Home turns its pages, ten at a time, says which page it is, and how long each waits", async () => {
    const here = await aWorld({ mode })
    for (let index = 0; index < 12; index += 1) await ask(here, { tool_name: `tool_${index}_of_many` })
    await card(here, "tool_0_of_many")
    await here.sandbox.waitFor(() => here.sandbox.messages(sandboxCast.approvals).length >= 12 || undefined, {
      limitMs,
      what: "all cards",
    })
    await here.sandbox.openHome(sandboxCast.bob)
    const first = await homeSays(here, sandboxCast.bob, "of many")

    await here.sandbox.click(sandboxCast.bob, homeId(here, sandboxCast.bob), `${actionIds.homePage}_next`)
    const second = await homeSays(here, sandboxCast.bob, "Previous")
    const [ten, two] = [first, second].map((said) => said.match(/tool \d+ of many/g) ?? [])

    expect([ten?.length, two?.length]).toEqual([10, 2])
    expect(new Set([ten, two].flat()).size).toBe(12)
    expect(first).toMatch(/tool \d+ of many.* · (?:now|\d+ min)/s)
    expect([first, second].map((said) => /Page \d of \d/.exec(said)?.[0])).toEqual(["Page 1 of 2", "Page 2 of 2"])
    await here.sandbox.click(sandboxCast.bob, homeId(here, sandboxCast.bob), `${actionIds.homePage}_previous`)
    await homeSays(here, sandboxCast.bob, "Next")
  })

  it("a Home that is behind cannot vote: what it shows as waiting is told to be over", async () => {
    const { here, asked, open } = await announcedWorld({ mode })
    await here.sandbox.openHome(sandboxCast.bob)
    await homeSays(here, sandboxCast.bob, "delete user data")
    here.sandbox.faults.web("views.publish", { kind: "status", status: 500 }, { times: 1_000 })
    await press(here, sandboxCast.alice, open, "approve")
    await decided(here, asked.id)

    await here.sandbox.click(sandboxCast.bob, homeId(here, sandboxCast.bob), actionIds.homeReject)

    await viewSays(here, sandboxCast.bob, "already approved by")
    expect((await record(here, asked.id)).status).toBe("approved")
    here.sandbox.faults.clear()
    await homeSays(here, sandboxCast.bob, "Nothing waits for you.")
  })

  it("the shortcut shows the approval of a card and of a line in its thread, to those who may see it", async () => {
    const here = await aWorld({ mode, rules: `${plainRule}\n    quorum: 2` })
    await ask(here)
    const open = await card(here)
    await press(here, sandboxCast.alice, open, "approve")
    await threadSays(here, open, "approved this")
    const [line] = here.sandbox.thread(sandboxCast.approvals, open.ts)

    await here.sandbox.shortcut(sandboxCast.bob, shortcutId, { channel: sandboxCast.approvals, ts: line?.ts ?? "" })
    await viewSays(here, sandboxCast.bob, "You may approve this")
    await here.sandbox.shortcut(sandboxCast.alice, shortcutId, { channel: sandboxCast.approvals, ts: open.ts })
    await viewSays(here, sandboxCast.alice, "You approved this already")
    await here.sandbox.shortcut(sandboxCast.gus, shortcutId, { channel: sandboxCast.approvals, ts: open.ts })

    await viewSays(here, sandboxCast.gus, "Guests cannot open this")
  })
})
