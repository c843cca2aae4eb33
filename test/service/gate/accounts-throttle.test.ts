// Failed look-ups of service accounts: throttled, and a valid token is never locked out.

import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { expect, test } from "vitest"
import { createFailedLookUps } from "../../../src/service/gate/authenticate.ts"
import { aFolder, opened } from "../../support/opened.ts"
import { aService, call } from "../a-service.ts"

test("after twenty failures a minute the answer is 429, for valid tokens never", async () => {
  const service = await aService()
  const valid = service.mintServiceAccount({ name: "bot", scopes: ["approvals:read"] })
  const attempt = (token: string) => call(service, "GET /approvals", { token })

  for (let at = 0; at < 20; at += 1) expect((await attempt(`cs_sa_${at}`)).status).toBe(401)
  const throttled = await attempt("cs_sa_20")
  const passed = await attempt(valid)
  service.pass(20_500)
  const waited = await attempt("cs_sa_20")
  service.pass(39_500)
  const later = await attempt("cs_sa_21")
  await service.close()

  expect(throttled).toMatchObject({ status: 429, body: { detail: "Too many failed authentication attempts" } })
  expect([throttled, waited].map(({ headers }) => headers.get("retry-after"))).toEqual(["60", "40"])
  expect([passed.status, later.status]).toEqual([200, 401])
})

test("each address counts by itself, and a network of IPv6 as one", () => {
  const failures = createFailedLookUps(() => 0)
  for (let at = 0; at < 21; at += 1) failures.fail(at % 2 === 0 ? "2001:db8::1" : "2001:db8:0:0:1:2:3:4")

  expect(failures.fail("2001:db8::ffff")).toBe(true)
  expect(failures.fail("2001:db8:0:1::1")).toBe(false)
  expect(failures.fail("192.0.2.1")).toBe(false)
  expect(failures.fail("::ffff:192.0.2.2")).toBe(false)
  expect(failures.fail("fe80::1%eth0")).toBe(false)
  expect(failures.fail(null)).toBe(false)
})

test("the memory of failures is bounded", () => {
  const failures = createFailedLookUps(() => 0)
  for (let at = 0; at < 21; at += 1) failures.fail("192.0.2.1")

  for (let at = 0; at < 10_000; at += 1) failures.fail(`10.${at >> 16}.${(at >> 8) & 255}.${at & 255}`)

  expect(failures.fail("192.0.2.1")).toBe(false)
})

test("a database that fails is 503 and reported, not a bad token", async () => {
  const file = join(aFolder("accounts"), "service.sqlite")
  const failures: string[] = []
  const onFailure = (error: unknown, request: string): void => void failures.push(`${request}: ${String(error)}`)
  const service = await opened(aService({ database: file, onFailure }))
  const token = service.mintServiceAccount({ name: "bot", scopes: ["approvals:read"] })
  const other = new DatabaseSync(file)
  other.exec("DROP TABLE service_accounts")
  other.close()

  const answer = await call(service, "GET /approvals", { token })

  expect(answer).toMatchObject({ status: 503, body: { detail: "Authentication is temporarily unavailable" } })
  expect(failures).toEqual([expect.stringContaining("looking up a service account: ")])
})

test("only the token's hash is stored", async () => {
  const file = join(aFolder("accounts"), "service.sqlite")
  const service = await aService({ database: file })
  const token = service.mintServiceAccount({ name: "bot", scopes: [] })
  await service.close()

  const database = new DatabaseSync(file)
  const rows = JSON.stringify(database.prepare("SELECT * FROM service_accounts").all())
  database.close()

  expect(rows).toContain('"token_hash"')
  expect(rows).not.toContain(token)
  expect(rows).not.toContain(token.slice(20))
})
