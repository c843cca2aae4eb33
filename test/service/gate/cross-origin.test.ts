// Pages of other origins: which may ask, what their browsers are told, and that a credential is asked for all the same.

import { describe, expect, test } from "vitest"
import type { ServiceOptions } from "../../../src/service/service-options.ts"
import { opened } from "../../support/opened.ts"
import { aService, aToken, type TestService } from "../a-service.ts"
import { anUpstream } from "../an-upstream.ts"

interface Answer {
  readonly status: number
  readonly text: string
}

const ui = "https://ui.example.com"

async function start(options: Partial<ServiceOptions> = { allowedOrigins: [ui] }): Promise<TestService> {
  const service = await opened(aService(options))
  return service
}

async function asked(service: TestService, method: string, headers: Record<string, string>, path = "/config") {
  const answer = await fetch(service.url + path, { method, headers })
  await answer.arrayBuffer()
  return answer
}

const preflight = (origin: string) => ({ origin, "access-control-request-method": "POST" })

describe("a page of an allowed origin", () => {
  test("is told without a credential what it may send", async () => {
    const answer = await asked(await start(), "OPTIONS", preflight(ui))

    expect(answer.status).toBe(204)
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      "access-control-allow-origin": ui,
      "access-control-allow-methods": "GET, POST, PATCH, DELETE",
      "access-control-allow-headers": "authorization, content-type",
      "access-control-max-age": "600",
      vary: "Origin",
    })
    expect(answer.headers.has("access-control-allow-credentials")).toBe(false)
  })

  test("reads answers and refusals, and needs its credential for them", async () => {
    const service = await start()
    const authorization = `Bearer ${await aToken(["config:read"])}`

    const [read, refused] = [
      await asked(service, "GET", { origin: ui, authorization }),
      await asked(service, "GET", { origin: ui }),
    ]

    expect([read.status, refused.status]).toEqual([200, 401])
    for (const { headers } of [read, refused]) expect(headers.get("access-control-allow-origin")).toBe(ui)
  })

  test("reads what the upstream answers, too", async () => {
    const upstream = await opened(anUpstream())
    const scopeMappings = { "GET /reports": ["reports:read"] }
    const service = await start({ allowedOrigins: [ui], scopeMappings, upstream: { url: upstream.url } })
    const authorization = `Bearer ${await aToken(["reports:read"])}`

    const answer = await asked(service, "GET", { origin: ui, authorization }, "/reports")

    expect([answer.status, answer.headers.get("access-control-allow-origin")]).toEqual([200, ui])
  })

  test("may change something with a cookie, which another site may not", async () => {
    const service = await start({ allowedOrigins: [ui], credentialPlace: { source: "COOKIE" } })
    const cookie = `access_token=${await aToken(["memories:write"])}`
    const send = async (origin: string) =>
      (await asked(service, "POST", { origin, cookie, "sec-fetch-site": "cross-site" }, "/memories")).status

    const allowed = await asked(service, "OPTIONS", preflight(ui), "/memories")

    expect(allowed.headers.get("access-control-allow-credentials")).toBe("true")
    expect(await send(ui)).toBe(422)
    expect(await send("https://evil.example")).toBe(403)
  })
})

describe("a request with a token in a cookie", () => {
  const elsewhere = "https://evil.example.com"
  const own = (service: TestService) => service.url
  const site = (word: string) => ({ "sec-fetch-site": word })

  /** Sends what `headersOf` says beside the cookie; in a form, as any page can make a browser do. */
  async function sent(request: string, headersOf: (service: TestService) => Record<string, string>): Promise<Answer> {
    const service = await start({ allowedOrigins: [ui], credentialPlace: { source: "BOTH" } })
    const cookie = `access_token=${await aToken(["agents:run", "knowledge:write", "sessions:delete"])}`
    const [method = "", path = ""] = request.split(" ")
    const form = new URLSearchParams({ message: "look", stream: "false", text_content: "x" })
    const answer = await fetch(service.url + path, {
      method,
      headers: { cookie, ...headersOf(service) },
      ...(method === "POST" ? { body: form } : {}),
    })
    return { status: answer.status, text: await answer.text() }
  }

  const changing = ["POST /agents/admin-agent/runs", "POST /knowledge/content", "DELETE /sessions/s-1"]

  test.each([
    ["a page of another site", () => ({ origin: elsewhere, ...site("cross-site") })],
    ["a page of another site on plain http", () => ({ origin: "http://evil.example" })],
    ["a page of a sibling domain", () => ({ origin: "https://evil.example.com", ...site("same-site") })],
    ["a page of another port", (service: TestService) => ({ origin: service.url.replace(/\d+$/, "1") })],
    ["a page on plain http of our name", (service: TestService) => ({ origin: own(service), ...site("same-site") })],
    ["a page without an origin", () => ({ origin: "null" })],
    ["a page that says only where it is", () => site("same-site")],
    ["a page of another origin that calls it ours", () => ({ origin: elsewhere, ...site("same-origin") })],
    ["nobody knows what", () => ({})],
  ])("from %s changes nothing", async (_from, headersOf) => {
    for (const request of changing) {
      const { status, text } = await sent(request, headersOf)

      expect([status, text], request).toEqual([403, expect.stringContaining("Cross-site request with a cookie")])
      expect(text).toContain("--allow-origin")
    }
  })

  test.each([
    ["our own page", (service: TestService) => ({ origin: own(service), ...site("same-origin") })],
    ["our own page on plain http", (service: TestService) => ({ origin: own(service) })],
    ["our own page behind TLS", (service: TestService) => ({ origin: own(service).replace("http:", "https:") })],
    ["our own page that names no origin", () => site("same-origin")],
    ["our own page that hides its origin", () => ({ origin: "null", ...site("same-origin") })],
    ["a page of the list", () => ({ origin: ui, ...site("cross-site") })],
    ["a page of the list on plain http", () => ({ origin: ui })],
  ])("from %s may change something", async (_from, headersOf) => {
    for (const request of changing) expect((await sent(request, headersOf)).status, request).toBeLessThan(300)
  })
})

test.each([
  ["another origin", preflight("https://evil.example")],
  ["an origin that only begins like an allowed one", preflight(`${ui}.evil.example`)],
  ["no origin", { "access-control-request-method": "POST" }],
  ["no question", { origin: ui }],
])("OPTIONS from %s is a method like others", async (_name, headers) => {
  const answer = await asked(await start(), "OPTIONS", headers)

  expect(answer.status).toBe(401)
  expect(answer.headers.has("access-control-allow-methods")).toBe(false)
})

test("a page of another origin is answered, and its browser does not let it read that", async () => {
  const authorization = `Bearer ${await aToken(["config:read"])}`

  const answer = await asked(await start(), "GET", { origin: "https://evil.example", authorization })

  expect([answer.status, answer.headers.has("access-control-allow-origin")]).toEqual([200, false])
  expect(answer.headers.get("vary")).toBe("Origin")
})

test("without a list nobody is told anything", async () => {
  const answer = await asked(await start({}), "GET", { origin: ui })

  expect([answer.headers.has("vary"), answer.headers.has("access-control-allow-origin")]).toEqual([false, false])
})

test("* lets every page ask, by tokens in headers alone", async () => {
  const service = await start({ allowedOrigins: ["*"] })

  const answer = await asked(service, "OPTIONS", preflight("https://any.example"))

  expect([answer.status, answer.headers.get("access-control-allow-origin")]).toEqual([204, "*"])
  for (const source of ["COOKIE", "BOTH"] as const) {
    await expect(aService({ allowedOrigins: ["*"], credentialPlace: { source } })).rejects.toMatchObject({
      code: "origin_invalid",
      message: expect.stringContaining(`with token_source ${source} name each origin`),
    })
  }
})

test.each(["ui.example.com", "https://ui.example.com/path", "ftp://ui.example.com", "null", ""])(
  "the origin %j is refused at start",
  async (origin) => {
    await expect(aService({ allowedOrigins: [origin] })).rejects.toMatchObject({ code: "origin_invalid" })
  },
)
