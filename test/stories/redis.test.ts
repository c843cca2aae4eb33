// Redis restarts at every stage of a case, and a thousand approvals wait when the bot starts.
import { afterEach, describe, expect, it } from "vitest"
import { actionIds } from "../../src/slack/ids.ts"
import { type OwnRedis, startOwnRedis } from "../support/redis.ts"
import {
  alarms,
  announced,
  ask,
  card,
  cardSaying,
  cards,
  decided,
  ledgerOf,
  placed,
  press,
  record,
  resolves,
  type Seen,
  settled,
  threadSays,
  told,
  until,
  viewSays,
} from "./acts.ts"
import { plainRule, type Row, sandboxCast, startWorld, type World, type WorldOptions } from "./world.ts"

let world: World | undefined
let redis: OwnRedis | undefined

/** A world whose Redis may be killed. */
async function aWorld(options: WorldOptions): Promise<{ here: World; own: OwnRedis }> {
  redis = await startOwnRedis()
  world = await startWorld({ ...options, redisUrl: redis.url })
  return { here: world, own: redis }
}

afterEach(async () => {
  await world?.close()
  await redis?.stop()
  world = undefined
  redis = undefined
})

/** Kills Redis without warning and starts it again over what it had written. */
async function crash(own: OwnRedis): Promise<void> {
  await own.kill()
  await own.restart()
}

/** Presses until the bot takes it: what it cannot keep is not acknowledged, and the person sees that. */
async function pressUntilTaken(here: World, person: string, on: Seen): Promise<void> {
  await until("a press to be taken", async () => {
    const pressed = await press(here, person, on, "approve")
    return pressed.ok ? true : undefined
  })
}

/** The platform, the card, its thread and the ledger say one and the same end, once. */
async function endedOnce(here: World, own: OwnRedis, open: Seen): Promise<void> {
  expect((await settled(here, "Approved")).ts).toBe(open.ts)
  expect(cards(here, "delete_user_data")).toHaveLength(1)
  const lines = await threadSays(here, open, "resolved by")
  expect(new Set(lines).size).toBe(lines.length)
  const kinds = (await ledgerOf(here, own.url)).map((entry) => entry["kind"])
  expect(kinds.filter((kind) => kind === "decided")).toHaveLength(1)
  expect(kinds.filter((kind) => kind === "resolved")).toHaveLength(1)
}

describe.each(["socket", "http"] as const)("in %s mode Redis", (mode) => {
  it("R17 Redis restarts while a card is open: the case is compared with the platform before the next vote counts", async () => {
    const { here, own } = await aWorld({ mode })
    const { asked, open } = await announced(here)

    await crash(own)
    await pressUntilTaken(here, sandboxCast.alice, open)

    expect(await decided(here, asked.id)).toMatchObject({ status: "approved", resolved_by: "alice@sandbox.example" })
    const reads = here.proxy.passed.filter((one) => one.path === `/approvals/${asked.id}`)
    expect(reads.length).toBeGreaterThan(0)
    expect(resolves(here)).toBe(1)
    await endedOnce(here, own, open)
  })

  it("R17 Redis restarts while a ticket waits for the platform: the press is carried out afterwards, once", async () => {
    const { here, own } = await aWorld({ mode })
    const { asked, open } = await announced(here)
    await placed(here)
    const healthy = here.proxy.fail({
      method: "GET",
      path: new RegExp(`/approvals/${asked.id}$`),
      fault: { kind: "answer", status: 503, body: { detail: "down" } },
    })
    await press(here, sandboxCast.alice, open, "approve")
    await told(here, sandboxCast.alice, "platform")

    await crash(own)
    expect((await record(here, asked.id)).status).toBe("pending")
    healthy()

    expect(await decided(here, asked.id)).toMatchObject({ status: "approved", resolved_by: "alice@sandbox.example" })
    expect(resolves(here)).toBe(1)
    await endedOnce(here, own, open)
  })

  it("R17 Redis restarts after one of two votes: the first vote still counts, and the second decides", async () => {
    const { here, own } = await aWorld({ mode, rules: `${plainRule}\n    quorum: 2` })
    const { asked, open } = await announced(here)
    await press(here, sandboxCast.alice, open, "approve")
    const half = await cardSaying(here, "must approve; 1 has")

    await crash(own)
    expect((await record(here, asked.id)).status).toBe("pending")
    await pressUntilTaken(here, sandboxCast.bob, half)

    const row = await decided(here, asked.id)
    expect(row).toMatchObject({ status: "approved", resolved_by: "bob@sandbox.example" })
    expect(JSON.stringify(row["resolution_data"])).toContain("alice@sandbox.example")
    expect(resolves(here)).toBe(1)
    await endedOnce(here, own, open)
  })

  it.each([
    { became: "took effect", forwarded: true, posts: 1 },
    { became: "never arrived", forwarded: false, posts: 2 },
  ])("R9 R17 Redis restarts while a verdict is sent that $became: the record says how it ended", async (sent) => {
    const { here, own } = await aWorld({ mode })
    const { asked, open } = await announced(here)
    const fault = { kind: "swallow", forwarded: sent.forwarded } as const
    here.proxy.fail({ method: "POST", path: /\/resolve$/, times: 1, fault })
    await press(here, sandboxCast.alice, open, "approve")
    await until("the POST to be on its way", () => (resolves(here) === 1 ? true : undefined))

    await crash(own)

    expect(await decided(here, asked.id)).toMatchObject({ status: "approved", resolved_by: "alice@sandbox.example" })
    await endedOnce(here, own, open)
    expect(resolves(here)).toBe(sent.posts)
  })
})

/** More than the limits give cards to (R20): the rest waits for room. */
const many = 1_000
const room = 20

describe.each(["socket", "http"] as const)("a thousand approvals that wait at the start, in %s mode,", (mode) => {
  it("R20 are opened once each, get so many cards as there is room for, and any of them can be decided meanwhile", async () => {
    world = await startWorld({ mode, pollMs: 1_000, more: `limits: { cards_per_agent: ${room} }` })
    const here = world
    await here.bot.close()
    const asked: Row[] = []
    for (let made = 0; made < many; made += 50) {
      const names = Array.from({ length: 50 }, (_, index) => ({ tool_name: `task_${made + index}` }))
      asked.push(...(await Promise.all(names.map((name) => ask(here, name)))))
    }
    await here.start()
    const open = await card(here, "task_")
    await press(here, sandboxCast.alice, open, "approve")
    await settled(here, "Approved")

    const opened = () => here.log.filter((line) => line["event"] === "case" && line["kind"] === "opened")
    await until("all to be opened", () => (opened().length >= many ? true : undefined), 240_000)
    await until("the alarm", () => (alarms(here).includes("flood") ? true : undefined))
    await until("the next one's card", () => (cards(here, "task_").length === room + 1 ? true : undefined))
    const shown = cards(here, "task_").map((seen) => /task_\d+/.exec(seen.words)?.[0])
    const hidden = asked.find((row) => !shown.includes(String(row["tool_name"])))
    await here.sandbox.command(sandboxCast.alice, sandboxCast.general, `/approvals reject ${hidden?.id}`)
    await viewSays(here, sandboxCast.alice, "You may")
    await here.sandbox.click(sandboxCast.alice, here.sandbox.openView(sandboxCast.alice)?.id ?? "", actionIds.reject)

    expect(await decided(here, hidden?.id ?? "")).toMatchObject({ status: "rejected" })
    expect(new Set(shown).size).toBe(room + 1)
    expect(new Set(opened().map((line) => line["caseId"])).size).toBe(many)
    expect(opened()).toHaveLength(many)
    expect(alarms(here).filter((code) => code === "flood")).toHaveLength(1)
    expect(resolves(here)).toBe(2)
  })
})
