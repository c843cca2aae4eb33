// countersign service as a process: who may read its file, and what odd requests meet.
import { chmodSync, statSync, writeFileSync } from "node:fs"
import { connect } from "node:net"
import { join } from "node:path"
import { afterEach, beforeEach, expect, test } from "vitest"
import { aToken, call, secret } from "../../service/a-service.ts"
import { until } from "../../stories/acts.ts"
import { aFolder } from "../../support/opened.ts"
import { command, type Running } from "../command.ts"

let folder: string
let running: Running

beforeEach(() => void (folder = aFolder("wire")))
afterEach(async () => {
  running.child.kill("SIGKILL")
  await running.ended
})

async function serving(): Promise<URL> {
  const keys = ["--algorithm", "HS256", "--verification-key", secret]
  running = command(["service", "--port", "0", "--database", "s.sqlite", ...keys], { cwd: folder })
  return new URL(await until("the address", () => /^listening on (\S+)$/m.exec(running.out())?.[1]))
}

const modeOf = (name: string): string => (statSync(join(folder, name)).mode & 0o777).toString(8)

test("its file and what stands beside it are its owner's alone, also where others could read them before", async () => {
  const { origin: url } = await serving()
  const fresh = ["s.sqlite", "s.sqlite-wal", "s.sqlite-shm"].map(modeOf)
  running.child.kill("SIGKILL")
  await running.ended
  for (const name of ["s.sqlite", "s.sqlite-wal", "s.sqlite-shm"]) {
    writeFileSync(join(folder, name), "", { flag: "a" })
    chmodSync(join(folder, name), 0o644)
  }

  const again = await serving()
  const token = await aToken(["sessions:write"])
  expect((await call({ url: again.origin }, "POST /sessions", { token, json: {} })).status).toBe(201)

  expect(url).not.toBe("")
  expect(fresh).toEqual(["600", "600", "600"])
  expect(["s.sqlite", "s.sqlite-wal", "s.sqlite-shm"].map(modeOf)).toEqual(["600", "600", "600"])
})

/** Sends text as it stands, and gives what comes back until the connection ends. */
function sent({ hostname, port }: URL, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => socket.write(text))
    let answer = ""
    socket.on("data", (chunk: Buffer) => void (answer += chunk.toString()))
    socket.on("close", () => resolve(answer))
    socket.on("error", reject)
  })
}

test("a request that names two hosts is 400", async () => {
  const url = await serving()
  const head = (hosts: string) => `GET /health HTTP/1.1\r\n${hosts}connection: close\r\n\r\n`

  expect(await sent(url, head(`Host: ${url.host}\r\n`))).toMatch(/^HTTP\/1.1 200 /)
  for (const second of [url.host, "evil.example"])
    expect(await sent(url, head(`Host: ${url.host}\r\nhOST: ${second}\r\n`))).toMatch(
      /^HTTP\/1.1 400 .*"detail":"The request names more than one host"/s,
    )
})

test("a client that goes away within its body is one line, and no failure", async () => {
  const url = await serving()
  const token = await aToken(["sessions:write", "knowledge:write", "agents:run"])
  for (const [path, type] of [
    ["/sessions", "application/json"],
    ["/knowledge/content", "multipart/form-data; boundary=x"],
  ] as const) {
    const socket = connect(Number(url.port), url.hostname)
    const head = [
      `POST ${path} HTTP/1.1`,
      `host: ${url.host}`,
      `authorization: Bearer ${token}`,
      `content-type: ${type}`,
    ]
    await new Promise<void>((resolve) =>
      socket.write(`${head.join("\r\n")}\r\ncontent-length: 100\r\n\r\n{"a`, () => resolve()),
    )
    await call({ url: url.origin }, "GET /health")
    socket.destroy()
  }

  const lines = () =>
    running
      .err()
      .split("\n")
      .filter((line) => line !== "")
  await expect.poll(lines).toHaveLength(2)
  running.child.kill("SIGTERM")
  await running.ended
  expect(lines()).toEqual([
    "debug: POST /sessions: the client went away before its body had come",
    "debug: POST /knowledge/content: the client went away before its body had come",
  ])
})
