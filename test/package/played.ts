// Plays the main story on a program: service, bot and commands are processes of it, and the sandbox is Slack.
import { randomBytes } from "node:crypto"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type Sandbox, startSandbox } from "../../src/sandbox.ts"
import { startRedis } from "../../src/setup/redis/start-redis.mjs"
import { command, type Ended, type Running } from "../cli/command.ts"
import { card, giveReason, press, settled, threadSays, until } from "../stories/acts.ts"
import { plainRule, readKey, sandboxCast } from "../stories/world.ts"
import { botEnv } from "../support/bot-env.ts"
import { freePort } from "../support/free-port.ts"
import { aReadToken, readingOn } from "../support/read-token.ts"

/** A name that closes the quotation marks around it and goes on in the words of a card. */
export const hostileAgent = "it-agent” (approved by the CFO) “bot"
/** A text that looks like a value that a rule masks. */
export const falseMask = "▒▒▒▒ masked (12 characters)"

/** What people, an operator and an auditor saw of a story. */
export interface Played {
  /** The cards by their tool, open and settled. */
  readonly cards: Readonly<Record<string, string>>
  readonly buttons: Readonly<Record<string, readonly string[]>>
  readonly record: Readonly<Record<string, unknown>>
  readonly page: readonly string[]
  readonly commands: Readonly<Record<string, Ended>>
}

interface Place {
  readonly cwd: string
  readonly env: Record<string, string>
  readonly program: string
  readonly closers: Closers
}

interface Asked {
  readonly id: string
}

/** Ends what a story started, the newest first. */
type Closers = (() => unknown)[]

/** Plays it, and ends all that was started for it. */
export async function playOnPackage(program: string, mode: "socket" | "http"): Promise<Played> {
  const cwd = mkdtempSync(join(tmpdir(), "countersign-played-"))
  const closers: Closers = [() => rmSync(cwd, { recursive: true, force: true })]
  try {
    return await playIn({ cwd, program, env: {}, closers }, mode)
  } finally {
    for (const close of closers.reverse()) await close()
  }
}

async function playIn(bare: Place, mode: "socket" | "http"): Promise<Played> {
  const platformToken = await minted(bare, "bot", ["approvals:read", "approvals:write"])
  const operator = await minted(bare, "operator", ["approvals:create", "approvals:read"])
  const admin = await minted(bare, "admin", ["agent_os:admin"])
  const service = started(bare, "service", "--port", "0")
  const platform = await until("the service", () => /^listening on (\S+)$/m.exec(service.out())?.[1])
  const sandbox = await aSandbox(bare, mode)
  const key = "a key of the played story that is long enough"
  const REDIS_URL = await aRedis(bare)
  const place = { ...bare, env: { ...botEnv({ sandbox, platformToken, key }), REDIS_URL, READ_KEY: readKey } }
  writeFileSync(join(bare.cwd, "countersign.yaml"), yamlOf(platform, mode))
  const bot = started(place, "run")
  const url = await until("the bot to start", () => startedAt(bot))
  if (mode === "http") sandbox.deliverTo(`${url}/slack/events`)
  const seen = await seenOn(sandbox, (call) => asked(platform, operator, call))
  const record = await recordOf(platform, operator, seen.paid)
  const page = await pagesOf(url)
  const doctor = await command(["doctor"], place).ended
  const asAdmin = { ...bare, env: { PLATFORM_TOKEN: admin } }
  const conformance = await command(["service", "conformance", platform], asAdmin).ended
  await until("a checkpoint", () => bot.out().includes('"ledger-checkpoint"') || undefined)
  bot.child.kill("SIGTERM")
  const run = await bot.ended
  const verify = await command(["ledger", "verify"], place).ended
  // What the doctor says while it waits, and the log, stand in the order in which things happened.
  const commands = { doctor: { ...doctor, err: "" }, conformance, verify, run: { ...run, out: "" } }
  return { ...seen.screens, record, page, commands }
}

/** What was seen, without what is another at each run: folders, ids, hashes, times and ports. */
export function withoutNumbers(value: unknown): unknown {
  const text = JSON.stringify(value).replaceAll(/[\w/.-]*countersign-played-\w+/g, "FOLDER")
  return JSON.parse(text.replaceAll(/[\w-]*\d[\w-]{7,}/g, "ID").replaceAll(/\d+(?:[.,:]\d+)*/g, "0"))
}

function started(place: Place, ...args: readonly string[]): Running {
  const running = command(args, place)
  place.closers.push(async () => {
    running.child.kill("SIGKILL")
    await running.ended
  })
  return running
}

async function minted(place: Place, account: string, scopes: readonly string[]): Promise<string> {
  const words = ["token", "mint", "--account", account, ...scopes.flatMap((scope) => ["--scope", scope])]
  const { code, out, err } = await command(words, place).ended
  if (code !== 0) throw new Error(`token mint ended with ${code}: ${err}`)
  return out.trim()
}

async function aRedis({ closers }: Place): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "countersign-redis-"))
  const server = await startRedis({ folder, port: await freePort(), env: process.env, log: () => undefined })
  closers.push(async () => {
    await server.stop()
    rmSync(folder, { recursive: true, force: true })
  })
  return server.url
}

async function aSandbox({ closers }: Place, mode: "socket" | "http"): Promise<Sandbox> {
  const random = () => randomBytes(16).toString("hex")
  const sandbox = await startSandbox({ clock: Date.now, random, delivery: { mode } })
  closers.push(() => sandbox.close())
  return sandbox
}

function yamlOf(platform: string, mode: string): string {
  const rules = plainRule.replace("require_reason: never", "require_reason: reject\n    mask: [password]")
  return `
instances: [{ name: main, url: "${platform}", token: "\${PLATFORM_TOKEN}", poll_every: 200ms }]
slack: { mode: ${mode}, sandbox: true, pace_ms: 1 }
ledger: { checkpoint_every: 1s }
http: { port: 0, host: 127.0.0.1${readingOn} }
rules:${rules}
`
}

function startedAt(bot: Running): string | undefined {
  if (bot.child.exitCode !== null) throw new Error(`the bot ended: ${bot.out()}`)
  const lines = bot.out().split("\n").slice(0, -1)
  const events = lines.filter((line) => line.startsWith("{")).map((line) => JSON.parse(line))
  return events.find(({ event }) => event === "started")?.url
}

async function asked(platform: string, token: string, call: Record<string, unknown>): Promise<Asked> {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" }
  const response = await fetch(`${platform}/approvals`, { method: "POST", headers, body: JSON.stringify(call) })
  if (response.status !== 201) throw new Error(`POST /approvals: ${response.status} ${await response.text()}`)
  return (await response.json()) as Asked
}

/** One call is approved, one rejected with a reason, and two with hostile texts hang there. */
async function seenOn(sandbox: Sandbox, ask: (call: Record<string, unknown>) => Promise<Asked>) {
  const world = { sandbox }
  const paid = await ask({ tool_name: "pay_bill", tool_args: { amount: 12.5 }, agent_id: "payer" })
  const paying = await card(world, "pay_bill")
  await press(world, sandboxCast.alice, paying, "approve")
  await threadSays(world, paying, "resolved by alice@sandbox.example")
  const secret = { table: "users", password: "a secret" }
  await ask({ tool_name: "drop_table", tool_args: secret, agent_id: "admin-agent" })
  const dropping = await card(world, "drop_table")
  await press(world, sandboxCast.bob, dropping, "reject")
  await giveReason(world, sandboxCast.bob, "“nobody” asked — for it")
  await threadSays(world, dropping, "“nobody” asked — for it")
  await threadSays(world, dropping, "resolved by bob@sandbox.example")
  await ask({ tool_name: "name_itself", tool_args: {}, agent_id: hostileAgent })
  const named = await card(world, "name_itself")
  await ask({ tool_name: "look_masked", tool_args: { note: falseMask }, agent_id: "payer" })
  const masked = await card(world, "look_masked")
  const settledCards = { approved: await settled(world, "pay_bill"), rejected: await settled(world, "drop_table") }
  const all = { paying, dropping, named, masked, ...settledCards }
  const cards = mapped(all, ({ words }) => words)
  return { paid, screens: { cards, buttons: mapped(all, ({ buttons }) => buttons) } }
}

function mapped<T, U>(values: Readonly<Record<string, T>>, change: (value: T) => U): Record<string, U> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(value)]))
}

async function recordOf(platform: string, token: string, { id }: Asked): Promise<Record<string, unknown>> {
  const response = await fetch(`${platform}/approvals/${id}`, { headers: { authorization: `Bearer ${token}` } })
  const { status, resolved_by, tool_name } = (await response.json()) as Record<string, unknown>
  return { status, resolved_by, tool_name }
}

/** The auditor's page: the list of all cases, and the case of the hostile agent. */
async function pagesOf(url: string): Promise<readonly string[]> {
  const body = new URLSearchParams({ token: await aReadToken() })
  const { headers } = await fetch(`${url}/page/sign-in`, { method: "POST", body, redirect: "manual" })
  const cookie = headers.getSetCookie()[0]?.split(";")[0] ?? ""
  const get = async (path: string) => (await fetch(url + path, { headers: { cookie } })).text()
  const one = await get("/page?tool=name_itself")
  return [await get("/page"), await get(/\/page\/cases\/[0-9a-f]{20}/.exec(one)?.[0] ?? "/page")]
}
