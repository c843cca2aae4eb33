// The doctor on what lies between us and the platform or Slack: networks, certificates, portals and firewalls.

import { createServer } from "node:https"
import { describe, expect, it, onTestFinished } from "vitest"
import type { Finding } from "../../../src/cli/doctor/finding.ts"
import { lookAtInstance } from "../../../src/cli/doctor/platform/platform.ts"
import { json, type Recorded, recorded, startServer } from "../../platform/replay.ts"
import { anAuthority } from "../../support/certificates.ts"
import { onLoopback } from "../../support/on-loopback.ts"
import { opened } from "../../support/opened.ts"
import { aPatient, troubles } from "../patient.ts"

const PAGE = "<html><style>a{}</style><body><h1>Welcome to Café Wifi</h1></body></html>"

/** `ca`: an authority that is trusted, too. */
function look(url: string, ca: string | null = null): Promise<readonly Finding[]> {
  const resolving = { kind: "same" } as const
  const way = { proxy: null, ca }
  return lookAtInstance(
    { name: "main", url, token: "a-token", resolving, pollMs: 1_000, timeoutMs: 1_000, way },
    Date.now,
  )
}

/** What answers everything alike. */
async function everywhere(answer: Recorded, headers: Readonly<Record<string, string>> = {}): Promise<string> {
  const server = await startServer((_, response) => {
    response.writeHead(answer.status, headers).end(answer.body)
    return undefined
  })
  onTestFinished(server.close)
  return server.url
}

async function secure(names: readonly string[], days?: number, authority = anAuthority()): Promise<number> {
  const server = createServer(authority.issue(names, days), (_, response) => response.end("{}"))
  return (await opened(onLoopback(server))).port
}

async function only(found: Promise<readonly Finding[]>) {
  const failing = (await found).filter(({ level }) => level === "fail")
  expect(failing).toHaveLength(1)
  return failing[0]
}

describe("an instance that is not reached is told with host, cause and remedy:", () => {
  it("an instance is told to have no such host", async () => {
    expect(await only(look("https://nothing.invalid"))).toMatchObject({
      what: expect.stringMatching(/^main at nothing\.invalid: GET \/info could not be sent: .*DNS/),
      todo: expect.stringContaining("correct the host"),
    })
  })

  it("an instance is told to be where nothing listens", async () => {
    expect(await only(look("http://127.0.0.1:9"))).toMatchObject({
      what: "main at 127.0.0.1:9: GET /info could not be sent: the connection was refused (127.0.0.1:9): nothing listens",
      todo: expect.stringContaining("port"),
    })
  })

  it("an instance is told to be signed by an unknown CA", async () => {
    const port = await secure(["localhost"])

    expect(await only(look(`https://localhost:${port}`))).toMatchObject({
      what: expect.stringMatching(/^main at localhost:\d+: .* signed by an unknown CA/),
      todo: expect.stringContaining("NODE_EXTRA_CA_CERTS"),
    })
  })

  it("a certificate for another name", async () => {
    const authority = anAuthority()
    const port = await secure(["agents.example.com"], 30, authority)

    expect(await only(look(`https://localhost:${port}`, authority.cert))).toMatchObject({
      what: expect.stringMatching(/^main at localhost:\d+: GET \/info could not be sent: .*agents\.example\.com/),
      todo: "use an address with a name that the certificate has, or give the service a certificate for this name",
    })
  })

  it("a certificate that has expired", async () => {
    const authority = anAuthority()
    const port = await secure(["localhost"], -2, authority)

    expect(await only(look(`https://localhost:${port}`, authority.cert))).toMatchObject({
      what: expect.stringMatching(/^main at localhost:\d+: GET \/info could not be sent: its certificate has expired/),
      todo: expect.stringContaining("give the service a valid certificate"),
    })
  })

  it("plain http where https is asked for, and the other way round", async () => {
    const plain = await everywhere(json({}))
    const port = await secure(["localhost"])

    expect(await only(look(plain.replace("http:", "https:")))).toMatchObject({
      what: expect.stringContaining("it speaks plain http there"),
      todo: expect.stringContaining("http://"),
    })
    expect(await only(look(`http://localhost:${port}`))).toMatchObject({
      what: expect.stringContaining("it may want https"),
      todo: expect.stringContaining("https://"),
    })
  })

  it("plain http to a port that says that it wants https", async () => {
    const url = await everywhere({ status: 400, body: "Client sent an HTTP request to an HTTPS server." })

    expect(await only(look(url))).toMatchObject({ todo: "write https:// in the instance's url" })
  })
})

describe("what answers in the platform's place is no platform:", () => {
  it.each([
    ["says ok to everything", json({ ok: true }), "JSON without a count"],
    ["shows a page", { status: 200, body: PAGE }, "a page and no JSON (Welcome to Café Wifi)"],
    ["has a list of its own", json([]), "JSON without a count"],
  ])("what answers in the platform's place is no platform, though it %s", async (_, answer, words) => {
    expect(await only(look(await everywhere(answer)))).toMatchObject({
      what: `GET /approvals/count was answered 200 with ${words}: no Agent Platform Service answers there`,
      todo: expect.stringContaining("captive portal"),
    })
  })

  it("what counts in the platform's place and has no list is no platform", async () => {
    expect(troubles(await look(await everywhere(json({ count: 0 }))))).toEqual([
      expect.stringContaining("GET /approvals was answered 200 with JSON without a list"),
      expect.stringContaining("resolving an approval that does not exist was answered 200"),
      expect.stringContaining("the credential may also run"),
      expect.stringContaining("GET /sessions was answered 200: no list of them"),
    ])
  })

  it("what leads elsewhere is no platform, and where is told without what the address carries", async () => {
    const location = "https://login.example.com/start?next=secret"
    const url = await everywhere({ status: 302, body: "" }, { location })

    expect(await only(look(url))).toMatchObject({
      what: "GET /approvals/count was answered 302: it leads to https://login.example.com/start",
      todo: expect.stringContaining("log-in"),
    })
  })

  it.each([401, 403])("a firewall's page with %i is not taken for the platform's refusal", async (status) => {
    const found = await only(look(await everywhere({ status, body: "<h1>Request blocked by WAF</h1>" })))

    expect(found).toMatchObject({ todo: expect.stringContaining("something before it") })
    expect(JSON.stringify(found)).not.toContain("scope")
  })

  it("nor is a gateway's 403 in JSON where AgentOS is known to answer", async () => {
    const server = await startServer(({ url }) =>
      url.pathname === "/info" ? recorded("3.1.10/info") : json({ message: "Forbidden" }, 403),
    )
    onTestFinished(server.close)

    const found = await look(server.url)

    const todos = found.flatMap((one) => (one.level === "fail" ? [one.todo] : []))
    expect(new Set(todos)).toEqual(new Set([expect.stringContaining("let Countersign's calls pass there")]))
  })

  it("a page with 404 to a resolve is no platform's answer either", async () => {
    const server = await startServer(({ method, url }) => {
      if (method === "POST") return { status: 404, body: PAGE }
      return url.pathname.endsWith("/count") ? recorded("count") : recorded("list-pending")
    })
    onTestFinished(server.close)

    expect(troubles(await look(server.url))).toEqual([
      expect.stringMatching(/^fail: resolving .* was answered 404: Welcome/),
      expect.stringMatching(/^warn: whether the credential may also run .* cannot be told/),
    ])
  })
})

describe("what answers in Slack's place is not Slack:", () => {
  const slackAt = async (url: string) => {
    const patient = await aPatient({ env: { SLACK_API_URL: `${url}/api/` } })
    return patient.findings(/^slack$/)
  }

  it.each([
    ["a page with 200", { status: 200, body: PAGE }, "a page and no JSON"],
    ["a page with 403", { status: 403, body: PAGE }, "status 403"],
    ["a redirect", { status: 302, body: "" }, "status 302"],
    ["ok to everything", json({ ok: true }), "it names no workspace"],
  ])("what answers in Slack's place is not Slack: %s", async (_, answer, words) => {
    const [first] = await slackAt(await everywhere(answer))

    expect(first).toMatchObject({
      level: "fail",
      what: `auth.test: not Slack answered but something before it (${words})`,
      todo: expect.stringContaining("let Countersign's calls to Slack pass"),
    })
  })

  it("a Slack where nobody listens is told to be out of reach", async () => {
    const [first, second] = await slackAt("http://127.0.0.1:9")

    const words = "Slack could not be reached: the connection was refused (127.0.0.1:9): nothing listens"
    expect(first).toMatchObject({ what: `auth.test: ${words}`, todo: expect.stringContaining("firewalls") })
    expect(second).toMatchObject({ what: expect.stringContaining(words) })
  })
})
