// countersign run with every key of the config, none at its default: it starts and posts cards, and so do a second
// replica and a restart. test/config/every-key.test.ts holds that no key is forgotten.
import { randomBytes } from "node:crypto"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import { startSandbox } from "../../src/sandbox.ts"
import { startDescribed } from "../service/described/start-described.ts"
import { until } from "../stories/acts.ts"
import { anAuthority } from "../support/certificates.ts"
import { everyKey, keysAround } from "../support/every-key.ts"
import { aFolder } from "../support/opened.ts"
import { startServer } from "../support/redis-server.ts"
import { startRedisTls } from "../support/redis-tls.ts"
import { command } from "./command.ts"

/** What a replica says, line by line. */
type Line = Readonly<Record<string, unknown>>

/** A platform, a workspace, a Redis by TLS, and a folder with a file and all that it names. */
async function aPlace(yaml: string) {
  const folder = aFolder("keys")
  const random = () => randomBytes(16).toString("hex")
  const mode = yaml.includes("mode: http") ? "http" : "socket"
  const sandbox = await startSandbox({ clock: Date.now, random, delivery: { mode } })
  const service = await startDescribed({
    database: ":memory:",
    authorization: true,
    clock: Date.now,
    random: randomBytes,
  })
  const redis = await startServer()
  const authority = anAuthority()
  const front = await startRedisTls(() => redis.port, authority.issue(["localhost"]))
  onTestFinished(async () => {
    await Promise.all([front.close(), sandbox.close(), service.close(), redis.stop()])
  })
  const { env, files } = keysAround()
  const reading = service.mintServiceAccount({ name: "reader", scopes: ["approvals:read", "approvals:write"] })
  const there = { ...files, "countersign.yaml": yaml, "ca.pem": authority.cert, "platform-token": reading }
  for (const [name, text] of Object.entries(there)) writeFileSync(join(folder, name), text)
  const places = {
    FOLDER: folder,
    INSTALLATION: "every-key",
    REDIS_ADDRESS: `rediss://localhost:${front.port}`,
    PLATFORM_ADDRESS: service.url,
    SLACK_ADDRESS: sandbox.apiUrl,
    SLACK_SECRET: sandbox.tokens.signingSecret,
    BOT_TOKEN: sandbox.tokens.bot,
    APP_TOKEN: sandbox.tokens.app,
    READING_TOKEN: reading,
    RUNNING_TOKEN: "a token that continues runs",
  }
  const operator = service.mintServiceAccount({ name: "operator", scopes: ["approvals:create"] })
  const ask = async () => {
    const call = { tool_name: "send_money", tool_args: { amount: 70, recipient: "Ann" }, agent_id: "payments-agent" }
    const body = JSON.stringify({ ...call, team_id: "finance-team", workflow_id: "month-end" })
    const headers = { authorization: `Bearer ${operator}`, "content-type": "application/json" }
    expect((await fetch(`${service.url}/approvals`, { method: "POST", headers, body })).status).toBe(201)
  }
  const cards = () => sandbox.messages("C0APPROVALS").filter(({ text }) => text.startsWith("Approval needed")).length
  return { run: () => runIn(folder, { ...env, ...places }), ask, cards }
}

/** A replica as a process of its own, once it has started. If it ends, what it said is the error. */
async function runIn(cwd: string, env: Record<string, string>) {
  const { child, out, ended } = command(["run"], { env, cwd })
  let end: string | null = null
  void ended.then(({ err }) => (end = err))
  onTestFinished(() => void child.kill("SIGKILL"))
  const lines = (): readonly Line[] =>
    out()
      .split("\n")
      .flatMap((line) => (line.startsWith("{") && line.endsWith("}") ? [JSON.parse(line)] : []))
  const alarms = () =>
    lines().flatMap(({ event, why, code }) => (event === "alarm" ? [`${String(code)}: ${String(why)}`] : []))
  const started = await until("the replica to start", () => {
    if (end !== null) throw new Error(`it ended: ${end}`)
    return lines().find(({ event }) => event === "started")
  })
  const close = async () => {
    child.kill("SIGTERM")
    return await ended
  }
  const says = (event: string) => until(`it to say ${event}`, () => lines().find((line) => line["event"] === event))
  return { url: String(started["url"]), alarms, says, close }
}

test.each(everyKey)(
  "the keys of $name work: started, beside a second replica, and after a restart",
  async ({ yaml }) => {
    const { run, ask, cards } = await aPlace(yaml)

    const first = await run()
    await ask()
    await until("the first card", () => (first.alarms().length + cards() > 0 ? true : undefined))
    expect(first.alarms()).toEqual([])
    // One of the files lets no replica start without a checkpoint.
    await first.says("ledger-checkpoint")
    const second = await run()
    expect([...first.alarms(), ...second.alarms()]).toEqual([])
    expect((await fetch(`${second.url}/readyz`)).status).toBe(200)
    await first.close()
    await second.close()
    const third = await run()
    await ask()
    await until("the card after the restart", () => (third.alarms().length > 0 || cards() > 1 ? true : undefined))

    expect(third.alarms()).toEqual([])
    expect(await third.close()).toMatchObject({ code: 0 })
  },
)
