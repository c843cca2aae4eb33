// An approval from pending to settled card, in both of Slack's modes.
import { describe, expect, it } from "vitest"
import { announcedWorld, aWorld } from "./a-world.ts"
import {
  alarms,
  ask,
  card,
  cards,
  decided,
  giveReason,
  press,
  record,
  resolves,
  settled,
  threadSays,
  told,
} from "./acts.ts"
import { limitMs, plainRule, sandboxCast } from "./world.ts"

const reasonRule = plainRule.replace("require_reason: never", "require_reason: reject")
const pairRule = `${plainRule}\n    quorum: 2`

describe.each(["socket", "http"] as const)("in %s mode", (mode) => {
  it("a click on Approve resolves in the clicker's name, settles the card and tells the thread", async () => {
    const { here, asked, open } = await announcedWorld({ mode })

    const pressed = await press(here, sandboxCast.alice, open, "approve")

    expect(pressed).toMatchObject({ ok: true })
    expect(await decided(here, asked.id)).toMatchObject({
      status: "approved",
      resolved_by: "alice@sandbox.example",
      resolution_data: { countersign: { approvers: [{ slack: `T0SANDBOX:${sandboxCast.alice}` }], reason: null } },
    })
    expect((await settled(here, "delete_user_data")).words).toContain("Approved")
    await threadSays(here, open, "alice@sandbox.example")
    expect(resolves(here)).toBe(1)
    expect(cards(here, "delete_user_data")).toHaveLength(1)
  })

  it("a rejection asks for the reason, which stands on the record and in the thread", async () => {
    const { here, asked, open } = await announcedWorld({ mode, rules: reasonRule })

    await press(here, sandboxCast.bob, open, "reject")
    const submitted = await giveReason(here, sandboxCast.bob, "the ticket is closed")

    expect(submitted).toMatchObject({ ok: true })
    expect(await decided(here, asked.id)).toMatchObject({
      status: "rejected",
      resolved_by: "bob@sandbox.example",
      resolution_data: { countersign: { reason: "the ticket is closed" } },
    })
    expect((await settled(here, "delete_user_data")).words).toContain("Rejected")
    await threadSays(here, open, "the ticket is closed")
  })

  it("of two people who press at once one decides, and the other is told who was first", async () => {
    const { here, asked, open } = await announcedWorld({ mode })

    await Promise.all([press(here, sandboxCast.alice, open, "approve"), press(here, sandboxCast.bob, open, "reject")])

    const row = await decided(here, asked.id)
    const [first, second] =
      row.status === "approved" ? [sandboxCast.alice, sandboxCast.bob] : [sandboxCast.bob, sandboxCast.alice]
    expect(await told(here, second, "already")).toContain(first)
    expect(resolves(here)).toBe(1)
  })

  it("R1 a quorum of two needs two people; the same person twice is one", async () => {
    const { here, asked, open } = await announcedWorld({ mode, rules: pairRule })

    await press(here, sandboxCast.alice, open, "approve")
    await here.sandbox.waitFor(() => cards(here, "must approve; 1 has")[0], { limitMs, what: "must approve; 1 has" })
    const half = cards(here, "must approve; 1 has")[0] ?? open
    await press(here, sandboxCast.alice, half, "approve")
    await threadSays(here, open, sandboxCast.alice)
    expect((await record(here, asked.id)).status).toBe("pending")
    await press(here, sandboxCast.bob, half, "approve")

    const row = await decided(here, asked.id)
    expect(row).toMatchObject({ status: "approved", resolved_by: "bob@sandbox.example" })
    expect(JSON.stringify(row["resolution_data"])).toContain("alice@sandbox.example")
  })

  it("R6 the requester is refused, told why, and the approval stays pending", async () => {
    const here = await aWorld({ mode })
    const asked = await ask(here, { user_id: "alice@sandbox.example" })
    const open = await card(here)

    await press(here, sandboxCast.alice, open, "approve")

    await told(here, sandboxCast.alice, "you asked for")
    expect((await record(here, asked.id)).status).toBe("pending")
    await press(here, sandboxCast.bob, open, "approve")
    expect(await decided(here, asked.id)).toMatchObject({ resolved_by: "bob@sandbox.example" })
  })

  it("R5 a stranger, a guest, a deactivated user, a bot and a colleague who is no approver are refused", async () => {
    const rules = plainRule.replace(
      `[${sandboxCast.approvers}]`,
      `[${sandboxCast.approvers}, ${sandboxCast.gus}, ${sandboxCast.dan}, ${sandboxCast.bot}, ${sandboxCast.sam}]`,
    )
    const { here, asked, open } = await announcedWorld({ mode, rules })

    for (const person of [sandboxCast.gus, sandboxCast.sam, sandboxCast.rita, sandboxCast.dan, sandboxCast.bot])
      await press(here, person, open, "approve")

    await told(here, sandboxCast.gus, "guest")
    await told(here, sandboxCast.sam, "workspace")
    await told(here, sandboxCast.rita, "approver")
    await told(here, sandboxCast.dan, "deactivated")
    await told(here, sandboxCast.bot, "bot")
    expect((await record(here, asked.id)).status).toBe("pending")
    expect(resolves(here)).toBe(0)
  })

  it("R1 a row with two gated calls under two rules needs both rules' approvers", async () => {
    const rules = `
  - { name: deletions, match: { tool: "delete_*" }, routes: [${sandboxCast.approvals}],
      approvers: [${sandboxCast.alice}], unknown_requester: allow, require_reason: never }
  - { name: payments, match: { tool: "pay_*" }, routes: [${sandboxCast.payments}], approvers: [${sandboxCast.bob}],
      unknown_requester: allow, require_reason: never }`
    const here = await aWorld({ mode, rules })
    const requirements = ["delete_user_data", "pay_invoice"].map((tool_name, index) => ({
      id: `r${index}`,
      tool_execution: {
        tool_call_id: `c${index}`,
        tool_name,
        tool_args: { index },
        requires_confirmation: true,
        approval_type: "required",
      },
    }))
    const asked = await ask(here, { requirements })
    const deletions = await card(here, "delete_user_data pay_invoice")
    const payments = await card(here, "delete_user_data pay_invoice", sandboxCast.payments)

    await press(here, sandboxCast.alice, deletions, "approve")
    await threadSays(here, deletions, sandboxCast.alice)
    expect((await record(here, asked.id)).status).toBe("pending")
    const now = await card(here, "pay_invoice", sandboxCast.payments)
    await press(here, sandboxCast.bob, now, "approve")

    expect(await decided(here, asked.id)).toMatchObject({ status: "approved" })
    await settled(here, "pay_invoice")
    await settled(here, "pay_invoice", sandboxCast.payments)
    expect(payments.ts).toBe(now.ts)
    expect(alarms(here)).toEqual([])
  })
})
