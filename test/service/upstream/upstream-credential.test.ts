// The credential that an upstream gets: what is said of it at a start, and whose fault a 403 is.
import type { ServerResponse } from "node:http"
import { describe, expect, test } from "vitest"
import { remarksOnUpstream } from "../../../src/service/upstream/upstream-credential.ts"
import type { UpstreamOptions } from "../../../src/service/upstream/upstream-options.ts"
import { opened } from "../../support/opened.ts"
import { aService, aToken, call, noon, type TestService } from "../a-service.ts"
import { anUpstream } from "../an-upstream.ts"

const before = (upstream: UpstreamOptions): Promise<TestService> =>
  opened(aService({ scopeMappings: { "GET /reports": ["reports:read"] }, upstream }))

describe("a 403 of the upstream", () => {
  const refused = (detail: string) => (response: ServerResponse) => {
    const text = JSON.stringify({ detail })
    response.writeHead(403, { "content-type": "application/json", "content-length": text.length }).end(text)
  }
  const ask = async (detail: string, token?: string) => {
    const upstream = await opened(anUpstream(refused(detail)))
    const service = await before({ url: upstream.url, ...(token === undefined ? {} : { token }) })
    return call(service, "GET /reports", { token: await aToken(["reports:read"]) })
  }
  const lacks = "Insufficient permissions. Required scope(s): reports:read"

  test("a 403 that refuses our own credential says so, since the caller passed this gate", async () => {
    expect(await ask(lacks, await aToken(["reports:write"]))).toMatchObject({
      status: 403,
      body: { detail: `The upstream refused the credential of this service (403: ${lacks}). Check upstream_token.` },
    })
    expect(await ask("Authenticated request is missing a user identity", "up")).toMatchObject({
      status: 403,
      body: { detail: expect.stringMatching(/missing a user identity\). Check upstream_token\.$/) },
    })
  })

  test("a 403 for a scope that our own credential claims hints at roles", async () => {
    expect((await ask(lacks, await aToken(["reports:read"]))).body).toMatchObject({
      detail: expect.stringMatching(
        /upstream_token\. It claims that scope: where roles decide, its subject needs one\.$/,
      ),
    })
  })

  test("a 403 about the request, or about the caller's own credential, is passed on as it came", async () => {
    const pending = "This run requires approval before it continues"

    expect((await ask(pending, "up")).body).toEqual({ detail: pending })
    expect((await ask(lacks)).body).toEqual({ detail: lacks })
  })

  test("a 403 that is no JSON, or does not tell its length, is passed on as it came", async () => {
    const page = await opened(
      anUpstream((response) => void response.writeHead(403, { "content-length": 6 }).end("<html>")),
    )
    const chunked = await opened(
      anUpstream((response) => {
        response.writeHead(403, { "content-type": "application/json" }).write('{"detail":')
        response.end(JSON.stringify(lacks) + "}")
      }),
    )
    const token = await aToken(["reports:read"])

    const asPage = await call(await before({ url: page.url, token: "up" }), "GET /reports", { token })
    const asStream = await call(await before({ url: chunked.url, token: "up" }), "GET /reports", { token })

    expect([asPage.status, asPage.text]).toEqual([403, "<html>"])
    expect([asStream.status, asStream.body]).toEqual([403, { detail: lacks }])
  })
})

test("whoever may count approvals hears what is wrong with our own credential, and nobody else", async () => {
  const upstream = await opened(anUpstream())
  const sent = await aToken(["approvals:read", "approvals:write"], { sub: "Jürgen" })
  const gate = await opened(aService({ upstream: { url: upstream.url, token: sent, routes: "all" } }))
  const passing = await opened(aService({ upstream: { url: upstream.url, routes: "all" } }))
  const token = await aToken(["approvals:read"])
  const said = async (at: TestService, request: string) =>
    (await call(at, request, { token })).headers.get("countersign-upstream")

  expect(JSON.parse(decodeURIComponent((await said(gate, "GET /approvals/count")) ?? ""))).toEqual([
    expect.stringMatching(/^has the subject Jürgen, /),
    expect.stringMatching(/^has no exp/),
  ])
  expect(await said(gate, "GET /approvals")).toBeNull()
  expect(await said(passing, "GET /approvals/count")).toBeNull()
  expect((await call(gate, "GET /approvals/count")).headers.get("countersign-upstream")).toBeNull()
})

describe("what is said at a start", () => {
  const both = ["approvals:read", "approvals:write"]
  const month = noon / 1_000 + 30 * 86_400
  const said = async (scopes: unknown, claims: Record<string, unknown> = {}) =>
    remarksOnUpstream(await aToken(scopes, { exp: month, ...claims }), noon)

  test("nothing is said of a JWT that reads and resolves, has no subject and lives on, nor of what is no JWT", async () => {
    expect(await said(both)).toEqual([])
    expect(remarksOnUpstream("a-security-key", noon)).toEqual([])
  })

  test.each<[string, unknown, Record<string, unknown>, RegExp]>([
    ["a subject", both, { sub: "robot" }, /^has the subject robot, which AgentOS writes into resolved_by/],
    ["a missing scope", ["approvals:read"], {}, /^claims no approvals:write: the upstream refuses/],
    ["scopes in one text", "approvals:read approvals:write", {}, /^claims no approvals:read/],
    [
      "a run scope",
      [...both, "agents:x:run"],
      {},
      /^holds approvals:write and agents:x:run: to AgentOS whoever continues/,
    ],
    ["admin", ["agent_os:admin"], {}, /^holds agent_os:admin, which is more than asking and deciding need$/],
    ["no end", both, { exp: undefined }, /^has no exp/],
    ["an end that has come", both, { exp: noon / 1_000 - 1 }, /^has expired at 2026-11-20T11:59:59\.000Z/],
    ["an end within a week", both, { exp: noon / 1_000 + 86_400 }, /^expires at 2026-11-21T12:00:00\.000Z/],
  ])("an upstream's JWT is warned of for %s", async (_, scopes, claims, words) => {
    expect((await said(scopes, claims))[0]).toMatch(words)
  })

  test("a service account of AgentOS is warned of: it sees its own runs only", () => {
    expect(remarksOnUpstream("agno_pat_x", noon)).toEqual([expect.stringContaining("approvals of its own runs")])
  })
})
