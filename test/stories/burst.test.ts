// Many approvals at once: a summary instead of minutes of queue, room for cards (R20), and limits that hold only what
// they are about.
import { describe, expect, it, onTestFinished } from "vitest"
import { createLog } from "../../src/log.ts"
import { actionIds } from "../../src/slack/ids.ts"
import { connectRedis } from "../../src/store/redis/connection.ts"
import { anOwnRedis } from "../support/redis.ts"
import { aWorld } from "./a-world.ts"
import {
  alarms,
  ask,
  card,
  cardSaying,
  cards,
  decided,
  ledgerOf,
  operate,
  press,
  record,
  type Seen,
  settled,
  threadSays,
  told,
  until,
  viewSays,
} from "./acts.ts"
import { limitMs, plainRule, sandboxCast, type World } from "./world.ts"

/** So many approvals at once, each about a user of its own; their ids. */
async function askMany(here: World, count: number): Promise<readonly string[]> {
  const asked = Array.from({ length: count }, (_, index) => ask(here, { tool_args: { user_id: `U-${index}` } }))
  return (await Promise.all(asked)).map((row) => row.id)
}

function summary(here: World): Promise<Seen> {
  const look = () => cards(here, "").find((seen) => seen.buttons.includes(actionIds.review))
  return here.sandbox.waitFor(look, { limitMs, what: "a summary" })
}

const ownCards = (here: World) =>
  cards(here, "delete_user_data").filter((seen) => seen.buttons.includes(actionIds.details))
const openCards = (here: World) => ownCards(here).filter((seen) => seen.buttons.includes(actionIds.approve))

describe.each(["socket", "http"] as const)("in %s mode a burst", (mode) => {
  it("R4 R18 becomes one summary, and is reviewed one by one: each case whole, each voted on by itself", async () => {
    const here = await aWorld({ mode, paceMs: 2_000, summaryAbove: 2 })
    const ids = await askMany(here, 6)
    const hangs = await summary(here)
    const viewId = () => here.sandbox.openView(sandboxCast.alice)?.id ?? ""
    expect(hangs.buttons).toEqual([actionIds.review])

    await here.sandbox.click(sandboxCast.alice, hangs, actionIds.review)
    await viewSays(here, sandboxCast.alice, "You may approve this")
    await here.sandbox.click(sandboxCast.alice, viewId(), actionIds.approve)
    await viewSays(here, sandboxCast.alice, "Thank you")
    await here.sandbox.click(sandboxCast.alice, viewId(), actionIds.next)
    await viewSays(here, sandboxCast.alice, "You may approve this")
    await here.sandbox.click(sandboxCast.alice, viewId(), actionIds.reject)
    await viewSays(here, sandboxCast.alice, "Thank you")

    const statuses = await Promise.all(ids.map(async (id) => (await record(here, id)).status))
    expect(statuses.toSorted()).toEqual(["approved", "pending", "pending", "pending", "pending", "rejected"])
    const votes = (await ledgerOf(here)).filter((event) => event["kind"] === "voted")
    expect(votes.map((vote) => vote["surface"])).toEqual(["summary", "summary"])
  })

  it("is over when each case was decided or has its own card: the summary says so and has no button any more", async () => {
    const here = await aWorld({ mode, paceMs: 700, summaryAbove: 2 })
    const ids = await askMany(here, 5)
    const hangs = await summary(here)

    const over = () => cards(here, "Nothing waits on this summary").find((seen) => seen.ts === hangs.ts)
    const last = await here.sandbox.waitFor(over, { limitMs, what: "the summary to be over" })

    expect(last.buttons).toEqual([])
    expect(openCards(here)).toHaveLength(ids.length)
    expect(cards(here, "moved to their own cards")).toHaveLength(1)
  })

  it("R8 shows a stranger nothing on review, and a late decision elsewhere settles on the summary's line and thread", async () => {
    // So slow that no case gets a card of its own while this lasts, on a slow machine either.
    const here = await aWorld({ mode, paceMs: 8_000, summaryAbove: 2 })
    const ids = await askMany(here, 4)
    const hangs = await summary(here)

    await here.sandbox.click(sandboxCast.sam, hangs, actionIds.review)
    await viewSays(here, sandboxCast.sam, "Nothing on this summary waits for you")
    const carded = ownCards(here).map((seen) => seen.words)
    const [waits = ""] = ids.filter((_, index) => !carded.some((words) => words.includes(`user_id: U-${index}`)))
    await operate(here, `POST /approvals/${waits}/resolve`, {
      status: "rejected",
      resolved_by: "root@elsewhere.example",
    })

    await cardSaying(here, "Rejected elsewhere")
    await threadSays(here, hangs, "Decided outside Countersign")
  })
})

describe.each(["socket", "http"] as const)("in %s mode a limit", (mode) => {
  it("a limit on one method holds that method only: cards are posted and the clicked card settles while edits wait", async () => {
    const rules = plainRule.replace(`[${sandboxCast.approvals}]`, `[${sandboxCast.approvals}, ${sandboxCast.payments}]`)
    const here = await aWorld({ mode, rules })
    await ask(here)
    await card(here, "delete_user_data", sandboxCast.payments)
    here.sandbox.faults.web("chat.update", { kind: "ratelimited", retryAfterS: 6 }, { channel: sandboxCast.payments })
    const began = Date.now()

    await press(here, sandboxCast.alice, await card(here), "approve")
    await settled(here, "delete_user_data")
    await ask(here, { tool_name: "second_tool" })
    await card(here, "second_tool", sandboxCast.payments)
    const meanwhile = cards(here, "delete_user_data", sandboxCast.payments)
    await settled(here, "delete_user_data", sandboxCast.payments)

    expect(meanwhile.map((seen) => seen.buttons.includes(actionIds.approve))).toEqual([true])
    expect(Date.now() - began).toBeGreaterThanOrEqual(5_900)
  })
})

describe.each(["socket", "http"] as const)("R20 in %s mode a flood", (mode) => {
  it("gets so many cards as there is room for; the rest is listed, has one alarm, and follows in order", async () => {
    const here = await aWorld({ mode, more: "limits: { cards_per_agent: 2 }" })
    for (const index of [0, 1, 2, 3]) {
      await ask(here, { tool_args: { user_id: `U-${index}` } })
      await until("the case", async () => ((await ledgerOf(here)).filter(isOpened).length > index ? true : undefined))
    }
    await ask(here, { agent_id: "other-agent", tool_name: "other_tool" })
    await card(here, "other_tool")
    await until("the alarm", () => (alarms(here).includes("flood") ? true : undefined))
    expect(openCards(here)).toHaveLength(2)

    await here.sandbox.command(sandboxCast.alice, sandboxCast.general, "/approvals list")
    await told(here, sandboxCast.alice, "5 waiting")
    await press(here, sandboxCast.alice, await card(here, "U-0"), "approve")
    await card(here, "U-2")

    expect(cards(here, "U-3")).toEqual([])
    expect(alarms(here).filter((code) => code === "flood")).toHaveLength(1)
  })

  it("a flood that fills Redis stays at the platform above 80 % of the memory, while decisions go on", async () => {
    const redis = await anOwnRedis()
    const here = await aWorld({ mode, redisUrl: redis.url })
    const log = createLog({ write: () => undefined, clock: Date.now, level: "error", secrets: [] })
    const connection = await connectRedis({ url: redis.url, installation: here.installation, log })
    onTestFinished(() => connection.close())
    const first = await ask(here)
    const open = await card(here)
    const used = Number(/^used_memory:(\d+)/m.exec(await connection.commands.info("memory"))?.[1])
    await connection.commands.config("SET", "maxmemory", String(Math.floor(used / 0.88)))
    await until("the alarm", () => (alarms(here).includes("memory-short") ? true : undefined))

    await ask(here, { tool_name: "late_tool" })
    await press(here, sandboxCast.alice, open, "approve")
    const row = await decided(here, first.id)
    await threadSays(here, open, "The platform has it")

    expect(row).toMatchObject({ status: "approved" })
    expect(cards(here, "late_tool")).toEqual([])
    await connection.commands.config("SET", "maxmemory", "0")
    await card(here, "late_tool")
    expect(alarms(here).filter((code) => code === "memory-short")).toHaveLength(1)
  })
})

function isOpened(event: Record<string, unknown>): boolean {
  return event["kind"] === "opened"
}
