// Reading people, groups and channels with the real client.

import { describe, expect, it } from "vitest"
import { sandboxCast } from "../../../src/sandbox/workspace/seed.ts"
import { aClient, aSandbox, refusal } from "../support.ts"

describe("people and groups", () => {
  it("tells what a person is", async () => {
    const sandbox = await aSandbox()
    const { users } = aClient(sandbox)
    const info = async (user: string) => (await users.info({ user })).user

    expect(await info(sandboxCast.alice)).toMatchObject({
      team_id: "T0SANDBOX",
      is_bot: false,
      deleted: false,
      profile: { email: "alice@sandbox.example" },
    })
    expect(await info(sandboxCast.gus)).toMatchObject({ is_restricted: true })
    expect(await info(sandboxCast.sam)).toMatchObject({ is_stranger: true, team_id: "T0ELSEWHERE" })
    expect(await info(sandboxCast.dan)).toMatchObject({ deleted: true })
    expect(await info(sandboxCast.bot)).toMatchObject({ is_bot: true })
    await expect(users.info({ user: "U0NOBODY" })).rejects.toEqual(refusal("user_not_found"))
    sandbox.scopes.delete("users:read.email")
    expect((await info(sandboxCast.alice))?.profile?.email).toBeUndefined()
  })

  it("finds people by e-mail, but nobody deactivated or of elsewhere", async () => {
    const sandbox = await aSandbox()
    const { users } = aClient(sandbox)

    expect((await users.lookupByEmail({ email: "ALICE@sandbox.example" })).user?.id).toBe(sandboxCast.alice)
    await expect(users.lookupByEmail({ email: "dan@sandbox.example" })).rejects.toEqual(refusal("users_not_found"))
    await expect(users.lookupByEmail({ email: "sam@elsewhere.example" })).rejects.toEqual(refusal("users_not_found"))
  })

  it("lists groups and their members as they are now", async () => {
    const sandbox = await aSandbox()
    const { usergroups } = aClient(sandbox)
    const group = {
      id: sandboxCast.approvers,
      handle: "approvers",
      name: "Approvers",
      memberIds: [sandboxCast.bob],
      disabled: false,
    }

    expect((await usergroups.list({ include_users: true })).usergroups).toMatchObject([
      { handle: "approvers", users: [sandboxCast.alice, sandboxCast.bob] },
    ])
    sandbox.workspace.putGroup(group)
    expect((await usergroups.users.list({ usergroup: sandboxCast.approvers })).users).toEqual([sandboxCast.bob])
    sandbox.workspace.putGroup({ ...group, disabled: true })
    expect((await usergroups.list({})).usergroups).toEqual([])
    await expect(usergroups.users.list({ usergroup: sandboxCast.approvers })).rejects.toEqual(
      refusal("no_such_subteam"),
    )
  })
})

describe("conversations", () => {
  it("pages through history newest first, with metadata on request and within a window", async () => {
    const sandbox = await aSandbox()
    const { chat, conversations } = aClient(sandbox)
    const channel = sandboxCast.approvals
    const post = async (text: string) =>
      (await chat.postMessage({ channel, text, metadata: { event_type: "card", event_payload: { text } } })).ts ?? ""
    const [one, two, three] = [await post("1"), await post("2"), await post("3")]
    await chat.postMessage({ channel, text: "reply", thread_ts: two })
    const texts = (messages: { text?: string }[] | undefined) => messages?.map((message) => message.text)

    const first = await conversations.history({ channel, limit: 2, include_all_metadata: true })
    const second = await conversations.history({
      channel,
      limit: 2,
      cursor: first.response_metadata?.next_cursor ?? "",
    })
    const window = await conversations.history({ channel, oldest: one, latest: three })
    const replies = await conversations.replies({ channel, ts: two })

    expect(texts(first.messages)).toEqual(["3", "2"])
    expect(first).toMatchObject({ has_more: true, messages: [{ metadata: { event_payload: { text: "3" } } }, {}] })
    expect(texts(second.messages)).toEqual(["1"])
    expect(second.messages?.[0]).not.toHaveProperty("metadata")
    expect(texts(window.messages)).toEqual(["2"])
    expect(texts(replies.messages)).toEqual(["2", "reply"])
    expect(replies.messages?.[0]).toMatchObject({ reply_count: 1 })
  })

  it("describes and lists channels, and needs the scope of their kind", async () => {
    const sandbox = await aSandbox()
    const { conversations } = aClient(sandbox)
    sandbox.workspace.putChannel({
      id: "C0SHARED",
      name: "shared",
      kind: "private",
      memberIds: [sandboxCast.bot],
      archived: false,
      external: true,
    })

    const all = await conversations.list({ types: "public_channel,private_channel", limit: 3 })
    const rest = await conversations.list({
      types: "public_channel,private_channel",
      cursor: all.response_metadata?.next_cursor ?? "",
    })

    expect(all.channels).toHaveLength(3)
    expect(rest.channels).toMatchObject([{ id: "C0SHARED", is_ext_shared: true, is_private: true }])
    expect((await conversations.info({ channel: sandboxCast.general })).channel).toMatchObject({
      is_member: true,
      is_archived: false,
    })
    expect((await conversations.members({ channel: "C0SHARED" })).members).toEqual([sandboxCast.bot])
    sandbox.scopes.delete("groups:history")
    await expect(conversations.history({ channel: "C0SHARED" })).rejects.toMatchObject({
      data: { error: "missing_scope", needed: "groups:history" },
    })
    await expect(conversations.replies({ channel: sandboxCast.general, ts: "1.1" })).rejects.toEqual(
      refusal("thread_not_found"),
    )
  })
})
