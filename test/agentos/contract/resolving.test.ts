// The contract of resolving: what the client hears of a verdict, and what the record says then.
import { expect, test } from "vitest"
import { aJwt } from "../agentos.ts"
import { call, continueRun, record, rowOf, startRun } from "../drive.ts"
import { describePlatforms, PAYMENT } from "./platforms.ts"

const bodyOf = (body: unknown) => JSON.stringify(body)
const approved = { status: "approved", resolved_by: "jane@example.com" }

describePlatforms("resolving", ({ os, client, pick }) => {
  const aPending = async (of = "admin-agent", message = "Please do it.") => {
    const run = await startRun(os(), { of, message })
    return { run, id: (await rowOf(os(), run.runId)).id }
  }

  test.each(["approved", "rejected"])(
    "after a resolve as %s the row comes back with who and what, digit by digit",
    async (status) => {
      const { id } = await aPending()
      const body = `{"status":"${status}","resolved_by":"jane@example.com","resolution_data":{"values":{"n":12345678901234567890},"countersign":{"decision_id":"d-1"}}}`

      const resolved = await (await client()).resolve(id, body)

      expect(resolved).toMatchObject({ kind: "row", approval: { id, status, resolvedBy: "jane@example.com" } })
      const data = resolved.kind === "row" ? JSON.stringify(resolved.approval.resolutionData) : ""
      expect(data).toContain('"n":12345678901234567890')
      expect(data).toContain('"decision_id":"d-1"')
      expect(resolved.kind === "row" ? resolved.approval.resolvedAt : null).toBeGreaterThan(0)
    },
  )

  test("a resolved approval leaves list and count, and its status names who", async () => {
    const { id } = await aPending()
    const one = await client()

    await one.resolve(id, bodyOf(approved))

    for await (const page of one.pending()) expect(page).toBeUndefined()
    expect(await one.count()).toBe(0)
    expect(await one.status(id)).toEqual({ status: "approved", resolvedBy: "jane@example.com" })
  })

  test("trap 32: a repetition is a conflict, and the record keeps the first verdict and its decision id", async () => {
    const { id } = await aPending()
    const one = await client()
    const data = { countersign: { decision_id: "d-1" } }
    await one.resolve(id, bodyOf({ ...approved, resolution_data: data }))

    const again = await one.resolve(id, bodyOf({ status: "rejected", resolved_by: "bob@example.com" }))

    expect(again).toEqual({ kind: "conflict", detail: "Approval is already 'approved' and cannot be resolved" })
    expect(await one.get(id)).toMatchObject({
      status: "approved",
      resolvedBy: "jane@example.com",
      resolutionData: data,
    })
  })

  test("of twenty resolves at once one wins, and the record is the winner's", async () => {
    const { id } = await aPending()
    const one = await client()
    const bodies = Array.from({ length: 20 }, (_, index) => bodyOf({ status: "approved", resolved_by: `p${index}` }))

    const answers = await Promise.all(bodies.map((body) => one.resolve(id, body)))

    const winners = answers.filter((answer) => answer.kind === "row")
    expect(winners).toHaveLength(1)
    expect(answers.filter((answer) => answer.kind === "conflict")).toHaveLength(19)
    const [winner] = winners
    expect((await one.get(id))?.resolvedBy).toBe(winner?.kind === "row" ? winner.approval.resolvedBy : "")
  })

  test("trap 36: resolved_by holds 255 characters, emoji too, and not 256", async () => {
    const { id } = await aPending()
    const one = await client()

    const long = await one.resolve(id, bodyOf({ status: "approved", resolved_by: "a".repeat(256) }))
    const fits = await one.resolve(id, bodyOf({ status: "approved", resolved_by: `${"a".repeat(254)}🙂` }))

    expect(long).toMatchObject({
      kind: "refused",
      status: 422,
      detail: expect.stringContaining("body.resolved_by") as string,
    })
    expect(fits).toMatchObject({ kind: "row", approval: { resolvedBy: `${"a".repeat(254)}🙂` } })
  })

  test.each([
    ["no status", { resolved_by: "x" }, "body.status"],
    ["status pending", { status: "pending" }, "body.status"],
    ["status expired", { status: "expired" }, "body.status"],
    ["a number as status", { status: 1 }, "body.status"],
    ["a list as resolution_data", { status: "approved", resolution_data: [] }, "body.resolution_data"],
    ["a text as resolution_data", { status: "approved", resolution_data: "x" }, "body.resolution_data"],
    ["a number as resolved_by", { status: "approved", resolved_by: 1 }, "body.resolved_by"],
  ])("a body with %s is refused with 422 and the place, and nothing is decided", async (_, body, place) => {
    const { id } = await aPending()
    const one = await client()

    const answer = await one.resolve(id, bodyOf(body))

    expect(answer).toMatchObject({ kind: "refused", status: 422, detail: expect.stringContaining(place) as string })
    expect(await one.status(id)).toMatchObject({ status: "pending" })
  })

  test("a body that is no JSON is refused with 422", async () => {
    const { id } = await aPending()

    expect(await (await client()).resolve(id, '{"status":')).toMatchObject({ kind: "refused", status: 422 })
  })

  test("an unknown id is refused with 404", async () => {
    const answer = await (await client()).resolve("no-such-approval", bodyOf(approved))

    expect(answer).toEqual({ kind: "refused", status: 404, detail: "Approval not found" })
  })

  test("an unknown id with a bad body is refused for its body", async () => {
    expect(await (await client()).resolve("no-such-approval", "{}")).toMatchObject({ kind: "refused", status: 422 })
  })

  test("a resolve without resolution_data keeps none, and one with an empty object keeps that", async () => {
    const [first, second] = [await aPending(), await aPending()]
    const one = await client()

    await one.resolve(first.id, bodyOf(approved))
    await one.resolve(second.id, bodyOf({ ...approved, resolution_data: {} }))

    expect((await one.get(first.id))?.resolutionData).toBeNull()
    expect((await one.get(second.id))?.resolutionData).toEqual({})
  })

  test("AgentOS writes a token's subject into resolved_by, and the embedded service the name that was sent", async () => {
    const { id } = await aPending()
    const token = await aJwt(["approvals:read", "approvals:write"], { sub: "robot" })

    const answer = await (await client(token)).resolve(id, bodyOf(approved))

    const resolvedBy = pick({ embedded: "jane@example.com", v2: "robot", v3: "robot" })
    expect(answer).toMatchObject({ kind: "row", approval: { resolvedBy } })
  })

  test("trap 29: what is not sent as JSON resolves nothing", async () => {
    const { id } = await aPending()
    const token = await aJwt(["approvals:write"])

    const answer = await call(os(), `POST /approvals/${id}/resolve`, { token, form: { status: "approved" } })

    expect(answer.status).toBe(pick({ embedded: 422, v2: 500, v3: 422 }))
    expect((await record(os(), id)).status).toBe("pending")
  })

  test("a pending run is not continued by whoever only runs agents", async () => {
    const { run } = await aPending()

    const answer = await continueRun(os(), run, { of: "admin-agent" })

    const detail = "This run requires admin approval before it can be continued"
    expect(answer).toMatchObject({ status: 403, body: { detail } })
    expect(os().executions()).toEqual([])
  })

  test("an approved run goes on with an empty continue, and its tool runs once", async () => {
    const { id, run } = await aPending()
    const ran = os().executions().length
    await (await client()).resolve(id, bodyOf(approved))

    const answer = await continueRun(os(), run, { of: "admin-agent" })

    expect(answer).toMatchObject({ status: 200, body: { status: "COMPLETED", run_id: run.runId } })
    expect(os().executions().slice(ran)).toMatchObject([{ tool: "delete_user_data" }])
  })

  test("trap 26: the run's end moves updated_at and run_status, and no digest", async () => {
    const { id, run } = await aPending()
    const one = await client()
    const before = await one.get(id)
    await one.resolve(id, bodyOf(approved))
    await continueRun(os(), run, { of: "admin-agent" })

    const after = await one.get(id)

    expect(after).toMatchObject({ runStatus: "COMPLETED", status: "approved" })
    expect([after?.toolArgs, after?.requirements]).toEqual([before?.toolArgs, before?.requirements])
  })

  test("a rejected confirmation is refused to the model, and its tool does not run", async () => {
    const { id, run } = await aPending()
    const ran = os().executions().length
    await (await client()).resolve(id, bodyOf({ status: "rejected" }))

    const answer = await continueRun(os(), run, { of: "admin-agent" })

    expect(answer).toMatchObject({ status: 200, body: { status: "COMPLETED" } })
    expect(os().executions()).toHaveLength(ran)
  })

  test("approved values reach a user_input tool", async () => {
    const { id, run } = await aPending("payments-agent")
    const ran = os().executions().length
    const data = { values: { amount: 12.5, recipient: "Ann", note: "n" } }
    await (await client()).resolve(id, bodyOf({ ...approved, resolution_data: data }))

    const answer = await continueRun(os(), run, { of: "payments-agent" })

    expect(answer).toMatchObject({ status: 200, body: { status: "COMPLETED" } })
    expect(os().executions().slice(ran)).toMatchObject([{ tool: "send_money" }])
    expect(answer.text).toContain("Ann")
  })

  test("an empty continue runs a rejected user_input tool on AgentOS, and never on the embedded service", async () => {
    const { id, run } = await aPending("scripted-agent", PAYMENT)
    const ran = os().executions().length
    await (await client()).resolve(id, bodyOf({ status: "rejected" }))

    await continueRun(os(), run, { of: "scripted-agent" })

    expect(os().executions().length - ran).toBe(pick({ embedded: 0, v2: 1, v3: 1 }))
  })
})
