// countersign run --dry-run: what is pending is shown as it would be asked, and nothing is written anywhere.
import { readdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Redis } from "ioredis"
import { expect, test } from "vitest"
import { startFaultyProxy } from "../support/faulty-proxy.ts"
import { opened } from "../support/opened.ts"
import { redisByAddress } from "../support/redis.ts"
import { command } from "./command.ts"
import { aPatient, aService, sandboxCast } from "./patient.ts"

const rules = `
  - name: payments
    match: { tool: "send_*" }
    routes: [${sandboxCast.approvals}, ${sandboxCast.alice}]
    approvers: [${sandboxCast.approvers}]
    quorum: 2
    unknown_requester: allow
  - name: only-deletes
    match: { tool: "delete_*" }
    routes: [${sandboxCast.approvals}]
    approvers: [${sandboxCast.bob}]
    unknown_requester: allow`

/** An installation that never started, each of whose neighbours stands behind something that counts what is asked. */
async function aStage() {
  const service = await aService()
  const platform = await opened(startFaultyProxy(service.url))
  const token = service.mintServiceAccount({ name: "bot", scopes: ["approvals:read", "approvals:write"] })
  const operator = service.mintServiceAccount({ name: "operator", scopes: ["approvals:create", "approvals:read"] })
  const patient = await aPatient({ platformUrl: platform.url, rules })
  const slack = await opened(startFaultyProxy(new URL(patient.env["SLACK_API_URL"] ?? "").origin))
  const redisUrl = await redisByAddress()
  writeFileSync(join(patient.folder, "countersign.yaml"), patient.yaml)
  const env = { ...patient.env, PLATFORM_TOKEN: token, SLACK_API_URL: `${slack.url}/api/`, REDIS_URL: redisUrl }
  const ask = async (call: object) => {
    const headers = { authorization: `Bearer ${operator}`, "content-type": "application/json" }
    const asked = await fetch(`${service.url}/approvals`, { method: "POST", headers, body: JSON.stringify(call) })
    return ((await asked.json()) as { id: string }).id
  }
  const run = () => command(["run", "--dry-run"], { env, cwd: patient.folder }).ended
  return { platform, slack, redisUrl, ask, run, folder: patient.folder, sandbox: patient.sandbox }
}

/** How often a Redis was connected to. */
async function usageOf(url: string) {
  const client = new Redis(url)
  try {
    return {
      keys: await client.dbsize(),
      connections: /total_connections_received:(\d+)/.exec(await client.info("stats"))?.[1],
    }
  } finally {
    client.disconnect()
  }
}

test("a dry run shows each card with its rule, approvers and route", async () => {
  const { ask, run } = await aStage()
  const payment = await ask({ tool_name: "send_money", tool_args: { to: "Rita <rita@x>", amount: 7 }, agent_id: "a" })
  const stranger = await ask({ tool_name: "launch", tool_args: {}, agent_id: "a" })

  const { code, out, err } = await run()

  expect(err).toBe("")
  expect(code).toBe(0)
  const [one = "", other = ""] = [payment, stranger].map((id) =>
    out.split(/^(?=approval )/m).find((part) => part.includes(id)),
  )
  expect(one).toContain("rule payments: 2 must approve of S0APPROVERS")
  expect(one).toMatch(/these are now: .*alice/i)
  expect(one).toContain(`shown in ${sandboxCast.approvals}, ${sandboxCast.alice}`)
  expect(one).toMatch(/^ {2}\| .*send_money/m)
  expect(one).toContain("Rita <rita@x>")
  expect(other).toContain("nobody may decide this: no rule matches every call for certain")
  expect(out).toMatch(/2 pending at 1 instances\. Nothing was posted, resolved or remembered\.\n$/)
})

test("a dry run writes nothing: no call but reads to platform and Slack, none at all to Redis, no file", async () => {
  const { platform, slack, redisUrl, ask, run, folder, sandbox } = await aStage()
  await ask({ tool_name: "send_money", tool_args: {}, agent_id: "a" })
  const before = await usageOf(redisUrl)

  const { code } = await run()

  expect(code).toBe(0)
  expect(platform.passed.length).toBeGreaterThan(0)
  expect(platform.passed.filter(({ method }) => method !== "GET")).toEqual([])
  const called = new Set(slack.passed.map(({ path }) => path.replace(/^.*\//, "")))
  expect(called).toContain("users.info")
  const reads = ["auth.test", "users.info", "users.lookupByEmail", "usergroups.list", "usergroups.users.list"]
  expect([...called].filter((method) => !reads.includes(method))).toEqual([])
  expect(sandbox.messages(sandboxCast.approvals)).toEqual([])
  const after = await usageOf(redisUrl)
  // One of these is our own look.
  expect(after).toEqual({ keys: before.keys, connections: String(Number(before.connections) + 1) })
  expect(readdirSync(folder)).toEqual(["countersign.yaml"])
})

test("a dry run says which instance it could not read, and ends with 1", async () => {
  const { platform, run } = await aStage()
  platform.fail({ fault: { kind: "answer", status: 503, body: { detail: "down" } } })

  const { code, out, err } = await run()

  expect(code).toBe(1)
  expect(err).toMatch(/^countersign: main: .*503/m)
  expect(out).toContain("0 pending")
})

test("a dry run goes on where Slack does not answer, and says that approvers were not asked", async () => {
  const { slack, ask, run } = await aStage()
  slack.fail({ fault: { kind: "answer", status: 503, body: {} } })
  await ask({ tool_name: "send_money", tool_args: {}, agent_id: "a" })

  const { code, out, err } = await run()

  expect(code).toBe(0)
  expect(err).toContain("note: Slack was not asked who the approvers are")
  expect(out).toContain("rule payments: 2 must approve")
})
