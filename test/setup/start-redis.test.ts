// Our own Redis server: over a private socket, alive as long as its owner, and with its data after whatever happened.
import { spawn } from "node:child_process"
import { existsSync, readFileSync, rmSync, statSync } from "node:fs"
import { createServer } from "node:net"
import { join } from "node:path"
import { Redis } from "ioredis"
import { expect, onTestFinished, test } from "vitest"
import { startRedis } from "../../src/setup/redis/start-redis.mjs"
import { limitMs } from "../support/limits.ts"
import { aFolder } from "../support/opened.ts"
import { anOwnRedis, testRedisUrl } from "../support/redis.ts"

async function start(folder: string, port?: number) {
  const server = await startRedis({ folder, env: process.env, log: () => undefined, ...(port && { port }) })
  onTestFinished(server.stop)
  return server
}

function connect(url: string): Redis {
  const redis = new Redis(url, { maxRetriesPerRequest: 1 })
  onTestFinished(() => redis.disconnect())
  return redis
}

/** A port that this process holds until it lets go of it. Of the machine's choosing: a fixed one may be somebody's. */
async function holdPort() {
  const holder = createServer().listen(0, "127.0.0.1")
  const release = () => new Promise<void>((done) => holder.close(() => done()))
  onTestFinished(release)
  await new Promise((listening) => holder.once("listening", listening))
  const address = holder.address()
  if (address === null || typeof address === "string") throw new Error("there is no port")
  return { port: address.port, release }
}

/** A server on a port that was free a moment ago; on another one if somebody was faster. */
async function startOnFreePort(attempts = 5) {
  const { port, release } = await holdPort()
  await release()
  try {
    return { port, server: await start(aFolder("redis"), port) }
  } catch (error) {
    if (attempts === 1 || !String(error).includes("Address already in use")) throw error
    return startOnFreePort(attempts - 1)
  }
}

async function until(what: string, isSo: () => boolean): Promise<void> {
  const end = Date.now() + limitMs
  while (!isSo()) {
    if (Date.now() > end) throw new Error(`waited in vain until ${what}`)
    await new Promise((done) => setTimeout(done, 20))
  }
}

/** Whether a process runs; one that ended and that nobody asked about yet (state Z) does not. */
function alive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return !/ Z /.test(readFileSync(`/proc/${pid}/stat`, "utf8"))
  } catch {
    return false
  }
}

test("the shared server of the tests answers", async () => {
  const redis = connect(testRedisUrl())

  expect(await redis.ping()).toBe("PONG")
})

test("the server keeps what it must: append-only file, no eviction, a private socket and no port", async () => {
  const server = await start(aFolder("redis"))
  const redis = connect(server.url)

  const settings = await redis.config("GET", "appendonly", "maxmemory-policy", "hz", "port", "save")

  expect(settings).toEqual(
    expect.arrayContaining([
      "appendonly",
      "yes",
      "maxmemory-policy",
      "noeviction",
      "hz",
      "100",
      "port",
      "0",
      "save",
      "",
    ]),
  )
  expect(statSync(server.socket).mode & 0o077).toBe(0)
})

test("a server with a port listens on the loopback address as well", async () => {
  const { port, server } = await startOnFreePort()

  expect(server.url).toBe(`redis://127.0.0.1:${port}`)
  expect(await connect(server.url).ping()).toBe("PONG")
})

test("a server that was killed starts again over the same folder with its data", async () => {
  const own = await anOwnRedis()
  const before = connect(own.url)
  await before.config("SET", "appendfsync", "always")
  await before.set("word", "kept")
  before.disconnect()

  await own.kill()
  await own.restart()

  expect(await connect(own.url).get("word")).toBe("kept")
})

test("a folder whose path is too long for a socket gets a short private one", async () => {
  const folder = join(aFolder("redis"), "a".repeat(120))

  const server = await start(folder)
  onTestFinished(() => rmSync(join(server.socket, ".."), { recursive: true }))

  expect(Buffer.byteLength(server.socket)).toBeLessThan(104)
  expect(statSync(join(server.socket, "..")).mode & 0o777).toBe(0o700)
  expect(await connect(server.url).ping()).toBe("PONG")
})

test("stop may be called twice and leaves no process and no socket", async () => {
  const server = await start(aFolder("redis"))

  await server.stop()
  await server.stop()

  expect(alive(server.pid)).toBe(false)
  expect(existsSync(server.socket)).toBe(false)
})

test("a second server over a folder in use is refused, and the first lives on", async () => {
  const folder = aFolder("redis")
  const first = await start(folder)

  await expect(start(folder)).rejects.toThrow(`Another Redis server uses ${folder}`)

  expect(await connect(first.url).ping()).toBe("PONG")
})

test("a server that cannot start is reported with its own words", async () => {
  const { port } = await holdPort()

  await expect(start(aFolder("redis"), port)).rejects.toThrow(
    new RegExp(`did not start[^]*${port}[^]*Address already in use`),
  )
})

test.runIf(process.platform === "linux")(
  "when its owner is killed with -9 the server ends too, and the next owner takes up the data",
  async () => {
    const folder = aFolder("redis")
    const script = `
    import { startRedis } from ${JSON.stringify(new URL("../../src/setup/redis/start-redis.mjs", import.meta.url).href)}
    const server = await startRedis({ folder: ${JSON.stringify(folder)}, env: process.env, log: () => {} })
    console.log(server.pid)
    setInterval(() => {}, 1000)`
    const owner = spawn(process.execPath, ["--input-type=module", "-e", script], { stdio: ["ignore", "pipe", "pipe"] })
    onTestFinished(() => void owner.kill("SIGKILL"))
    const pid = Number(await new Promise((resolve) => owner.stdout.once("data", resolve)))
    await connect(join(folder, "redis.sock")).set("word", "kept")

    owner.kill("SIGKILL")
    const next = await start(folder)

    expect(await connect(next.url).get("word")).toBe("kept")
    await until("the first server is gone", () => !alive(pid))
  },
)
