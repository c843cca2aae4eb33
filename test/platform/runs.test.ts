// The client of runs: what it sends, and what it makes of every answer.
import { describe, expect, onTestFinished, test } from "vitest"
import type { RunAddress } from "../../src/domain/content/run.ts"
import { createRunsClient, type RunsClient } from "../../src/platform/runs.ts"
import { failure, TOKEN } from "./clients.ts"
import { json, type Recorded, recorded, type Seen, startServer } from "./replay.ts"

async function runsOf(answer: (seen: Seen) => Recorded | undefined, resumeMs = 2_000) {
  const server = await startServer(answer)
  const url = `${server.url}/os`
  const client: RunsClient = createRunsClient({ name: "main", url, token: TOKEN, timeoutMs: 2_000, resumeMs })
  onTestFinished(server.close)
  onTestFinished(client.close)
  return { client, server }
}

const at: RunAddress = { runner: "agents", component: "admin agent", sessionId: "s/1", runId: "r?1" }
async function fieldsOf(seen: Seen | undefined) {
  const type = seen?.headers["content-type"] ?? ""
  return Object.fromEntries(await new Response(seen?.body, { headers: { "content-type": type } }).formData())
}

const plain = { explicit: null, background: false }

test("traps 47 and 48: a continue is a form that names the session and asks for no stream, with the bearer and nothing else", async () => {
  const { client, server } = await runsOf(() => recorded("continue-completed"))

  await client.continue(at, plain)

  const [seen] = server.seen
  expect(seen?.url.pathname).toBe("/os/agents/admin%20agent/runs/r%3F1/continue")
  expect(seen?.headers).toMatchObject({ authorization: `Bearer ${TOKEN}` })
  expect(await fieldsOf(seen)).toEqual({ session_id: "s/1", stream: "false" })
})

test("explicit calls go to the field of their kind, and background is asked for only when told", async () => {
  const { client, server } = await runsOf(() => recorded("3.1.10/202-continue-background"))

  const answer = await client.continue(at, { explicit: { name: "tools", text: '[{"a":50.0}]' }, background: true })

  expect(answer).toEqual({ kind: "accepted" })
  const form = { session_id: "s/1", stream: "false", tools: '[{"a":50.0}]', background: "true" }
  expect(await fieldsOf(server.seen[0])).toEqual(form)
})

test("R12 calls go out as they are, so that the platform's limit of 1 MiB a field does not count each byte as three", async () => {
  const { client, server } = await runsOf(() => recorded("continue-completed"))
  const text = JSON.stringify([{ note: "\u0436%& ".repeat(200_000) }])

  await client.continue(at, { ...plain, explicit: { name: "tools", text } })

  expect(server.seen[0]?.headers["content-type"]).toMatch(/^multipart\/form-data/)
  expect(await fieldsOf(server.seen[0])).toMatchObject({ tools: text })
  expect(Buffer.byteLength(server.seen[0]?.body ?? "") - Buffer.byteLength(text)).toBeLessThan(1_000)
})

test("a run tells what it answered, as text or in a shape of its own", async () => {
  const shapes = [{ content: { total: 12.5 } }, {}]
  const { client } = await runsOf(() => json({ run_id: "r", status: "COMPLETED", ...shapes.shift() }))
  const { client: recordedOne } = await runsOf(() => recorded("continue-completed"))

  expect(await recordedOne.read(at)).toMatchObject({ content: "The data is gone." })
  expect(await client.read(at)).toMatchObject({ content: { total: 12.5 } })
  expect(await client.read(at)).toMatchObject({ content: null })
})

describe("an answer", () => {
  test.each([
    ["continue-completed", "COMPLETED"],
    ["continue-paused-again", "PAUSED"],
    ["continue-error", "ERROR"],
    ["continue-wrong-identity", "ERROR"],
    ["continue-team-completed", "COMPLETED"],
  ])("trap 49: an answer of 200 is read for how the run stands: %s", async (name, status) => {
    const { client } = await runsOf(() => recorded(name))

    expect(await client.continue(at, plain)).toMatchObject({ kind: "run", run: { status } })
  })

  test.each([
    ["400-continue-no-session", 400],
    ["400-continue-pending", 400],
    ["400-continue-external-rejected", 400],
    ["403-continue-pending", 403],
    ["3.1.10/403-continue-second-call-pending", 403],
    ["3.1.10/403-continue-database-failed", 403],
  ])("the answer %s is a refusal without effect", async (name, status) => {
    const { client } = await runsOf(() => recorded(name))

    expect(await client.continue(at, plain)).toMatchObject({ kind: "refused", status })
  })

  test.each([
    ["3.1.10/404-continue-unknown-run", 404],
    ["3.1.10/404-continue-wrong-identity", 404],
    ["500-continue-not-a-number", 500],
  ])("trap 55: what came of a continue that is answered with %s is told by the run alone", async (name, status) => {
    const { client, server } = await runsOf(() => recorded(name))

    expect(await client.continue(at, plain)).toMatchObject({ kind: "unsure", status })
    expect(server.seen).toHaveLength(1)
  })

  test("an answer of the durable queue is told apart from other conflicts", async () => {
    const { client } = await runsOf(() => recorded("3.1.10/409-continue-durable-queue"))
    expect(await client.continue(at, plain)).toMatchObject({ kind: "queued" })

    const other = await runsOf(() => json({ detail: "Cannot continue run: run is cancelled" }, 409))
    expect(await other.client.continue(at, plain)).toMatchObject({ kind: "refused", status: 409 })
  })

  test("trap 55: an answer that never comes is a time-out after the one POST", async () => {
    const { client, server } = await runsOf(() => undefined, 150)

    expect((await failure(client.continue(at, plain))).code).toBe("timeout")
    expect(server.seen).toHaveLength(1)
  })

  test("trap 55: an answer whose connection broke is not asked for again", async () => {
    const { client, server } = await runsOf((seen) => void seen.socket.destroy())

    expect((await failure(client.continue(at, plain))).code).toBe("cut")
    expect(server.seen).toHaveLength(1)
  })
})

describe("a run", () => {
  test("is read through its component, with every number as it stood", async () => {
    const { client, server } = await runsOf(() => recorded("run-paused-user-input"))

    const run = await client.read(at)

    expect(server.seen[0]?.url.search).toBe("?session_id=s%2F1")
    expect(run).toMatchObject({ status: "PAUSED", userId: "alice@example.com", parentId: null })
    expect(JSON.stringify(run?.tools)).toContain('"amount":50.0')
  })

  test("a run of a team tells its members' runs", async () => {
    const { client } = await runsOf(() => recorded("get-team-run"))

    const run = await client.read({ ...at, runner: "teams" })

    expect(run?.members).toMatchObject([{ status: "PAUSED", parentId: run?.id }])
    expect(run?.requirements).toMatchObject([{ member_run_id: run?.members[0]?.id }])
  })

  test("a workflow's run waits for what its step waits for, and holds the runs of its steps", async () => {
    const { client } = await runsOf(() => recorded("run-paused-workflow"))

    const run = await client.read({ ...at, runner: "workflows" })

    expect(run?.members).toMatchObject([{ status: "PAUSED" }])
    expect(run?.requirements).toMatchObject([
      { member_run_id: run?.members[0]?.id, tool_execution: { tool_name: "delete_user_data" } },
    ])
  })

  test("trap 52: a run that is not there is null", async () => {
    const { client } = await runsOf(() => recorded("404-get-run-workflow-step"))

    expect(await client.read(at)).toBeNull()
  })

  test("trap 13: a run that holds no number is a failure of the server", async () => {
    const { client } = await runsOf(() => recorded("500-get-run-not-a-number"))

    expect((await failure(client.read(at))).code).toBe("server")
  })

  test("a run of another shape is refused", async () => {
    const { client } = await runsOf(() => json({ run_id: "r", status: 7 }))

    expect((await failure(client.read(at))).code).toBe("unexpected_shape")
  })
})

describe("the team behind a member's run", () => {
  const member = "a30c1f00-52fb-4e6c-b733-5918cd9e8ebf"
  const team = { runner: "teams", component: "support-team", runId: "fd748938-a402-4164-b77e-f3fe13a0f464" }

  test("stands in the session", async () => {
    const { client } = await runsOf(() => recorded("get-session-runs-team"))

    expect(await client.parentsOf("tl", member)).toEqual([team])
    expect(await client.parentsOf("tl", team.runId)).toEqual([])
    expect(await client.parentsOf("tl", "unknown")).toEqual([{ ...team, guessed: true }])
  })

  test("trap 75: is asked for with the database that the instance names, where there are several", async () => {
    const { client, server } = await runsOf(({ url }) => {
      if (url.pathname.endsWith("/config")) return recorded("3.1.10/config")
      return recorded(url.searchParams.has("db_id") ? "get-session-runs-team" : "3.1.10/400-session-runs-db-id")
    })

    expect(await client.parentsOf("tl", member)).toEqual([team])
    expect(await client.parentsOf("tl", member)).toEqual([team])

    const { os_database: database } = JSON.parse(recorded("3.1.10/config").body) as { os_database: string }
    const asked = server.seen.map(({ url }) => `${url.pathname.split("/").at(-1)} ${url.searchParams.get("db_id")}`)
    expect(asked).toEqual(["runs null", "config null", `runs ${database}`, `runs ${database}`])
  })

  test("is the workflow for a step, whether the session lists the step's run by itself or within the workflow's", async () => {
    const flow = { run_id: "w", workflow_id: "month-end", status: "PAUSED" }
    const of = { runner: "workflows", component: "month-end", runId: "w" }
    const listed = [flow, { run_id: "t", parent_run_id: "w", team_id: "team" }, { run_id: "m", parent_run_id: "t" }]
    const within = [{ ...flow, step_executor_runs: [{ run_id: "t" }] }]

    const { client } = await runsOf(({ url }) => json(url.pathname.includes("/listed/") ? listed : within))

    expect(await client.parentsOf("listed", "t")).toEqual([of])
    expect(await client.parentsOf("listed", "m")).toEqual([of])
    expect(await client.parentsOf("within", "t")).toEqual([of])
    expect(await client.parentsOf("within", "m")).toEqual([])
  })

  test("the team behind a member's run that the credential may not read is a refusal", async () => {
    const { client } = await runsOf(() => json({ detail: "Insufficient permissions" }, 403))

    expect((await failure(client.parentsOf("s", member))).code).toBe("forbidden")
  })
})
