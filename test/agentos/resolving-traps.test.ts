// Traps of resolving, provoked at the real AgentOS: answers that lie or never come, locks, credentials that may look
// and not touch.
import { expect, test } from "vitest"
import { createPlatformClient } from "../../src/platform/client.ts"
import { alarms, card, press, settled, threadSays, until } from "../stories/acts.ts"
import { sandboxCast } from "../stories/world.ts"
import { startFaultyProxy } from "../support/faulty-proxy.ts"
import { aJwt } from "./agentos.ts"
import {
  confirmPast,
  continueRun,
  lockDatabase,
  poison,
  record,
  resolveElsewhere,
  rowOf,
  sql,
  startCalls,
  startRun,
} from "./drive.ts"
import { describeAgentOs, type Here } from "./stages.ts"

const RESOLVE = { method: "POST", path: /\/resolve$/ }

/** A proxy between bot and instance, a bot behind it, and a run that waits on a card. */
async function aWaitingRun({ os, aStage, closing }: Here, options: { readonly token?: string } = {}) {
  const proxy = await startFaultyProxy(os().url)
  closing(() => proxy.close())
  const stage = await aStage({ ...options, url: proxy.url })
  const run = await startRun(os(), { of: "admin-agent" })
  const open = await card(stage)
  const { id } = await rowOf(os(), run.runId)
  const posts = () => proxy.passed.filter((one) => one.method === "POST").length
  return { proxy, stage, run, open, id, posts }
}

describeAgentOs("resolving", {}, (here) => {
  const { os } = here

  test("trap 30: 500 on a resolve that took effect is read back by the status", async () => {
    const { proxy, stage, open, id, posts } = await aWaitingRun(here)
    proxy.fail({ ...RESOLVE, times: 1, fault: { kind: "delay", ms: 400 } })
    const pressed = press(stage, sandboxCast.alice, open, "approve")
    await until("the resolve to be on its way", () => (posts() > 0 ? true : undefined))
    const heal = poison(os(), id)
    await pressed

    await settled(stage, "delete_user_data elsewhere alice@sandbox.example")
    heal()

    expect(await record(os(), id)).toMatchObject({ status: "approved", resolved_by: "alice@sandbox.example" })
    expect(alarms(stage)).toContain("unverified-resolution")
  })

  test("trap 31: a resolve whose answer was cut off is read back and known by its decision id", async () => {
    const { proxy, stage, open, id, posts } = await aWaitingRun(here)
    proxy.fail({ ...RESOLVE, times: 1, fault: { kind: "cut", forwarded: true } })

    await press(stage, sandboxCast.alice, open, "approve")

    const seen = await settled(stage, "Approved delete_user_data")
    expect(seen.words).not.toContain("elsewhere")
    expect(await record(os(), id)).toMatchObject({ status: "approved" })
    expect(posts()).toBe(1)
  })

  test("trap 32: 409 with our decision is ours; with somebody else's it is decided elsewhere, with who", async () => {
    const first = await aWaitingRun(here)
    first.proxy.fail({ ...RESOLVE, times: 1, fault: { kind: "delay", ms: 400 } })
    const pressed = press(first.stage, sandboxCast.alice, first.open, "approve")
    await until("the resolve to be on its way", () => (first.posts() > 0 ? true : undefined))
    await resolveElsewhere(os(), first.id, { status: "rejected", resolved_by: "boss@example.com" })
    await pressed

    await settled(first.stage, "delete_user_data boss@example.com")

    expect(await record(os(), first.id)).toMatchObject({ status: "rejected", resolved_by: "boss@example.com" })
  })

  test("trap 33: 409 'already pending', under another writer's lock, is tried again", async () => {
    const { stage, open, id, posts } = await aWaitingRun(here)
    const unlock = lockDatabase(os(), "IMMEDIATE")
    const pressed = press(stage, sandboxCast.alice, open, "approve")
    await until("a second try", () => (posts() > 1 ? true : undefined))
    unlock()
    await pressed

    await settled(stage, "Approved delete_user_data")

    expect(await record(os(), id)).toMatchObject({ status: "approved", resolved_by: "alice@sandbox.example" })
  })

  test("trap 37: values of a form reach the tool by name, and our own data does not", async () => {
    const run = await startCalls(os(), [{ name: "send_money", arguments: { amount: 50, note: "lunch" } }])
    const { id } = await rowOf(os(), run.runId)
    const client = createPlatformClient({
      name: "main",
      url: os().url,
      token: await aJwt(["approvals:read", "approvals:write"]),
    })
    const data = {
      values: { amount: 7, recipient: "Ann", note: "tea" },
      countersign: { recipient: "Mallory", decision_id: "d" },
    }

    await client.resolve(id, JSON.stringify({ status: "approved", resolution_data: data }))
    await continueRun(os(), run, { of: "scripted-agent" })
    await client.close()

    const ran = { tool: "send_money", arguments: { amount: 7, recipient: "Ann", note: "tea" } }
    expect(os().executions().at(-1)).toMatchObject(ran)
  })

  test("trap 40: rejecting what has run already is announced as without effect", async () => {
    const { stage, run, open, id } = await aWaitingRun(here)
    expect(await confirmPast(os(), run)).toMatchObject({ status: 200, body: { status: "COMPLETED" } })

    await press(stage, sandboxCast.alice, open, "reject")

    await settled(stage, "Rejected")
    expect(await record(os(), id)).toMatchObject({ status: "rejected", run_status: "COMPLETED" })
    expect(alarms(stage)).toContain("resolved-without-effect")
    await threadSays(stage, open, "nothing will run")
  })

  test("trap 41: what others set to expired while the press was on its way is decided elsewhere", async () => {
    const { proxy, stage, open, id, posts } = await aWaitingRun(here)
    proxy.fail({ ...RESOLVE, times: 1, fault: { kind: "delay", ms: 400 } })
    const pressed = press(stage, sandboxCast.alice, open, "approve")
    await until("the resolve to be on its way", () => (posts() > 0 ? true : undefined))
    sql(os(), "UPDATE agno_approvals SET status = 'expired' WHERE id = ?", id)
    await pressed

    await settled(stage, "delete_user_data Expired")
  })

  test("trap 45: a client that was idle for longer than AgentOS keeps a socket asks again without a failure", async () => {
    const client = createPlatformClient({ name: "main", url: os().url, token: await aJwt(["approvals:read"]) })
    expect(await client.count()).toBe(0)
    const since = Date.now()

    await until("5.5 s to pass", () => (Date.now() - since > 5_500 ? true : undefined))

    const run = await startRun(os(), { of: "admin-agent" })
    const { id } = await rowOf(os(), run.runId)
    expect(await client.resolve(id, "{}")).toMatchObject({ kind: "refused", status: 403 })
    expect(await client.count()).toBe(1)
    await client.close()
  })
})

describeAgentOs("user isolation", { isolation: true }, (here) => {
  test("traps 34 and 43: a token with a subject may see and not resolve; that is said, and not tried for ever", async () => {
    const token = await aJwt(["approvals:read", "approvals:write"], { sub: "alice@example.com" })
    const { stage, open, id } = await aWaitingRun(here, { token })

    await press(stage, sandboxCast.alice, open, "approve")

    await threadSays(stage, open, "the credential may see it and not resolve it")
    expect(alarms(stage)).toContain("credential-may-not-resolve")
    expect(await record(here.os(), id)).toMatchObject({ status: "pending" })
  })

  test("the admin scope without a subject sees and resolves everything, in the human's name", async () => {
    const token = await aJwt(["agent_os:admin"])
    const client = createPlatformClient({ name: "main", url: here.os().url, token })
    const run = await startRun(here.os(), { of: "admin-agent" })
    const { id } = await rowOf(here.os(), run.runId)

    const resolved = await client.resolve(id, JSON.stringify({ status: "approved", resolved_by: "bob@example.com" }))
    await client.close()

    expect(resolved).toMatchObject({ kind: "row", approval: { resolvedBy: "bob@example.com" } })
  })
})
