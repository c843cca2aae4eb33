// Whole sight in real life: what was forged onto a surface that could not carry an approval counts nothing, and a
// sentence says what to do (R4).
import { createHmac, randomUUID } from "node:crypto"
import { describe, expect, it } from "vitest"
import { actionIds, eventsPath, formIds, viewIds } from "../../src/slack/ids.ts"
import { aWorld } from "./a-world.ts"
import { ask, card, decided, formOf, ledgerOf, press, record, told, viewSays } from "./acts.ts"
import { plainRule, sandboxCast, type World } from "./world.ts"

/** A call of three pages of Details. */
const long = { tool_args: { body: "x".repeat(120_000) } }
const UNSEEN = "Not everything that would run was shown"

/** What the Reject button of a place carries: what a forged Approve would carry, too. */
function valueIn(blocks: unknown): string {
  const found = /"action_id":"countersign_reject".*?"value":"((?:[^"\\]|\\.)*)"/.exec(JSON.stringify(blocks))
  return JSON.parse(`"${found?.[1] ?? ""}"`)
}

const approve = (value: string) => ({
  type: "button" as const,
  action_id: actionIds.approve,
  text: { type: "plain_text" as const, text: "Approve" },
  value,
})

/** A payload as Slack would sign it, whatever it says. */
async function signed(here: World, payload: Record<string, unknown>): Promise<void> {
  const team = "T0SANDBOX"
  const who = { user: { id: sandboxCast.alice, name: "alice", team_id: team }, team: { id: team } }
  const body = new URLSearchParams({
    payload: JSON.stringify({ ...who, trigger_id: randomUUID(), api_app_id: "A0", token: "t", ...payload }),
  }).toString()
  const stamp = String(Math.floor(Date.now() / 1_000))
  const key = here.env["SLACK_SIGNING_SECRET"] ?? ""
  const signature = `v0=${createHmac("sha256", key).update(`v0:${stamp}:${body}`).digest("hex")}`
  const response = await fetch(here.bot.url + eventsPath, {
    method: "POST",
    headers: {
      "content-type": "application/x-www-form-urlencoded",
      "x-slack-request-timestamp": stamp,
      "x-slack-signature": signature,
    },
    body,
  })
  expect(response.status).toBe(200)
}

/** The modal that is open for Alice, as Slack tells it of. */
function modal(here: World) {
  const view = here.sandbox.openView(sandboxCast.alice)
  const { private_metadata: note = "", blocks = [] } = view?.definition ?? {}
  return { id: view?.id ?? "", note, blocks }
}

/** Something pressed in it. */
function pressIn(here: World, { id, note }: { readonly id: string; readonly note: string }, action: object) {
  const view = { id, type: "modal", private_metadata: note, callback_id: viewIds.details }
  const container = { type: "view", view_id: id }
  return signed(here, {
    type: "block_actions",
    container,
    view,
    actions: [{ block_id: "b", action_ts: `${Date.now() / 1_000}`, ...action }],
  })
}

async function nothingCounted(here: World, id: string): Promise<void> {
  expect((await record(here, id)).status).toBe("pending")
  expect((await ledgerOf(here)).filter((entry) => entry["kind"] === "voted")).toEqual([])
}

describe.each(["socket", "http"] as const)("in %s mode", (mode) => {
  it("R4 Approve forged onto a folded card counts nothing, and says to open Details", async () => {
    const here = await aWorld({ mode })
    const asked = await ask(here, long)
    const seen = await card(here)
    expect(seen.buttons).not.toContain(actionIds.approve)
    const [message] = here.sandbox.messages(sandboxCast.approvals)
    if (message === undefined) throw new Error("no card hangs")
    const forged = { type: "actions" as const, block_id: "forged", elements: [approve(valueIn(message.blocks))] }

    await here.sandbox.click(sandboxCast.alice, seen, actionIds.approve, {
      seen: { ...message, blocks: [...message.blocks, forged] },
    })

    expect(await told(here, sandboxCast.alice, UNSEEN)).toContain("open Details, read it to the end")
    await nothingCounted(here, asked.id)
  })
})

describe("signed by Slack", () => {
  it("R4 Approve on page 1 of 3 counts nothing, not even with a note that says that 99 were seen; on the last page it counts", async () => {
    const here = await aWorld({ mode: "http" })
    const asked = await ask(here, long)
    await here.sandbox.click(sandboxCast.alice, await card(here), actionIds.details)
    await viewSays(here, sandboxCast.alice, "Page 1 of 3")
    const { id, note, blocks } = modal(here)
    const forged = { id, note: JSON.stringify({ ...JSON.parse(note), seen: 99 }) }

    await pressIn(here, forged, { action_id: actionIds.approve, value: valueIn(blocks) })
    await viewSays(here, sandboxCast.alice, UNSEEN)
    await pressIn(here, forged, { action_id: `${actionIds.page}_next`, value: "3" })
    await viewSays(here, sandboxCast.alice, "Page 2 of 3")
    await pressIn(here, forged, { action_id: actionIds.approve, value: valueIn(modal(here).blocks) })
    await viewSays(here, sandboxCast.alice, UNSEEN)
    await nothingCounted(here, asked.id)

    for (const page of [2, 3]) {
      await here.sandbox.click(sandboxCast.alice, id, `${actionIds.page}_next`)
      await viewSays(here, sandboxCast.alice, `Page ${page} of 3`)
    }
    await here.sandbox.click(sandboxCast.alice, id, actionIds.approve)

    expect((await decided(here, asked.id)).status).toBe("approved")
  })

  it.each([
    ["reject", "approve"],
    ["approve", "reject"],
  ] as const)(
    "R3 R18 a form that was opened to %s, with a note that says %s, counts nothing",
    async (opened, forged) => {
      const here = await aWorld({ mode: "http", rules: plainRule.replace("never", "always") })
      const asked = await ask(here)
      await press(here, sandboxCast.alice, await card(here), opened)
      await formOf(here, sandboxCast.alice)
      const { id, note } = modal(here)
      const state = { values: { [formIds.reason]: { [formIds.value]: { type: "plain_text_input", value: "fine" } } } }
      const private_metadata = JSON.stringify({ ...JSON.parse(note), verb: forged })

      await signed(here, {
        type: "view_submission",
        view: { id, type: "modal", callback_id: viewIds.form, private_metadata, state },
      })

      await told(here, sandboxCast.alice, "This approval is decided on another card now")
      await nothingCounted(here, asked.id)
    },
  )

  it("R4 R18 whatever a note says was shown, the pages of other content count as unread", async () => {
    const here = await aWorld({ mode: "http" })
    const asked = await ask(here, long)
    await here.sandbox.click(sandboxCast.alice, await card(here), actionIds.details)
    await viewSays(here, sandboxCast.alice, "Page 1 of 3")
    const { id, note } = modal(here)
    const forged = JSON.parse(note)
    const target = JSON.parse(forged.target)
    target[5] = "0".repeat(16)
    forged.target = JSON.stringify(target)

    await pressIn(here, { id, note: JSON.stringify(forged) }, { action_id: `${actionIds.page}_next`, value: "2" })

    await viewSays(here, sandboxCast.alice, "Page 2 of 3")
    expect(modal(here).note).toContain(note.slice(0, 100))
    await nothingCounted(here, asked.id)
  })
})
