// The doctor on the credentials that decide and that continue runs, where they are not the one that reads.

import { randomBytes } from "node:crypto"
import { expect, onTestFinished, test } from "vitest"
import { lookAtInstance } from "../../../../src/cli/doctor/platform/platform.ts"
import type { RunningService } from "../../../../src/service.ts"
import { json, type Recorded, recorded, startServer } from "../../../platform/replay.ts"
import { startDescribed } from "../../../service/described/start-described.ts"
import { freePort } from "../../../support/free-port.ts"
import { aService, troubles } from "../../patient.ts"

type Instance = Parameters<typeof lookAtInstance>[0]

function look(service: RunningService, changes: Partial<Instance>) {
  const token = service.mintServiceAccount({ name: "reader", scopes: ["approvals:read", "approvals:write"] })
  const instance = { name: "main", url: service.url, token, pollMs: 1_000, timeoutMs: 10_000 } as const
  return lookAtInstance({ ...instance, resolving: { kind: "same" }, ...changes }, Date.now)
}

type Answers = Readonly<Record<string, Recorded>>

/** The same at an AgentOS: `odd` is what the credential that continues runs is answered, `of` what the other one is. */
async function lookAtAgentOs(resumeToken: string, odd: Answers, of: Answers = {}) {
  const reading: Answers = {
    "/info": recorded("3.1.10/info"),
    "/approvals/count": recorded("count"),
    "/approvals": recorded("list-pending"),
    resolve: recorded("404-resolve"),
    continue: json({ detail: "Insufficient permissions. Required scope(s): agents:run" }, 403),
    ...of,
  }
  const resuming: Answers = {
    resolve: json({ detail: "Insufficient permissions. Required scope(s): approvals:write" }, 403),
    continue: json({ detail: "Run not found" }, 404),
    run: json({ detail: "Run not found" }, 404),
    "/sessions": json({ data: [], meta: { total_pages: 0, total_count: 0 } }),
    ...odd,
  }
  const server = await startServer(({ url: { pathname, searchParams }, headers }) => {
    if (searchParams.get("user_id") === "countersign-doctor-nobody") return recorded("list-empty")
    const answers = headers.authorization === `Bearer ${resumeToken}` ? resuming : reading
    const route = /\/(resolve|continue)$/.exec(pathname)?.[1] ?? (pathname.endsWith("/runs/no-such") ? "run" : pathname)
    return answers[route] ?? json({ detail: "Not Found" }, 404)
  })
  onTestFinished(server.close)
  const instance = { name: "main", url: server.url, token: jwt(both), pollMs: 1_000, timeoutMs: 1_000 } as const
  return lookAtInstance({ ...instance, resolving: { kind: "same" }, resumeToken }, Date.now)
}

const both = ["approvals:read", "approvals:write"]
const jwt = (scopes: readonly string[], claims: object = {}) =>
  `e30.${Buffer.from(JSON.stringify({ exp: 4_000_000_000, scopes, ...claims })).toString("base64url")}.c2lnbmF0dXJl`
const runs = ["agents:run", "agents:read", "teams:run", "teams:read", "sessions:read"]

const continuing = ["agents", "teams", "workflows"].flatMap((kind) => [`${kind}:run`, `${kind}:read`])

test("a resume credential that may continue runs and no more is well", async () => {
  const service = await aService()
  const resumeToken = service.mintServiceAccount({ name: "resume", scopes: [...continuing, "sessions:read"] })

  const found = await look(service, { resumeToken })

  expect(troubles(found)).toEqual([])
  expect(found.map(({ what }) => what)).toContain("the resume credential may continue runs")
})

test.for([
  { of: "a service account", resumeToken: "agno_pat_of_an_account", words: "is a service account" },
  { of: "somebody", resumeToken: `e30.${btoa('{"sub":"bot"}')}.c2ln`, words: "has the subject bot" },
])("a resume credential of $of fails, because the run is not theirs", async ({ resumeToken, words }) => {
  const found = await look(await aService(), { resumeToken })

  expect(found).toContainEqual(
    expect.objectContaining({
      level: "fail",
      what: `the resume credential ${words}`,
      todo: "use a JWT without a subject",
    }),
  )
})

test("a resume credential that may resolve, too, fails, because it could pass the gate by itself", async () => {
  const service = await aService()
  const resumeToken = service.mintServiceAccount({ name: "resume", scopes: [...continuing, "approvals:write"] })

  const found = await look(service, { resumeToken })

  expect(troubles(found)).toContain("fail: the resume credential may resolve approvals, too")
})

test("a resume credential that may not continue every kind of run is told what it lacks", async () => {
  const service = await aService()
  const resumeToken = service.mintServiceAccount({ name: "resume", scopes: ["agents:run", "agents:read"] })

  const found = await look(service, { resumeToken })

  expect(found).toContainEqual(
    expect.objectContaining({
      level: "warn",
      what: "the resume credential may not continue runs of teams and workflows",
      todo: "give it teams:run and teams:read, workflows:run and workflows:read",
    }),
  )
})

test("a token that only decides is tried instead of the one that reads", async () => {
  const service = await aService()
  const read = service.mintServiceAccount({ name: "r", scopes: ["approvals:read"] })
  const write = service.mintServiceAccount({ name: "w", scopes: ["approvals:write"] })

  const apart = await look(service, { token: read, resolving: { kind: "token", token: write } })
  const swapped = await look(service, { resolving: { kind: "token", token: read } })

  expect(troubles(apart)).toEqual([])
  expect(troubles(swapped)).toEqual([expect.stringMatching(/^fail: resolving .* answered 403/)])
})

test("a key that signs nothing fails before anything is asked with it", async () => {
  const service = await aService()
  const key = { kind: "given", value: randomBytes(4).toString("hex") } as const

  const found = await look(service, {
    resolving: { kind: "delegated", algorithm: "RS256", key } as Instance["resolving"],
  })

  expect(found).toContainEqual(
    expect.objectContaining({
      level: "fail",
      what: expect.stringContaining("the key for delegated tokens"),
      why: "no decision can be signed, so none arrives",
    }),
  )
})

test("a resume credential that has expired fails as that, and no scope is advised", async () => {
  const found = await lookAtAgentOs(jwt(runs, { exp: 1_700_000_000 }), {})

  expect(troubles(found)).toEqual(["fail: its resume_token has expired at 2023-11-14T22:13:20Z"])
  expect(found).toContainEqual(
    expect.objectContaining({ why: "when it ends no decided run is continued", todo: "make a new one" }),
  )
})

test.each([
  ["401-signature", "the token is signed with a key or algorithm that this instance does not trust"],
  ["401-expired", "the token has expired: make a new one"],
  ["401-audience", "the token is made for another instance"],
  ["401-garbage", "set the instance's resume_token to a valid one"],
])("a resume credential that AgentOS answers %s is refused, and that is no missing scope", async (name, todo) => {
  const refused = recorded(name)

  const found = await lookAtAgentOs(jwt(runs), { resolve: refused, continue: refused, run: refused })

  expect(troubles(found)).toEqual([
    expect.stringMatching(/^fail: the resume credential is refused: resolving an approval .* was answered 401/),
  ])
  expect(found).toContainEqual(
    expect.objectContaining({
      level: "fail",
      why: "after a decision all runs stay paused until somebody else continues them",
      todo: expect.stringContaining(todo),
    }),
  )
})

test("a resume credential of nobody is refused by the embedded service, too", async () => {
  const found = await look(await aService(), { resumeToken: "a-token-of-nobody" })

  expect(troubles(found)).toEqual([expect.stringMatching(/^fail: the resume credential is refused: .*401/)])
})

test("a resume credential that may not read sessions is a trouble: no member's run would be found", async () => {
  const service = await aService()
  const resumeToken = service.mintServiceAccount({ name: "resume", scopes: continuing })

  const found = await look(service, { resumeToken })

  expect(troubles(found)).toEqual(["warn: the resume credential may not read sessions"])
  expect(found).toContainEqual(
    expect.objectContaining({
      why: "a run of a team's member or of a workflow's step is found by its session: without that it stays paused",
      todo: "give it sessions:read",
    }),
  )
})

test("a resume credential that cannot tell one of several databases is told the scope for that", async () => {
  const found = await lookAtAgentOs(jwt(runs), {
    "/sessions": recorded("3.1.10/400-session-runs-db-id"),
    "/config": recorded("403-list"),
  })

  expect(troubles(found)).toEqual(["warn: the resume credential may not read sessions"])
  expect(found).toContainEqual(expect.objectContaining({ todo: "give it config:read" }))
})

test("a resume credential that may run but not read is told so: a run is read before it is continued", async () => {
  const service = await aService()
  const resumeToken = service.mintServiceAccount({
    name: "resume",
    scopes: [...continuing.filter((scope) => scope !== "teams:read"), "sessions:read"],
  })

  const found = await look(service, { resumeToken })

  expect(troubles(found)).toEqual(["warn: the resume credential may not continue runs of teams"])
  expect(found).toContainEqual(expect.objectContaining({ todo: "give it teams:run and teams:read" }))
})

test.each([
  ["a page of a firewall", { ...json(""), status: 403, body: "<html>" }, "something before it"],
  ["an error of its own", json({ detail: "Internal server error" }, 500), "look into the platform's own log"],
])("whether runs may be continued is not told by %s, and no scope is advised", async (_, answer, todo) => {
  const found = await lookAtAgentOs(jwt(runs), { continue: answer })

  expect(troubles(found)).toEqual([
    "warn: whether the resume credential may continue runs of agents and teams cannot be told",
  ])
  expect(found).toContainEqual(expect.objectContaining({ todo: expect.stringContaining(todo) }))
})

test.each([
  [
    "isolates users",
    false,
    json({ detail: "Authenticated request is missing a user identity" }, 403),
    /user isolation/,
  ],
  [
    "decides by roles",
    true,
    json({ detail: "Insufficient permissions. Required scope(s): agents:run" }, 403),
    /^roles decide there/,
  ],
])("where AgentOS %s, no scope helps a resume credential without a subject", async (_, roles, refused, todo) => {
  const config = roles ? { "/authz/roles": recorded("3.1.10/403-authz-roles") } : {}

  const found = await lookAtAgentOs(jwt(runs), { continue: refused, run: refused }, config)

  expect(found).toContainEqual(
    expect.objectContaining({
      what: "the resume credential may not continue runs of agents and teams",
      todo: expect.stringMatching(todo),
    }),
  )
})

test("a security key that continues runs is told that it can pass the gate, and what works instead", async () => {
  const keyed = { "/info": json({ agno_version: "3.1.10", auth_mode: "security_key" }) }
  const all = json({ detail: "Run not found" }, 404)

  const found = await lookAtAgentOs("the-key", { resolve: recorded("404-resolve"), continue: all }, keyed)

  expect(found).toContainEqual(
    expect.objectContaining({
      what: "the resume credential may resolve approvals, too",
      todo: expect.stringMatching(/^leave resume off: a security key may do everything/),
    }),
  )
})

/** A gate of ours before the service, and the gate's account for the bot. */
async function aGate(service: RunningService) {
  const scopes = ["approvals:read", "approvals:write"]
  const upstream = {
    url: service.url,
    token: service.mintServiceAccount({ name: "gate", scopes }),
    routes: "all",
  } as const
  const gate = await startDescribed({
    database: ":memory:",
    authorization: true,
    upstream,
    clock: Date.now,
    random: randomBytes,
  })
  onTestFinished(() => gate.close())
  return { url: gate.url, token: gate.mintServiceAccount({ name: "countersign", scopes }) }
}

test("where a gate stands before approvals, the resume credential is tried at the address of runs", async () => {
  const service = await aService()
  const resumeToken = service.mintServiceAccount({ name: "resume", scopes: [...continuing, "sessions:read"] })

  const found = await look(service, { ...(await aGate(service)), resumeToken, resumeUrl: service.url })

  const said = found.map(({ what }) => what)
  expect(said).toContain(`runs are read and continued at ${service.url}`)
  expect(said).toContain("the resume credential may continue runs")
})

test("where a gate stands before approvals, runs without an address of their own are a failure", async () => {
  const service = await aService()
  const gate = await aGate(service)

  const found = await look(service, { ...gate, resumeToken: "a-runner" })

  expect(found).toContainEqual(
    expect.objectContaining({
      level: "fail",
      what: "Countersign's gate stands at url, and runs have no address of their own",
      todo: "set resume_url to AgentOS's own address: docs/how-to/agentos-gate.md",
    }),
  )
  expect(found.map(({ what }) => what).filter((what) => what.includes("resume credential"))).toEqual([])
})

test("an address of runs that nobody answers at is a failure, and nothing else is said about runs", async () => {
  const service = await aService()
  const resumeUrl = `http://127.0.0.1:${await freePort()}`

  const found = await look(service, { resumeToken: "a-runner", resumeUrl })

  expect(troubles(found)).toEqual([expect.stringMatching(/^fail: resume_url: .*refused/)])
})

test("an address of runs that leads to another AgentOS is a failure, and the credential is not sent there", async () => {
  const seen: unknown[] = []
  const server = await startServer(({ headers }) => {
    seen.push(headers.authorization)
    return json({ os_id: "another", agno_version: "3.1.10", auth_mode: "jwt" })
  })
  onTestFinished(server.close)

  const found = await look(await aService(), { resumeToken: "a-runner", resumeUrl: server.url })

  expect(troubles(found)).toEqual([
    "fail: another service answers at resume_url than at url: " +
      "os_id is countersign-service at url and another at resume_url, agno_version is not told at url and 3.1.10 at resume_url",
  ])
  expect(seen).toEqual([undefined])
})
