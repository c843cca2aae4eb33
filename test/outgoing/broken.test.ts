// What broke a call, in words: against real servers that cannot be reached or believed.
import { createServer } from "node:http"
import { createServer as createSecureServer } from "node:https"
import { createServer as createSocketServer, type Server } from "node:net"
import { Agent, request } from "undici"
import { describe, expect, it, onTestFinished, test } from "vitest"
import { brokenBy, isUnsent } from "../../src/outgoing/broken.ts"
import { anAuthority } from "../support/certificates.ts"
import { onLoopback } from "../support/on-loopback.ts"
import { opened } from "../support/opened.ts"

const authority = anAuthority()

async function portOf(server: Server): Promise<number> {
  return (await opened(onLoopback(server))).port
}

const secureFor = (names: readonly string[], days?: number) =>
  portOf(createSecureServer(authority.issue(names, days), (_, response) => response.end("ok")))

async function breakOf(url: string, ca = authority.cert) {
  const dispatcher = new Agent({ connect: { ca } })
  onTestFinished(() => dispatcher.destroy())
  const error: unknown = await request(url, { dispatcher }).then(
    ({ body }) => body.dump().then(() => null),
    (thrown: unknown) => thrown,
  )
  const broken = brokenBy(error, new URL(url).protocol)
  return { ...broken, unsent: isUnsent(broken.kind) }
}

describe("a host", () => {
  it("a host that is believed breaks nothing", async () => {
    const port = await secureFor(["localhost"])

    const { statusCode, body } = await request(`https://localhost:${port}`, {
      dispatcher: new Agent({ connect: { ca: authority.cert } }),
    })

    expect([statusCode, await body.text()]).toEqual([200, "ok"])
  })

  it("a host that does not exist is named", async () => {
    const found = await breakOf("https://nothing.invalid")

    expect(found).toMatchObject({ kind: "no-host", unsent: true, words: expect.stringContaining("nothing.invalid") })
  })

  it("a host where nothing listens is named with its port", async () => {
    expect(await breakOf("http://127.0.0.1:9")).toEqual({
      kind: "refused",
      words: "the connection was refused (127.0.0.1:9): nothing listens",
      unsent: true,
    })
  })

  it("a host whose certificate an unknown CA signed is not believed", async () => {
    const port = await secureFor(["localhost"])

    expect(await breakOf(`https://localhost:${port}`, anAuthority("Somebody Else").cert)).toMatchObject({
      kind: "unknown-ca",
      unsent: true,
      words: expect.stringMatching(/signed by an unknown CA \([A-Z_]+\)/),
    })
  })

  it("a host whose certificate is for another name is named with that", async () => {
    const port = await secureFor(["agents.example.com"])

    expect(await breakOf(`https://localhost:${port}`)).toEqual({
      kind: "wrong-name",
      words: "its certificate is not for this name, but for agents.example.com",
      unsent: true,
    })
  })

  it("a host whose certificate has expired is told so", async () => {
    const port = await secureFor(["localhost"], -1)

    expect(await breakOf(`https://localhost:${port}`)).toMatchObject({
      words: "its certificate has expired",
      unsent: true,
    })
  })

  it("a host that speaks plain http where https is asked for is told so", async () => {
    const port = await portOf(createServer((_, response) => response.end("ok")))

    expect(await breakOf(`https://localhost:${port}`)).toEqual({
      kind: "plain-http",
      words: "it speaks plain http there, not https",
      unsent: true,
    })
  })

  it("a host that speaks https where plain http is asked for may want https", async () => {
    const port = await secureFor(["localhost"])

    expect((await breakOf(`http://localhost:${port}`)).words).toContain("it may want https")
  })

  it("a host that speaks something else is told so", async () => {
    const port = await portOf(createSocketServer((socket) => socket.resume().end("220 mail.example.com ESMTP\r\n")))

    expect(await breakOf(`http://127.0.0.1:${port}`)).toMatchObject({ kind: "not-http", unsent: false })
  })

  it("a host that hangs up may have taken what was sent", async () => {
    const port = await portOf(createServer((incoming) => incoming.socket.destroy()))

    expect(await breakOf(`http://127.0.0.1:${port}`)).toMatchObject({ kind: "closed", unsent: false })
  })
})

const failed = (code: string, more: object = {}) => Object.assign(new Error(code), { code, ...more })

test.each([
  ["of a connection that never came about", { syscall: "connect" }, "slow", true],
  ["of one that was there", { syscall: "read" }, "closed", false],
])("a time-out %s is told apart: what was sent may have arrived", (_, more, kind, unsent) => {
  const broken = brokenBy(failed("ETIMEDOUT", more), "https:")

  expect([broken.kind, isUnsent(broken.kind)]).toEqual([kind, unsent])
})

test("what nobody knows is told by its code, and of several attempts each tells more than all", () => {
  const both = new AggregateError([failed("ECONNREFUSED", { address: "::1", port: 1 })], "all failed")

  expect(brokenBy(failed("EODD"), "https:").words).toBe("the call broke off (EODD)")
  expect(brokenBy(both, "https:").words).toContain("(::1:1)")
  expect(brokenBy("no error", "https:")).toEqual({ kind: "unknown", words: "the call broke off" })
})
