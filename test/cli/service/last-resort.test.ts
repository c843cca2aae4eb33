// countersign service as a process: nothing that goes on after an answer, and nothing that nobody waits for, ends it.
import { once } from "node:events"
import { mkdirSync } from "node:fs"
import { createServer } from "node:net"
import { join } from "node:path"
import { afterEach, beforeEach, expect, test } from "vitest"
import { z } from "zod"
import { aToken, call, secret } from "../../service/a-service.ts"
import { until } from "../../stories/acts.ts"
import { aFolder } from "../../support/opened.ts"
import { command, type Running } from "../command.ts"

let folder: string
let running: Running

beforeEach(() => void (folder = aFolder("last-resort")))
afterEach(async () => {
  running.child.kill("SIGKILL")
  await running.ended
})

async function serving(args: readonly string[], env: Record<string, string> = {}): Promise<{ readonly url: string }> {
  const all = ["service", "--port", "0", "--algorithm", "HS256", "--verification-key", secret, ...args]
  running = command(all, { env, cwd: folder })
  return { url: await until("the address", () => /^listening on (\S+)$/m.exec(running.out())?.[1]) }
}

test.each(["notes", "socket"])(
  "a path of remote content that is no file, but %s, fails and ends nothing",
  async (path) => {
    mkdirSync(join(folder, "docs", "notes"), { recursive: true })
    const socket = createServer().listen(join(folder, "docs", "socket"))
    await once(socket, "listening")
    const service = await serving(["--knowledge-source", `docs=${join(folder, "docs")}`])
    const token = await aToken(["knowledge:read", "knowledge:write"])

    const answer = await call(service, "POST /knowledge/remote-content", { token, form: { config_id: "docs", path } })

    expect(answer.status).toBe(202)
    const { id } = z.object({ id: z.string() }).parse(answer.body)
    await expect
      .poll(async () => (await call(service, `GET /knowledge/content/${id}`, { token })).body)
      .toMatchObject({ status: "failed", status_message: `${path} is no file of this source` })
    expect((await call(service, "GET /health")).body).not.toHaveProperty("background_failures")
    socket.close()
  },
)

/** Runs before the service: at a signal its process breaks a promise, throws, or loses whoever read its log. */
const breaks = `process.on("SIGUSR2", () => void Promise.reject(new Error("a stray promise")))
process.on("SIGHUP", () => { throw new Error("a stray error") })
process.on("SIGWINCH", () => process.stderr.emit("error", Object.assign(new Error("EPIPE"), { code: "EPIPE" })))`

test("what nobody waited for is logged and counted, and the service goes on", async () => {
  const service = await serving([], { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(breaks)}` })
  const failures = async (): Promise<unknown> => (await call(service, "GET /health")).body

  running.child.kill("SIGWINCH")
  running.child.kill("SIGUSR2")
  await expect.poll(failures).toMatchObject({ status: "ok", background_failures: 1 })
  running.child.kill("SIGHUP")
  await expect.poll(failures).toMatchObject({ status: "ok", background_failures: 2 })
  running.child.kill("SIGTERM")

  const { code, err } = await running.ended
  expect(code).toBe(0)
  expect(err.match(/^work that nobody waited for failed: .*$/gm)).toEqual([
    "work that nobody waited for failed: Error: a stray promise",
    "work that nobody waited for failed: Error: a stray error",
  ])
})
