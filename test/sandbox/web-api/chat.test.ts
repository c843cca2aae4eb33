// chat.* as the real client sees them: what they do, and what they refuse by which name.

import { describe, expect, it } from "vitest"
import { sandboxCast } from "../../../src/sandbox/workspace/seed.ts"
import { aClient, aSandbox, modal, refusal, section } from "../support.ts"

describe("chat", () => {
  it("posts, replies, changes, links and deletes", async () => {
    const sandbox = await aSandbox()
    const { chat } = aClient(sandbox)
    const metadata = { event_type: "card", event_payload: { id: "7" } }

    const posted = await chat.postMessage({
      channel: "#approvals",
      text: "one",
      blocks: [section(5)],
      metadata,
      unfurl_links: false,
    })
    const ts = posted.ts ?? ""
    await chat.postMessage({ channel: sandboxCast.approvals, text: "reply", thread_ts: ts })
    await chat.update({ channel: sandboxCast.approvals, ts, text: "two" })
    const link = await chat.getPermalink({ channel: sandboxCast.approvals, message_ts: ts })

    expect(posted).toMatchObject({ channel: sandboxCast.approvals, message: { metadata, bot_id: "B0COUNTERSIGN" } })
    expect(sandbox.messages(sandboxCast.approvals)).toMatchObject([{ text: "two", blocks: [], metadata, ts }])
    expect(sandbox.thread(sandboxCast.approvals, ts)).toMatchObject([{ text: "reply" }])
    expect(link.permalink).toBe(`${sandbox.url}/archives/${sandboxCast.approvals}/p${ts.replace(".", "")}`)
    await chat.delete({ channel: sandboxCast.approvals, ts })
    expect(sandbox.messages(sandboxCast.approvals)).toEqual([])
  })

  it("a person's id as the channel means the direct conversation with them", async () => {
    const sandbox = await aSandbox()
    const client = aClient(sandbox)

    const posted = await client.chat.postMessage({ channel: sandboxCast.rita, text: "for you" })
    const opened = await client.conversations.open({ users: sandboxCast.rita })

    expect(opened.channel?.id).toBe(posted.channel)
    await expect(client.conversations.open({ users: sandboxCast.dan })).rejects.toEqual(refusal("user_disabled"))
  })

  it("refuses what Slack refuses, by Slack's name for it", async () => {
    const sandbox = await aSandbox()
    const { chat } = aClient(sandbox)
    const general = {
      id: sandboxCast.general,
      name: "general",
      kind: "public",
      memberIds: [sandboxCast.alice],
      archived: false,
      external: false,
    } as const
    const ts = (await chat.postMessage({ channel: sandboxCast.approvals, text: "x" })).ts ?? ""
    const channel = sandboxCast.approvals
    sandbox.workspace.putChannel(general)
    sandbox.workspace.putChannel({
      ...general,
      id: sandboxCast.payments,
      name: "payments",
      memberIds: [sandboxCast.bot],
      archived: true,
    })
    sandbox.workspace.putChannel({ ...general, id: "C0SECRET", name: "secret", kind: "private" })
    sandbox.workspace.messages.add({
      ts: "1.000001",
      channelId: channel,
      authorId: sandboxCast.rita,
      text: "mine",
      blocks: [],
      metadata: undefined,
      threadTs: undefined,
      broadcast: false,
      editedTs: undefined,
    })

    await expect(chat.postMessage({ channel: "C0NOWHERE", text: "x" })).rejects.toEqual(refusal("channel_not_found"))
    await expect(chat.postMessage({ channel: "C0SECRET", text: "x" })).rejects.toEqual(refusal("channel_not_found"))
    await expect(chat.postMessage({ channel: sandboxCast.general, text: "x" })).rejects.toEqual(
      refusal("not_in_channel"),
    )
    await expect(chat.postMessage({ channel: sandboxCast.payments, text: "x" })).rejects.toEqual(refusal("is_archived"))
    await expect(chat.postMessage({ channel, text: "" })).rejects.toEqual(refusal("no_text"))
    await expect(chat.postEphemeral({ channel, user: "U0NOBODY", text: "x" })).rejects.toEqual(
      refusal("user_not_found"),
    )
    await expect(chat.update({ channel, ts: "2.000001", text: "x" })).rejects.toEqual(refusal("message_not_found"))
    await expect(chat.update({ channel, ts: "1.000001", text: "x" })).rejects.toEqual(refusal("cant_update_message"))
    await expect(chat.delete({ channel, ts: "1.000001" })).rejects.toEqual(refusal("cant_delete_message"))
    const long = { channel, text: "x".repeat(4001), blocks: [section(1)] }
    await expect(chat.update({ ...long, ts })).rejects.toEqual(refusal("msg_too_long"))
    await expect(chat.postMessage(long)).rejects.toEqual(refusal("msg_too_long"))
    await expect(chat.postEphemeral({ ...long, user: sandboxCast.alice })).rejects.toEqual(refusal("msg_too_long"))
    await expect(chat.getPermalink({ channel, message_ts: "2.000001" })).rejects.toEqual(refusal("message_not_found"))
    await expect(chat.postMessage({ channel, text: "x", metadata: "{}" as never })).rejects.toEqual(
      refusal("invalid_metadata_format"),
    )
    sandbox.workspace.putChannel({ ...general, memberIds: [sandboxCast.bot] })
    await expect(
      chat.postEphemeral({ channel: sandboxCast.general, user: sandboxCast.alice, text: "x" }),
    ).rejects.toEqual(refusal("user_not_in_channel"))
  })

  it("refuses blocks beyond the limits, with pointers", async () => {
    const sandbox = await aSandbox()
    const { chat, blocks } = aClient(sandbox)
    const channel = sandboxCast.approvals
    const pointers = {
      data: {
        response_metadata: {
          messages: ["[ERROR] must be less than 3001 characters [json-pointer:/blocks/0/text/text]"],
        },
      },
    }

    await expect(chat.postMessage({ channel, text: "x", blocks: [section(3001)] })).rejects.toMatchObject(pointers)
    await expect(
      chat.postMessage({ channel, text: "x", blocks: [1, 2, 3, 4].map(() => section(2600)) }),
    ).rejects.toEqual(refusal("msg_blocks_too_long"))
    await expect(chat.postMessage({ channel, text: "x", blocks: "not json" as never })).rejects.toEqual(
      refusal("invalid_blocks"),
    )
    await expect(blocks.validate({ blocks: [section(3001)] })).rejects.toMatchObject(pointers)
    expect(await blocks.validate({ message: { blocks: [section(1)] } })).toMatchObject({ ok: true })
    expect(await blocks.validate({ view: modal() })).toMatchObject({ ok: true })
    await expect(blocks.validate({})).rejects.toEqual(refusal("invalid_arguments"))
    expect(sandbox.messages(channel)).toEqual([])
  })
})
