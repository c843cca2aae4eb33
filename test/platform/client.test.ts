// The platform client against recorded answers of AgentOS, replayed by a real HTTP server: reading.
import { describe, expect, test } from "vitest"
import type { Approval } from "../../src/domain/content/approval.ts"
import { digestOf } from "../../src/domain/content/digest.ts"
import type { Unreadable } from "../../src/flow/ports.ts"
import type { PlatformClient } from "../../src/platform/client.ts"
import { clientOf, failure, idIn, TOKEN } from "./clients.ts"
import { aRow, json, recorded } from "./replay.ts"

async function listOf(client: PlatformClient) {
  const approvals: Approval[] = []
  const unreadable: Unreadable[] = []
  for await (const page of client.pending()) {
    approvals.push(...page.approvals.map((listed) => listed.read()))
    unreadable.push(...page.unreadable)
  }
  return { approvals, unreadable }
}

describe("the list", () => {
  test("brings each pending approval in our words, times in milliseconds", async () => {
    const { client, server } = await clientOf(() => recorded("list-pending"))

    const { approvals, unreadable } = await listOf(client)

    expect(approvals).toHaveLength(8)
    expect(unreadable).toEqual([])
    expect(approvals[0]).toMatchObject({ instance: "main", status: "pending", approvalType: "required" })
    expect(approvals[0]?.createdAt).toBe(1_795_185_122_000)
    expect(server.seen).toHaveLength(1)
    expect(server.seen[0]?.headers.authorization).toBe(`Bearer ${TOKEN}`)
    expect(`${server.seen[0]?.url.pathname}${server.seen[0]?.url.search}`).toBe(
      "/os/approvals?status=pending&approval_type=required&limit=100&page=1",
    )
  })

  test.each(["list-empty", "list-service-account-empty", "list-audit"])(
    "the recorded %s opens nothing",
    async (name) => {
      const { client } = await clientOf(() => recorded(name))

      expect(await listOf(client)).toEqual({ approvals: [], unreadable: [] })
    },
  )

  test("trap 9: resolved and audit rows are left out where the filter was ignored", async () => {
    const { client } = await clientOf(() => recorded("list-all-statuses"))

    const { approvals } = await listOf(client)

    expect(approvals.length).toBeGreaterThan(0)
    expect(new Set(approvals.map(({ status }) => status))).toEqual(new Set(["pending"]))
  })

  test("the list of all statuses names the newest approvals, and answers all who ask meanwhile at once", async () => {
    const { client, server } = await clientOf(() => recorded("list-all-statuses"))

    const [ids, same] = await Promise.all([client.newest(), client.newest()])

    const { data } = JSON.parse(recorded("list-all-statuses").body) as {
      readonly data: readonly { readonly id: string }[]
    }
    expect(ids).toEqual(data.map(({ id }) => id))
    expect(same).toEqual(ids)
    expect(server.seen.map(({ url }) => url.search)).toEqual(["?approval_type=required&limit=100&page=1"])
    await client.newest()
    expect(server.seen).toHaveLength(2)
  })

  test.each(["list-team-and-member", "3.1.10/list-team-and-member"])(
    "every row of %s is read under its own id",
    async (name) => {
      const { client } = await clientOf(() => recorded(name))

      const { approvals, unreadable } = await listOf(client)

      expect(new Set(approvals.map(({ id }) => id)).size).toBe(2)
      expect(unreadable).toEqual([])
    },
  )

  test.each([
    ["{approvals, total, limit, page}", { approvals: [aRow()], total: 1, limit: 50, page: 1 }],
    ["a bare array", [aRow()]],
    ["{data, meta}", { data: [aRow()], meta: { total_count: 1, page: 1 } }],
  ])("the list may come as %s", async (_, body) => {
    const { client } = await clientOf(({ url }) => json(url.searchParams.get("page") === "1" ? body : []))

    const { approvals } = await listOf(client)

    expect(approvals.map(({ id }) => id)).toEqual(["approval-1"])
  })

  test("a bad item is reported beside the good ones, by its id where that can be read", async () => {
    const deep = JSON.parse(`${"[".repeat(300)}${"]".repeat(300)}`) as unknown
    const rows = [
      aRow({ id: "good-1" }),
      aRow({ id: "no-run", run_id: null }),
      aRow({ id: "" }),
      "no object",
      aRow({ id: "args", tool_args: ["x"] }),
      aRow({ id: "deep", tool_args: { deep } }),
      aRow({ id: ".." }),
      aRow({ id: "good-2" }),
    ]
    const { client } = await clientOf(() => json({ data: rows, meta: { total_count: rows.length } }))

    const { approvals, unreadable } = await listOf(client)

    expect(approvals.map(({ id }) => id)).toEqual(["good-1", "good-2"])
    expect(unreadable.map(({ id }) => id)).toEqual(["no-run", null, null, "args", "deep", null])
    expect(unreadable[0]?.why).toContain("run_id")
    expect(unreadable[3]?.why).toBe("tool_args: must be an object")
    expect(unreadable[4]?.why).toBe("is nested deeper than 200 levels")
  })

  test("a page that has not changed brings the same, and one whose text changed anywhere is read anew", async () => {
    let rows = [
      aRow({ id: "one", agent_id: "mailer" }),
      aRow({ id: "two", run_id: null }),
      aRow({ id: "done", status: "approved" }),
    ]
    const { client } = await clientOf(() => json({ data: rows, meta: { total_count: rows.length } }))

    const first = await listOf(client)
    const again = await listOf(client)
    rows = rows.with(0, aRow({ id: "one", agent_id: "mailer", tool_args: { path: "/srv/other" } }))
    const changed = await listOf(client)

    expect(again).toEqual(first)
    expect(first.unreadable.map(({ id }) => id)).toEqual(["two"])
    expect(changed.approvals.map(({ toolArgs }) => toolArgs)).toEqual([{ path: "/srv/other" }])
    expect(changed.approvals.map(digestOf)).not.toEqual(first.approvals.map(digestOf))
  })

  test("what failed is not remembered", async () => {
    const body = { data: [aRow()], meta: { total_count: 1 } }
    const statuses = [200, 401, 200]
    const { client } = await clientOf(() => json(body, statuses.shift()))

    const first = await listOf(client)
    const error = await failure(listOf(client))

    expect(error).toMatchObject({ status: 401 })
    expect(await listOf(client)).toEqual(first)
  })

  test("an answer that holds no list is an error", async () => {
    const { client, server } = await clientOf(() => json({ hello: "world" }))

    const error = await failure(listOf(client))

    expect(error).toMatchObject({ code: "unexpected_shape", retryable: false })
    expect(error.message).toContain(`main at ${new URL(server.url).host}: GET /approvals?`)
  })
})

describe("one approval", () => {
  test.each([
    "get-pending-confirmation",
    "get-pending-external-execution",
    "get-pending-extra-argument",
    "get-pending-hostile-text",
    "get-pending-multi-tool",
    "get-pending-not-a-number",
    "get-pending-team",
    "get-pending-team-member",
    "get-pending-team-second-call",
    "get-pending-user-input",
    "get-pending-user-input-all-fields",
    "get-pending-workflow-step",
    "get-approved-completed",
    "3.1.10/get-pending-confirmation",
    "3.1.10/get-pending-same-tool-twice",
  ])("%s is read whole", async (name) => {
    const { client } = await clientOf(() => recorded(name))
    const row = JSON.parse(recorded(name).body) as Record<string, unknown>

    const approval = await client.get(idIn(name))

    expect(approval).toMatchObject({
      toolArgs: row["tool_args"],
      requirements: row["requirements"],
      runId: row["run_id"],
    })
    expect(approval?.updatedAt).toBe(Number(row["updated_at"]) * 1_000)
    expect(approval?.userId).toBe(row["user_id"])
  })

  test("trap 12: an integer beyond 2^53 is kept digit by digit", async () => {
    const name = "get-pending-big-integer"
    const { client } = await clientOf(() => recorded(name))

    const approval = await client.get(idIn(name))

    expect(JSON.stringify(approval?.toolArgs)).toContain('"body":12345678901234567890123')
  })

  test("404 is null, for the record and for its status", async () => {
    const { client } = await clientOf(() => recorded("404-get"))

    expect(await client.get("nobody")).toBeNull()
    expect(await client.status("nobody")).toBeNull()
  })

  test("another approval's record is refused", async () => {
    const { client } = await clientOf(() => json(aRow({ id: "approval-2" })))

    expect(await failure(client.get("approval-1"))).toMatchObject({ code: "unexpected_shape" })
  })

  test("an id is put into the path as one step", async () => {
    const { client, server } = await clientOf(() => json(aRow({ id: "a/b?c" })))

    expect((await client.get("a/b?c"))?.id).toBe("a/b?c")
    expect(server.seen[0]?.url.pathname).toBe("/os/approvals/a%2Fb%3Fc")
  })

  test("trap 7: the short form answers where the record does not", async () => {
    const { client } = await clientOf(({ url }) =>
      recorded(url.pathname.endsWith("/status") ? "status-after-500-resolve" : "500-get-poisoned"),
    )

    expect(await failure(client.get("x"))).toMatchObject({ code: "server", status: 500, retryable: true })
    expect(await client.status("x")).toMatchObject({ status: "rejected", resolvedBy: expect.any(String) as string })
  })

  test("the count is the platform's", async () => {
    const { client } = await clientOf(() => recorded("count"))

    expect(await client.count()).toBe(8)
  })
})

describe("refusals of a read", () => {
  test.each([
    ["401-expired", "unauthorized", true],
    ["401-service-account-lookup-failed", "unauthorized", true],
    ["403-list", "forbidden", false],
    ["3.1.10/403-list-isolated-without-sub", "forbidden", false],
    ["422-list-status-foo", "invalid", false],
    ["429-service-account", "busy", true],
    ["503-no-db", "server", true],
    ["3.1.10/503-service-account-lookup-failed", "server", true],
  ])("a read that is answered with %s fails as %s", async (name, code, retryable) => {
    const { client } = await clientOf(() => recorded(name))
    const { status, body } = recorded(name)

    const error = await failure(client.count())

    expect(error).toMatchObject({
      code,
      status,
      retryable,
      instance: "main",
      method: "GET",
      path: "/approvals/count",
    })
    const { detail } = JSON.parse(body) as { detail: unknown }
    if (typeof detail === "string") expect(error.detail).toBe(detail)
    expect(error.message).toContain(`GET /approvals/count answered ${status}: `)
  })

  test("a 422 names the place and never repeats what was sent", async () => {
    const { client } = await clientOf(() => recorded("422-resolve-resolved-by-256"))

    const resolved = await client.resolve("x", "{}")

    expect(resolved).toEqual({
      kind: "refused",
      status: 422,
      detail: "body.resolved_by: String should have at most 255 characters",
    })
  })
})

test("no error tells the token, even where the server repeats it", async () => {
  const { client } = await clientOf(({ headers }) =>
    json({ detail: `bad header ${String(headers.authorization)}` }, 400),
  )

  const error = await failure(client.count())

  expect(error).toMatchObject({ code: "unexpected_status", retryable: false, detail: "bad header Bearer [removed]" })
  expect(JSON.stringify([Object.entries(error), error.message, error.stack])).not.toContain(TOKEN)
})

test("R2: a row that names a member twice says so, in a list and by itself, and the other rows do not", async () => {
  const twice = JSON.stringify(aRow({ id: "b" })).replace('"to":', '"to":"eve@example.com","to":')
  const list = `{"data":[${JSON.stringify(aRow({ id: "a" }))},${twice}],"meta":{"total_count":2}}`
  const { client } = await clientOf(({ url }) => ({ status: 200, body: url.pathname.endsWith("/b") ? twice : list }))

  const { approvals } = await listOf(client)

  expect(approvals.map(({ id, ambiguous }) => [id, ambiguous])).toEqual([
    ["a", undefined],
    ["b", true],
  ])
  expect(await client.get("b")).toMatchObject({ toolArgs: { to: "ann@example.com" }, ambiguous: true })
})
