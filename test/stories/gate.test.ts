// The gate of docs/how-to/agentos-gate.md, started by that page's own commands. As AgentOS does, the platform behind it
// writes a token's subject into resolved_by.
import { randomBytes } from "node:crypto"
import { join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import { lookAtInstance } from "../../src/cli/doctor/platform/platform.ts"
import { scopesIn } from "../../src/config/parts/credential.ts"
import { verifyEndedList } from "../../src/proof/ended-list.ts"
import { readKeySet } from "../../src/proof/signed.ts"
import { type ServiceOptions } from "../../src/service/service-options.ts"
import { troubles } from "../cli/patient.ts"
import { commandsIn, textOf } from "../doc-commands.ts"
import { agents, aToken, call, secret } from "../service/a-service.ts"
import { startDescribed } from "../service/described/start-described.ts"
import { startFaultyProxy } from "../support/faulty-proxy.ts"
import { walkGatePage } from "../support/gate-page.ts"
import { opened } from "../support/opened.ts"
import { alarms, card, press, settled, threadSays } from "./acts.ts"
import { sandboxCast, startStage } from "./world.ts"

/** A platform with AgentOS's admin scope, and what it was asked, with which credential. */
async function aPlatform(keys: Pick<ServiceOptions, "verificationKeys" | "algorithm">) {
  const service = await startDescribed({
    database: ":memory:",
    script: agents,
    authorization: true,
    adminScope: "agent_os:admin",
    resolvedByFromSubject: true,
    clock: Date.now,
    random: randomBytes,
    ...keys,
  })
  onTestFinished(() => service.close())
  const proxy = await opened(startFaultyProxy(service.url))
  return { service, proxy }
}

/** What the doctor does not find well at a gate. */
async function illsAt(url: string, token: string): Promise<readonly string[]> {
  const instance = { name: "main", url, token, resolving: { kind: "same" }, pollMs: 1_000, timeoutMs: 8_000 } as const
  return troubles(await lookAtInstance(instance, Date.now))
}

test.each(["HS256", "RS256"] as const)(
  "the page's gate with %s: a card, a press, and the record names the person by the gate's own credential alone",
  async (algorithm) => {
    const walk = walkGatePage()
    walk.write("agentos.secret", `${secret}\n`)
    await walk.run(`--algorithm ${algorithm}`)
    const upstream = walk.read("upstream.jwt").trim()
    const key = algorithm === "HS256" ? secret : walk.read("gate.pub.pem")
    const { service, proxy } = await aPlatform({ verificationKeys: [key], algorithm })
    await walk.run("token mint --account")
    const gate = await walk.startGate(proxy.url)
    const token = walk.read("platform.token").trim()

    const ills = await illsAt(gate.url, token)
    const stage = await opened(startStage({ timeoutMs: 8_000 }, { url: gate.url, token }))
    const account = service.mintServiceAccount({ name: "agent", scopes: ["approvals:create", "approvals:read"] })
    const asked = { tool_name: "delete_user_data", tool_args: { user_id: "U-1" } }
    const { body } = await call(service, "POST /approvals", { token: account, json: asked })
    const open = await card(stage)
    await press(stage, sandboxCast.bob, open, "approve")
    await settled(stage, "delete_user_data")

    const { id } = body as { readonly id: string }
    expect(ills).toEqual([])
    expect((await call(service, `GET /approvals/${id}`, { token: account })).body).toMatchObject({
      status: "approved",
      resolved_by: "bob@sandbox.example",
      resolution_data: { countersign: { approvers: [{ subject: "bob@sandbox.example" }] } },
    })
    expect(scopesIn(upstream)).toEqual(["approvals:read", "approvals:write"])
    expect(JSON.parse(Buffer.from(upstream.split(".")[1] ?? "", "base64url").toString())).not.toHaveProperty("sub")
    const sent = new Set(proxy.passed.map(({ authorization }) => authorization))
    expect(sent).toEqual(new Set([null, `Bearer ${upstream}`]))
    expect([alarms(stage), gate.err()]).toEqual([[], ""])
  },
)

test("behind the page's gate an approved run goes on: continued past the gate, by a credential that decides nothing", async () => {
  const walk = walkGatePage()
  walk.write("agentos.secret", `${secret}\n`)
  await walk.run("--algorithm HS256")
  const { service, proxy: toGate } = await aPlatform({ verificationKeys: [secret], algorithm: "HS256" })
  const past = await opened(startFaultyProxy(service.url))
  await walk.run("token mint --account")
  const gate = await walk.startGate(toGate.url)
  const token = walk.read("platform.token").trim()
  const runs = `resume: approved, resume_url: "${past.url}", resume_token_file: ${join(walk.folder, "resume.jwt")}`
  const stage = await opened(startStage({ timeoutMs: 8_000, instance: runs }, { url: gate.url, token }))
  const starter = await aToken(["agents:run"], { sub: "jane@example.com" })

  await call(service, "POST /agents/admin-agent/runs", { token: starter, form: { message: "go", stream: "false" } })
  const open = await card(stage)
  await press(stage, sandboxCast.bob, open, "approve")
  await threadSays(stage, open, "is completed")

  expect(service.executions().map(({ toolName }) => toolName)).toEqual(["delete_user_data"])
  const credentials = (passed: typeof past.passed) => new Set(passed.map(({ authorization }) => authorization))
  expect(credentials(past.passed)).toEqual(new Set([`Bearer ${walk.read("resume.jwt").trim()}`]))
  expect(credentials(toGate.passed)).toEqual(new Set([null, `Bearer ${walk.read("upstream.jwt").trim()}`]))
  expect(past.passed.filter(({ path }) => path.startsWith("/approvals"))).toEqual([])
  expect(toGate.passed.filter(({ path }) => path.includes("/runs"))).toEqual([])
  expect([alarms(stage), gate.err()]).toEqual([[], ""])
})

test("what the page's commands print: what the JWT opens, and a new account's token in place of the old one's", async () => {
  const walk = walkGatePage()
  walk.write("agentos.secret", secret)
  const { proxy } = await aPlatform({ verificationKeys: [secret], algorithm: "HS256" })

  await walk.run("--algorithm HS256")
  const explained = await walk.run("token explain")
  await walk.run("token mint --account")
  const old = walk.read("platform.token").trim()
  const gate = await walk.startGate(proxy.url)
  const before = await call(gate, "GET /approvals/count", { token: old })
  await walk.run("token mint --account")

  expect(explained).toContain("the bot has all that it needs to ask and to decide")
  expect(explained).not.toContain("warning")
  expect(explained).not.toMatch(/^ +sub /m)
  expect(old).toMatch(/^cs_sa_/)
  expect(before.status).toBe(200)
  expect((await call(gate, "GET /approvals/count", { token: old })).status).toBe(401)
  const token = walk.read("platform.token").trim()
  expect((await call(gate, "GET /approvals/count", { token })).status).toBe(200)
  expect((await call(gate, "POST /agents/admin-agent/runs", { token, form: { message: "x" } })).status).toBe(403)
})

test("the quickstart for operators sets the gate up by the same commands as its page", () => {
  const [, first = ""] = textOf("docs/quickstart-operators.md").split(/^## /m)
  const here = commandsIn(textOf("docs/how-to/agentos-gate.md"))

  const given = commandsIn(first)
  expect(given).toHaveLength(4)
  expect(given.filter((command) => !here.includes(command))).toEqual([])
})

test("a decision that the upstream refuses the gate for is void, its card is open again, its thread names upstream_token, and the list of ended decisions holds it", async () => {
  const { service, proxy } = await aPlatform({ verificationKeys: [secret], algorithm: "HS256" })
  const gate = await startDescribed({
    database: ":memory:",
    authorization: true,
    upstream: { url: proxy.url, token: await aToken(["approvals:read"]), routes: "all" },
    clock: Date.now,
    random: randomBytes,
  })
  onTestFinished(() => gate.close())
  const token = gate.mintServiceAccount({ name: "countersign", scopes: ["approvals:read", "approvals:write"] })
  const stage = await opened(startStage({ timeoutMs: 8_000 }, { url: gate.url, token }))
  const account = service.mintServiceAccount({ name: "agent", scopes: ["approvals:create", "approvals:read"] })
  const asked = { tool_name: "delete_user_data", tool_args: { user_id: "U-1" } }
  const { body } = await call(service, "POST /approvals", { token: account, json: asked })

  const open = await card(stage)
  await press(stage, sandboxCast.bob, open, "approve")

  await threadSays(stage, open, "Required scope(s): approvals:write). Check upstream_token.")
  const { id } = body as { readonly id: string }
  const row = await call(service, `GET /approvals/${id}`, { token: account })
  expect(row.body).toMatchObject({ status: "pending" })
  expect(alarms(stage)).toContain("resolve-refused")
  const decided = stage.log.find((line) => line["kind"] === "decided")?.["decision"]
  const [keys, list] = await Promise.all(
    ["jwks.json", "countersign-ended"].map(async (at) => (await fetch(`${stage.bot.url}/.well-known/${at}`)).text()),
  )
  const said = await verifyEndedList(list ?? "", readKeySet(keys ?? "", "the bot"))
  expect(said).toMatchObject({ installation: stage.installation, sandbox: true, ended: [decided] })
})
