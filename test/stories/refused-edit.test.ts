// A card whose edit Slack refuses. What waits a minute here waits once, in both modes side by side.
import { expect, it } from "vitest"
import { actionIds } from "../../src/slack/ids.ts"
import { announcedWorld, aWorld } from "./a-world.ts"
import {
  alarms,
  ask,
  card,
  cards,
  decided,
  operate,
  placed,
  press,
  record,
  type Seen,
  settled,
  threadSays,
  told,
  until,
} from "./acts.ts"
import { plainRule, type Row, sandboxCast, type World } from "./world.ts"

it("cards whose edit is refused for good settle, one by a late press, the other once its channel takes it, in socket and http mode", async () => {
  await Promise.all((["socket", "http"] as const).map(refusedEdits))
})

async function refusedEdits(mode: "socket" | "http"): Promise<void> {
  const rules = plainRule.replace(
    `[${sandboxCast.approvals}]`,
    `[${sandboxCast.approvals}, ${sandboxCast.payments}, ${sandboxCast.general}]`,
  )
  const { here, asked, open } = await announcedWorld({ mode, rules })
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

const { approvals, payments } = sandboxCast

/** How many cards the bot knows the place of. */
function places(here: World): number {
  return here.log.filter((line) => line["kind"] === "placed").length
}

/** Asks, and has Slack answer each later edit of the card in the second channel with a word. */
async function frozenCard(
  here: World,
  tool: string,
  error: string,
): Promise<{ readonly asked: Row; readonly old: Seen }> {
  const before = places(here)
  const asked = await ask(here, { tool_name: tool })
  const old = await card(here, tool, payments)
  await until("both places to be known", () => (places(here) === before + 2 ? true : undefined))
  const reach = { times: Number.POSITIVE_INFINITY, channel: payments, ts: old.ts }
  here.sandbox.faults.web("chat.update", { kind: "error", error }, reach)
  return { asked, old }
}

it.each([
  "cant_update_message",
  "edit_window_closed",
  "block_mismatch",
  "is_inactive",
  "is_archived",
  "channel_not_found",
  "a_word_of_tomorrow",
])(
  "a card that Slack does not let us edit, with %s, keeps nobody from knowing and counts for nothing",
  async (word) => {
    const rules = `${plainRule.replace(`[${approvals}]`, `[${approvals}, ${payments}]`)}\n    quorum: 2`
    const here = await aWorld({ rules })
    const elsewhere = await frozenCard(here, "close_account", word)
    const open = await frozenCard(here, "delete_user_data", word)

    await operate(here, `POST /approvals/${elsewhere.asked.id}/resolve`, {
      status: "rejected",
      resolved_by: "ops@x.example",
    })
    const lines = await threadSays(here, elsewhere.old, "ops@x.example")
    const alarm = await until("the alarm", () => here.log.find(({ code }) => code === "route-in-trouble"))
    await press(here, sandboxCast.alice, elsewhere.old, "approve")
    const toldOfEnd = await told(here, sandboxCast.alice, "rejected")

    await press(here, sandboxCast.alice, await card(here, "delete_user_data"), "approve")
    const anew = await until("the new card", () => cards(here, "delete_user_data 1 has,", payments)[0])
    await until("its place to be known", () => (places(here) === 5 ? true : undefined))
    await press(here, sandboxCast.bob, open.old, "approve")
    const toldOfOld = await told(here, sandboxCast.bob, "use that card")
    const before = await record(here, open.asked.id)
    await press(here, sandboxCast.bob, anew, "approve")

    expect(lines.join("\n")).toContain("the platform says rejected")
    expect(alarm["why"]).toMatch(new RegExp(`edit.*chat\\.update: Slack refused: ${word}`))
    expect(alarm["why"]).not.toContain("deleted")
    expect(toldOfEnd).toContain("outside Countersign")
    expect(anew.ts).not.toBe(open.old.ts)
    expect(toldOfOld).toContain("was not counted")
    expect(before).toMatchObject({ status: "pending" })
    expect(await decided(here, open.asked.id)).toMatchObject({ status: "approved" })
    expect(await record(here, elsewhere.asked.id)).toMatchObject({ status: "rejected", resolved_by: "ops@x.example" })
  },
)
