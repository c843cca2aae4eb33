// The control API: what it lets a program do, and what it refuses.

import { request } from "node:http"
import { describe, expect, it } from "vitest"
import { sandboxCast } from "../../../src/sandbox/workspace/seed.ts"
import type { Sandbox } from "../../../src/sandbox.ts"
import { limitMs } from "../../support/limits.ts"
import { aBot, aClient, aSandbox } from "../support.ts"

const EVIL = `<script>alert("1")</script>&amp;'`

async function control(sandbox: Sandbox, path: string, body: unknown, token = sandbox.controlToken) {
  const init =
    body === undefined ? {} : { method: "POST", body: typeof body === "string" ? body : JSON.stringify(body) }
  const answer = await fetch(`${sandbox.url}/control/${path}`, {
    ...init,
    headers: { authorization: `Bearer ${token}` },
  })
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> }
}

/** fetch does not let a caller forge Host. */
async function statusWithHost(sandbox: Sandbox, host: string, path: string): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  const headers = { host, authorization: `Bearer ${sandbox.controlToken}` }
  request(`${sandbox.url}${path}`, { headers, agent: false }, (response) => {
    response.resume()
    resolve(response.statusCode ?? 0)
  })
    .on("error", reject)
    .end()
  return await promise
}

async function withForm() {
  const sandbox = await aSandbox("http")
  await aBot(sandbox, "http", (bolt) => {
    bolt.command("/ask", async ({ ack, body, client }) => {
      await ack("asked")
      await client.views.open({
        trigger_id: body.trigger_id,
        view: {
          type: "modal",
          callback_id: "form",
          title: { type: "plain_text", text: "Form" },
          submit: { type: "plain_text", text: "Send" },
          blocks: [
            {
              type: "input",
              block_id: "b",
              label: { type: "plain_text", text: EVIL },
              element: { type: "plain_text_input", action_id: "a" },
            },
          ],
        },
      })
    })
    bolt.view("form", async ({ ack }) => await ack())
    bolt.action("go", async ({ ack, respond }) => {
      await ack()
      await respond({ text: "gone", replace_original: true })
    })
    bolt.event("app_home_opened", async () => {})
  })
  return sandbox
}

describe("the control API", () => {
  it("types a command, submits, clicks and shows what a person sees", async () => {
    const sandbox = await withForm()
    const card = await aClient(sandbox).chat.postMessage({
      channel: sandboxCast.approvals,
      text: "card",
      blocks: [
        { type: "actions", elements: [{ type: "button", action_id: "go", text: { type: "plain_text", text: "Go" } }] },
      ],
    })
    const person = sandboxCast.alice

    const typed = await control(sandbox, "command", { person, channel: sandboxCast.general, line: "/ask me" })
    const view = await sandbox.waitFor(() => sandbox.openView(person), { limitMs })
    const refused = await control(sandbox, "submit", { person, view: view.id })
    const sent = await control(sandbox, "submit", { person, view: view.id, values: { a: "text" } })
    const clicked = await control(sandbox, "click", {
      person,
      place: { channel: sandboxCast.approvals, ts: card.ts },
      action: "go",
    })
    await sandbox.waitFor(() => sandbox.messages(sandboxCast.approvals)[0]?.text === "gone", { limitMs })
    const state = await control(sandbox, `state?person=${person}`, undefined)

    expect(typed).toMatchObject({ status: 200, body: { ok: true } })
    expect(refused.body).toMatchObject({ ok: false, reason: "form_refused", errors: { b: "This is a required field" } })
    expect(sent.body).toMatchObject({ ok: true })
    expect(clicked.body).toMatchObject({ ok: true })
    expect(await control(sandbox, "home", { person })).toMatchObject({ body: { ok: true } })
    expect(state.body).toMatchObject({ me: { name: "alice" }, view: null, ephemerals: [{ text: "asked" }] })
  })

  it("refuses a missing and a wrong token, and any host name that is not loopback", async () => {
    const sandbox = await aSandbox()

    expect(await control(sandbox, "state?person=U0ALICE", undefined, "")).toMatchObject({
      status: 401,
      body: { error: "unauthorized" },
    })
    expect(await control(sandbox, "command", {}, "guess")).toMatchObject({ status: 401 })
    expect(await statusWithHost(sandbox, "evil.example", "/control/state?person=U0ALICE")).toBe(403)
    expect(await statusWithHost(sandbox, "127.0.0.1.evil.example:80", "/control/state?person=U0ALICE")).toBe(403)
    expect(await statusWithHost(sandbox, "LOCALHOST:1", "/control/state?person=U0ALICE")).toBe(200)
    expect(await statusWithHost(sandbox, "[::1]:1", "/control/state?person=U0ALICE")).toBe(200)
  })

  it("tells a program what no person could do", async () => {
    const sandbox = await aSandbox()
    const click = { person: sandboxCast.alice, place: { channel: sandboxCast.general, ts: "1.1" }, action: "go" }

    expect(await control(sandbox, "click", click)).toMatchObject({ status: 400, body: { error: "no_such_thing" } })
    expect(await control(sandbox, "click", { ...click, person: "U0NOBODY" })).toMatchObject({
      body: { message: "There is no person U0NOBODY" },
    })
    expect(
      await control(sandbox, "command", { person: sandboxCast.alice, channel: sandboxCast.general, line: "hello" }),
    ).toMatchObject({ body: { error: "not_possible" } })
    expect(await control(sandbox, "submit", { person: sandboxCast.alice, view: "V0" })).toMatchObject({
      body: { error: "no_such_thing" },
    })
    expect(await control(sandbox, "click", {})).toMatchObject({ status: 400, body: { error: "bad_request" } })
    expect(await control(sandbox, "click", "{")).toMatchObject({
      status: 400,
      body: { message: "The body is not JSON" },
    })
  })

  it("somebody outside a channel sees nothing of it and cannot act there", async () => {
    const sandbox = await aSandbox()
    const posted = await aClient(sandbox).chat.postMessage({ channel: sandboxCast.alice, text: "private" })
    const place = { channel: posted.channel ?? "", ts: posted.ts ?? "" }

    expect(await control(sandbox, "click", { person: sandboxCast.bob, place, action: "go" })).toMatchObject({
      body: { error: "not_visible" },
    })
    expect(JSON.stringify(await control(sandbox, `state?person=${sandboxCast.bob}`, undefined))).not.toContain(
      "private",
    )
  })
})
