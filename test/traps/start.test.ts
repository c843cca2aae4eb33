// Traps of AgentOS at start: what a credential says of itself, and answers of odd versions and set-ups.

import { SignJWT } from "jose"
import { expect, test } from "vitest"
import { load, refusal, SOCKET_ENV } from "../config/load.ts"
import { clientOf, failure } from "../platform/clients.ts"
import { aRow, json, recorded } from "../platform/replay.ts"

const jwt = (claims: Record<string, unknown>) =>
  new SignJWT(claims).setProtectedHeader({ alg: "HS256" }).sign(Buffer.alloc(32, 1))
const hour = () => Math.floor(Date.now() / 1_000) + 3_600
const warningsWith = (token: string) =>
  load({ env: { ...SOCKET_ENV, PLATFORM_TOKEN: token } }).warnings.map(({ what, why }) => `${what}: ${why}`)

test("trap 4: a service account's token of AgentOS is reported as probably self-scoped", async () => {
  const { client } = await clientOf(() => recorded("list-service-account-empty"))
  const found: unknown[] = []
  for await (const page of client.pending()) found.push(page)

  const [warning] = warningsWith(`agno_pat_${"x".repeat(43)}`)

  expect(found).toEqual([])
  expect(warning).toContain("sees only approvals of its own runs, so an empty list says nothing")
})

test.each([
  [["approvals:read", "approvals:write", "agents:run"], "agents:run"],
  [["approvals:write", "teams:support-team:run"], "teams:support-team:run"],
  [["approvals:write", "workflows:*:run"], "workflows:*:run"],
  [["agent_os:admin"], "agent_os:admin"],
])("trap 71: a credential with %j is refused, and may be accepted by name", async (scopes, named) => {
  const env = { ...SOCKET_ENV, PLATFORM_TOKEN: await jwt({ scopes, exp: hour() }) }
  const { SLACK_BOT_TOKEN, SLACK_APP_TOKEN, PLATFORM_TOKEN } = env
  const instance =
    'instances: [{name: main, url: https://x.example, token: "${PLATFORM_TOKEN}", accept_run_scope: true}]'
  const rules = "rules: [{name: a, routes: [C0A], approvers: [U0C], unknown_requester: allow}]"

  expect(refusal({ env }).message).toContain(
    `PLATFORM_TOKEN holds ${scopes.length === 1 ? "" : "approvals:write and "}${named}`,
  )
  expect(refusal({ env }).message).not.toContain(env.PLATFORM_TOKEN)
  expect(
    load({ env: { SLACK_BOT_TOKEN, SLACK_APP_TOKEN, PLATFORM_TOKEN }, yaml: `${instance}\n${rules}` }).instances,
  ).toHaveLength(1)
})

test("trap 71: a credential that only reads and resolves is taken", async () => {
  const scopes = ["approvals:read", "approvals:write", "agents:read"]

  expect(warningsWith(await jwt({ scopes, exp: hour() }))).toEqual([])
})

test("trap 73: version 0.0.0, 3.x and unknown keys in any answer are tolerated", async () => {
  for (const name of ["info", "3.1.10/info"]) expect(recorded(name).status).toBe(200)
  const { client } = await clientOf(({ url }) => {
    const odd = { agno_version: "0.0.0", os_version: "9", surprise: { deep: [1] } }
    if (url.pathname.endsWith("/count")) return json({ count: 1, ...odd })
    if (url.pathname.endsWith("/status")) return json({ status: "pending", ...odd })
    const rows = [
      aRow({
        ...odd,
        requirements: [
          {
            id: "r",
            ...odd,
            tool_execution: { tool_name: "send_email", approval_type: "required", parent_tool_call_id: null, ...odd },
          },
        ],
      }),
    ]
    return url.pathname.endsWith("/approvals")
      ? json({ data: rows, meta: { total_count: 1, ...odd }, ...odd })
      : json(rows[0])
  })

  const found: string[] = []
  for await (const page of client.pending()) found.push(...page.approvals.map(({ id }) => id))

  expect(found).toEqual(["approval-1"])
  expect(await client.count()).toBe(1)
  expect(await client.status("approval-1")).toEqual({ status: "pending", resolvedBy: null })
  expect((await client.get("approval-1"))?.toolName).toBe("send_email")
})

test.each([
  ["429-service-account", "busy", "Too many failed authentication attempts"],
  ["503-no-db", "server", "Approvals not available"],
  ["503-unsupported-db", "server", "Approvals not supported by the configured database"],
  ["401-expired", "unauthorized", "Token has expired"],
])("trap 74: %s is told apart from a bad credential, in the platform's own words", async (name, code, words) => {
  const { client } = await clientOf(() => recorded(name))

  const error = await failure(client.count())

  expect(error.code).toBe(code)
  expect(error.detail).toContain(words)
})

test("trap 76: a token that never dies is warned of", async () => {
  const [warning, ...others] = warningsWith(await jwt({ scopes: ["approvals:read", "approvals:write"] }))

  expect(others).toEqual([])
  expect(warning).toContain("its token has no exp")
})

test("trap 77: a revoked service account that still works on another worker, then not, is a refusal that may pass", async () => {
  let calls = 0
  const { client } = await clientOf(() =>
    (calls += 1) === 1 ? recorded("count") : recorded("401-service-account-revoked"),
  )

  expect(await client.count()).toBe(8)
  for (let call = 0; call < 3; call += 1) {
    expect(await failure(client.count())).toMatchObject({ code: "unauthorized", retryable: true })
  }
})
