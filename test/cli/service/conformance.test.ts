// countersign service conformance: the report, the exit codes, the refusals, and a SIGINT that cleans up.
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { beforeEach, describe, expect, test } from "vitest"
import { z } from "zod"
import { aToken, call, type TestService } from "../../service/a-service.ts"
import { aFullService } from "../../service/components.ts"
import { type FaultyProxy, startFaultyProxy } from "../../support/faulty-proxy.ts"
import { freePort } from "../../support/free-port.ts"
import { aFolder, opened } from "../../support/opened.ts"
import { command } from "../command.ts"

let folder: string
let service: TestService
let proxy: FaultyProxy
let token: string

beforeEach(async () => {
  folder = aFolder("conformance")
  service = await opened(aFullService())
  proxy = await opened(startFaultyProxy(service.url))
  token = await aToken(["service:admin"], { sub: "ann" })
})

const given = (...args: readonly string[]) => ({
  started: () => command(["service", "conformance", ...args], { cwd: folder, env: { PLATFORM_TOKEN: token } }),
})
const done = (...args: readonly string[]) => given(...args).started().ended

test("without a credential nothing is asked", async () => {
  const ended = await command(["service", "conformance", "http://127.0.0.1:7777"], { cwd: folder }).ended

  expect(ended).toMatchObject({ code: 2, out: "" })
  expect(ended.err).toBe("countersign: name a credential: set PLATFORM_TOKEN, or give --token-file\n")
})

test("a platform that keeps to the specification is told so, family by family, and the code is 0", async () => {
  const ended = await done(service.url, "--only", "approvals", "--only", "config,a2a")

  expect(ended.code).toBe(0)
  expect(ended.out).toContain("\n  passed      4.2 (open)   GET /approvals is a page of rows and its numbers\n")
  expect(ended.out.split("\n").filter((line) => /^\w+$/.test(line))).toEqual(["approvals", "config", "a2a"])
  expect(ended.out.trimEnd().split("\n").at(-1)).toMatch(
    new RegExp(
      String.raw`^${service.url}/: \d+ checks passed, 0 deviate, \d+ not tested\. Only reads were sent; --write tries`,
    ),
  )
  expect(ended.err).toContain("asking about approvals …\n")
})

test("with --write all is tried, an agent too, and its rows are gone afterwards", async () => {
  const ended = await done(service.url, "--write", "--agent", "support-member", "--message", "delete it")

  expect(ended.out).toMatch(/: \d{3} checks passed, 0 deviate, 3 not tested\.\n$/)
  expect(ended.code).toBe(0)
  const { body } = await call(service, "GET /sessions", { token })
  expect(body).toMatchObject({ data: [] })
})

test("what deviates is told with section, request, what was expected and what came, and the code is 1", async () => {
  proxy.fail({ method: "GET", path: /^\/approvals\/count$/, fault: { kind: "answer", status: 200, body: {} } })

  const ended = await done(proxy.url, "--only", "approvals")

  expect(ended.code).toBe(1)
  expect(ended.out).toContain(
    [
      "  deviates    4.2 (open)   GET /approvals/count is a number",
      "              GET /approvals/count",
      "              expected count: Invalid input: expected number, received undefined",
      "              got status 200 {}",
    ].join("\n"),
  )
  expect(ended.out).toMatch(/ 3 deviate \(3 of them where the specification leaves it open\)/)
})

test("programs get every check as JSON, and no progress", async () => {
  const ended = await done(service.url, "--only", "metrics", "--json")

  const document = z
    .looseObject({ conforms: z.boolean(), results: z.array(z.looseObject({ section: z.string() })) })
    .parse(JSON.parse(ended.out))
  expect(document).toMatchObject({ url: `${service.url}/`, conforms: true, deviating: 0, leftovers: [] })
  expect(document.results.length).toBeGreaterThan(3)
  expect(ended.err).toBe("")
})

test("the credential may lie in a file", async () => {
  writeFileSync(join(folder, "token"), `${token}\n`)

  const args = ["service", "conformance", service.url, "--only", "config", "--token-file", "token"]

  expect(await command(args, { cwd: folder }).ended).toMatchObject({ code: 0 })
})

describe("what is refused with code 2 and one sentence:", () => {
  test.each<[string, readonly string[], string]>([
    ["no address", [], "missing required argument 'url'"],
    ["an address of nothing", ["agents"], "agents is no address of a platform, such as https://agents.example.com"],
    ["another scheme", ["ftp://agents.example.com"], "is no address of a platform"],
    ["a query", ["http://127.0.0.1:1/?a=b"], "is no address of a platform"],
    ["a password in the address", ["http://ann:pass@127.0.0.1:1"], "the address holds a user or a password"],
    ["a family that there is not", ["http://127.0.0.1:1", "--only", "memory"], "--only memory: there are general, "],
    ["a file that is not there", ["http://127.0.0.1:1", "--token-file", "no"], "--token-file no: it cannot be read"],
    ["an agent without --write", ["http://127.0.0.1:1", "--agent", "a"], "--agent starts a run, which needs --write"],
    ["an option that there is not", ["http://127.0.0.1:1", "--fast"], "unknown option '--fast'"],
  ])("a call with %s", async (_name, args, words) => {
    const ended = await done(...args)

    expect(ended).toMatchObject({ code: 2, out: "" })
    expect(ended.err).toContain(words)
  })

  test("an address where nobody is", async () => {
    const url = `http://127.0.0.1:${await freePort()}`

    const ended = await done(url)

    expect(ended).toMatchObject({ code: 2, out: "" })
    expect(ended.err).toMatch(new RegExp(`^countersign: ${url}/: .*refuse`))
  })

  test("a host that there is not", async () => {
    const ended = await done("http://agents.invalid")

    expect(ended).toMatchObject({ code: 2, out: "" })
    expect(ended.err).toContain("countersign: http://agents.invalid/: ")
  })

  test("a credential that the platform does not take", async () => {
    token = await aToken(["service:admin"], { exp: 1 })

    const ended = await done(service.url)

    expect(ended).toMatchObject({ code: 2, out: "" })
    expect(ended.err).toContain("does not take the credential: status 401")
    expect(ended.err).not.toContain(token)
  })

  test("a whole header in place of the credential", async () => {
    token = `Bearer ${token}`

    const ended = await done(service.url)

    expect(ended).toMatchObject({ code: 2, out: "" })
    expect(ended.err).toContain("PLATFORM_TOKEN begins with the word Bearer: give the token alone")
    expect(ended.err).not.toContain(token)
  })

  test.each<[string, Parameters<FaultyProxy["fail"]>[0]["fault"], string]>([
    [
      "a redirect",
      { kind: "answer", status: 302, headers: { location: "https://login.example.com/?user=ann" } },
      "redirects to https://login.example.com/; give the address of the platform",
    ],
    [
      "a web page",
      { kind: "answer", status: 200, body: "<!doctype html>", headers: { "content-type": "text/html" } },
      "answers with a web page; it is no Agent Platform Service, or a log-in stands before it",
    ],
    ["no JSON", { kind: "answer", status: 200, body: "ok" }, "answers no JSON: status 200 ok"],
    ["a gateway that has nobody behind it", { kind: "answer", status: 502 }, "cannot answer now: status 502"],
    ["a connection that breaks", { kind: "cut", forwarded: false }, `/: `],
  ])("an address that answers with %s", async (_name, fault, words) => {
    proxy.fail({ fault })

    const ended = await done(proxy.url)

    expect(ended).toMatchObject({ code: 2, out: "" })
    expect(ended.err).toContain(words)
  })
})

test("SIGINT takes away what was made, says how far it came, and ends with code 2", async () => {
  const reached = Promise.withResolvers<unknown>()
  const released = Promise.withResolvers<unknown>()
  const until = async () => {
    reached.resolve(undefined)
    await released.promise
  }
  proxy.fail({ method: "GET", path: /^\/memories\/(?!countersign)[\w-]+$/, fault: { kind: "hold", until } })
  const { child, ended } = given(proxy.url, "--write", "--only", "memories").started()
  await reached.promise
  const during = await call(service, "GET /memories", { token })

  child.kill("SIGINT")
  released.resolve(undefined)

  expect(during.body).toMatchObject({ meta: { total_count: 1 } })
  expect(await ended).toMatchObject({
    code: 2,
    out: expect.stringContaining("Stopped before the end.") as string,
    err: expect.stringContaining("SIGINT: stopping, and taking away what was made") as string,
  })
  expect((await call(service, "GET /memories", { token })).body).toMatchObject({ data: [] })
})
