// Slack misbehaves: 429, 5xx, answers that never come, deliveries that come twice, dropped sockets, deleted cards.
import { describe, expect, it } from "vitest"
import { createKeys } from "../../src/store/redis/keys.ts"
import { testRedisUrl } from "../support/redis.ts"
import { announcedWorld, aWorld } from "./a-world.ts"
import {
  alarms,
  announced,
  answersGrowOld,
  ask,
  card,
  cards,
  decided,
  placed,
  press,
  record,
  resolves,
  settled,
  threadSays,
  told,
  until,
  withRedis,
} from "./acts.ts"
import { plainRule, sandboxCast } from "./world.ts"

describe.each(["socket", "http"] as const)("in %s mode posting a card, when Slack", (mode) => {
  it("a card waits for a channel on which Slack answers 429, and delays no other", async () => {
    const rules = `
  - { name: pay, match: { tool: "pay_*" }, routes: [${sandboxCast.payments}], approvers: [${sandboxCast.alice}],
      unknown_requester: allow }${plainRule}`
    const here = await aWorld({ mode, rules })
    here.sandbox.faults.web(
      "chat.postMessage",
      { kind: "ratelimited", retryAfterS: 6 },
      { channel: sandboxCast.payments },
    )
    const began = Date.now()
    await ask(here, { tool_name: "pay_invoice" })
    await ask(here)

    await card(here)
    expect(cards(here, "pay_invoice", sandboxCast.payments)).toEqual([])
    await card(here, "pay_invoice", sandboxCast.payments)

    expect(Date.now() - began).toBeGreaterThanOrEqual(5_900)
    expect(cards(here, "pay_invoice", sandboxCast.payments)).toHaveLength(1)
  })

  it("a card that Slack answers with 500 is posted again", async () => {
    const here = await aWorld({ mode })
    here.sandbox.faults.web("chat.postMessage", { kind: "status", status: 500 })
    await ask(here)

    await card(here)

    expect(cards(here, "delete_user_data")).toHaveLength(1)
  })

  it("a card that Slack accepts and never answers is found, and no second one is posted", async () => {
    const here = await aWorld({ mode })
    here.sandbox.faults.web("chat.postMessage", { kind: "accept_then_never_answer" })
    const { asked, open } = await announced(here)

    await press(here, sandboxCast.alice, open, "approve")

    expect(await decided(here, asked.id)).toMatchObject({ status: "approved" })
    expect(cards(here, "delete_user_data")).toHaveLength(1)
    await settled(here, "delete_user_data")
  })

  it("where Slack does not let us into a channel the operator is told, and commands reach the case", async () => {
    const rules = plainRule.replace(sandboxCast.approvals, "C0NOWHERE")
    const here = await aWorld({ mode, rules })
    await ask(here)

    await until("the alarm", () => (alarms(here).includes("route-in-trouble") ? true : undefined))
    await here.sandbox.command(sandboxCast.alice, sandboxCast.general, "/approvals")

    expect(await told(here, sandboxCast.alice, "delete user data")).toContain("delete user data")
  })
})

describe.each(["socket", "http"] as const)("in %s mode settling, when Slack", (mode) => {
  it("a card settles all the same where Slack answers 500 on the update and on the response_url", async () => {
    const { here, asked, open } = await announcedWorld({ mode })
    here.sandbox.faults.web("chat.update", { kind: "status", status: 500 })
    here.sandbox.faults.web("response_url", { kind: "status", status: 500 })

    await press(here, sandboxCast.alice, open, "approve")

    expect(await decided(here, asked.id)).toMatchObject({ status: "approved" })
    expect((await settled(here, "delete_user_data")).words).toContain("Approved")
  })

  it("a settling that Slack takes and never answers is done once more, with one line each in the thread", async () => {
    const { here, asked, open } = await announcedWorld({ mode })
    here.sandbox.faults.web("response_url", { kind: "accept_then_never_answer" })

    await press(here, sandboxCast.alice, open, "approve")

    await decided(here, asked.id)
    await settled(here, "delete_user_data")
    const lines = await threadSays(here, open, "alice@sandbox.example")
    expect(new Set(lines).size).toBe(lines.length)
  })

  it("an open card that somebody deleted is posted again once", async () => {
    const { here, asked, open } = await announcedWorld({ mode, rules: `${plainRule}\n    quorum: 2` })
    here.sandbox.workspace.messages.remove(sandboxCast.approvals, open.ts)
    here.proxy.fail({
      method: "GET",
      path: new RegExp(`/approvals/${asked.id}$`),
      fault: {
        kind: "answer",
        status: 200,
        body: { ...(await record(here, asked.id)), tool_args: { user_id: "U-7" } },
      },
    })
    here.proxy.fail({
      method: "GET",
      path: /\/approvals$/,
      fault: {
        kind: "answer",
        status: 200,
        body: {
          data: [{ ...(await record(here, asked.id)), tool_args: { user_id: "U-7" } }],
          meta: { page: 1, limit: 100, total_pages: 1, total_count: 1 },
        },
      },
    })

    const again = await card(here, "U-7")

    expect(again.ts).not.toBe(open.ts)
    expect(cards(here, "U-7")).toHaveLength(1)
  })
})

// The connection is the socket itself in Socket Mode, and in HTTP mode the one request.
describe.each(["socket", "http"] as const)("in %s mode a delivery that", (mode) => {
  it("a delivery that loses its connection before the ack is carried out all the same", async () => {
    const { here, asked, open } = await announcedWorld({ mode })
    here.sandbox.faults.delivery({ kind: "drop_before_ack" })

    await press(here, sandboxCast.alice, open, "approve").catch(() => undefined)

    expect(await decided(here, asked.id)).toMatchObject({ status: "approved", resolved_by: "alice@sandbox.example" })
    await settled(here, "delete_user_data")
  })
})

describe.each(["socket", "http"] as const)("in %s mode looking people up, when Slack", (mode) => {
  it("R5 while Slack does not say who somebody is nobody decides; the press counts when it answers again", async () => {
    const { here, asked, open } = await announcedWorld({ mode })
    await placed(here)
    here.sandbox.faults.web("users.info", { kind: "status", status: 503 }, { times: 1 })

    await press(here, sandboxCast.alice, open, "approve")

    await told(here, sandboxCast.alice, "slack")
    expect(await decided(here, asked.id)).toMatchObject({ status: "approved" })
  })

  it("R7 an e-mail that means somebody else than when it was linked is refused for both, with an alarm", async () => {
    const rules = plainRule.replace(`[${sandboxCast.approvers}]`, `[alice@sandbox.example, ${sandboxCast.rita}]`)
    const here = await aWorld({
      mode,
      rules: rules.replace("require_reason: never", "require_reason: never\n    quorum: 1"),
    })
    const first = await ask(here)
    await press(here, sandboxCast.alice, await card(here), "approve")
    await decided(here, first.id)
    const people = here.sandbox.workspace.people
    const alice = people.get(sandboxCast.alice)
    const bob = people.get(sandboxCast.bob)
    if (alice === undefined || bob === undefined) throw new Error("no alice or bob")
    here.sandbox.workspace.putPerson({ ...alice, email: "old@sandbox.example" })
    here.sandbox.workspace.putPerson({ ...bob, email: "alice@sandbox.example" })
    await here.bot.close()
    await answersGrowOld(here)
    await here.start()
    const second = await ask(here, { tool_name: "drop_table" })
    const open = await card(here, "drop_table")

    await press(here, sandboxCast.bob, open, "approve")

    await told(here, sandboxCast.bob, "alice@sandbox.example")
    expect((await record(here, second.id)).status).toBe("pending")
    expect(alarms(here)).toContain("email-means-somebody-else")
  })
})

describe.each(["socket", "http"] as const)("a click that comes late, in %s mode", (mode) => {
  it.each(["approve", "reject"] as const)(
    "R11 a late click to %s counts nothing and is told to press again",
    async (verb) => {
      let lateMs = 125_000
      const { here, asked, open } = await announcedWorld({ mode, slackClock: () => Date.now() - lateMs })

      await press(here, sandboxCast.alice, open, verb)

      await told(here, sandboxCast.alice, "please press again")
      expect(resolves(here)).toBe(0)
      lateMs = 0
      await press(here, sandboxCast.alice, open, verb)
      expect((await decided(here, asked.id)).status).toBe(verb === "approve" ? "approved" : "rejected")
    },
  )

  it("R11 a late click of which the delivery came twice counts once", async () => {
    const { here, asked, open } = await announcedWorld({ mode })
    here.sandbox.faults.delivery({ kind: "twice" })

    await press(here, sandboxCast.alice, open, "approve")

    await decided(here, asked.id)
    await settled(here, "delete_user_data")
    const lines = await threadSays(here, open, "alice@sandbox.example")
    expect(resolves(here)).toBe(1)
    expect(new Set(lines).size).toBe(lines.length)
  })
})

it("the sockets of two replicas are counted together, so that neither takes the other for a stranger", async () => {
  const here = await aWorld({})
  await here.start()

  const counted = await withRedis({ url: testRedisUrl(), installation: here.installation }, ({ commands }) =>
    until("both sockets", async () => {
      const all = Object.values(await commands.hgetall(createKeys(here.installation).sockets))
      return all.length === 2 ? all.map((value): unknown => JSON.parse(value)) : undefined
    }),
  )

  expect(counted).toMatchObject([{ foreign: 0 }, { foreign: 0 }])
})

describe.each(["socket", "http"] as const)("in %s mode an app that somebody", (mode) => {
  it.each(["app_uninstalled", "tokens_revoked"] as const)(
    "an app that somebody takes away (%s) raises an alarm, and readiness says so",
    async (removal) => {
      const here = await aWorld({ mode })
      const readiness = async () => (await fetch(`${here.bot.url}/readyz`)).json()

      await here.sandbox.removeApp(removal, "subscribed")
      await until("the alarm", () => (alarms(here).includes("slack-token-refused") ? true : undefined))

      expect(await readiness()).toMatchObject({ problems: { slack: expect.stringContaining("SLACK_BOT_TOKEN") } })
    },
  )
})
