// What was answered survives: restarts, kill -9 while resolving, a database of another version.
import { type ChildProcess, spawn } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { DatabaseSync } from "node:sqlite"
import { fileURLToPath } from "node:url"
import { afterEach, beforeEach, expect, test } from "vitest"
import { z } from "zod"
import {
  anApproval,
  approvalsOf,
  aRun,
  aService,
  aToken,
  call,
  continued,
  resolve,
  type SeenApproval,
} from "./a-service.ts"

let folder: string
let file: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "countersign-service-"))
  file = join(folder, "service.sqlite")
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

test("a restart keeps approvals, runs and service accounts", async () => {
  const before = await aService({ database: file })
  const token = before.mintServiceAccount({ name: "bot", scopes: ["approvals:read", "approvals:write"] })
  const run = await aRun(before, "two steps")
  const [row] = await approvalsOf(before, run.run_id)
  await call(before, `POST /approvals/${row?.id}/resolve`, { token, json: { status: "approved", resolved_by: "ann" } })
  await before.close()

  const after = await aService({ database: file, script: { agents: [{ id: "admin-agent" }] } })

  expect((await call(after, `GET /approvals/${row?.id}`, { token })).body).toMatchObject({
    status: "approved",
    resolved_by: "ann",
  })
  expect((await continued(after, run.run_id)).body).toMatchObject({ status: "PAUSED" })
  expect(after.executions().map(({ toolName }) => toolName)).toEqual(["look_up", "delete_user_data"])
  await after.close()
})

test("kill -9 while resolving: what was answered stands, and nothing is half resolved", async () => {
  const child = await startChild()
  const made: SeenApproval[] = []
  for (let at = 0; at < 60; at += 1) made.push(await anApproval(child))
  const answered = new Set<string>()
  const token = await aToken(["approvals:write"])

  const sent = made.map(async ({ id }, at) => {
    const json = { status: at % 2 ? "approved" : "rejected", resolved_by: `p-${id}`, resolution_data: { id } }
    const answer = await call(child, `POST /approvals/${id}/resolve`, { token, json })
    if (answer.status === 200) answered.add(id)
    if (answered.size === 20) child.process.kill("SIGKILL")
  })
  await Promise.allSettled(sent)
  if (child.process.exitCode === null && child.process.signalCode === null) child.process.kill("SIGKILL")
  await child.ended

  const service = await aService({ database: file })
  const { body } = await call(service, "GET /approvals?limit=1000", { token: await aToken(["approvals:read"]) })
  await service.close()
  const rows = rowsSchema.parse(body).data
  expect(rows).toHaveLength(60)
  for (const row of rows) {
    if (row.status === "pending") {
      expect(answered.has(row.id)).toBe(false)
      expect(row).toMatchObject({ resolved_by: null, resolved_at: null, resolution_data: null })
    } else {
      expect(row).toMatchObject({
        resolved_by: `p-${row.id}`,
        resolved_at: expect.any(Number),
        resolution_data: { id: row.id },
      })
    }
  }
})

test("kill -9 between resolve and continue: the run goes on where it stood, and its tool runs once", async () => {
  const child = await startChild()
  const run = await aRun(child, "please")
  const [row] = await approvalsOf(child, run.run_id)
  await resolve(child, row?.id ?? "", { status: "approved" })
  child.process.kill("SIGKILL")
  await child.ended

  const service = await aService({ database: file })
  expect((await continued(service, run.run_id)).body).toMatchObject({ status: "COMPLETED" })
  expect((await continued(service, run.run_id)).status).toBe(409)
  expect(service.executions()).toHaveLength(1)
  await service.close()
})

test("two services on one file: of their resolves one succeeds", async () => {
  const [one, two] = [await aService({ database: file }), await aService({ database: file })]
  const { id } = await anApproval(one)

  const answers = await Promise.all(
    Array.from({ length: 10 }, (_, at) => resolve(at % 2 ? one : two, id, { status: "approved" })),
  )

  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  expect(answers.filter(({ status }) => status === 409)).toHaveLength(9)
  await Promise.all([one.close(), two.close()])
})

test("a database that a later version wrote is not touched", async () => {
  const database = new DatabaseSync(file)
  database.exec("PRAGMA user_version = 99")
  database.close()

  await expect(aService({ database: file })).rejects.toMatchObject({
    code: "database_newer",
    message: expect.stringContaining("99"),
  })
})

test("closing twice is closing once, and the port is free again", async () => {
  const service = await aService()
  await Promise.all([service.close(), service.close()])

  const again = await aService({ port: service.port })
  expect(again.port).toBe(service.port)
  await again.close()
})

const rowsSchema = z.object({
  data: z.array(
    z.object({
      id: z.string(),
      status: z.string(),
      resolved_by: z.unknown(),
      resolved_at: z.unknown(),
      resolution_data: z.unknown(),
    }),
  ),
})

type Child = { readonly url: string; readonly process: ChildProcess; readonly ended: Promise<void> }

async function startChild(): Promise<Child> {
  const script = fileURLToPath(new URL("killed-service.ts", import.meta.url))
  const child = spawn(process.execPath, [script, file], { stdio: ["ignore", "pipe", "pipe"] })
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()))
  for await (const url of createInterface({ input: child.stdout })) return { url, process: child, ended }
  throw new Error("the service did not start")
}
