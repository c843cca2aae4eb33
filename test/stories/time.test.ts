// What time alone brings about, in both of Slack's modes: reminders, escalation, and expiry, which never approves.
import { describe, expect, it } from "vitest"
import { actionIds } from "../../src/slack/ids.ts"
import { announcedWorld, aWorld } from "./a-world.ts"
import {
  alarms,
  ask,
  card,
  cardSaying,
  cards,
  decided,
  ledgerOf,
  press,
  record,
  resolves,
  settled,
  threadSays,
  told,
  until,
} from "./acts.ts"
import { limitMs, plainRule, sandboxCast, type World } from "./world.ts"

const timedRule = (keys: string) => `${plainRule}\n    ${keys.split("; ").join("\n    ")}`
const expiring = (keys = "") => timedRule(`expire_after: 3s${keys}`)

/** How often something stands in the ledger. */
async function countOf(here: World, kind: string): Promise<number> {
  return (await ledgerOf(here)).filter((event) => event["kind"] === kind).length
}

describe.each(["socket", "http"] as const)("in %s mode", (mode) => {
  it("a rule whose review_by has passed raises an alarm, and counts as before", async () => {
    const here = await aWorld({ mode, rules: timedRule("review_by: 2020-01-31") })
    await here.start()
    await until("the alarm", () => (alarms(here).includes("rule-review-overdue") ? true : undefined))
    const asked = await ask(here)

    await press(here, sandboxCast.alice, await card(here), "approve")

    expect(await decided(here, asked.id)).toMatchObject({ status: "approved" })
  })

  it("a reminder names who can still decide in the thread of the card, and posts no new one", async () => {
    const { here, asked, open } = await announcedWorld({ mode, rules: timedRule("remind_after: [3s]; quorum: 2") })
    await press(here, sandboxCast.alice, open, "approve")
    await cardSaying(here, "must approve; 1 has")

    const said = await threadSays(here, open, "Still waiting")

    const line = said.find((one) => one.includes("Still waiting")) ?? ""
    expect(line).toContain(`<@${sandboxCast.bob}>`)
    expect(line).not.toContain(sandboxCast.alice)
    expect(cards(here, "delete_user_data")).toHaveLength(1)
    await here.sandbox.command(sandboxCast.bob, sandboxCast.general, "/approvals overdue")
    await told(here, sandboxCast.bob, "1 waiting")
    await press(here, sandboxCast.bob, cards(here, "delete_user_data")[0] ?? open, "approve")
    expect(await decided(here, asked.id)).toMatchObject({ status: "approved" })
  })

  it("an escalation asks others elsewhere, says so on every card, and their vote decides", async () => {
    const others = `{ routes: [${sandboxCast.payments}], approvers: [${sandboxCast.rita}] }`
    const { here, asked, open } = await announcedWorld({
      mode,
      rules: timedRule(`escalate: [{ after: 3s, to: ${others} }]`),
    })
    await press(here, sandboxCast.rita, open, "approve")
    await told(here, sandboxCast.rita, "not one of the approvers")

    const elsewhere = await card(here, "delete_user_data Escalated", sandboxCast.payments)
    expect((await card(here, "delete_user_data Escalated")).ts).toBe(open.ts)
    await threadSays(here, open, `<@${sandboxCast.rita}>`)
    await press(here, sandboxCast.rita, elsewhere, "approve")

    expect(await decided(here, asked.id)).toMatchObject({ status: "approved", resolved_by: "rita@sandbox.example" })
    await settled(here, "Approved")
    await settled(here, "Approved", sandboxCast.payments)
    expect(alarms(here)).toEqual([])
  })

  it("R13 after its expiry nobody decides, the card says so and loses its buttons, and the record stays", async () => {
    const { here, asked, open } = await announcedWorld({ mode, rules: expiring() })
    expect(open.words).toContain("decide by")

    const expired = await settled(here, "Expired")
    expect(expired).toMatchObject({ ts: open.ts, buttons: [actionIds.details] })
    await threadSays(here, open, "Time is up")
    await here.sandbox.command(sandboxCast.bob, sandboxCast.general, "/approvals overdue")
    await told(here, sandboxCast.bob, "Expired")

    expect(await record(here, asked.id)).toMatchObject({ status: "pending", resolved_by: null })
    expect(resolves(here)).toBe(0)
  })

  it("R13 a click that comes after the expiry is answered so, and approves nothing", async () => {
    const { here, asked, open } = await announcedWorld({ mode, rules: expiring("; quorum: 2") })
    await press(here, sandboxCast.alice, open, "approve")
    const half = await cardSaying(here, "must approve; 1 has")
    here.sandbox.faults.web("chat.update", { kind: "never_answer" }, { times: 10 })

    await until("the expiry", async () => ((await countOf(here, "expired")) === 1 ? true : undefined))
    await press(here, sandboxCast.bob, half, "approve")

    await told(here, sandboxCast.bob, "Time is up")
    expect(await record(here, asked.id)).toMatchObject({ status: "pending" })
    expect(resolves(here)).toBe(0)
  })

  it("R13 on_expiry: reject sends one rejection in nobody's name", async () => {
    const { here, asked, open } = await announcedWorld({ mode, rules: expiring("; on_expiry: reject; quorum: 2") })
    await press(here, sandboxCast.alice, open, "approve")

    expect(await decided(here, asked.id)).toMatchObject({
      status: "rejected",
      resolved_by: "countersign:expiry",
      resolution_data: { countersign: { approvers: [], reason: "nobody decided in time" } },
    })
    const ended = await settled(here, "Rejected too few")
    expect(ended).toMatchObject({ ts: open.ts, buttons: [actionIds.details, actionIds.receipt] })
    expect(ended.words).toContain("because too few people approved it in time")
    await threadSays(here, open, "resolved by countersign:expiry")
    expect(resolves(here)).toBe(1)
    expect(alarms(here)).toEqual([])
  })

  it("a deadline that came while no bot ran is kept after the restart, once", async () => {
    const here = await aWorld({ mode, rules: timedRule("remind_after: [4s]; expire_after: 1h") })
    await ask(here)
    const open = await card(here)
    await here.bot.close()
    const [opened] = (await ledgerOf(here)).filter((event) => event["kind"] === "opened")
    const due = Number(opened?.["at"]) + 4_000
    await until("the reminder to be due", () => (Date.now() > due ? true : undefined))
    expect(await countOf(here, "reminded")).toBe(0)

    here.bot = await here.start()

    await threadSays(here, open, "Still waiting")
    expect(await countOf(here, "reminded")).toBe(1)
    expect(cards(here, "delete_user_data")).toHaveLength(1)
  })

  it("two replicas remind once and reject once", async () => {
    const here = await aWorld({ mode, rules: timedRule("remind_after: [500ms]; expire_after: 6s; on_expiry: reject") })
    await here.start()
    const asked = await Promise.all(["one", "two", "three"].map((tool_name) => ask(here, { tool_name })))

    for (const { id } of asked) expect(await decided(here, id)).toMatchObject({ resolved_by: "countersign:expiry" })
    await until(
      "all cases to be closed",
      async () => ((await countOf(here, "closed")) === 3 ? true : undefined),
      limitMs,
    )

    const kinds = ["reminded", "expired", "decided", "resolved"]
    expect(await Promise.all(kinds.map((kind) => countOf(here, kind)))).toEqual([3, 3, 3, 3])
    expect(resolves(here)).toBe(3)
  })
})
