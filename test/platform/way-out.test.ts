// Three odd ways to the platform: a proxy that logs, TLS of a CA that nobody knows, answers in encodings that nobody
// asked for.
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib"
import { describe, expect, it, onTestFinished, test } from "vitest"
import type { WayOut } from "../../src/outgoing/dispatcher.ts"
import { createPlatformClient } from "../../src/platform/client.ts"
import { causeOf } from "../../src/platform/errors.ts"
import { anAuthority } from "../support/certificates.ts"
import { startConnectProxy } from "../support/connect-proxy.ts"
import { startTlsFront } from "../support/tls-front.ts"
import { failure } from "./clients.ts"
import { recorded, startServer } from "./replay.ts"

const authority = anAuthority()
const HOST = "agents.example.com"

/** Ends them when the test is over. */
function closing(work: readonly { close(): Promise<void> }[]): void {
  onTestFinished(async () => void (await Promise.all(work.map((one) => one.close()))))
}

/** An instance at `https://agents.example.com` and `http://agents.example.com`, which only the proxy finds. */
async function behindProxy(credentials?: string) {
  const server = await startServer(() => recorded("count"))
  const front = await startTlsFront(authority.issue([HOST]), server.url)
  const plain = Number(new URL(server.url).port)
  const routes = { [`${HOST}:443`]: front.port, [`${HOST}:80`]: plain, "other.example.com:443": front.port }
  const proxy = await startConnectProxy(routes, credentials)
  closing([proxy, front, server])
  const clientAt = (url: string, way: Partial<WayOut> & { readonly user?: string; readonly except?: string } = {}) => {
    const { user, except = "", ca = authority.cert } = way
    const address = `http://${user === undefined ? "" : `${user}@`}127.0.0.1:${proxy.port}`
    const client = createPlatformClient({
      name: "main",
      url,
      token: "a-token",
      timeoutMs: 2_000,
      way: { proxy: { url: address, except }, ca },
    })
    onTestFinished(() => client.close())
    return client
  }
  return { server, proxy, clientAt }
}

describe("by way of a proxy", () => {
  it("https is tunnelled, and the proxy sees the host alone", async () => {
    const { proxy, clientAt, server } = await behindProxy()
    const client = clientAt(`https://${HOST}`)

    expect([await client.count(), await client.count()]).toEqual([8, 8])

    expect(new Set(proxy.log)).toEqual(new Set([`CONNECT ${HOST}:443`]))
    expect(server.seen[0]?.headers.authorization).toBe("Bearer a-token")
  })

  it("http is handed to it whole", async () => {
    const { proxy, clientAt } = await behindProxy()

    expect(await clientAt(`http://${HOST}/os`).count()).toBe(8)

    expect(proxy.log).toEqual([`GET http://${HOST}/os/approvals/count`])
  })

  it("user and password are shown to the proxy, and to nobody else", async () => {
    const { clientAt, server } = await behindProxy("me:p@ss")

    expect(await clientAt(`https://${HOST}`, { user: "me:p%40ss" }).count()).toBe(8)

    expect(server.seen[0]?.headers["proxy-authorization"]).toBeUndefined()
  })

  it("a host of NO_PROXY is reached directly", async () => {
    const { proxy, clientAt } = await behindProxy()

    const error = await failure(clientAt(`https://${HOST}.invalid`, { except: "x, .example.com.invalid" }).count())

    expect(causeOf(error)).toContain("DNS")
    expect(proxy.log).toEqual([])
  })

  it("after a 500, and after a call that got no answer, the next one goes the same way", async () => {
    const answers = [recorded("500-list-poisoned"), undefined, recorded("count")]
    const server = await startServer(() => answers.shift())
    const front = await startTlsFront(authority.issue([HOST]), server.url)
    const proxy = await startConnectProxy({ [`${HOST}:443`]: front.port })
    closing([proxy, front, server])
    const way = { proxy: { url: `http://127.0.0.1:${proxy.port}`, except: "" }, ca: authority.cert }
    const client = createPlatformClient({ name: "main", url: `https://${HOST}`, token: "t", timeoutMs: 3_000, way })
    onTestFinished(() => client.close())

    const codes = [(await failure(client.count())).code, (await failure(client.count())).code]

    expect(codes).toEqual(["server", "timeout"])
    expect(await client.count()).toBe(8)
  })

  it.each([
    [407, /the proxy asks for a user and a password \(407\)/],
    [403, /the proxy does not connect us to it \(403\)/],
    [502, /the proxy does not connect us to it \(502\)/],
  ])("nothing was sent where the proxy answers %i, and it is said so", async (status, words) => {
    const { proxy, clientAt } = await behindProxy()
    proxy.refuse(status)

    const error = await failure(clientAt(`https://${HOST}`).resolve("x", "{}"))

    expect(error.code).toBe("unreachable")
    expect(causeOf(error)).toMatch(words)
  })

  it("the connection to a proxy that is not there is refused under the proxy's own address", async () => {
    const { proxy, clientAt } = await behindProxy()
    const client = clientAt(`https://${HOST}`)
    await proxy.close()

    const error = await failure(client.count())

    expect(error.code).toBe("unreachable")
    expect(causeOf(error)).toBe(
      `${HOST}: could not be sent: the connection was refused (127.0.0.1:${proxy.port}): nothing listens`,
    )
  })

  it("an unknown CA and another name are told apart, as without a proxy", async () => {
    const { clientAt } = await behindProxy()

    const unknown = await failure(clientAt(`https://${HOST}`, { ca: anAuthority("Somebody Else").cert }).count())

    const other = await failure(clientAt("https://other.example.com").count())

    expect([unknown.code, other.code]).toEqual(["unreachable", "unreachable"])
    expect(causeOf(unknown)).toContain("signed by an unknown CA")
    expect(causeOf(other)).toContain(`its certificate is not for this name, but for ${HOST}`)
  })
})

test("a CA is believed besides the usual ones, without a proxy too", async () => {
  const server = await startServer(() => recorded("count"))
  const front = await startTlsFront(authority.issue(["localhost"]), server.url)
  closing([front, server])
  const at = (ca: string | null) => {
    const client = createPlatformClient({
      name: "main",
      url: `https://localhost:${front.port}`,
      token: "t",
      way: { proxy: null, ca },
    })
    onTestFinished(() => client.close())
    return client
  }

  expect(await at(authority.cert).count()).toBe(8)
  expect(causeOf(await failure(at(null).count()))).toContain("unknown CA")
})

describe("an answer in an encoding that nobody asked for", () => {
  const { body } = recorded("count")

  const clientFor = async (header: string, bytes: Uint8Array) => {
    const server = await startServer((_, response) => {
      response.writeHead(200, { "content-encoding": header }).end(bytes)
      return undefined
    })
    const client = createPlatformClient({ name: "main", url: server.url, token: "t", bodyLimitBytes: 1_000 })
    closing([client, server])
    return client
  }

  it.each([
    ["gzip", gzipSync(body)],
    ["deflate", deflateSync(body)],
    ["br", brotliCompressSync(body)],
  ])("an answer in %s, which nobody asked for, is understood", async (header, bytes) => {
    expect(await (await clientFor(header, bytes)).count()).toBe(8)
  })

  it.each([
    ["compress", gzipSync(body), "not_json", /the encoding "compress", which nobody asked for/],
    ["gzip", Buffer.from(body), "not_json", /bytes that are no gzip/],
    ["gzip", gzipSync(Buffer.alloc(100_000)), "too_large", /more than 1000 bytes/],
  ])("an answer in %s that cannot be undone is named", async (header, bytes, code, words) => {
    const error = await failure((await clientFor(header, bytes)).count())

    expect(error.code).toBe(code)
    expect(error.message).toMatch(words)
  })
})
