// Sessions: who belongs to whom, in which database, and who may not look.
import { expect, test } from "vitest"
import { relationOf } from "../../src/domain/case/related-approval.ts"
import { recorded as approvalsOf } from "./approvals.ts"
import { clientOf, failure } from "./clients.ts"
import { json, recorded } from "./replay.ts"

test("trap 22: the recorded rows of a team and its member about one call know of each other", () => {
  const [member, team] = approvalsOf("list-team-and-member")
  if (member === undefined || team === undefined) throw new Error("two rows are recorded")

  expect(relationOf(member, team)).toBe("team")
  expect(relationOf(team, member)).toBe("member")
})

test("trap 22: since 3.1.2 a team's row names no member's call", () => {
  const [one, other] = approvalsOf("3.1.10/list-team-and-member")
  if (one === undefined || other === undefined) throw new Error("two rows are recorded")

  expect([relationOf(one, other), relationOf(other, one)]).toEqual([null, null])
})

test("trap 23: a session names the team behind a member's run", async () => {
  const { client } = await clientOf(() => recorded("get-session-runs-team"))

  const runs = await client.session("tl")

  const member = runs?.find((run) => run.parentRunId !== null)
  expect(runs?.find((run) => run.runId === member?.parentRunId)).toMatchObject({
    teamId: "support-team",
    status: "PAUSED",
  })
})

test("a session tells what each of its runs was started with, as a text or as what a program gave", async () => {
  const run = (id: string, more: object) => ({ run_id: id, status: "PAUSED", ...more })
  const rows = [run("a", { run_input: "Refund it." }), run("b", { run_input: { invoice: 7 } }), run("c", {})]
  const { client } = await clientOf(() => json(rows))

  const runs = await client.session("s")

  expect(runs?.map(({ input }) => input)).toEqual(["Refund it.", { invoice: 7 }, null])
})

test("trap 75: where there are several databases, the instance's own is asked for, from then on at once", async () => {
  const { client, server } = await clientOf(({ url }) => {
    if (url.pathname.endsWith("/config")) return recorded("3.1.10/config")
    return url.searchParams.has("db_id") ? recorded("get-session-runs-team") : recorded("3.1.10/400-session-runs-db-id")
  })

  await client.session("s/1")
  await client.session("s2")

  const own = "db_id=0084ede1-2be5-545e-9d80-922b674da480"
  expect(server.seen.map(({ url }) => url.pathname + url.search)).toEqual([
    "/os/sessions/s%2F1/runs",
    "/os/config",
    `/os/sessions/s%2F1/runs?${own}`,
    `/os/sessions/s2/runs?${own}`,
  ])
})

test.each([429, 500, 503])(
  "a session that the platform cannot tell now (%i) is no session that nobody may read",
  async (status) => {
    const { client } = await clientOf(() => json({ detail: "later" }, status))

    expect(await failure(client.session("s"))).toMatchObject({ retryable: true })
  },
)

test.each([
  ["may not look", json({ detail: "Insufficient permissions. Required scope(s): sessions:read" }, 403)],
  ["may not ask which database", json({ detail: "db_id is required" }, 400)],
  ["gets something else", json({ runs: [] })],
])("a session is null for a credential that %s", async (_, answer) => {
  const { client } = await clientOf(({ url }) => (url.pathname.endsWith("/config") ? recorded("403-list") : answer))

  expect(await client.session("s")).toBeNull()
})

test("a session that is not there has no runs; a failing one is an error that may pass", async () => {
  const { client } = await clientOf(({ url }) =>
    url.pathname.includes("gone") ? json({ detail: "Session not found" }, 404) : json({ detail: "broken" }, 500),
  )

  expect(await client.session("gone")).toEqual([])
  expect(await failure(client.session("s"))).toMatchObject({ code: "server", retryable: true })
})

test("the sessions that changed last come first, a page at a time, from the instance's own database", async () => {
  const list = {
    data: [
      { session_id: "s2", created_at: "2026-11-20T14:30:00Z", updated_at: "2026-11-20T14:38:18Z" },
      { session_id: "s1", created_at: "2026-11-20T14:30:00Z" },
      { name: "no session" },
    ],
    meta: { total_count: 3 },
  }
  const { client, server } = await clientOf(({ url }) => {
    if (url.pathname.endsWith("/config")) return recorded("3.1.10/config")
    return url.searchParams.has("db_id") ? json(list) : recorded("3.1.10/400-session-runs-db-id")
  })

  expect(await client.changedSessions(2)).toEqual([
    { sessionId: "s2", changedAt: Date.parse("2026-11-20T14:38:18Z") },
    { sessionId: "s1", changedAt: Date.parse("2026-11-20T14:30:00Z") },
  ])
  const order = "sort_by=updated_at&sort_order=desc&limit=20&page=2"
  expect(server.seen.map(({ url }) => url.pathname + url.search)).toEqual([
    `/os/sessions?${order}`,
    "/os/config",
    `/os/sessions?${order}&db_id=0084ede1-2be5-545e-9d80-922b674da480`,
  ])
})

test("trap 75: a 2.x that answers 404 to a list without a database is asked for its own one's", async () => {
  const { client, server } = await clientOf(({ url }) => {
    if (url.pathname.endsWith("/config")) return recorded("3.1.10/config")
    return url.searchParams.has("db_id")
      ? json({ data: [{ session_id: "s1" }], meta: { total_count: 1 } })
      : recorded("404-sessions-db-id")
  })

  expect(await client.changedSessions(1)).toEqual([{ sessionId: "s1", changedAt: null }])
  expect(server.seen.at(-1)?.url.searchParams.get("db_id")).toBe("0084ede1-2be5-545e-9d80-922b674da480")
})

test("trap 75: a session is not taken for gone where its database could not be named", async () => {
  const { client } = await clientOf(({ url }) =>
    url.pathname.endsWith("/config") ? recorded("403-list") : recorded("404-sessions-db-id"),
  )

  expect(await client.session("s1")).toBeNull()
})

test.each([403, 404])(
  "the changed sessions are null for a credential that may not list them, and where there is no such route (%i)",
  async (status) => {
    const { client } = await clientOf(() => json({ detail: "no" }, status))

    expect(await client.changedSessions(1)).toBeNull()
  },
)

test("a workflow's run names the runs of its steps", async () => {
  const run = JSON.parse(recorded("run-paused-workflow").body) as object
  const { client } = await clientOf(() => json([run]))

  const [found] = (await client.session("workflow")) ?? []

  expect(found).toMatchObject({ workflowId: "one-step-workflow", status: "PAUSED", pausedStep: "only" })
  expect(found?.steps.map(({ runId }) => runId)).toEqual(["dbf4d0b3-481a-45f4-b826-784a85045005"])
})
