// Tokens at the gate: cookies, key sets, issuers, claim names and mappings over HTTP (5.1, 5.2, 5.5).

import { generateKeyPairSync, type KeyObject } from "node:crypto"
import { renameSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { SignJWT } from "jose"
import { describe, expect, test } from "vitest"
import type { ServiceOptions } from "../../../src/service/service-options.ts"
import { aFolder, opened } from "../../support/opened.ts"
import { oddTimes, rawToken } from "../../support/raw-token.ts"
import { aService, aToken, call, noon, secret, type TestService } from "../a-service.ts"

async function start(options: Partial<ServiceOptions> = {}): Promise<TestService> {
  return opened(aService(options))
}

async function statusOf(service: TestService, headers: Record<string, string>, method = "GET"): Promise<number> {
  const path = method === "GET" ? "/approvals" : "/approvals/x/resolve"
  const response = await fetch(service.url + path, { method, headers })
  await response.text()
  return response.status
}

describe("the times of a token", () => {
  test.each(["exp", "nbf", "iat"])("an %s that is no finite number is 401", async (name) => {
    const service = await start()
    const statuses = oddTimes.map((value) =>
      statusOf(service, {
        authorization: `Bearer ${rawToken(`{"scopes":["approvals:read"],"${name}":${value}}`, secret)}`,
      }),
    )

    expect(new Set(await Promise.all(statuses))).toEqual(new Set([401]))
  })

  test("a token without exp is believed, unless the service is told to require one", async () => {
    const [plain, strict] = [await start(), await start({ tokens: { requireExp: true } })]
    const [endless, ending] = await Promise.all([
      aToken(["approvals:read"]),
      aToken(["approvals:read"], { exp: noon / 1_000 + 60 }),
    ])
    const headers = (token: string) => ({ authorization: `Bearer ${token}` })

    expect(await statusOf(plain, headers(endless))).toBe(200)
    expect(await statusOf(strict, headers(endless))).toBe(401)
    expect(await statusOf(strict, headers(ending))).toBe(200)
  })
})

describe("5.1, rule 3: where the token is read from", () => {
  test("the token is read from the Authorization header only by default", async () => {
    const service = await start()
    const token = await aToken(["approvals:read"])

    expect(await statusOf(service, { authorization: `Bearer ${token}` })).toBe(200)
    expect(await statusOf(service, { cookie: `access_token=${token}` })).toBe(401)
  })

  test("COOKIE: the named cookie only", async () => {
    const service = await start({ credentialPlace: { source: "COOKIE", cookieName: "sid" } })
    const token = await aToken(["approvals:read"])

    expect(await statusOf(service, { cookie: `a=b; sid=${token}` })).toBe(200)
    expect(await statusOf(service, { authorization: `Bearer ${token}` })).toBe(401)
  })

  test("BOTH: either, and a service account's token, too", async () => {
    const service = await start({ credentialPlace: { source: "BOTH" } })
    const token = await aToken(["approvals:read"])
    const account = service.mintServiceAccount({ name: "bot", scopes: ["approvals:read"] })

    expect(await statusOf(service, { authorization: `Bearer ${token}` })).toBe(200)
    expect(await statusOf(service, { cookie: `access_token=${token}` })).toBe(200)
    expect(await statusOf(service, { cookie: `access_token=${account}` })).toBe(200)
  })

  test("a cookie does not let another site change anything", async () => {
    const service = await start({ credentialPlace: { source: "BOTH" } })
    const token = await aToken(["approvals:read", "approvals:write"])
    const cookie = `access_token=${token}`

    expect(await statusOf(service, { cookie, "sec-fetch-site": "cross-site" }, "POST")).toBe(403)
    expect(await statusOf(service, { cookie, "sec-fetch-site": "same-origin" }, "POST")).toBe(422)
    expect(await statusOf(service, { cookie, "sec-fetch-site": "cross-site" })).toBe(200)
    expect(await statusOf(service, { authorization: `Bearer ${token}`, "sec-fetch-site": "cross-site" }, "POST")).toBe(
      422,
    )
  })
})

describe("5.2: who issues tokens", () => {
  const control = generateKeyPairSync("rsa", { modulusLength: 2048 })
  const backend = generateKeyPairSync("rsa", { modulusLength: 2048 })
  const provider = generateKeyPairSync("rsa", { modulusLength: 2048 })
  const next = generateKeyPairSync("rsa", { modulusLength: 2048 })
  const pem = (key: KeyObject): string => key.export({ type: "spki", format: "pem" }).toString()
  const sign = (key: KeyObject, kid?: string): Promise<string> =>
    new SignJWT({ scopes: ["approvals:read"] })
      .setProtectedHeader({ alg: "RS256", ...(kid === undefined ? {} : { kid }) })
      .sign(key)

  test("5.2.4, 5.2.6: three issuers at once, one of which rotates its keys without a restart", async () => {
    const folder = aFolder("gate")
    const jwksFile = join(folder, "jwks.json")
    const publish = (key: KeyObject, kid: string): void => {
      writeFileSync(`${jwksFile}.new`, JSON.stringify({ keys: [{ ...key.export({ format: "jwk" }), kid }] }))
      renameSync(`${jwksFile}.new`, jwksFile)
    }
    publish(provider.publicKey, "one")
    const keys = { verificationKeys: [pem(control.publicKey), pem(backend.publicKey)], jwksFile }
    const service = await start({ ...keys, algorithm: "RS256" })
    const tokens = [
      await sign(control.privateKey),
      await sign(backend.privateKey),
      await sign(provider.privateKey, "one"),
      await sign(next.privateKey, "two"),
    ]
    const statuses = () => Promise.all(tokens.map((token) => statusOf(service, { authorization: `Bearer ${token}` })))

    expect(await statuses()).toEqual([200, 200, 200, 401])
    publish(next.publicKey, "two")
    service.pass(1000)

    expect(await statuses()).toEqual([200, 200, 401, 200])
  })

  test("5.2.5: a raw public key is enough; a key set alone, too", async () => {
    const service = await start({ verificationKeys: [pem(control.publicKey)], algorithm: "RS256" })

    expect(await statusOf(service, { authorization: `Bearer ${await sign(control.privateKey)}` })).toBe(200)
    expect((await call(service, "GET /info")).body).toMatchObject({ auth_mode: "jwt" })
  })

  test("5.2.7: a provider's claim name", async () => {
    const service = await start({ tokens: { scopesClaim: "permissions" } })

    expect(
      await statusOf(service, { authorization: `Bearer ${await aToken([], { permissions: ["approvals:read"] })}` }),
    ).toBe(200)
    expect(await statusOf(service, { authorization: `Bearer ${await aToken(["approvals:read"])}` })).toBe(403)
  })

  test("5.2.8: a space-delimited string is never a 401 and opens nothing", async () => {
    const service = await start()

    expect(await statusOf(service, { authorization: `Bearer ${await aToken("approvals:read approvals:write")}` })).toBe(
      403,
    )
  })
})

test("5.3, rule 6: the configuration needs config:read, also by its older name (9.4), and nothing else does", async () => {
  const service = await start()
  const read = async (path: string, scope: string) =>
    (await call(service, `GET ${path}`, { token: await aToken([scope]) })).status

  expect(await read("/config", "approvals:read")).toBe(403)
  expect(await read("/config", "config:read")).toBe(200)
  expect(await read("/config", "system:read")).toBe(200)
  expect(await read("/approvals", "approvals:read")).toBe(200)
})

describe("mappings", () => {
  test("5.5, rule 2: replace what a route needs, and the refusal names the provider's scope", async () => {
    const service = await start({ scopeMappings: { "GET /approvals": ["Approvals.Read"] } })

    expect((await call(service, "GET /approvals", { token: await aToken(["Approvals.Read"]) })).status).toBe(200)
    expect(await call(service, "GET /approvals", { token: await aToken(["approvals:read"]) })).toMatchObject({
      status: 403,
      body: { detail: "Insufficient permissions. Required scope(s): Approvals.Read" },
    })
  })

  test("5.5, rule 3: an empty list opens to every credential and to nobody without", async () => {
    const service = await start({ scopeMappings: { "GET /approvals": [] } })

    expect((await call(service, "GET /approvals")).status).toBe(401)
    expect((await call(service, "GET /approvals", { token: await aToken([]) })).status).toBe(200)
  })

  test("5.5, rule 4: agents stay in their namespace", async () => {
    const service = await start({ scopeMappings: { "GET /agents": ["acme:use"] } })

    expect(await call(service, "GET /agents", { token: await aToken(["acme:use"]) })).toMatchObject({
      status: 403,
      body: { detail: "Insufficient permissions. Required scope(s): agents:read" },
    })
    expect((await call(service, "GET /agents", { token: await aToken(["acme:use", "agents:read"]) })).status).toBe(200)
  })

  test("5.5, rule 2: an added route is gated, and 501 behind the gate without an upstream", async () => {
    const service = await start({ scopeMappings: { "GET /reports/*": ["reports:view"] } })

    expect((await call(service, "GET /reports/7", { token: await aToken([]) })).status).toBe(403)
    expect(await call(service, "GET /reports/7", { token: await aToken(["reports:view"]) })).toMatchObject({
      status: 501,
      body: {
        detail:
          "GET /reports/* is not served by this instance. Set upstream (SERVICE_UPSTREAM) to pass it on to one that does.",
      },
    })
  })
})

test("4.4: a custom prefix is gated the same way, and the default one is unknown", async () => {
  const service = await start({ a2aPrefix: "/partners/a2a" })
  const card = "agents/admin-agent/.well-known/agent-card.json"

  expect((await call(service, `GET /partners/a2a/${card}`, { token: await aToken(["teams:read"]) })).status).toBe(403)
  expect((await call(service, `GET /partners/a2a/${card}`, { token: await aToken(["agents:read"]) })).status).toBe(200)
  expect((await call(service, `GET /a2a/${card}`, { token: await aToken(["agents:read"]) })).status).toBe(404)
})
