// Replicas with different files (R16): all work under the config that is active, and a credential goes only where its
// own file sends it.
import { describe, expect, it } from "vitest"
import type { Bot } from "../../src/bot.ts"
import { startFaultyProxy } from "../support/faulty-proxy.ts"
import { opened } from "../support/opened.ts"
import { testRedisUrl } from "../support/redis.ts"
import { aWorld } from "./a-world.ts"
import { ask, card, cardSaying, cards, decided, ledgerOf, press, record, resolves, settled, until } from "./acts.ts"
import { limitMs, sandboxCast, startTestBot, type World } from "./world.ts"

/** A rule that asks these people. */
function ruleFor(people: string, more = ""): string {
  const asked = `routes: [${sandboxCast.approvals}]\n    approvers: [${people}]`
  return `\n  - name: everything\n    ${asked}\n    unknown_requester: allow\n    require_reason: never${more}`
}

/** A replica with a file of its own. */
interface Replica {
  readonly bot: Bot
  readonly log: readonly Record<string, unknown>[]
}

async function replicaWith(here: World, yaml: string, activate = false): Promise<Replica> {
  const log: Record<string, unknown>[] = []
  const bot = await opened(startTestBot({ env: here.env, yaml, log, redisUrl: testRedisUrl(), activate }))
  return { bot, log }
}

/** The same file with other rules. */
function withRules(here: World, rules: string): string {
  return `${here.yaml.slice(0, here.yaml.indexOf("rules:"))}rules:${rules}\n`
}

function events(log: Replica["log"], event: string) {
  return log.filter((line) => line["event"] === event)
}

const both = `${sandboxCast.alice}, ${sandboxCast.bob}`

describe.each(["socket", "http"] as const)("R16 all replicas work under the active config: in %s mode,", (mode) => {
  it("one that runs goes over to a newer file's rules, is ready, and counts votes under them", async () => {
    const here = await aWorld({ mode, rules: ruleFor(both) })
    const asked = await ask(here)
    await card(here)
    const newer = await replicaWith(here, withRules(here, ruleFor(both, "\n    quorum: 2")))
    await newer.bot.close()

    const anew = await cardSaying(here, "must approve, nobody has yet")
    expect((await fetch(`${here.bot.url}/readyz`)).status).toBe(200)
    expect(events(here.log, "config-taken-over")).toHaveLength(1)
    await press(here, sandboxCast.alice, anew, "approve")
    const half = await cardSaying(here, "must approve; 1 has")
    expect((await record(here, asked.id)).status).toBe("pending")

    await press(here, sandboxCast.bob, half, "approve")
    expect(await decided(here, asked.id)).toMatchObject({ status: "approved" })
  })

  it("a removed approver approves through no stale replica, neither one that runs nor one that starts", async () => {
    const here = await aWorld({ mode, rules: ruleFor(both) })
    const first = await ask(here)
    const shown = await card(here)
    const drawn = () =>
      JSON.stringify(here.sandbox.messages(sandboxCast.approvals).find(({ ts }) => ts === shown.ts)?.blocks)
    expect(drawn()).toContain(sandboxCast.alice)
    const newer = await replicaWith(here, withRules(here, ruleFor(sandboxCast.bob)))
    await newer.bot.close()

    const answers = () => here.sandbox.ephemerals(sandboxCast.alice).map(({ text }) => text)
    await press(here, sandboxCast.alice, shown, "approve")
    await until("the first answer", () => (answers().length === 1 ? true : undefined))
    await here.bot.close()
    here.bot = await here.start()
    await until("the card that asks Bob alone", () => (drawn().includes(sandboxCast.alice) ? undefined : true))
    await press(here, sandboxCast.alice, await card(here), "approve")
    await until("the second answer", () => (answers().length === 2 ? true : undefined))

    // The first press may come before the card was drawn anew, or after.
    expect(answers()[0]).toMatch(/has changed|not one of the approvers/)
    expect(answers()[1]).toContain("not one of the approvers")
    expect(resolves(here)).toBe(0)
    expect((await record(here, first.id)).status).toBe("pending")
    await press(here, sandboxCast.bob, await card(here), "approve")
    expect(await decided(here, first.id)).toMatchObject({ status: "approved" })
  })
})

describe("R16 a credential goes only to the address that the replica's own file names:", () => {
  it("a replica neither polls nor posts where the active config names another address; it raises one alarm and leaves the work to others", async () => {
    const here = await aWorld()
    const waiting = await ask(here)
    const shown = await card(here)
    const moved = await opened(startFaultyProxy(here.service.url))
    const newer = await replicaWith(here, here.yaml.replace(here.proxy.url, moved.url))
    await until("the alarm", () => (elsewhere(here.log).length > 0 ? true : undefined))
    await until("the polls of the newer one", () => (polls(moved.passed) > 3 ? true : undefined))
    const before = here.proxy.passed.length

    await press(here, sandboxCast.alice, shown, "approve")
    expect(await decided(here, waiting.id)).toMatchObject({ status: "approved" })
    await settled(here, "Approved")
    const next = await ask(here, { tool_name: "drop_index" })
    await press(here, sandboxCast.bob, await card(here, "drop_index"), "reject")
    expect(await decided(here, next.id)).toMatchObject({ status: "rejected" })
    await newer.bot.close()
    await ask(here, { tool_name: "asked_too_late" })
    await until("a look of the old one", () => looks(here))

    expect(here.proxy.passed.slice(before)).toEqual([])
    expect(cards(here, "asked_too_late")).toEqual([])
    const status = await fetch(`${here.bot.url}/status`)
    expect([status.status, await status.json()]).toEqual([
      503,
      { status: "not ok", problems: { "instance main": expect.stringContaining("left to other replicas") } },
    ])
    expect((await fetch(`${here.bot.url}/readyz`)).status).toBe(200)
    expect(elsewhere(here.log)).toEqual([expect.objectContaining({ code: "instance-elsewhere", instance: "main" })])
    expect(elsewhere(newer.log)).toEqual([])
  })
})

function elsewhere(log: Replica["log"]) {
  return events(log, "alarm").filter((line) => line["code"] === "instance-elsewhere")
}

function polls(passed: World["proxy"]["passed"]): number {
  return passed.filter(({ method, path }) => method === "GET" && path.endsWith("/approvals")).length
}

/** True once the one replica that is left did what it does each second, and was asked how it is. */
async function looks(here: World): Promise<true | undefined> {
  const text = await (await fetch(`${here.bot.url}/metrics`)).text()
  const [, count = "0"] = /countersign_steps_total\{step="sweep",result="ok"\} (\d+)/.exec(text) ?? []
  return Number(count) > 3 ? true : undefined
}

describe("R16 an earlier config becomes active again", () => {
  it("an earlier config becomes active again only by --activate: then the newer replica goes over to it, and the ledger says so", async () => {
    const here = await aWorld({ rules: ruleFor(both) })
    const newer = await replicaWith(here, withRules(here, ruleFor(sandboxCast.bob).replace("everything", "stricter")))
    const asked = await ask(here)
    const stricter = () => cards(here, "delete_user_data must").find((seen) => !seen.words.includes(sandboxCast.alice))
    await here.sandbox.waitFor(stricter, { limitMs, what: "a card that asks Bob alone" })

    const stale = await replicaWith(here, here.yaml)
    expect(events(stale.log, "config-taken-over")).toHaveLength(1)
    await here.bot.close()
    await stale.bot.close()
    const back = await replicaWith(here, here.yaml, true)
    await back.bot.close()
    await until("the newer one to go over", () => events(newer.log, "config-taken-over")[0])
    const anew = await until(
      "the card under the old rules",
      () => cards(here, `delete_user_data ${sandboxCast.alice}`)[0],
    )
    await press(here, sandboxCast.alice, anew, "approve")

    expect(await decided(here, asked.id)).toMatchObject({ status: "approved" })
    const activated = (await ledgerOf(here)).filter(({ kind }) => kind === "activated")
    expect(activated.map(({ again }) => again)).toEqual([false, false, true])
  })
})
