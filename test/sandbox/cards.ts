// A card and a form that the tests' bots post, and how Alice opens the form.
import type { App, BlockAction } from "@slack/bolt"
import { sandboxCast } from "../../src/sandbox/workspace/seed.ts"
import type { Sandbox } from "../../src/sandbox.ts"
import { limitMs } from "../support/limits.ts"

export const limit = { limitMs }

export const buttons = (...ids: string[]) => ({
  type: "actions" as const,
  block_id: "decide",
  elements: ids.map((id) => ({
    type: "button" as const,
    action_id: id,
    value: `value of ${id}`,
    text: { type: "plain_text" as const, text: id },
  })),
})
export const form = (title = "Why?") => ({
  type: "modal" as const,
  callback_id: "why",
  private_metadata: "case 7",
  notify_on_close: true,
  title: { type: "plain_text" as const, text: title },
  submit: { type: "plain_text" as const, text: "Send" },
  blocks: [
    {
      type: "input" as const,
      block_id: "reason",
      label: { type: "plain_text" as const, text: "Reason" },
      element: { type: "plain_text_input" as const, action_id: "text", multiline: true },
    },
  ],
})

export async function postCard(app: App) {
  const posted = await app.client.chat.postMessage({
    channel: sandboxCast.approvals,
    text: "please decide",
    blocks: [buttons("approve", "reject", "menu")],
    metadata: { event_type: "card", event_payload: { id: "7" } },
  })
  return { channel: sandboxCast.approvals, ts: posted.ts ?? "" }
}

/** The bot opens the form for whoever presses `reject`. */
export function opensForm(bolt: App): void {
  bolt.action("reject", async ({ ack, body, client }) => {
    await ack()
    await client.views.open({ trigger_id: (body as BlockAction).trigger_id, view: form() })
  })
}

export async function openForm(sandbox: Sandbox, app: App, personId: string = sandboxCast.alice) {
  const card = await postCard(app)
  await sandbox.click(personId, card, "reject")
  return await sandbox.waitFor(() => sandbox.openView(personId), limit)
}
