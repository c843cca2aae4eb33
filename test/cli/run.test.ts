// countersign run: one clear message and exit code 1 for whatever is wrong at the start; a running bot ends when it is
// told to.
import { mkdtempSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest"
import { type Sandbox, startSandbox } from "../../src/sandbox.ts"
import { until } from "../stories/acts.ts"
import { aFolder } from "../support/opened.ts"
import { command, type Ended } from "./command.ts"

let folder = ""
let sandbox: Sandbox | undefined

beforeEach(() => void (folder = aFolder("run")))
afterEach(async () => {
  await sandbox?.close()
  sandbox = undefined
})

async function goodEnv(): Promise<Record<string, string>> {
  let made = 0
  sandbox = await startSandbox({
    clock: Date.now,
    random: () => `00000000000000000000${(made += 1)}`,
    delivery: { mode: "socket" },
  })
  return {
    SLACK_BOT_TOKEN: sandbox.tokens.bot,
    SLACK_APP_TOKEN: sandbox.tokens.app,
    SLACK_API_URL: sandbox.apiUrl,
    SLACK_SANDBOX: "true",
    PLATFORM_URL: "http://127.0.0.1:9",
    PLATFORM_TOKEN: "a-token",
    APPROVALS_CHANNEL: "C0APPROVALS",
    APPROVERS: "U0ALICE",
    PORT: "0",
  }
}

function run(env: Record<string, string>): Promise<Ended> {
  return command(["run"], { env, cwd: folder }).ended
}

describe("countersign run", () => {
  it("countersign run with a wrong config names file, line, key and what is right, and ends with 1", async () => {
    writeFileSync(join(folder, "countersign.yaml"), "rules:\n  - name: all\n    quorom: 2\n")

    const { code, err } = await run(await goodEnv())

    expect(code).toBe(1)
    expect(err).toMatch(/countersign\.yaml:3:\d+ .*quorom.*quorum/s)
    expect(err).not.toMatch(/\n\s+at /)
  })

  it("countersign run without any setting says which are missing, and ends with 1", async () => {
    const { code, err } = await run({})

    expect(code).toBe(1)
    expect(err).toContain("SLACK_BOT_TOKEN")
    expect(err).toContain("PLATFORM_URL")
  })

  it("countersign run with an unreachable Redis says so once, and ends with 1", async () => {
    const env = { ...(await goodEnv()), REDIS_URL: "redis://127.0.0.1:9", COUNTERSIGN_KEY: "k".repeat(40) }

    const { code, err } = await run(env)

    expect(code).toBe(1)
    expect(err.match(/countersign: /g)).toHaveLength(1)
    expect(err).toContain("Redis at redis://127.0.0.1:9 cannot be used")
    expect(err).toContain("REDIS_URL")
  })

  it("R14 countersign run with REDIS_URL and without a key refuses to start", async () => {
    const { code, err } = await run({ ...(await goodEnv()), REDIS_URL: "redis://127.0.0.1:9" })

    expect(code).toBe(1)
    expect(err).toContain("COUNTERSIGN_KEY")
  })

  it("R19 countersign run with another address than Slack's, without the sandbox switch, refuses to start", async () => {
    const { code, err } = await run({ ...(await goodEnv()), SLACK_SANDBOX: "false" })

    expect(code).toBe(1)
    expect(err).toContain("SLACK_SANDBOX")
  })

  it("countersign run with a bad Slack token names the setting, never the token, and ends with 1", async () => {
    const { code, err, out } = await run({ ...(await goodEnv()), SLACK_BOT_TOKEN: "xoxb-wrong-token" })

    expect(code).toBe(1)
    expect(err).toContain("SLACK_BOT_TOKEN")
    expect(err + out).not.toContain("wrong-token")
  })

  it("countersign run with a bad app-level token names the setting, and ends with 1", async () => {
    const { code, err } = await run({ ...(await goodEnv()), SLACK_APP_TOKEN: "xapp-wrong-token" })

    expect(code).toBe(1)
    expect(err).toContain("SLACK_APP_TOKEN")
  })

  it("serves health, keeps its data in its folder, refuses a second bot there, and ends with 0 on SIGTERM", async () => {
    const env = await goodEnv()
    const running = command(["run"], { env, cwd: folder })
    const started = await until("the bot to start", () =>
      running
        .out()
        .split("\n")
        .filter((line) => line.startsWith("{"))
        .map((line) => JSON.parse(line))
        .find((line) => line.event === "started"),
    )

    expect((await fetch(`${started.url}/healthz`)).status).toBe(200)
    expect((await fetch(`${started.url}/readyz`)).status).toBe(200)
    const port = new URL(started.url).port
    const second = await run(env)
    expect(second.code).toBe(1)
    expect(second.err).toContain("running there already? End that one, or give this one a data_folder of its own")
    expect(second.err).not.toMatch(/\n\s+at /)
    const elsewhere = mkdtempSync(join(folder, "elsewhere-"))
    const taken = await command(["run"], { env: { ...env, PORT: port }, cwd: elsewhere }).ended
    expect(taken).toMatchObject({ code: 1 })
    const what = `cannot listen on 127.0.0.1:${port}: another process listens there already`
    expect(taken.err).toContain(`countersign: ${what}; end it, or set PORT (or http.port) to a free port\n`)
    expect(taken.err).not.toMatch(/\n\s+at /)
    const looked = await command(["doctor"], { env: { ...env, PORT: port }, cwd: folder }).ended
    expect(looked.out).toContain(`ok     http: port ${port} is held by a bot of this installation, which runs now`)
    const verified = await command(["ledger", "verify"], { env, cwd: folder }).ended
    expect(verified).toMatchObject({ code: 0, out: expect.stringContaining("ledger verified") })
    running.child.kill("SIGTERM")
    expect(await running.ended).toMatchObject({ code: 0 })
  })
})

describe("countersign", () => {
  it("help lists the commands", async () => {
    const { code, out } = await command(["help"], { cwd: folder }).ended

    expect(code).toBe(0)
    for (const name of ["run", "demo", "service", "doctor", "ledger", "manifest"]) expect(out).toContain(name)
  })

  it("help receipt names what it can do with receipts", async () => {
    const { code, out } = await command(["help", "receipt"], { cwd: folder }).ended

    expect(code).toBe(0)
    for (const name of ["verify", "show", "keys"]) expect(out).toContain(name)
  })

  it("refuses a command that it does not know, with a hint", async () => {
    const { code, err } = await command(["rnu"], { cwd: folder }).ended

    expect(code).toBe(1)
    expect(err).toContain("unknown command")
    expect(err).toContain("help")
  })

  it("a bot starts in the workspace of countersign sandbox, by the variables that it prints", async () => {
    const workspace = command(["sandbox"], { cwd: folder })
    onTestFinished(async () => {
      workspace.child.kill("SIGTERM")
      await workspace.ended
    })
    const said = await until("the variables", () =>
      workspace.out().includes("SLACK_SANDBOX=true") ? workspace.out() : undefined,
    )
    const variables = Object.fromEntries(
      [...said.matchAll(/^(\w+)=(.*)$/gm)].map(([, name = "", value = ""]) => [name, value]),
    )

    const bot = command(["run"], { env: { ...(await goodEnv()), ...variables }, cwd: folder })
    onTestFinished(async () => {
      bot.child.kill("SIGTERM")
      await bot.ended
    })

    await until("the bot to have started", () =>
      bot.err().includes('"started"') || bot.out().includes('"started"') ? true : undefined,
    )
    expect(Object.keys(variables)).toEqual(["SLACK_BOT_TOKEN", "SLACK_APP_TOKEN", "SLACK_API_URL", "SLACK_SANDBOX"])
    expect(workspace.err()).toMatch(/C0APPROVALS[\s\S]*http:\/\/127\.0\.0\.1:\d+\/\?token=/)
  })

  it("manifest prints the Socket Mode variant, and with an address the HTTP one", async () => {
    const socket = await command(["manifest"], { cwd: folder }).ended
    const http = await command(["manifest", "--url", "https://bot.example.com"], { cwd: folder }).ended

    expect(socket.out).toContain("socket_mode_enabled: true")
    expect(http.out).toContain("https://bot.example.com/slack/events")
  })

  it("manifest refuses an address that Slack could not deliver to", async () => {
    const { code, err } = await command(["manifest", "--url", "http://bot.example.com"], { cwd: folder }).ended

    expect(code).toBe(1)
    expect(err).toContain("https")
  })

  it("ledger verify of a ledger that somebody changed ends with 1", async () => {
    const env = { ...(await goodEnv()) }
    const running = command(["run"], { env, cwd: folder })
    await until("the bot to start", () => (running.out().includes('"started"') ? true : undefined))
    running.child.kill("SIGTERM")
    await running.ended
    writeFileSync(join(folder, ".countersign", "key"), `${"x".repeat(43)}\n`)

    const { code, out, err } = await command(["ledger", "verify"], { env, cwd: folder }).ended

    expect(code).toBe(1)
    expect(out + err).toMatch(/BROKEN|key/)
  })

  it("demo --once says in sentences who asked, who decided, where the receipt is and what to do next", async () => {
    const { code, out, err } = await command(["demo", "--once"], { cwd: folder }).ended

    expect(err).toBe("")
    expect(code).toBe(0)
    expect(out).toContain("The Billing Agent wants to refund 129.90 EUR")
    expect(out).toContain("Alice (alice@sandbox.example) approved it.")
    expect(out).toContain("Bob (bob@sandbox.example) rejected it, because “the user withdrew the request”.")
    expect(out).toContain("resolution_data.countersign.receipt")
    expect(out).toMatch(/Ledger verified: \d+ entries/)
    expect(out).toContain("What next?")
    expect(out).not.toMatch(/[{}]|eyJ/)
  })

  it("demo --once --json prints the records with their receipts, and nothing else", async () => {
    const { code, out } = await command(["demo", "--once", "--json"], { cwd: folder }).ended

    expect(code).toBe(0)
    expect(JSON.parse(out)).toMatchObject({
      records: [
        { tool_name: "refund_payment", status: "approved", resolved_by: "alice@sandbox.example" },
        {
          tool_name: "delete_user_data",
          status: "rejected",
          resolution_data: { countersign: { receipt: expect.stringMatching(/^eyJ/) } },
        },
      ],
      ledger: { problem: null },
    })
  })

  it("demo --json alone is refused with what is right", async () => {
    const { code, err } = await command(["demo", "--json"], { cwd: folder }).ended

    expect(code).toBe(1)
    expect(err).toContain("--json is for --once")
  })
})

describe("countersign token", () => {
  it("help names what it can do with tokens", async () => {
    const { code, out } = await command(["help", "token"], { cwd: folder }).ended

    expect(code).toBe(0)
    for (const name of ["mint", "inspect", "explain"]) expect(out).toContain(name)
  })

  it("explain says which routes a token opens, and what the bot lacks with it", async () => {
    const key = "a secret of the tests, long enough for HS256"
    const mint = ["token", "mint", "--algorithm", "HS256", "--key", key, "--scope", "approvals:read"]
    const minted = await command(mint, { cwd: folder }).ended

    const explained = await command(["token", "explain", minted.out.trim()], { cwd: folder }).ended

    expect(explained.code).toBe(0)
    expect(explained.out).toContain("GET /approvals")
    expect(explained.out).toContain("the bot lacks POST /approvals/*/resolve")
  })
})
