// The platform client where the network or the server misbehaves.
import { once } from "node:events"
import type { ServerResponse } from "node:http"
import { Dispatcher, MockAgent } from "undici"
import { describe, expect, onTestFinished, test } from "vitest"
import { createPlatformClient, type PlatformClientOptions } from "../../src/platform/client.ts"
import { failure } from "./clients.ts"
import { aRow, json, type Recorded, recorded, type Seen, startServer } from "./replay.ts"

function clientAt(url: string, options: Partial<PlatformClientOptions> = {}) {
  const client = createPlatformClient({ name: "main", url, token: "token", timeoutMs: 2_000, ...options })
  onTestFinished(client.close)
  return client
}

async function serve(
  answer: (seen: Seen, response: ServerResponse) => Recorded | undefined,
  options: Partial<PlatformClientOptions> = {},
) {
  const server = await startServer(answer)
  onTestFinished(server.close)
  return { server, client: clientAt(server.url, options) }
}

async function drain(pages: AsyncIterable<unknown>): Promise<number> {
  let pagesSeen = 0
  for await (const _ of pages) pagesSeen += 1
  return pagesSeen
}

const silence = () => undefined
const hostOf = ({ url }: { readonly url: string }) => new URL(url).host

describe("trap 31: a POST that got no answer", () => {
  test("a POST that got no answer in time is a time-out, sent once", async () => {
    const { client, server } = await serve(silence, { timeoutMs: 150 })

    const error = await failure(client.resolve("x", "{}"))

    expect(error).toMatchObject({ code: "timeout", retryable: true, method: "POST", path: "/approvals/x/resolve" })
    expect(error.message).toBe(
      `main at ${hostOf(server)}: POST /approvals/x/resolve got no answer in time: it had 150 ms`,
    )
    expect(server.seen).toHaveLength(1)
  })

  test("a POST that got no answer because the connection was reset after it was accepted is cut, sent once", async () => {
    const { client, server } = await serve(({ socket }) => void socket.resetAndDestroy())

    const error = await failure(client.resolve("x", "{}"))

    expect(error).toMatchObject({ code: "cut", retryable: true })
    expect(error.cause).toBeInstanceOf(Error)
    expect(server.seen).toHaveLength(1)
  })

  test("a POST that got no answer but half of it is cut", async () => {
    const { client } = await serve((_, response) => {
      response.writeHead(200, { "content-length": "100" })
      response.write("{", () => response.destroy())
      return undefined
    })

    expect(await failure(client.resolve("x", "{}"))).toMatchObject({ code: "cut" })
  })

  test("a POST that got no answer because nobody listens was never sent", async () => {
    const server = await startServer(silence)
    await server.close()

    expect(await failure(clientAt(server.url).resolve("x", "{}"))).toMatchObject({
      code: "unreachable",
      retryable: true,
    })
  })
})

describe("a GET", () => {
  test("a GET whose connection broke is sent once more", async () => {
    const { client, server } = await serve(({ socket }) => {
      if (server.seen.length > 1) return json(aRow())
      socket.resetAndDestroy()
      return undefined
    })

    expect((await client.get("approval-1"))?.id).toBe("approval-1")
    expect(server.seen).toHaveLength(2)
  })

  test("a GET whose body stops is a time-out", async () => {
    const { client } = await serve(
      (_, response) => {
        response.writeHead(200, { "content-type": "application/json" }).write("[")
        return undefined
      },
      { timeoutMs: 150 },
    )

    expect(await failure(client.get("x"))).toMatchObject({ code: "timeout" })
  })

  test("a GET that is answered with too much is given up at the limit", async () => {
    const { client } = await serve(() => json(aRow({ tool_args: { text: "x".repeat(5_000) } })), {
      bodyLimitBytes: 4_000,
    })

    const error = await failure(client.get("approval-1"))

    expect(error).toMatchObject({ code: "too_large", retryable: false, detail: "more than 4000 bytes" })
  })

  test("a GET that is answered in bytes that are no text is refused", async () => {
    const { client } = await serve((_, response) => {
      response.end(Buffer.from([0x7b, 0xff, 0xfe]))
      return undefined
    })

    expect(await failure(client.get("x"))).toMatchObject({ code: "not_json", detail: "bytes that are no UTF-8" })
  })
})

describe("replies of somebody else", () => {
  const page = "<html><head><style>a{}</style></head><body><h1>502 Bad Gateway</h1>\n<p>nginx</p></body></html>"

  test.each([
    [502, page, "server", true, "502 Bad Gateway nginx"],
    [200, page, "not_json", true, "502 Bad Gateway nginx"],
    [200, '{"count": 1', "not_json", true, '{"count": 1'],
    [200, '{"count": "many"}', "unexpected_shape", false, "count: Invalid input: expected number, received string"],
    [302, "", "unexpected_status", false, ""],
    [429, '{"detail": "slow down"}', "busy", true, "slow down"],
  ])(
    "a reply of somebody else is told by its status and words: %i with %j",
    async (status, body, code, retryable, detail) => {
      const agent = new MockAgent()
      agent.disableNetConnect()
      onTestFinished(() => agent.close())
      agent.get("https://platform.test").intercept({ path: "/approvals/count" }).reply(status, body)
      const client = clientAt("https://platform.test", { dispatcher: agent })

      const error = await failure(client.count())

      expect(error).toMatchObject({ code, retryable, detail })
      agent.assertNoPendingInterceptors()
    },
  )
})

describe("connections", () => {
  test("trap 46: polling has one, and a decision does not wait behind a poll that hangs", async () => {
    const { client, server } = await serve(({ method }) =>
      method === "POST" ? recorded("409-resolve-again") : undefined,
    )
    const polls = [drain(client.pending()), drain(client.pending())].map((poll) =>
      poll.catch((error: unknown) => error),
    )
    await expect.poll(() => server.seen.length).toBe(1)

    const resolved = await client.resolve("x", "{}")

    expect(resolved.kind).toBe("conflict")
    expect(server.sockets.size).toBe(2)
    expect(server.seen.map(({ method }) => method)).toEqual(["GET", "POST"])
    await client.close()
    await Promise.all(polls)
  })

  test("trap 44: after a 500 the connection is not used again", async () => {
    // As AgentOS does: closes without "connection: close", when the next request may be under way already.
    const { client, server } = await serve(({ url, socket }, response) => {
      if (!url.pathname.endsWith("/resolve")) return json(aRow())
      const { status, body } = recorded("500-resolve-form-body")
      response.writeHead(status).end(body, () => setTimeout(() => socket.destroy(), 20))
      return undefined
    })

    await failure(client.resolve("x", "{}"))
    const approval = await client.get("approval-1")

    expect(approval?.id).toBe("approval-1")
    expect(server.seen).toHaveLength(2)
    expect(server.seen[0]?.socket).not.toBe(server.seen[1]?.socket)
  })

  test("trap 44: what waited behind the 500 is not sent down its connection either", async () => {
    const { client, server } = await serve(({ url, socket }, response) => {
      if (url.pathname.endsWith("/count")) return recorded("count")
      const { status, body } = recorded("500-list-poisoned")
      response.writeHead(status).end(body, () => setTimeout(() => socket.destroy(), 20))
      return undefined
    })

    const answers = await Promise.all([failure(client.approved()), client.count(), client.count()])

    expect(answers).toMatchObject([{ code: "server", status: 500 }, 8, 8])
    expect(server.seen).toHaveLength(3)
    const [failed, ...others] = server.seen.map(({ socket }) => socket)
    expect(others).not.toContain(failed)
  })

  test("polls, looks and decisions all come to their turn where every answer takes more than half of its time", async () => {
    const { client } = await serve(
      ({ url }, response) => {
        const { status, body } = url.pathname.endsWith("/runs") ? json([]) : recorded("list-pending")
        setTimeout(() => response.writeHead(status).end(body), 900)
        return undefined
      },
      { timeoutMs: 1_500 },
    )

    const all = [drain(client.pending()), client.approved(), client.rejected(), client.session("s"), client.ofRun("r")]

    expect(await Promise.allSettled(all)).toEqual(all.map(() => expect.objectContaining({ status: "fulfilled" })))
  })

  test("a call that waits for a connection is given up in the end, and when the client closes", async () => {
    const { client } = await serve(silence, { timeoutMs: 150 })
    const { client: closed } = await serve(silence, { timeoutMs: 10_000 })
    const [first, , , last] = Array.from({ length: 4 }, () => failure(client.count()))
    const broken = [failure(closed.count()), failure(closed.count())]

    await closed.close()

    expect(await first).toMatchObject({ code: "timeout" })
    expect(await last).toMatchObject({ code: "no_turn", retryable: true })
    expect((await last)?.message).toContain("other calls took too long: it waited 300 ms")
    expect(await Promise.all(broken)).toMatchObject([{ code: "cut" }, { code: "cut" }])
  })

  test("a credential that no header can carry is never handed to undici, which would not settle", async () => {
    const { client, server } = await serve(() => recorded("count"), { token: "wrapped\nsecret" })

    const errors = await Promise.all([failure(client.count()), failure(client.resolve("x", "{}"))])

    expect(errors).toMatchObject([{ code: "unreachable" }, { code: "unreachable" }])
    expect(errors[0].message).toMatch(/could not be sent: its credential holds a line break/)
    expect(server.seen).toEqual([])
  })

  test("a call that never settles ends by a timer of ours, and holds up nobody after it", async () => {
    class Silence extends Dispatcher {
      override dispatch() {
        return true
      }
    }
    const client = clientAt("http://platform.test", { dispatcher: new Silence(), timeoutMs: 60 })

    const first = await failure(client.count())
    const second = await failure(client.count())
    const closing = failure(client.count())
    await client.close()

    expect([first.code, second.code, (await closing).code]).toEqual(["timeout", "timeout", "cut"])
  })

  test("trap 45: an idle connection is closed by us, and not by the server", async () => {
    const { client, server } = await serve(() => json(aRow()))
    await client.get("approval-1")
    const [socket] = server.sockets

    // A server that closes an idle connection hears no end of it.
    if (socket) await once(socket, "end")

    expect(await client.get("approval-1")).not.toBeNull()
    expect(server.sockets.size).toBe(2)
  })

  test("calls in a row share them", async () => {
    const { client, server } = await serve(() => json(aRow()))

    for (let call = 0; call < 10; call += 1) await client.get("approval-1")

    // undici may open a second one when the next call comes before the first is marked free.
    expect(server.sockets.size).toBeLessThanOrEqual(2)
  })
})
