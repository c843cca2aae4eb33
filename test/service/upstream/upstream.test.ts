// The upstream: what goes on behind the gate, with which headers and whose credential, and how its failures are told
// apart.

import { request as httpRequest } from "node:http"
import { describe, expect, test } from "vitest"
import { z } from "zod"
import type { ServiceOptions } from "../../../src/service/service-options.ts"
import type { UpstreamOptions } from "../../../src/service/upstream/upstream-options.ts"
import { opened } from "../../support/opened.ts"
import { anApproval, aService, aToken, call, type TestService } from "../a-service.ts"
import { type AnUpstream, anUpstream } from "../an-upstream.ts"

/** Routes that no service has: what an operator adds for the upstream to serve. */
const scopeMappings = {
  "GET /reports": ["reports:read"],
  "POST /reports": ["reports:write"],
  "GET /reports/*": ["reports:read"],
  "DELETE /reports/*": ["reports:delete"],
}

const before = (upstream: UpstreamOptions, options: Partial<ServiceOptions> = {}): Promise<TestService> =>
  opened(aService({ scopeMappings, ...options, upstream }))

describe("what is not served here", () => {
  test("is 501 without an upstream, naming the route and the setting, after the gate", async () => {
    const service = await opened(aService({ scopeMappings }))

    expect((await call(service, "GET /reports")).status).toBe(401)
    expect((await call(service, "GET /reports", { token: await aToken([]) })).status).toBe(403)
    expect(await call(service, "GET /reports", { token: await aToken(["reports:read"]) })).toMatchObject({
      status: 501,
      body: {
        detail:
          "GET /reports is not served by this instance. Set upstream (SERVICE_UPSTREAM) to pass it on to one that does.",
      },
    })
  })

  test("goes to the upstream after the gate, with path, query, body and headers, and comes back so", async () => {
    const upstream = await opened(
      anUpstream((response) => {
        response.writeHead(418, { "x-answer": "tea", "set-cookie": ["a=1", "b=2"], "content-type": "text/plain" })
        response.end("short and stout")
      }),
    )
    const service = await before({ url: `${upstream.url}/base/` })
    const token = await aToken(["reports:write"])

    const refused = await fetch(`${service.url}/reports`, { method: "POST" })
    const answer = await fetch(`${service.url}/reports/?a=1&a=2&b=%20c`, {
      method: "POST",
      body: '{"memory":"x"}',
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json", "x-own": "kept" },
    })

    expect(refused.status).toBe(401)
    expect([answer.status, await answer.text()]).toEqual([418, "short and stout"])
    expect(answer.headers.get("x-answer")).toBe("tea")
    expect(answer.headers.getSetCookie()).toEqual(["a=1", "b=2"])
    expect(upstream.arrived).toMatchObject([
      {
        method: "POST",
        url: "/base/reports?a=1&a=2&b=%20c",
        body: '{"memory":"x"}',
        headers: {
          authorization: `Bearer ${token}`,
          "x-own": "kept",
          "content-length": "14",
          host: new URL(upstream.url).host,
        },
      },
    ])
  })

  test("what is not served here goes on as the segments that were judged, whatever their spelling", async () => {
    const upstream = await opened(anUpstream())
    const service = await before({ url: upstream.url })
    const token = await aToken(["reports:read"])

    await call(service, "GET /%72eports/a%20b;c%3Fd", { token })
    const twice = await call(service, "GET /reports/a%252Fb", { token })

    expect(upstream.arrived.map(({ url }) => url)).toEqual(["/reports/a%20b%3Bc%3Fd"])
    expect(twice).toMatchObject({ status: 400, body: { detail: "The path is encoded twice" } })
  })

  test("what an operator's own routes name goes on too, and nothing unknown", async () => {
    const upstream = await opened(anUpstream())
    const service = await before({ url: upstream.url }, { scopeMappings: { "GET /reports/*": ["reports:view"] } })

    expect((await call(service, "GET /reports/7", { token: await aToken(["reports:view"]) })).status).toBe(200)
    expect((await call(service, "GET /reports/7", { token: await aToken(["reports:read"]) })).status).toBe(403)
    expect((await call(service, "GET /unknown", { token: await aToken(["service:admin"]) })).status).toBe(404)
  })
})

describe("headers", () => {
  test("headers of one connection, and those that disguise a request, stay here in both directions", async () => {
    const upstream = await opened(
      anUpstream((response) => {
        response.writeHead(200, {
          connection: "close, x-secret",
          "x-secret": "1",
          "keep-alive": "timeout=9",
          "x-kept": "1",
        })
        response.end("{}")
      }),
    )
    const service = await before({ url: upstream.url })
    const token = await aToken(["reports:read"])
    const headers = {
      authorization: `Bearer ${token}`,
      connection: "keep-alive, x-mine",
      "x-mine": "1",
      te: "trailers",
      "proxy-authorization": "Basic x",
      "x-http-method-override": "DELETE",
      "x-original-url": "/approvals",
      "x-kept": "1",
    }

    const answer = await new Promise<Record<string, unknown>>((resolve, reject) => {
      const sent = httpRequest(`${service.url}/reports`, { headers, agent: false }, (response) => {
        response.resume()
        resolve(response.headers)
      })
      sent.on("error", reject)
      sent.end()
    })

    expect(upstream.arrived[0]?.headers).toMatchObject({ "x-kept": "1" })
    for (const name of ["x-mine", "te", "proxy-authorization", "x-http-method-override", "x-original-url"]) {
      expect(upstream.arrived[0]?.headers).not.toHaveProperty(name)
    }
    expect(answer).toMatchObject({ "x-kept": "1" })
    expect(answer).not.toHaveProperty("x-secret")
  })
})

describe("whose credential goes on", () => {
  test("the caller's own by default", async () => {
    const upstream = await opened(anUpstream())
    const service = await before({ url: upstream.url }, { credentialPlace: { source: "BOTH" } })
    const token = await aToken(["reports:read"])

    const answer = await fetch(`${service.url}/reports`, { headers: { cookie: `access_token=${token}` } })

    expect(answer.status).toBe(200)
    expect(upstream.arrived[0]?.headers).toMatchObject({ cookie: `access_token=${token}` })
    await answer.text()
  })

  test("the upstream's when it is set: the caller's leaves neither as a header nor as a cookie", async () => {
    const upstream = await opened(anUpstream())
    const service = await before({ url: upstream.url, token: "up" }, { credentialPlace: { source: "BOTH" } })
    const token = await aToken(["reports:read"])

    await call(service, "GET /reports", { token })
    const answer = await fetch(`${service.url}/reports`, { headers: { cookie: `a=1; access_token=${token}` } })

    expect(answer.status).toBe(200)
    expect(upstream.arrived.map(({ headers }) => headers.authorization)).toEqual(["Bearer up", "Bearer up"])
    expect(upstream.arrived.map(({ headers }) => headers.cookie)).toEqual([undefined, "a=1"])
    expect(JSON.stringify(upstream.arrived)).not.toContain(token)
    await answer.text()
  })

  test("a service account's token never leaves", async () => {
    const upstream = await opened(anUpstream())
    const service = await before({ url: upstream.url })
    const token = service.mintServiceAccount({ name: "bot", scopes: ["reports:read"] })

    expect(await call(service, "GET /reports", { token })).toMatchObject({
      status: 501,
      body: { detail: expect.stringContaining("Set upstream_token") },
    })
    expect(upstream.arrived).toEqual([])
  })

  test("an upstream that refuses it is our fault, not the caller's", async () => {
    const upstream = await opened(anUpstream((response) => void response.writeHead(401).end('{"detail":"no"}')))
    const replaced = await before({ url: upstream.url, token: "up" })
    const passed = await before({ url: upstream.url })
    const token = await aToken(["reports:read"])

    expect(await call(replaced, "GET /reports", { token })).toMatchObject({
      status: 502,
      body: { detail: expect.stringContaining("upstream_token") },
    })
    expect((await call(passed, "GET /reports", { token })).status).toBe(401)
  })
})

describe("streams", () => {
  test("an answer comes through piece by piece", async () => {
    let goOn: () => void = () => undefined
    const upstream = await opened(
      anUpstream((response) => {
        response.writeHead(200, { "content-type": "text/event-stream" })
        response.write("data: 1\n\n")
        goOn = () => void response.end("data: 2\n\n")
      }),
    )
    const service = await before({ url: upstream.url })
    const headers = { authorization: `Bearer ${await aToken(["reports:read"])}` }

    const answer = await fetch(`${service.url}/reports`, { headers })
    const reader = z
      .instanceof(ReadableStream<Uint8Array>)
      .parse(answer.body)
      .getReader()
    const first = await reader.read()
    goOn()
    const second = await reader.read()

    expect(answer.headers.get("content-type")).toBe("text/event-stream")
    expect([first, second].map(({ value }) => Buffer.from(value ?? []).toString())).toEqual([
      "data: 1\n\n",
      "data: 2\n\n",
    ])
    expect((await reader.read()).done).toBe(true)
  })

  test("a body goes on piece by piece, before it has ended", async () => {
    const upstream = await opened(anUpstream())
    const service = await before({ url: upstream.url })
    const headers = { authorization: `Bearer ${await aToken(["reports:write"])}`, "content-type": "text/plain" }

    const status = await new Promise((resolve, reject) => {
      const sent = httpRequest(`${service.url}/reports`, { method: "POST", headers, agent: false }, (response) => {
        response.resume()
        resolve(response.statusCode)
      })
      sent.on("error", reject)
      sent.write("one, ")
      sent.end("two")
    })

    expect(status).toBe(200)
    expect(upstream.arrived).toMatchObject([{ body: "one, two" }])
  })

  test("an answer that is cut off is cut off here, not taken for whole", async () => {
    const upstream = await opened(
      anUpstream((response) => {
        response.writeHead(200, { "content-type": "text/plain" })
        response.write("half", () => response.destroy())
      }),
    )
    const failures: string[] = []
    const service = await before({ url: upstream.url }, { onFailure: (_error, request) => failures.push(request) })
    const headers = { authorization: `Bearer ${await aToken(["reports:read"])}` }

    const answer = await fetch(`${service.url}/reports`, { headers })

    await expect(answer.text()).rejects.toThrow()
    expect(failures).toEqual(["passing on the answer to GET /reports"])
    expect((await call(service, "GET /health")).status).toBe(200)
  })

  test("a caller that goes away ends the upstream's work", async () => {
    const gone = Promise.withResolvers<void>()
    const upstream = await opened(
      anUpstream((response) => {
        response.on("close", () => gone.resolve())
        response.writeHead(200).write("begun")
      }),
    )
    const service = await before({ url: upstream.url })
    const headers = { authorization: `Bearer ${await aToken(["reports:read"])}` }
    const leaving = new AbortController()

    const answer = await fetch(`${service.url}/reports`, { headers, signal: leaving.signal })
    expect(answer.status).toBe(200)
    leaving.abort()

    await gone.promise
  })

  test.each([204, 304])("a streamed answer of %i has no body", async (status) => {
    const upstream = await opened(anUpstream((response) => void response.writeHead(status).end()))
    const service = await before({ url: upstream.url })

    const answer = await call(service, "DELETE /reports/x", { token: await aToken(["reports:delete"]) })

    expect(answer).toMatchObject({ status, text: "" })
  })
})

describe("failures are told apart", () => {
  const read = async (service: TestService) => call(service, "GET /reports", { token: await aToken(["reports:read"]) })

  test("an upstream where nobody listens is 502", async () => {
    const upstream = await anUpstream()
    await upstream.close()

    expect(await read(await before({ url: upstream.url }))).toMatchObject({
      status: 502,
      body: { detail: "The upstream could not be reached" },
    })
  })

  test("an upstream that breaks every connection is 502, after a second try, and the log has the cause", async () => {
    const upstream = await opened(anUpstream((response) => void response.destroy()))
    const lines: string[] = []

    const service = await before({ url: upstream.url }, { onDebug: (line) => void lines.push(line) })

    expect((await read(service)).status).toBe(502)
    expect(upstream.arrived).toHaveLength(2)
    expect(lines).toEqual(["GET /reports: the upstream gave no answer (UND_ERR_SOCKET)"])
  })

  /** An upstream that closes a connection instead of giving its second answer on it, as after an idle time. */
  const once = () => {
    const used = new Set<unknown>()
    return anUpstream((response) => {
      if (used.has(response.socket)) return void response.socket?.resetAndDestroy()
      used.add(response.socket)
      response.end("read")
    })
  }

  test("a connection that the upstream closed is no failure of a read: it is sent on another one", async () => {
    const upstream = await opened(once())
    const service = await before({ url: upstream.url })

    expect([await read(service), await read(service)]).toMatchObject([
      { status: 200, text: "read" },
      { status: 200, text: "read" },
    ])
    expect(upstream.arrived).toHaveLength(3)
  })

  test("what may change something is never sent twice", async () => {
    const upstream = await opened(once())
    const service = await before({ url: upstream.url })
    const token = await aToken(["reports:read", "reports:write", "reports:delete"])
    const readAnd = async (what: string) => [
      await call(service, "GET /reports", { token }),
      await call(service, what, { token }),
    ]

    expect(await readAnd("POST /reports")).toMatchObject([{ status: 200 }, { status: 502 }])
    expect(await readAnd("DELETE /reports/x")).toMatchObject([{ status: 200 }, { status: 502 }])
    expect(upstream.arrived).toHaveLength(4)
  })

  test("an upstream that speaks no HTTP is 502", async () => {
    const upstream = await opened(anUpstream((response) => void response.socket?.end("SSH-2.0-OpenSSH\r\n")))

    expect((await read(await before({ url: upstream.url }))).status).toBe(502)
  })

  test("an upstream that does not answer in time is 504", async () => {
    const upstream = await opened(anUpstream(() => undefined))

    expect(await read(await before({ url: upstream.url, timeoutMs: 200 }))).toMatchObject({
      status: 504,
      body: { detail: "The upstream did not answer in time" },
    })
  })

  test("a body longer than ours may be: 413, announced or not", async () => {
    const upstream = await opened(anUpstream())
    const service = await before({ url: upstream.url }, { maxBodyBytes: 1000 })
    const headers = { authorization: `Bearer ${await aToken(["reports:write"])}` }
    const stream = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(new Uint8Array(500)),
    })

    const announced = await fetch(`${service.url}/reports`, { method: "POST", headers, body: "x".repeat(1001) })
    const streamed = await fetch(`${service.url}/reports`, { method: "POST", headers, body: stream, duplex: "half" })

    expect([announced.status, streamed.status]).toEqual([413, 413])
    expect(upstream.arrived).toEqual([])
  })
})

describe("before another instance of ours", () => {
  const all = { routes: "all", token: "" } as const

  async function pair(): Promise<{ gate: TestService; behind: TestService }> {
    const behind = await opened(aService())
    const token = await aToken(["service:admin"])
    const gate = await before({ url: behind.url, ...all, token }, { script: { agents: [] } })
    return { gate, behind }
  }

  test("everything passes the gate and is answered by the other one", async () => {
    const { gate, behind } = await pair()
    const { id } = await anApproval(behind)
    const writer = gate.mintServiceAccount({ name: "bot", scopes: ["approvals:read", "approvals:write"] })

    const listed = await call(gate, "GET /approvals", { token: writer })
    const forbidden = await call(gate, `DELETE /approvals/${id}`, { token: writer })
    const resolved = await call(gate, `POST /approvals/${id}/resolve`, {
      token: writer,
      json: { status: "approved", resolved_by: "ann" },
    })

    expect(listed.body).toMatchObject({ data: [{ id }] })
    expect(forbidden.status).toBe(403)
    expect(resolved.body).toMatchObject({ status: "approved", resolved_by: "ann" })
    expect(
      (await call(behind, `GET /approvals/${id}`, { token: await aToken(["approvals:read"]) })).body,
    ).toMatchObject({
      status: "approved",
    })
  })

  test("5.3, rule 2: per-resource scopes count, and a list that the other one does not filter needs the scope for all", async () => {
    const { gate } = await pair()
    const token = await aToken(["agents:admin-agent:read"])

    expect((await call(gate, "GET /agents/admin-agent", { token })).status).toBe(200)
    expect((await call(gate, "GET /agents/billing-agent", { token })).status).toBe(403)
    expect((await call(gate, "GET /agents", { token })).status).toBe(403)
    expect((await call(gate, "GET /agents", { token: await aToken(["agents:read"]) })).status).toBe(200)
  })

  test("/info is the other one's, since what it promises is; service accounts are the gate's", async () => {
    const { gate, behind } = await pair()
    const minted = await call(gate, "POST /service-accounts", {
      token: await aToken(["service:admin"], { sub: "root" }),
      json: { name: "bot" },
    })

    expect((await call(gate, "GET /info")).body).toEqual((await call(behind, "GET /info")).body)
    expect(minted.status).toBe(201)
    const { token } = z.object({ token: z.string() }).parse(minted.body)
    expect((await call(behind, "GET /sessions", { token })).status).toBe(401)
    expect((await call(gate, "GET /sessions", { token })).status).toBe(200)
  })

  test("4.4: an A2A envelope that asks for more than its path needs the scope of that, too", async () => {
    const { gate, behind } = await pair()
    const message = { messageId: "m", role: "user", parts: [{ kind: "text", text: "two steps" }] }
    const json = { jsonrpc: "2.0", id: 1, method: "message/send", params: { message } }
    const ask = async (scope: string, request: string, body: object) =>
      (await call(gate, request, { token: await aToken([scope]), json: body })).status

    expect(await ask("agents:read", "POST /a2a/agents/admin-agent/v1/tasks:get", json)).toBe(403)
    expect(
      await ask("agents:run", "POST /a2a/agents/admin-agent/v1/message:send", { ...json, method: "tasks/get" }),
    ).toBe(403)
    expect(
      await ask("agents:run", "POST /a2a/agents/admin-agent/v1/message:send", { ...json, method: "tasks/new" }),
    ).toBe(403)
    expect(behind.executions()).toEqual([])
    expect(await ask("agents:admin-agent:run", "POST /a2a/agents/admin-agent/v1/message:send", json)).toBe(200)
    expect(behind.executions().length).toBeGreaterThan(0)
    const odd = {
      token: await aToken(["agents:read"]),
      raw: Buffer.from(JSON.stringify(json), "utf16le").toString("latin1"),
    }
    expect((await call(gate, "POST /a2a/agents/admin-agent/v1/tasks:get", odd)).status).toBe(400)
  })

  test("4.4: the deprecated dispatch needs all three run scopes there", async () => {
    const { gate } = await pair()
    const json = { params: { message: { agentId: "admin-agent" } } }

    const some = await call(gate, "POST /a2a/message/send", { token: await aToken(["agents:run"]), json })

    expect(some).toMatchObject({
      status: 403,
      body: { detail: "Insufficient permissions. Required scope(s): agents:run, teams:run, workflows:run" },
    })
  })
})

describe("at start", () => {
  test.each<[string, UpstreamOptions, Partial<ServiceOptions>, string]>([
    [
      "R19: a credential for everybody",
      { url: "http://u", token: "t" },
      { authorization: false },
      "upstream_unguarded",
    ],
    [
      "a credential that ends isolation",
      { url: "http://u", token: "t" },
      { userIsolation: true },
      "upstream_unguarded",
    ],
    ["no address", { url: "upstream" }, {}, "upstream_invalid"],
    ["another protocol", { url: "ftp://u" }, {}, "upstream_invalid"],
    ["a password in the address", { url: "http://a:b@u" }, {}, "upstream_invalid"],
    ["a query in the address", { url: "http://u?a=b" }, {}, "upstream_invalid"],
    ["an empty credential", { url: "http://u", token: "" }, {}, "upstream_invalid"],
    ["a whole header as its credential", { url: "http://u", token: "Bearer hush" }, {}, "upstream_invalid"],
    ["a wrapped credential", { url: "http://u", token: "hush\nhush" }, {}, "upstream_invalid"],
  ])("an upstream is refused at start with %s", async (_name, upstream, options, code) => {
    await expect(aService({ ...options, upstream })).rejects.toMatchObject({ code })
  })

  test("an upstream's credential that cannot be sent as it stands is named, and not shown", async () => {
    await expect(aService({ upstream: { url: "http://u", token: "Bearer hush" } })).rejects.toThrow(
      "upstream: upstream_token begins with the word Bearer: give the token alone, since that word is added when it",
    )
  })

  test("an open instance may have an upstream without a credential", async () => {
    const upstream: AnUpstream = await opened(anUpstream())
    const service = await before({ url: upstream.url }, { authorization: false, verificationKeys: [] })

    expect((await call(service, "GET /reports")).status).toBe(200)
    expect(upstream.arrived[0]?.headers).not.toHaveProperty("authorization")
  })
})
