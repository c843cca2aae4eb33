// An unmodified Bolt app against the sandbox, in Socket Mode and over HTTP: clicks, commands, shortcuts, Home,
// response_url.

import type { BlockAction } from "@slack/bolt"
import { describe, expect, it } from "vitest"
import { sandboxCast } from "../../../src/sandbox/workspace/seed.ts"
import { buttons, limit, postCard } from "../cards.ts"
import { aBot, aSandbox, type Mode } from "../support.ts"

describe.each<Mode>(["socket", "http"])("in %s mode", (mode) => {
  it("a click reaches the bot with everything in it, and the card changes for all", async () => {
    const sandbox = await aSandbox(mode)
    let seen: BlockAction | undefined
    const app = await aBot(sandbox, mode, (bolt) => {
      bolt.action("approve", async ({ ack, body, client }) => {
        await ack()
        seen = body as BlockAction
        await client.chat.update({ channel: sandboxCast.approvals, ts: seen.message?.ts ?? "", text: "approved" })
      })
    })
    const card = await postCard(app)

    const outcome = await sandbox.click(sandboxCast.alice, card, "approve")
    await sandbox.waitFor(() => sandbox.messages(sandboxCast.approvals)[0]?.text === "approved", limit)

    expect(outcome).toMatchObject({ ok: true })
    expect(sandbox.messages(sandboxCast.approvals)[0]?.blocks).toEqual([])
    expect(seen).toMatchObject({
      user: { id: sandboxCast.alice, name: "alice", team_id: "T0SANDBOX" },
      team: { id: "T0SANDBOX", domain: "sandbox" },
      api_app_id: "A0COUNTERSIGN",
      channel: { id: sandboxCast.approvals, name: "approvals" },
      container: { type: "message", message_ts: card.ts, channel_id: sandboxCast.approvals, is_ephemeral: false },
      message: { ts: card.ts, text: "please decide", metadata: { event_type: "card" } },
      actions: [{ action_id: "approve", block_id: "decide", type: "button", value: "value of approve" }],
    })
    expect(seen?.response_url).toContain(sandbox.url)
    expect(seen?.trigger_id).toBeTruthy()
  })

  it("an external person's click carries our team and their own", async () => {
    const sandbox = await aSandbox(mode)
    let seen: BlockAction | undefined
    const app = await aBot(sandbox, mode, (bolt) => {
      bolt.action("approve", async ({ ack, body }) => {
        seen = body as BlockAction
        await ack()
      })
    })

    await sandbox.click(sandboxCast.sam, await postCard(app), "approve")

    expect(seen).toMatchObject({ team: { id: "T0SANDBOX" }, user: { id: sandboxCast.sam, team_id: "T0ELSEWHERE" } })
  })

  it("a command is answered in its ack, for one or for all", async () => {
    const sandbox = await aSandbox(mode)
    await aBot(sandbox, mode, (bolt) => {
      bolt.command("/approvals", async ({ ack, command }) => {
        if (command.text === "aloud") await ack({ response_type: "in_channel", text: "heard" })
        else await ack(`you said ${command.text} in ${command.channel_name}`)
      })
    })

    await sandbox.command(sandboxCast.rita, sandboxCast.payments, "/approvals list all")
    await sandbox.command(sandboxCast.rita, sandboxCast.payments, "/approvals aloud")
    const inThread = await sandbox.command(sandboxCast.rita, sandboxCast.payments, "/approvals list", {
      threadTs: "1.1",
    })

    expect(sandbox.ephemerals(sandboxCast.rita)).toMatchObject([
      { text: "you said list all in payments", channelId: sandboxCast.payments },
    ])
    expect(sandbox.messages(sandboxCast.payments)).toMatchObject([{ text: "heard" }])
    expect(inThread).toMatchObject({ ok: false, reason: "not_in_threads" })
  })

  it("shortcuts and the Home tab reach the bot, and a click in the Home tab too", async () => {
    const sandbox = await aSandbox(mode)
    const heard: string[] = []
    const app = await aBot(sandbox, mode, (bolt) => {
      bolt.shortcut({ callback_id: "show", type: "message_action" }, async ({ ack, shortcut }) => {
        await ack()
        heard.push(`message ${shortcut.message.text}`)
      })
      bolt.shortcut({ callback_id: "anywhere", type: "shortcut" }, async ({ ack }) => {
        await ack()
        heard.push("global")
      })
      bolt.event("app_home_opened", async ({ event, client }) => {
        await client.views.publish({ user_id: event.user, view: { type: "home", blocks: [buttons("approve")] } })
      })
      bolt.action("approve", async ({ ack, body }) => {
        await ack()
        heard.push(`home ${(body as BlockAction).container["type"]} ${(body as BlockAction).view?.type}`)
      })
    })
    const card = await postCard(app)

    await sandbox.shortcut(sandboxCast.bob, "show", card)
    await sandbox.shortcut(sandboxCast.bob, "anywhere")
    await sandbox.openHome(sandboxCast.bob)
    const home = await sandbox.waitFor(() => sandbox.home(sandboxCast.bob), limit)
    await sandbox.click(sandboxCast.bob, home.id, "approve")

    expect(heard).toEqual(["message please decide", "global", "home view home"])
  })

  it("response_url replaces the card, tells one person, tells all, deletes, and ends after five uses", async () => {
    const sandbox = await aSandbox(mode)
    let respond: ((message: never) => Promise<unknown>) | undefined
    const app = await aBot(sandbox, mode, (bolt) => {
      bolt.action("approve", async (args) => {
        await args.ack()
        respond = args.respond as never
      })
    })
    const card = await postCard(app)
    await sandbox.click(sandboxCast.alice, card, "approve")
    const say = async (message: object) => await respond?.(message as never)

    await say({ text: "settled", replace_original: true })
    await say({ text: "only you" })
    await say({ text: "in the thread", response_type: "in_channel", thread_ts: card.ts })
    await say({ text: "all", response_type: "in_channel" })
    await say({ delete_original: true })
    const sixth = say({ text: "once more" })

    await expect(sixth).rejects.toMatchObject({ statusCode: 404 })
    expect(sandbox.ephemerals(sandboxCast.alice)).toMatchObject([{ text: "only you" }])
    expect(sandbox.messages(sandboxCast.approvals)).toMatchObject([{ text: "all" }])
    expect(sandbox.thread(sandboxCast.approvals, card.ts)).toMatchObject([{ text: "in the thread" }])
  })

  it("a button of an ephemeral message can replace it", async () => {
    const sandbox = await aSandbox(mode)
    const app = await aBot(sandbox, mode, (bolt) => {
      bolt.action("approve", async ({ ack, respond }) => {
        await ack()
        await respond({ text: "done", replace_original: true })
      })
    })
    await app.client.chat.postEphemeral({
      channel: sandboxCast.approvals,
      user: sandboxCast.bob,
      text: "x",
      blocks: [buttons("approve")],
    })
    const ts = sandbox.ephemerals(sandboxCast.bob)[0]?.ts ?? ""

    await sandbox.click(sandboxCast.bob, { channel: sandboxCast.approvals, ts }, "approve")
    await sandbox.waitFor(() => sandbox.ephemerals(sandboxCast.bob)[0]?.text === "done", limit)

    await expect(sandbox.click(sandboxCast.alice, { channel: sandboxCast.approvals, ts }, "approve")).rejects.toThrow(
      "There is no message",
    )
  })
})
