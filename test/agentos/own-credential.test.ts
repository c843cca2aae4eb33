// A credential of Countersign's own at the real AgentOS: its service accounts, which see nothing; the gate of
// docs/how-to/agentos-gate.md by its page's own commands; and where no credential without admin works.
import { randomBytes } from "node:crypto"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { importPKCS8, SignJWT } from "jose"
import { describe, expect, onTestFinished, test } from "vitest"
import type { Finding } from "../../src/cli/doctor/finding.ts"
import { type Instance, lookAtInstance } from "../../src/cli/doctor/platform/platform.ts"
import { claimsIn } from "../../src/config/parts/credential.ts"
import { startDescribed } from "../service/described/start-described.ts"
import { alarms, card, press, settled, threadSays } from "../stories/acts.ts"
import { sandboxCast, startStage } from "../stories/world.ts"
import { startFaultyProxy } from "../support/faulty-proxy.ts"
import { walkGatePage } from "../support/gate-page.ts"
import { type AgentOs, aJwt, isAtLeast, type Mode, SECRET, SECURITY_KEY, startAgentOs, VERSIONS } from "./agentos.ts"
import { call, rowOf, serviceAccount, startRun } from "./drive.ts"
import { describeAgentOs } from "./stages.ts"

const both = ["approvals:read", "approvals:write"]
const month = { exp: Math.floor(Date.now() / 1_000) + 30 * 86_400 }

/** Starts an instance, ended with the test. */
async function anAgentOs(version: string, mode: Mode): Promise<AgentOs> {
  const os = await startAgentOs(version, mode)
  onTestFinished(() => os.close())
  return os
}

/** A gate that gives AgentOS this credential, and the credential that Countersign has for it; ended with the test. */
async function aGate(url: string, upstreamToken: string) {
  const gate = await startDescribed({
    database: ":memory:",
    authorization: true,
    upstream: { url, token: upstreamToken, routes: "all" },
    clock: Date.now,
    random: randomBytes,
  })
  onTestFinished(() => gate.close())
  return { url: gate.url, token: gate.mintServiceAccount({ name: "countersign", scopes: both }) }
}

async function findingsAt(place: Pick<Instance, "url" | "token" | "resumeUrl" | "resumeToken">) {
  const instance = { name: "main", ...place, resolving: { kind: "same" }, pollMs: 1_000, timeoutMs: 8_000 } as const
  return lookAtInstance(instance, Date.now)
}

/** The only note: what goes without `sessions:read`, which may be meant. */
const isTrouble = ({ level, what }: Finding) => level !== "ok" && !(level === "note" && what.startsWith("sessions "))
const failed = (found: readonly Finding[]) => found.filter((one) => one.level === "fail")
const resolveAt = (at: { readonly url: string; readonly token: string }, id: string) =>
  call(at, `POST /approvals/${id}/resolve`, {
    token: at.token,
    json: { status: "approved", resolved_by: "jane@example.com" },
  })

describeAgentOs("JWT, the page's gate", {}, ({ version, os, closing }) => {
  test(`the page's gate before agno ${version}: a card, a press, and resolved_by is the person, by one JWT without subject or admin`, async () => {
    const walk = walkGatePage()
    walk.write("agentos.secret", SECRET)
    await walk.run("--algorithm HS256")
    const upstream = walk.read("upstream.jwt").trim()
    await walk.run("token mint --account")
    const proxy = await startFaultyProxy(os().url)
    closing(() => proxy.close())
    const gate = await walk.startGate(proxy.url)
    const token = walk.read("platform.token").trim()
    const ran = os().executions().length
    const run = await startRun(os(), { of: "admin-agent" })

    const past = await startFaultyProxy(os().url)
    closing(() => past.close())
    const runs = `resume: approved, resume_url: "${past.url}", resume_token_file: ${join(walk.folder, "resume.jwt")}`

    const resumeToken = walk.read("resume.jwt").trim()
    const found = await findingsAt({ url: gate.url, token, resumeUrl: os().url, resumeToken })
    const stage = await startStage({ timeoutMs: 8_000, instance: runs }, { url: gate.url, token })
    closing(() => stage.close())
    const open = await card(stage)
    await press(stage, sandboxCast.bob, open, "approve")
    await settled(stage, "delete_user_data")
    await threadSays(stage, open, "resolved by bob@sandbox.example")
    await threadSays(stage, open, "is completed")

    // This instance has several databases, which it tells since 3.0.
    const several = expect.objectContaining({ level: "warn", todo: "give it config:read" })
    expect(found.filter(isTrouble)).toEqual(isAtLeast(version, "3.0.0") ? [several] : [])
    expect(await rowOf(os(), run.runId)).toMatchObject({
      status: "approved",
      resolved_by: "bob@sandbox.example",
      resolution_data: { countersign: { approvers: [{ subject: "bob@sandbox.example" }] } },
    })
    // Every call but GET /info, which goes without any, carries the page's JWT: no token is signed for the decision.
    const sent = new Set(proxy.passed.map(({ path, authorization }) => (path === "/info" ? "" : authorization)))
    expect(sent).toEqual(new Set(["", `Bearer ${upstream}`]))
    expect(claimsIn(upstream)).toMatchObject({ subject: null, scopes: both })
    expect(new Set(past.passed.map(({ authorization }) => authorization))).toEqual(new Set([`Bearer ${resumeToken}`]))
    expect(os().executions().slice(ran)).toMatchObject([{ tool: "delete_user_data" }])
    expect([alarms(stage), gate.err()]).toEqual([[], ""])
  })

  test("a service account of the instance itself fails by AgentOS's own rule, whatever it may read, and the gate is named", async () => {
    const run = await startRun(os(), { of: "admin-agent" })
    const { id } = await rowOf(os(), run.runId)
    const more = ["config:read", "agents:read", "teams:read", "sessions:read"]

    for (const scopes of [both, [...both, ...more]]) {
      const at = { url: os().url, token: await serviceAccount(os(), scopes) }
      const found = await findingsAt(at)

      expect(failed(found)).toEqual([
        expect.objectContaining({
          what: expect.stringContaining("service account of AgentOS that is not admin: by AgentOS's own rule"),
          todo: expect.stringContaining("docs/how-to/agentos-gate.md"),
        }),
      ])
      expect(found.map(({ what }) => what)).toContain("the credential is accepted; it is shown 0 pending approvals")
      expect((await resolveAt(at, id)).status).toBe(404)
    }
    expect((await rowOf(os(), run.runId)).status).toBe("pending")
  })

  test("a service account of the instance that is admin sees everything, and fails for what it may run", async () => {
    const at = { url: os().url, token: await serviceAccount(os(), ["agent_os:admin"]) }

    const found = await findingsAt(at)

    const whats = found.flatMap(({ level, what }) => (level === "ok" ? [] : [`${level}: ${what}`]))
    expect(whats).toContain("warn: the credential is a service account of AgentOS")
    expect(whats).toContain("fail: the credential may also run agents, teams, workflows")
  })

  test.each([
    ["approvals:write", ["approvals:read"], 403],
    ["approvals:read", ["approvals:write"], 200],
  ])("a gate whose JWT lacks %s says so, and so does doctor", async (lacking, scopes, resolved) => {
    const run = await startRun(os(), { of: "admin-agent" })
    const { id } = await rowOf(os(), run.runId)
    const gate = await aGate(os().url, await aJwt(scopes, month))

    const found = await findingsAt(gate)
    const answer = await resolveAt(gate, id)

    expect(failed(found)).toEqual([
      expect.objectContaining({
        what: expect.stringContaining(`Required scope(s): ${lacking}). Check upstream_token.`),
        todo: expect.stringMatching(new RegExp(`^the gate's upstream_token lacks ${lacking}: .*agentos-gate\\.md`)),
      }),
    ])
    expect(answer.status).toBe(resolved)
  })

  test("a press through a gate whose JWT may not resolve is void, and the thread says which credential is at fault", async () => {
    const gate = await aGate(os().url, await aJwt(["approvals:read"], month))
    const run = await startRun(os(), { of: "admin-agent" })
    const stage = await startStage({ timeoutMs: 8_000 }, gate)
    closing(() => stage.close())

    const open = await card(stage)
    await press(stage, sandboxCast.bob, open, "approve")

    await threadSays(stage, open, "Required scope(s): approvals:write). Check upstream_token.")
    expect(await rowOf(os(), run.runId)).toMatchObject({ status: "pending" })
  })

  test("a gate whose JWT has expired answers 502, and doctor says what to do", async () => {
    const gate = await aGate(os().url, await aJwt(both, { exp: 1_700_000_000 }))

    const found = failed(await findingsAt(gate))

    expect(found).toEqual([
      expect.objectContaining({
        what: expect.stringContaining("answered 502: The upstream refused the credential of this service (401)"),
        todo: expect.stringMatching(/^the gate's upstream_token is expired/),
      }),
    ])
  })
})

describe.each(VERSIONS)("AgentOS %s, the page's gate with RS256", (version) => {
  test("the page's pair of keys signs for an AgentOS that verifies RS256", async () => {
    const walk = walkGatePage()
    await walk.run("--algorithm RS256")
    await walk.run("token mint --account")
    const key = await importPKCS8(walk.read("gate.pem"), "RS256")
    const operator = await new SignJWT({ scopes: ["agent_os:admin"], sub: "alice@example.com" })
      .setProtectedHeader({ alg: "RS256" })
      .setExpirationTime("1h")
      .sign(key)
    const publicKey = readFileSync(join(walk.folder, "gate.pub.pem"), "utf8")
    const os = await anAgentOs(version, { algorithm: "RS256", publicKey, operator })
    const gate = await walk.startGate(os.url)
    const at = { url: gate.url, token: walk.read("platform.token").trim() }
    const run = await startRun(os, { of: "admin-agent" })

    const found = await findingsAt(at)
    const answer = await resolveAt(at, (await rowOf(os, run.runId)).id)

    expect(found.filter(isTrouble)).toEqual([])
    expect(answer).toMatchObject({ status: 200, body: { resolved_by: "jane@example.com" } })
  })
})

describe.each(VERSIONS)("AgentOS %s, a security key", (version) => {
  test("a service account is told of the gate, behind which the key resolves for people and runs nothing", async () => {
    const os = await anAgentOs(version, { auth: "key" })
    const run = await startRun(os, { of: "admin-agent" })
    const { id } = await rowOf(os, run.runId)
    const gate = await aGate(os.url, SECURITY_KEY)

    const account = failed(await findingsAt({ url: os.url, token: await serviceAccount(os, both) }))
    const found = await findingsAt(gate)
    const answer = await resolveAt(gate, id)

    expect(account).toEqual([
      expect.objectContaining({
        todo: expect.stringMatching(/its security key as upstream_token, .*agentos-gate\.md/),
      }),
    ])
    expect(failed(found)).toEqual([])
    expect(found.map(({ what }) => what)).toContain("the credential may not run anything")
    expect(answer).toMatchObject({ status: 200, body: { resolved_by: "jane@example.com" } })
  })
})

describe.each(VERSIONS)("AgentOS %s, users isolated", (version) => {
  test("without admin the gate's JWT works before 3.0 alone, and doctor is not green where it does not", async () => {
    const os = await anAgentOs(version, { isolation: true })
    const run = await startRun(os, { of: "admin-agent" })
    const { id } = await rowOf(os, run.runId)
    const gate = await aGate(os.url, await aJwt(both, month))

    const found = failed(await findingsAt(gate))
    const answer = await resolveAt(gate, id)

    if (isAtLeast(version, "3.0.0")) {
      expect(found.length).toBeGreaterThan(0)
      for (const one of found)
        expect(one).toMatchObject({
          todo: expect.stringMatching(/^no credential without admin works under user isolation/),
        })
      expect(answer).toMatchObject({
        status: 403,
        body: { detail: expect.stringContaining("missing a user identity") },
      })
    } else {
      expect(found).toEqual([])
      expect(answer).toMatchObject({ status: 200, body: { resolved_by: "jane@example.com" } })
    }
  })

  test("a JWT with a subject sees nothing behind the gate, and doctor is not green where isolation is told", async () => {
    const os = await anAgentOs(version, { isolation: true })
    const run = await startRun(os, { of: "admin-agent" })
    const { id } = await rowOf(os, run.runId)
    const gate = await aGate(os.url, await aJwt(both, { sub: "robot", ...month }))

    const found = await findingsAt(gate)

    expect((await resolveAt(gate, id)).status).toBe(404)
    const told = found.filter(({ what }) => what.includes("its upstream_token has the subject robot"))
    expect(told.map(({ level }) => level)).toEqual([isAtLeast(version, "3.1.0") ? "fail" : "warn"])
  })

  test("an admin JWT without a subject works behind the gate, and Countersign may still run nothing", async () => {
    const os = await anAgentOs(version, { isolation: true })
    const run = await startRun(os, { of: "admin-agent" })
    const { id } = await rowOf(os, run.runId)
    const gate = await aGate(os.url, await aJwt(["agent_os:admin"], month))

    const found = await findingsAt(gate)
    const answer = await resolveAt(gate, id)

    expect(failed(found)).toEqual([])
    expect(found.map(({ what }) => what)).toContain("the credential may not run anything")
    expect(answer).toMatchObject({ status: 200, body: { resolved_by: "jane@example.com" } })
  })

  test("a service account is not told of the gate where the instance says that it isolates users", async () => {
    const os = await anAgentOs(version, { isolation: true })

    const [found] = failed(await findingsAt({ url: os.url, token: await serviceAccount(os, both) }))

    const todo = isAtLeast(version, "3.1.0") ? /^no credential without admin works/ : /agentos-gate\.md/
    expect(found).toMatchObject({ what: expect.stringContaining("service account"), todo: expect.stringMatching(todo) })
  })
})

describe.each(VERSIONS.filter((version) => isAtLeast(version, "3.1.0")))("AgentOS %s, roles decide", (version) => {
  test.each([
    ["two scopes", both],
    ["admin", ["agent_os:admin"]],
  ])("no JWT without a subject works behind the gate, and doctor is not green: %s", async (_, scopes) => {
    const os = await anAgentOs(version, { roles: true })
    const gate = await aGate(os.url, await aJwt(scopes, month))

    const found = failed(await findingsAt(gate))

    expect(found.length).toBeGreaterThan(0)
    for (const one of found)
      expect(one).toMatchObject({
        what: expect.stringContaining("Check upstream_token. It claims that scope: where roles decide"),
        todo: expect.stringMatching(/^roles decide there, and neither a service account nor a JWT without a subject/),
      })
  })

  test("a service account fails, and what helps is a subject with a role, whose name the record then has", async () => {
    const os = await anAgentOs(version, { roles: true })
    const run = await startRun(os, { of: "admin-agent" })
    const { id } = await rowOf(os, run.runId)
    const gate = await aGate(os.url, await aJwt([], { sub: "approver@example.com", ...month }))

    const [account] = failed(await findingsAt({ url: os.url, token: await serviceAccount(os, both) }))
    const found = failed(await findingsAt(gate))
    const answer = await resolveAt(gate, id)

    expect(account).toMatchObject({ todo: expect.stringMatching(/^roles decide there/) })
    expect(found).toEqual([])
    expect(answer).toMatchObject({ status: 200, body: { resolved_by: "approver@example.com" } })
  })

  test("roles and isolation: a subject with a role sees its own runs only, an admin service account everything", async () => {
    const os = await anAgentOs(version, { roles: true, isolation: true })
    await startRun(os, { of: "admin-agent" })
    const role = await aGate(os.url, await aJwt([], { sub: "approver@example.com", ...month }))
    const account = await aGate(os.url, await serviceAccount(os, ["agent_os:admin"]))
    const rowsFor = async (at: { readonly url: string; readonly token: string }) =>
      ((await call(at, "GET /approvals", at)).body as { readonly data: readonly { readonly id: string }[] }).data
    const rows = await rowsFor(account)
    const id = rows[0]?.id ?? ""

    expect([await rowsFor(role), rows.length]).toEqual([[], 1])
    expect(failed(await findingsAt(role))[0]).toMatchObject({
      todo: expect.stringMatching(/^no credential without admin/),
    })
    expect((await resolveAt(role, id)).status).toBe(404)
    expect(await resolveAt(account, id)).toMatchObject({
      status: 200,
      body: { resolved_by: expect.stringMatching(/^sa:/) },
    })
  })
})
