// Modals with a real Bolt app, in both modes: errors, update, push, clear and close.

import type { ViewOutput } from "@slack/bolt"
import { describe, expect, it } from "vitest"
import { sandboxCast } from "../../../src/sandbox/workspace/seed.ts"
import { form, limit, openForm, opensForm } from "../cards.ts"
import { aBot, aSandbox, type Mode } from "../support.ts"

describe.each<Mode>(["socket", "http"])("in %s mode", (mode) => {
  it("a modal opens, keeps what is wrong, and closes when it is right", async () => {
    const sandbox = await aSandbox(mode)
    let submitted: ViewOutput | undefined
    const app = await aBot(sandbox, mode, (bolt) => {
      opensForm(bolt)
      bolt.view("why", async ({ ack, view }) => {
        const text = view.state.values["reason"]?.["text"]?.value ?? ""
        if (text.length < 5) return await ack({ response_action: "errors", errors: { reason: "Too short" } })
        submitted = view
        await ack()
      })
    })
    const view = await openForm(sandbox, app)

    const empty = await sandbox.submit(sandboxCast.alice, view.id)
    const short = await sandbox.submit(sandboxCast.alice, view.id, { text: "no" })
    const shown = sandbox.openView(sandboxCast.alice)
    const long = await sandbox.submit(sandboxCast.alice, view.id, { text: "too expensive" })

    expect(empty).toMatchObject({ ok: false, reason: "form_refused", errors: { reason: "This is a required field" } })
    expect(short).toMatchObject({ ok: true, errors: { reason: "Too short" } })
    expect(shown?.errors).toEqual({ reason: "Too short" })
    expect(long).toMatchObject({ ok: true, errors: {} })
    expect(sandbox.openView(sandboxCast.alice)).toBeUndefined()
    expect(submitted).toMatchObject({
      callback_id: "why",
      private_metadata: "case 7",
      app_installed_team_id: "T0SANDBOX",
    })
  })

  it("an answered form can become another view, put one on top, or clear all", async () => {
    const sandbox = await aSandbox(mode)
    const actions = ["update", "push", "clear"] as const
    let step = 0
    const app = await aBot(sandbox, mode, (bolt) => {
      opensForm(bolt)
      bolt.view("why", async ({ ack }) => {
        const action = actions[step++]
        if (action === "clear") await ack({ response_action: "clear" })
        else await ack({ response_action: action ?? "update", view: form(action) })
      })
    })
    const view = await openForm(sandbox, app)

    await sandbox.submit(sandboxCast.alice, view.id, { text: "one" })
    const updated = sandbox.openView(sandboxCast.alice)
    await sandbox.submit(sandboxCast.alice, view.id, { text: "two" })
    const pushed = sandbox.openView(sandboxCast.alice)
    await sandbox.submit(sandboxCast.alice, pushed?.id ?? "", { text: "three" })

    expect(updated).toMatchObject({ id: view.id, definition: { title: { text: "update" } } })
    expect(pushed).toMatchObject({ previousId: view.id, rootId: view.id, definition: { title: { text: "push" } } })
    expect(sandbox.workspace.views.stack(sandboxCast.alice)).toEqual([])
  })

  it("an update that comes before Slack acted on the ack is overtaken by it", async () => {
    const sandbox = await aSandbox(mode)
    const app = await aBot(sandbox, mode, (bolt) => {
      opensForm(bolt)
      bolt.view("why", async ({ ack, view, client }) => {
        await ack({ response_action: "update", view: form("by the ack") })
        await client.views.update({ view_id: view.id, view: form("by the call") })
      })
    })
    const view = await openForm(sandbox, app)
    const title = () => {
      const definition = sandbox.openView(sandboxCast.alice)?.definition
      return definition?.type === "modal" ? definition.title.text : undefined
    }
    sandbox.faults.delivery({ kind: "ack_late", ms: 300 })

    const submitted = sandbox.submit(sandboxCast.alice, view.id, { text: "because" })
    await sandbox.waitFor(() => title() === "by the call", limit)
    await submitted

    expect(title()).toBe("by the ack")
  })

  it("closing a modal is told to the bot that asked for it", async () => {
    const sandbox = await aSandbox(mode)
    const closed: string[] = []
    const app = await aBot(sandbox, mode, (bolt) => {
      opensForm(bolt)
      bolt.view({ callback_id: "why", type: "view_closed" }, async ({ ack, body }) => {
        await ack()
        closed.push(body.view.private_metadata)
      })
    })
    const view = await openForm(sandbox, app)

    await sandbox.closeView(sandboxCast.alice, view.id)

    expect(closed).toEqual(["case 7"])
    expect(sandbox.openView(sandboxCast.alice)).toBeUndefined()
  })
})
