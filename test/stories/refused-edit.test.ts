// A card whose edit Slack refuses for good. What waits a minute here waits once, in both modes side by side.
import { expect, it } from "vitest"
import { actionIds } from "../../src/slack/ids.ts"
import { aWorld } from "./a-world.ts"
import { alarms, ask, card, cards, decided, placed, press, record, settled, until } from "./acts.ts"
import { plainRule, sandboxCast } from "./world.ts"

it("cards whose edit is refused for good settle, one by a late press, the other once its channel takes it, in socket and http mode", async () => {
  await Promise.all((["socket", "http"] as const).map(refusedEdits))
}, 120_000)

async function refusedEdits(mode: "socket" | "http"): Promise<void> {
  const rules = plainRule.replace(
    `[${sandboxCast.approvals}]`,
    `[${sandboxCast.approvals}, ${sandboxCast.payments}, ${sandboxCast.general}]`,
  )
  const here = await aWorld({ mode, rules })
  const asked = await ask(here)
  const open = await card(here)
  const stale = await card(here, "delete_user_data", sandboxCast.payments)
  await card(here, "delete_user_data", sandboxCast.general)
  await placed(here)
  for (const channel of [sandboxCast.payments, sandboxCast.general])
    here.sandbox.faults.web("chat.update", { kind: "error", error: "is_archived" }, { channel })

  await press(here, sandboxCast.alice, open, "approve")
  await decided(here, asked.id)
  await until("both refusals", () => {
    return alarms(here).filter((code) => code === "route-in-trouble").length === 2 ? true : undefined
  })
  const buttons = cards(here, "delete_user_data", sandboxCast.payments).flatMap((one) => one.buttons)
  await press(here, sandboxCast.bob, stale, "reject")

  expect(buttons).toContain(actionIds.approve)
  expect((await settled(here, "delete_user_data", sandboxCast.payments)).words).toContain("Approved")
  expect((await settled(here, "delete_user_data", sandboxCast.general, 90_000)).words).toContain("Approved")
  expect(await record(here, asked.id)).toMatchObject({ status: "approved" })
}
