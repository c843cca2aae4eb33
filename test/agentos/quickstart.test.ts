// The quickstart for agent developers as it stands on its page: its agent in the real AgentOS, its config, its run.
// Only the model is another one, a port, the channel and the approver.
import { spawn } from "node:child_process"
import { randomBytes } from "node:crypto"
import { once } from "node:events"
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, onTestFinished, test } from "vitest"
import { startSandbox } from "../../src/sandbox.ts"
import { pythonWith } from "../../src/setup/tools/agentos.mjs"
import { actionIds } from "../../src/slack/ids.ts"
import { until } from "../stories/acts.ts"
import { anInstallation, limitMs, sandboxCast, startTestBot } from "../stories/world.ts"
import { botEnv } from "../support/bot-env.ts"
import { freePort } from "../support/free-port.ts"
import { testRedisUrl } from "../support/redis.ts"
import { gatePackage, VERSIONS } from "./agentos.ts"
import { writeGate } from "./gate-attacks.ts"

const page = readFileSync(new URL("../../docs/quickstart-agents.md", import.meta.url), "utf8")
const testbed = (name: string) => new URL(`testbed/${name}`, import.meta.url)

/** The first block of this language on the page, with these words replaced; each of them has to be there. */
function blockOf(language: string, replaced: readonly (readonly [string, string])[]): string {
  const [, block = ""] = new RegExp(`\`\`\`${language}\n([\\s\\S]*?)\`\`\``).exec(page) ?? []
  return replaced.reduce((text, [from, to]) => {
    expect(text).toContain(from)
    return text.replaceAll(from, to)
  }, block)
}

const script = `[[call("refund_payment", invoice="INV-2041", amount=129.9, currency="EUR")], "It is refunded."]`

/** What the page's second program adds, an import and a decorator, and what the first program has in their place. */
function gated(): readonly (readonly [string, string])[] {
  const block = [...page.matchAll(/```python\n([\s\S]*?)```/g)][1]?.[1] ?? ""
  const [added = "", decorated = ""] = block.split("\n\n\n")
  const tool = "from agno.tools import tool\n"
  return [
    [tool, `${tool}${added}\n`],
    [decorated.replace("@countersigned\n", ""), decorated],
  ]
}

/** Starts the page's program with its gate, and ends it with the test. Gives back its folder. */
async function startProgram(version: string, port: number): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "countersign-quickstart-"))
  const program = blockOf("python", [
    ...gated(),
    ["from agno.models.openai import OpenAIChat", "from scripted import ScriptedModel, call"],
    ['OpenAIChat(id="gpt-5-mini")', `ScriptedModel(${script})`],
    ["7777", String(port)],
  ])
  writeFileSync(join(folder, "app.py"), program)
  copyFileSync(testbed("scripted.py"), join(folder, "scripted.py"))
  const { PATH, HOME } = process.env
  const gate = { PYTHONPATH: gatePackage, COUNTERSIGN_GATE: join(folder, "countersign-gate.json") }
  const env = { PATH, HOME, AGNO_TELEMETRY: "false", ...gate }
  const child = spawn(pythonWith(version, process.env), ["app.py"], { cwd: folder, env, stdio: "ignore" })
  const exited = once(child, "exit")
  onTestFinished(async () => {
    child.kill("SIGKILL")
    await exited
    rmSync(folder, { recursive: true, force: true })
  })
  return folder
}

/** Starts a workspace and a bot that works by the page's config, and ends both with the test. */
async function startCountersign(port: number) {
  const sandbox = await startSandbox({
    clock: Date.now,
    random: () => randomBytes(16).toString("hex"),
    delivery: { mode: "socket" },
  })
  onTestFinished(() => sandbox.close())
  const folder = mkdtempSync(join(tmpdir(), "countersign-quickstart-bot-"))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const written = blockOf("yaml", [
    ["http://127.0.0.1:7777", `http://127.0.0.1:${port}`],
    ["C0123456789", sandboxCast.payments],
    ["alice@example.com", "alice@sandbox.example"],
  ])
  const installation = anInstallation()
  const yaml = `installation: ${installation}\ndata_folder: ${folder}\nhttp: { port: 0 }\n${written}`
  const { PLATFORM_TOKEN: _none, ...env } = botEnv({
    sandbox,
    platformToken: "",
    key: "a key of the tests that is long enough",
  })
  const bot = await startTestBot({ env, yaml, log: [], redisUrl: testRedisUrl() })
  onTestFinished(() => bot.close())
  return { sandbox, bot, installation }
}

describe.each(VERSIONS)("AgentOS %s", (version) => {
  test("the quickstart's agent asks in Slack, Alice approves, and the run goes on to its end", async () => {
    const port = await freePort()
    const url = `http://127.0.0.1:${port}`
    const folder = await startProgram(version, port)
    await until("AgentOS", async () =>
      (await fetch(`${url}/health`).catch(() => null))?.ok === true ? true : undefined,
    )
    const { sandbox, bot, installation } = await startCountersign(port)
    await writeGate(join(folder, "countersign-gate.json"), { bot, installation })

    const form = new URLSearchParams({ stream: "false", user_id: "rita@example.com", message: "Refund 129.90 EUR" })
    const started = await fetch(`${url}/agents/billing-agent/runs`, { method: "POST", body: form })
    const run = (await started.json()) as { readonly status: string; readonly run_id: string }
    const find = () => sandbox.messages(sandboxCast.payments).find(({ text }) => text.includes("refund_payment"))
    const card = await sandbox.waitFor(find, { limitMs, what: "the card" })
    await sandbox.click(sandboxCast.alice, { channel: sandboxCast.payments, ts: card.ts }, actionIds.approve)
    const row = await until("the end of the run", async () => {
      const answer = await fetch(`${url}/approvals?run_id=${run.run_id}`)
      const { data } = (await answer.json()) as { readonly data: readonly Readonly<Record<string, unknown>>[] }
      return data[0]?.["run_status"] === "COMPLETED" ? data[0] : undefined
    })

    expect(run.status).toBe("PAUSED")
    expect(existsSync(join(folder, "marks.db")), "the gate marks the call").toBe(true)
    expect(row).toMatchObject({ status: "approved", resolved_by: "alice@sandbox.example", tool_name: "refund_payment" })
  })
})
