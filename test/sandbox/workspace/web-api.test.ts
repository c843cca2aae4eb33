// The Web API as the real client sees it: tokens, scopes, and how it can be made to fail.

import { describe, expect, it } from "vitest"
import { sandboxCast } from "../../../src/sandbox/workspace/seed.ts"
import type { Sandbox } from "../../../src/sandbox.ts"
import { aClient, aClock, aSandbox, refusal, section } from "../support.ts"

async function raw(sandbox: Sandbox, method: string, body: string, headers: Record<string, string> = {}) {
  const form = { "content-type": "application/x-www-form-urlencoded" }
  const answer = await fetch(`${sandbox.apiUrl}${method}`, { method: "POST", body, headers: { ...form, ...headers } })
  return (await answer.json()) as Record<string, unknown>
}

describe("tokens and scopes", () => {
  it("tells the bot who it is", async () => {
    const sandbox = await aSandbox()

    expect(await aClient(sandbox).auth.test()).toMatchObject({
      team_id: "T0SANDBOX",
      user_id: sandboxCast.bot,
      bot_id: "B0COUNTERSIGN",
    })
  })

  it("refuses no token, a wrong one, one of the other kind, an unknown method and a missing scope", async () => {
    const sandbox = await aSandbox()
    const app = { authorization: `Bearer ${sandbox.tokens.app}` }
    sandbox.scopes.delete("users:read")

    expect(await raw(sandbox, "auth.test", "")).toEqual({ ok: false, error: "not_authed" })
    expect(await raw(sandbox, "auth.test", "token=xoxb-other")).toEqual({ ok: false, error: "invalid_auth" })
    expect(await raw(sandbox, "auth.test", "", app)).toEqual({ ok: false, error: "not_allowed_token_type" })
    expect(await raw(sandbox, "apps.connections.open", `token=${sandbox.tokens.bot}`)).toMatchObject({
      error: "not_allowed_token_type",
    })
    expect(await raw(sandbox, "apps.connections.open", "", app)).toMatchObject({
      ok: true,
      url: expect.stringMatching(/^ws:\/\/127\.0\.0\.1:\d+\/link\?ticket=/) as string,
    })
    expect(await raw(sandbox, "no.such", "", app)).toEqual({ ok: false, error: "unknown_method" })
    await expect(aClient(sandbox).users.info({ user: sandboxCast.alice })).rejects.toEqual(refusal("missing_scope"))
  })

  it("takes a JSON body as well as a form", async () => {
    const sandbox = await aSandbox()
    const headers = { "content-type": "application/json; charset=utf-8", authorization: `Bearer ${sandbox.tokens.bot}` }

    const answer = await raw(
      sandbox,
      "chat.postMessage",
      JSON.stringify({ channel: sandboxCast.general, text: "hi", blocks: [section(1)] }),
      headers,
    )

    expect(answer).toMatchObject({ ok: true, channel: sandboxCast.general })
    expect(sandbox.messages(sandboxCast.general)[0]?.blocks).toHaveLength(1)
  })
})

describe("when Slack misbehaves", () => {
  it("one post per second and channel, if the switch is on", async () => {
    const clock = aClock()
    const sandbox = await aSandbox("socket", { clock, paceLimit: true })
    const { chat } = aClient(sandbox)
    await chat.postMessage({ channel: sandboxCast.approvals, text: "1" })

    await expect(chat.postMessage({ channel: sandboxCast.approvals, text: "2" })).rejects.toMatchObject({
      retryAfter: 1,
    })
    await chat.postMessage({ channel: sandboxCast.payments, text: "other channels go on" })
    clock.advance(1000)
    await chat.postMessage({ channel: sandboxCast.approvals, text: "2" })
    sandbox.pace.enable(false)
    await chat.postMessage({ channel: sandboxCast.approvals, text: "3" })

    expect(sandbox.messages(sandboxCast.approvals).map((message) => message.text)).toEqual(["1", "2", "3"])
  })

  it("answers 429, 5xx or an error as often as it is told, for one channel if told", async () => {
    const sandbox = await aSandbox()
    const { chat, users } = aClient(sandbox)
    const post = async (channel: string) => await chat.postMessage({ channel, text: "x" })
    sandbox.faults.web("chat.postMessage", { kind: "ratelimited", retryAfterS: 7 }, { channel: sandboxCast.approvals })
    sandbox.faults.web("users.info", { kind: "status", status: 503 })
    sandbox.faults.web("users.info", { kind: "error", error: "internal_error" }, { times: 2 })

    await post(sandboxCast.payments)
    await expect(post(sandboxCast.approvals)).rejects.toMatchObject({ retryAfter: 7 })
    await post(sandboxCast.approvals)
    await expect(users.info({ user: sandboxCast.alice })).rejects.toThrow(/503/)
    await expect(users.info({ user: sandboxCast.alice })).rejects.toEqual(refusal("internal_error"))
    await expect(users.info({ user: sandboxCast.alice })).rejects.toEqual(refusal("internal_error"))
    expect(await users.info({ user: sandboxCast.alice })).toMatchObject({ ok: true })
  })

  it("accepts a post and never answers, or neither, until the sandbox closes", async () => {
    const sandbox = await aSandbox()
    const { chat } = aClient(sandbox, { timeout: 100 })
    sandbox.faults.web("chat.postMessage", { kind: "accept_then_never_answer" })
    sandbox.faults.web("chat.postMessage", { kind: "never_answer" })

    await expect(chat.postMessage({ channel: sandboxCast.approvals, text: "accepted" })).rejects.toThrow()
    await expect(chat.postMessage({ channel: sandboxCast.approvals, text: "lost" })).rejects.toThrow()

    expect(sandbox.messages(sandboxCast.approvals).map((message) => message.text)).toEqual(["accepted"])
  })

  it("faults can be cleared, and a slow answer still comes", async () => {
    const sandbox = await aSandbox()
    const { auth } = aClient(sandbox)
    sandbox.faults.web("auth.test", { kind: "status", status: 500 })
    sandbox.faults.clear()
    sandbox.faults.web("auth.test", { kind: "slow", ms: 5 })

    expect(await auth.test()).toMatchObject({ ok: true })
  })
})
