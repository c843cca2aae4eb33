// Redis by TLS, on one server and in a cluster: a private CA, a user with a password, and what is said of wrong ones.
import { createServer as createPlainServer, type Socket } from "node:net"
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest"
import { connectRedis } from "../../../src/store/redis/connection.ts"
import { createKeys } from "../../../src/store/redis/keys.ts"
import { ownerOf } from "../../../src/store/redis/owner.ts"
import { anAuthority, type Certified } from "../../support/certificates.ts"
import { onLoopback } from "../../support/on-loopback.ts"
import { opened } from "../../support/opened.ts"
import { startCluster, startServer, type TestServer } from "../../support/redis-server.ts"
import { startRedisTls } from "../../support/redis-tls.ts"
import { anInstallation, silentLog } from "../support.ts"

const installation = anInstallation()
const authority = anAuthority()
const certified = authority.issue(["127.0.0.1", "localhost"])

let server: TestServer
let port: number

beforeAll(async () => {
  server = await startServer()
  await server.redis.call("ACL", "SETUSER", "app", "on", ">right@word", "~*", "+@all")
  port = await frontOf(() => server, certified)
})

afterAll(() => server.stop())

const closers: (() => Promise<void>)[] = []

afterAll(() => Promise.all(closers.map((close) => close())))

/** TLS in front of a server; the port. */
async function frontOf(behind: () => TestServer | undefined, shown: Certified): Promise<number> {
  const front = await startRedisTls(() => behind()?.port, shown)
  closers.push(front.close)
  return front.port
}

async function connected(options: { readonly url: string; readonly ca?: string }) {
  const connection = await opened(connectRedis({ ...options, installation, log: silentLog, startMs: 15_000 }))
  return connection
}

test("a server that a private CA signed for is reached with that CA, by a user with a password", async () => {
  const { commands } = await connected({ url: `rediss://app:right%40word@localhost:${port}`, ca: authority.cert })

  expect(await commands.call("ACL", "WHOAMI")).toBe("app")
})

test.each([
  ["without its CA", undefined, "", /unable to verify the first certificate/],
  ["with another CA", anAuthority("Another").cert, "", /unable to verify the first certificate|self.signed/],
  ["with a wrong password", authority.cert, "app:wrong-word@", /WRONGPASS/],
  ["with a wrong name", authority.cert, "nobody:right%40word@", /WRONGPASS/],
] as const)(
  "a server by TLS %s is refused at once, in one sentence without a secret",
  async (_how, ca, login, words) => {
    const failed = connected({ url: `rediss://${login}localhost:${port}`, ...(ca === undefined ? {} : { ca }) })

    await expect(failed).rejects.toMatchObject({ code: "redis-unreachable" })
    await expect(failed).rejects.toThrow(words)
    await expect(failed).rejects.toThrow(/^Redis at rediss:\/\/localhost:\d+ cannot be used: .* Check REDIS_URL/)
    await expect(failed).rejects.not.toThrow(/wrong-word|right/)
  },
)

test("a server that speaks no TLS, and one that wants it, are told apart by what to use", async () => {
  const address = { installation, log: silentLog, startMs: 500 }
  const tls = connectRedis({ ...address, url: `rediss://127.0.0.1:${server.port}`, ca: authority.cert })
  await expect(tls).rejects.toMatchObject({ code: "redis-refused", retryable: false })
  await expect(tls).rejects.toThrow(
    /speaks no TLS there: use redis:\/\/, or the port that it has for TLS, in REDIS_URL/,
  )

  const plain = connectRedis({ ...address, url: `redis://127.0.0.1:${port}` })
  await expect(plain).rejects.toMatchObject({ code: "redis-refused", retryable: false })
  await expect(plain).rejects.toThrow(/takes no plain connection there: use rediss:\/\/ in REDIS_URL/)
})

test.each(["cluster", "sentinel"])("the scheme of a %s is told apart by TLS as well", async (kind) => {
  const address = { installation, log: silentLog, startMs: 500 }
  const rest = (at: number) => `-${kind}://127.0.0.1:${at}${kind === "sentinel" ? "/main" : ""}`

  const tls = connectRedis({ ...address, url: `rediss${rest(server.port)}`, ca: authority.cert })
  await expect(tls).rejects.toThrow(`speaks no TLS there: use redis-${kind}://`)

  const plain = connectRedis({ ...address, url: `redis${rest(port)}` })
  await expect(plain).rejects.toThrow(`takes no plain connection there: use rediss-${kind}://`)
})

/** The address of a server that does with each connection what the test says. */
async function aPlainServer(take: (socket: Socket) => void): Promise<string> {
  const front = createPlainServer((socket) => take(socket.on("error", () => undefined)))
  return `redis://127.0.0.1:${(await opened(onLoopback(front))).port}`
}

test("a server that takes connections and says nothing is given up after the limit", async () => {
  const url = await aPlainServer((socket) => void socket.resume())

  const failed = connectRedis({ url, installation, log: silentLog, startMs: 300 })

  await expect(failed).rejects.toThrow(/cannot be used: no answer/)
})

test.each<[string, (socket: Socket) => void]>([
  ["hangs up at once, as a proxy whose Redis is away does,", (socket) => void socket.end()],
  ["resets each connection", (socket) => void socket.resetAndDestroy()],
  ["hangs up on the first word", (socket) => void socket.once("data", () => socket.end())],
])("a server that %s is not said to want TLS, and another try may help", async (_how, take) => {
  const failed = connectRedis({ url: await aPlainServer(take), installation, log: silentLog, startMs: 300 })

  await expect(failed).rejects.toMatchObject({ code: "redis-unreachable", retryable: true })
  await expect(failed).rejects.toThrow(/cannot be used: (it closes every|.*ECONNRESET).* Check REDIS_URL/)
})

test("a server of another kind is not said to want TLS, as it speaks none", async () => {
  const url = await aPlainServer((socket) => void socket.once("data", () => socket.end("HTTP/1.1 400 Bad Request\r\n")))

  const failed = connectRedis({ url, installation, log: silentLog, startMs: 300 })

  await expect(failed).rejects.toMatchObject({ code: "redis-unreachable", retryable: true })
  await expect(failed).rejects.not.toThrow(/rediss/)
})

test("a cluster by TLS, each node under its own certificate, is reached with a private CA, a user and a password", async () => {
  const servers: TestServer[] = []
  const ports = await Promise.all([0, 1, 2].map((at) => frontOf(() => servers[at], certified)))
  const cluster = await startCluster({ announced: ports })
  onTestFinished(() => cluster.stop())
  servers.push(...cluster.servers)
  for (const { redis } of servers) await redis.call("ACL", "SETUSER", "app", "on", ">right@word", "~*", "+@all")

  const url = `rediss-cluster://app:right%40word@localhost:${ports[0]}`
  const { commands, epoch } = await connected({ url, ca: authority.cert })
  const { tag } = createKeys(installation)
  await commands.set(`${tag}:word`, "said")

  expect(await commands.get(`${tag}:word`)).toBe("said")
  expect(ports.map((one) => `127.0.0.1:${one}`)).toContain(ownerOf(commands, tag))
  expect(await epoch()).toMatch(/^[0-9a-f]{40}$/)
  await expect(connected({ url })).rejects.toThrow(/unable to verify the first certificate/)
})
