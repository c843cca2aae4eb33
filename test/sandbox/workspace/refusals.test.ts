// What the sandbox does when the bot answers badly, and what people cannot do.

import { describe, expect, it } from "vitest"
import { sandboxCast } from "../../../src/sandbox/workspace/seed.ts"
import type { Sandbox } from "../../../src/sandbox.ts"
import { buttons, form } from "../cards.ts"
import { aClient, aClock, aRawBot, aSandbox } from "../support.ts"

const LONG = "x".repeat(25)

async function aForm(reply: object) {
  const sandbox = await aSandbox("http")
  const heard = await aRawBot(sandbox, () => reply)
  await sandbox.command(sandboxCast.alice, sandboxCast.approvals, "/open")
  await aClient(sandbox).views.open({ trigger_id: String(heard[0]?.["trigger_id"]), view: form() })
  return { sandbox, view: sandbox.openView(sandboxCast.alice)?.id ?? "" }
}

async function aCard(sandbox: Sandbox) {
  const elements = [
    ...buttons("approve").elements,
    {
      type: "overflow" as const,
      action_id: "more",
      options: [{ text: { type: "plain_text" as const, text: "Copy" }, value: "copy" }],
    },
  ]
  const blocks = [
    { ...buttons(), elements },
    { ...buttons("approve"), block_id: "second" },
  ]
  const posted = await aClient(sandbox).chat.postMessage({ channel: sandboxCast.approvals, text: "card", blocks })
  return { channel: sandboxCast.approvals, ts: posted.ts ?? "" }
}

/** A card, a click on it, and the address to answer the click. */
async function aResponse(more: { clock?: () => number } = {}) {
  const sandbox = await aSandbox("http", more)
  const heard = await aRawBot(sandbox, () => ({}))
  await sandbox.click(sandboxCast.alice, await aCard(sandbox), "approve")
  const url = String(heard[0]?.["response_url"])
  const answer = async (body: object | string) =>
    await fetch(url, { method: "POST", body: typeof body === "string" ? body : JSON.stringify(body) })
  return { sandbox, answer }
}

describe("a form's answer that Slack does not take", () => {
  it.each<[string, object, string]>([
    ["an unknown action", { response_action: "explode" }, "the answer to the form is not understood"],
    [
      "errors for a block that is not there",
      { response_action: "errors", errors: { nowhere: "x" } },
      "no input block is called nowhere",
    ],
    ["a view beyond the limits", { response_action: "update", view: form(LONG) }, "must be less than 25 characters"],
  ])(
    "a form's answer that Slack does not take (%s) fails visibly and leaves the modal open",
    async (_name, reply, detail) => {
      const { sandbox, view } = await aForm(reply)

      const outcome = await sandbox.submit(sandboxCast.alice, view, { text: "because" })

      expect(outcome).toMatchObject({
        ok: false,
        reason: "bad_answer",
        detail: expect.stringContaining(detail) as string,
      })
      expect(sandbox.notices(sandboxCast.alice)).toHaveLength(1)
      expect(sandbox.openView(sandboxCast.alice)?.id).toBe(view)
    },
  )

  it("a fourth view cannot be pushed", async () => {
    const { sandbox, view } = await aForm({ response_action: "push", view: form() })

    await sandbox.submit(sandboxCast.alice, view, { text: "one" })
    await sandbox.submit(sandboxCast.alice, sandbox.openView(sandboxCast.alice)?.id ?? "", { text: "two" })
    const third = await sandbox.submit(sandboxCast.alice, sandbox.openView(sandboxCast.alice)?.id ?? "", {
      text: "three",
    })

    expect(third).toMatchObject({ ok: false, reason: "bad_answer" })
    await expect(sandbox.submit(sandboxCast.alice, view, { text: "x" })).rejects.toMatchObject({
      code: "no_such_thing",
    })
  })
})

describe("a command's answer", () => {
  it.each<[object, string]>([
    [{ text: "x", response_type: "loud" }, "the command's answer is not understood"],
    [{ blocks: [{ type: "banner" }] }, "unsupported type"],
  ])("a command's answer %j fails visibly", async (reply, detail) => {
    const sandbox = await aSandbox("http")
    await aRawBot(sandbox, () => reply)

    const outcome = await sandbox.command(sandboxCast.bob, sandboxCast.general, "/x")

    expect(outcome).toMatchObject({ ok: false, detail: expect.stringContaining(detail) as string })
    expect(sandbox.ephemerals(sandboxCast.bob)).toEqual([])
  })
})

describe("a response_url", () => {
  it("is dead after thirty minutes", async () => {
    const clock = aClock()
    const { answer } = await aResponse({ clock })

    clock.advance(30 * 60_000)
    expect((await answer({ text: "in time" })).status).toBe(200)
    clock.advance(1)
    expect((await answer({ text: "late" })).status).toBe(404)
  })

  it("refuses what is no message, and fails when it is told to", async () => {
    const { sandbox, answer } = await aResponse()
    sandbox.faults.web("response_url", { kind: "status", status: 500 })

    expect((await answer({ text: "x" })).status).toBe(500)
    expect((await answer("{")).status).toBe(400)
    expect((await answer({ text: "x", blocks: [{ type: "banner" }] })).status).toBe(400)
    expect((await fetch(`${sandbox.url}/response/guess`, { method: "POST", body: "{}" })).status).toBe(404)
    expect(sandbox.ephemerals(sandboxCast.alice)).toEqual([])
  })
})

describe("a click", () => {
  it("names the block and the option, and can come from a screen that has not caught up", async () => {
    const sandbox = await aSandbox("http")
    const heard = await aRawBot(sandbox, () => ({}))
    const card = await aCard(sandbox)
    const [seen] = sandbox.messages(sandboxCast.approvals)
    if (!seen) throw new Error("no card")

    await sandbox.click(sandboxCast.alice, card, "approve", { blockId: "second" })
    await sandbox.click(sandboxCast.alice, card, "more", { choose: "copy" })
    await aClient(sandbox).chat.update({ ...card, text: "settled" })
    await sandbox.click(sandboxCast.alice, card, "approve", { seen })

    expect(heard.map((payload) => (payload["actions"] as object[])[0])).toMatchObject([
      { action_id: "approve", block_id: "second" },
      { action_id: "more", type: "overflow", selected_option: { value: "copy" } },
      { action_id: "approve", block_id: "decide" },
    ])
    await expect(sandbox.click(sandboxCast.alice, card, "approve")).rejects.toThrow("nothing called approve")
  })

  it("a click of somebody deactivated, of a guest and of a bot reaches the bot, which must refuse it", async () => {
    const sandbox = await aSandbox("http")
    const heard = await aRawBot(sandbox, () => ({}))
    const card = await aCard(sandbox)

    for (const person of [sandboxCast.dan, sandboxCast.gus, sandboxCast.bot])
      await sandbox.click(person, card, "approve")

    expect(heard.map((payload) => payload["user"])).toMatchObject([
      { id: sandboxCast.dan },
      { id: sandboxCast.gus },
      { id: sandboxCast.bot },
    ])
  })

  it("a click in another person's modal, or in one that is closed, is not possible", async () => {
    const { sandbox, view } = await aForm({})

    await expect(sandbox.click(sandboxCast.bob, view, "x")).rejects.toMatchObject({ code: "not_visible" })
    await expect(sandbox.click(sandboxCast.alice, "V0GONE", "x")).rejects.toMatchObject({ code: "no_such_thing" })
    await expect(
      sandbox.shortcut(sandboxCast.bob, "show", { channel: sandboxCast.general, ts: "1.1" }),
    ).rejects.toMatchObject({
      code: "no_such_thing",
    })
  })

  it("a click without any bot fails at once", async () => {
    const [socket, http] = [await aSandbox("socket"), await aSandbox("http")]

    const bySocket = await socket.click(sandboxCast.alice, await aCard(socket), "approve")
    const byHttp = await http.click(sandboxCast.alice, await aCard(http), "approve")
    http.deliverTo("http://127.0.0.1:1/")
    const closed = await http.click(sandboxCast.alice, await aCard(http), "approve")

    expect(bySocket).toMatchObject({ reason: "no_connection", detail: "the app has no open socket" })
    expect(byHttp).toMatchObject({ reason: "no_connection", detail: "the bot's request URL is not set" })
    expect(closed).toMatchObject({ reason: "no_connection" })
  })
})

describe("sockets", () => {
  /** What a new socket hears first, so many messages. */
  async function greetingsOf(sandbox: Sandbox, most: number) {
    const { url } = await aClient(sandbox).apps.connections.open({ token: sandbox.tokens.app })
    const socket = new WebSocket(url ?? "")
    const heard: { readonly type: string; readonly reason?: string }[] = []
    const { promise, resolve } = Promise.withResolvers<void>()
    socket.onmessage = (event) => {
      heard.push(JSON.parse(String(event.data)))
      if (heard.length === most) resolve()
    }
    await promise
    return heard
  }

  it("the eleventh is told that there are too many", async () => {
    const sandbox = await aSandbox("socket")

    const greetings = []
    for (let count = 0; count < 11; count++) greetings.push(...(await greetingsOf(sandbox, 1)))

    expect(greetings.slice(0, 10).map((greeting) => greeting.type)).toEqual(Array.from({ length: 10 }, () => "hello"))
    expect(greetings[10]).toMatchObject({ type: "disconnect", reason: "too_many_websockets" })
  })

  it("can be greeted and turned away, and the next one stays", async () => {
    const sandbox = await aSandbox("socket")
    sandbox.faults.socket("link_disabled")

    const greetings = await greetingsOf(sandbox, 2)
    const before = sandbox.connections()
    await greetingsOf(sandbox, 1)

    expect(greetings).toMatchObject([{ type: "hello" }, { type: "disconnect", reason: "link_disabled" }])
    expect([before, sandbox.connections()]).toEqual([0, 1])
  })
})
