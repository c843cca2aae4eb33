// The contract of reading: what the client brings from a list, a record, a count, alike from AgentOS and the embedded
// service.

import { expect, test } from "vitest"
import { type Approval, openGatedCalls } from "../../../src/domain/content/approval.ts"
import { digestOf } from "../../../src/domain/content/digest.ts"
import type { PlatformClient } from "../../../src/platform/client.ts"
import { aJwt } from "../agentos.ts"
import { call, rowOf, startRun } from "../drive.ts"
import { describePlatforms } from "./platforms.ts"

async function listOf(client: PlatformClient): Promise<readonly Approval[]> {
  const found: Approval[] = []
  for await (const page of client.pending()) {
    expect(page.unreadable).toEqual([])
    found.push(...page.approvals.map((listed) => listed.read()))
  }
  return found
}

describePlatforms("reading", ({ os, client, pick }) => {
  test("no approvals are an empty list and a count of 0", async () => {
    const one = await client()

    expect(await listOf(one)).toEqual([])
    expect(await one.count()).toBe(0)
  })

  test("a paused run is one pending approval, with every field that a card and a rule need", async () => {
    const before = Math.floor(Date.now() / 1_000) * 1_000
    const run = await startRun(os(), { of: "admin-agent" })

    const [approval, ...others] = await listOf(await client())

    expect(others).toEqual([])
    expect(approval).toMatchObject({
      runId: run.runId,
      sessionId: run.session,
      status: "pending",
      sourceType: "agent",
      approvalType: "required",
      pauseType: "confirmation",
      toolName: "delete_user_data",
      toolArgs: { user_id: "U-100" },
      agentId: "admin-agent",
      teamId: null,
      workflowId: null,
      userId: "alice@example.com",
      resolvedBy: null,
      resolutionData: null,
      resolvedAt: null,
      expiresAt: null,
      runStatus: "PAUSED",
      context: { tool_names: ["delete_user_data"] },
    })
    expect(approval?.createdAt).toBeGreaterThanOrEqual(before)
    expect(approval?.createdAt).toBeLessThanOrEqual(Date.now())
    // The service writes the two from two readings of its clock, so a second may pass between them.
    expect(approval?.updatedAt).toBeGreaterThanOrEqual(approval?.createdAt ?? Number.NaN)
    expect(approval?.updatedAt).toBeLessThanOrEqual(Date.now())
  })

  test("trap 27: times are milliseconds for us, whether the wire says seconds or ISO 8601", async () => {
    const run = await startRun(os(), { of: "admin-agent" })
    const row = await rowOf(os(), run.runId)

    const approval = await (await client()).get(row.id)

    expect(approval?.createdAt).toBe(Number(row["created_at"]) * 1_000)
    const made = approval?.requirements?.[0]?.["created_at"]
    const ms = typeof made === "string" ? Date.parse(made) : Number.NaN
    expect(Math.abs(ms - (approval?.createdAt ?? 0))).toBeLessThan(2_000)
  })

  test("the record by id is the list's item, with the same digest", async () => {
    await startRun(os(), { of: "two-tools-agent" })
    const one = await client()
    const [listed] = await listOf(one)

    const read = await one.get(listed?.id ?? "")

    expect(read).toEqual(listed)
    expect(read && digestOf(read)).toBe(listed && digestOf(listed))
  })

  test("the short form says pending and nobody", async () => {
    const run = await startRun(os(), { of: "admin-agent" })
    const { id } = await rowOf(os(), run.runId)

    expect(await (await client()).status(id)).toEqual({ status: "pending", resolvedBy: null })
  })

  test("an unknown id is null, for the record and for its status", async () => {
    const one = await client()

    expect(await one.get("no-such-approval")).toBeNull()
    expect(await one.status("no-such-approval")).toBeNull()
  })

  test.each([
    ["admin-agent", "confirmation", [["delete_user_data", { user_id: "U-100" }]]],
    ["operations-agent", "external_execution", [["restart_database", { cluster: "db-1" }]]],
    ["payments-agent", "user_input", [["send_money", { amount: 50, note: "lunch" }]]],
  ])("a run of %s waits with %s", async (agent, pause, calls) => {
    await startRun(os(), { of: agent })

    const [approval] = await listOf(await client())

    expect(approval?.pauseType).toBe(pause)
    const open = approval === undefined ? [] : openGatedCalls(approval)
    expect(open.map(({ tool, args }) => [tool, args])).toEqual(calls)
    expect(open.every((one) => one.pauseType === pause && one.id !== null)).toBe(true)
  })

  test("trap 16: two gated calls of one turn are one approval with both calls, in order", async () => {
    await startRun(os(), { of: "two-tools-agent" })

    const [approval, ...others] = await listOf(await client())

    expect(others).toEqual([])
    const open = approval === undefined ? [] : openGatedCalls(approval)
    expect(open.map(({ tool }) => tool)).toEqual(["delete_user_data", "send_email"])
    expect(approval?.context).toMatchObject({ tool_names: ["delete_user_data", "send_email"] })
  })

  test("a form brings every field, with the type's name and the agent's value", async () => {
    await startRun(os(), { of: "payments-agent" })

    const [approval] = await listOf(await client())
    const [form] = approval === undefined ? [] : openGatedCalls(approval)

    expect(form?.fields.map(({ name, field_type: type, value }) => [name, type, value])).toEqual([
      ["amount", "float", 50],
      ["recipient", "str", null],
      ["note", "str", "lunch"],
    ])
  })

  test("trap 8: 120 approvals of the same seconds are found once each", async () => {
    const runs: string[] = []
    for (let at = 0; at < 12; at += 1) {
      const some = await Promise.all(Array.from({ length: 10 }, () => startRun(os(), { of: "admin-agent" })))
      runs.push(...some.map(({ runId }) => runId))
    }
    const one = await client()

    const found = await listOf(one)

    expect(found).toHaveLength(120)
    expect(new Set(found.map(({ runId }) => runId))).toEqual(new Set(runs))
    expect(await one.count()).toBe(120)
  })

  test.each([
    ["status=nonsense", "status", "literal_error"],
    ["approval_type=nonsense", "approval_type", "literal_error"],
    ["limit=0", "limit", "greater_than_equal"],
    ["limit=1001", "limit", "less_than_equal"],
    ["limit=x", "limit", "int_parsing"],
    ["page=0", "page", "greater_than_equal"],
  ])("a list asked for with %s is refused with 422", async (query, field, type) => {
    const answer = await call(os(), `GET /approvals?${query}`, { token: await aJwt(["approvals:read"]) })

    expect(answer).toMatchObject({ status: 422, body: { detail: [{ type, loc: ["query", field] }] } })
  })

  test("a page past the end is empty, and its envelope says how many there are", async () => {
    await startRun(os(), { of: "admin-agent" })

    const answer = await call(os(), "GET /approvals?page=1000000&limit=1", { token: await aJwt(["approvals:read"]) })

    expect(answer).toMatchObject({
      status: 200,
      body: { data: [], meta: { total_count: 1, limit: 1, total_pages: 1 } },
    })
  })

  test("a deleted approval is gone", async () => {
    const run = await startRun(os(), { of: "admin-agent" })
    const { id } = await rowOf(os(), run.runId)

    const answer = await call(os(), `DELETE /approvals/${id}`, { token: await aJwt(["approvals:delete"]) })

    expect(answer).toMatchObject({ status: 204, text: "" })
    expect(await (await client()).get(id)).toBeNull()
  })

  test("deleting what nobody knows is refused", async () => {
    const answer = await call(os(), "DELETE /approvals/nobody", { token: await aJwt(["approvals:delete"]) })

    expect(answer.status).toBe(pick({ embedded: 404, v2: 500, v3: 500 }))
  })

  test("health and info need no credential, and say that JWTs are asked for", async () => {
    expect(await call(os(), "GET /health")).toMatchObject({ status: 200, body: { status: "ok" } })
    expect(await call(os(), "GET /info")).toMatchObject({ status: 200, body: { auth_mode: "jwt" } })
  })
})
