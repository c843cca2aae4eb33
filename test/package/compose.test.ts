// compose.yaml and the Dockerfile as they stand: what they say is done with namespaces, and the main story is played on
// it. The gate beside it is in operators.test.ts.
import { randomBytes } from "node:crypto"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, expect } from "vitest"
import { threadSays, until } from "../stories/acts.ts"
import { sandboxCast } from "../stories/world.ts"
import { freePort } from "../support/free-port.ts"
import { startsContainers, testAsRoot } from "./containers/as-root.ts"
import { type Outside, startOutside } from "./containers/outside.ts"
import { playStory } from "./story.ts"

let here: Outside
let close: () => Promise<void> = async () => undefined
let env: Record<string, string> = {}

/** Gives a command of Docker in the clone, and wants it to go well. */
async function docker(line: string): Promise<string> {
  const { code, out, err } = await here.docker.run({ argv: line.split(" "), cwd: here.folder, env: {} })
  expect([code, err], `${line}: ${out}`).toEqual([0, ""])
  return out
}

function writeEnv(): void {
  const lines = Object.entries(env).map(([name, value]) => `${name}=${value}\n`)
  writeFileSync(join(here.folder, ".env"), lines.join(""))
}

function bot() {
  const found = here.engine.container("bot")
  if (found === undefined) throw new Error("no bot runs")
  return found
}

beforeAll(async () => {
  if (!startsContainers) return
  here = await startOutside()
  close = here.close
  const scopes = ["approvals:read", "approvals:write"]
  env = {
    COUNTERSIGN_KEY: randomBytes(32).toString("hex"),
    SLACK_BOT_TOKEN: here.sandbox.tokens.bot,
    SLACK_APP_TOKEN: here.sandbox.tokens.app,
    SLACK_API_URL: here.sandbox.apiUrl,
    SLACK_SANDBOX: "true",
    PLATFORM_URL: await here.platformFor("countersign_default"),
    PLATFORM_TOKEN: here.service.mintServiceAccount({ name: "countersign", scopes }),
    APPROVALS_CHANNEL: sandboxCast.approvals,
    APPROVERS: sandboxCast.approvers,
    PORT: String(await freePort()),
  }
  writeEnv()
  await docker("compose up --detach --wait")
})
afterAll(() => close())

testAsRoot(
  "with the README's variables in .env a card is posted, pressed and settled, and the ledger is verified",
  async () => {
    const { row, end } = await playStory(here, "U-1")

    expect(row).toMatchObject({ status: "approved", resolved_by: "bob@sandbox.example" })
    await threadSays(here, end, "bob@sandbox.example")
    expect(await docker("compose run --rm bot ledger verify")).toMatch(/ledger verified: \d+ entries/)
  },
)

testAsRoot(
  "the bot's container is an ordinary user's, without rights, on a root that nobody can write to",
  async () => {
    const { out: status } = await bot().exec(["cat", "/proc/1/status"])
    const write = (path: string) => bot().exec(["sh", "-c", `echo x > ${path}/written`])

    expect(status).toMatch(/^Uid:\s+1000\s+1000\s+1000\s+1000$/m)
    expect(status).toMatch(/^CapBnd:\s+0+$/m)
    expect(status).toMatch(/^NoNewPrivs:\s+1$/m)
    for (const path of ["/", "/app", "/app/dist", "/home/node", "/app/config"])
      expect((await write(path)).err, path).toMatch(/Read-only file system|Permission denied/)
    expect((await write("/app")).err).toContain("Read-only file system")
    for (const path of ["/tmp", "/home/node/.cache", "/app/.countersign"])
      expect(await write(path)).toMatchObject({ code: 0 })
  },
)

testAsRoot("in Socket Mode the published port reaches nothing, and the image's own health check passes", async () => {
  await expect(fetch(`http://127.0.0.1:${env["PORT"]}/healthz`)).rejects.toThrow()
  await bot().healthy()
})

testAsRoot(
  "SIGTERM ends the bot with 0 in Docker's 10 s, and its volume keeps the checkpoints for the next start",
  async () => {
    const files = ["sh", "-c", "cat .countersign/checkpoints.jsonl"]
    const first = bot()
    // The first comes some seconds after the start, over what no failover can lose any more.
    await until("a checkpoint", async () => ((await first.exec(files)).out.startsWith("{") ? true : undefined))

    const { code, ms } = await first.stop(10_000)
    await docker("compose rm --force bot")
    await docker("compose up --detach --wait")

    expect(code).toBe(0)
    expect(ms).toBeLessThan(10_000)
    expect((await bot().exec(files)).out).toMatch(/^\{.+\}$/m)
    expect(bot().out()).not.toMatch(/era-begun|rolled-back/)
    expect(await docker("compose run --rm bot ledger verify")).toMatch(/ledger verified: \d+ entries/)
  },
)

testAsRoot("in HTTP mode the published port is the bot's", async () => {
  await docker("compose stop bot")
  env = { ...env, SLACK_APP_TOKEN: "", SLACK_SIGNING_SECRET: here.sandbox.tokens.signingSecret }
  writeEnv()

  await docker("compose up --detach --wait")

  const health = await fetch(`http://127.0.0.1:${env["PORT"]}/healthz`)
  const unsigned = await fetch(`http://127.0.0.1:${env["PORT"]}/slack/events`, { method: "POST", body: "{}" })
  expect([health.status, unsigned.status]).toEqual([200, 401])
})

testAsRoot("a container's 127.0.0.1 is its own: a platform on this machine's is not there", async () => {
  await docker("compose stop bot")
  env = { ...env, PLATFORM_URL: here.service.url }
  writeEnv()

  const argv = ["compose", "run", "--rm", "bot", "doctor"]
  const { code, out } = await here.docker.run({ argv, cwd: here.folder, env: {} })

  expect(code).toBe(1)
  expect(out).toContain("the connection was refused (127.0.0.1")
})
