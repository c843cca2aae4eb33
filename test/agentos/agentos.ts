// Starts a real AgentOS of some version and mode on loopback, and ends it.
import { spawn } from "node:child_process"
import { randomUUID } from "node:crypto"
import { once } from "node:events"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as wait } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { SignJWT } from "jose"
import { freePort } from "../support/free-port.ts"
import { agnoVersions, pythonWith } from "../tools/agentos.mjs"

/** The versions that this run is about. */
export const VERSIONS = agnoVersions(process.env)

/** True for a version from `since` on, compared number by number. */
export function isAtLeast(version: string, since: string): boolean {
  const [numbers, limits] = [version, since].map((one) => one.split(".").map((part) => Number.parseInt(part, 10)))
  const at = (limits ?? []).findIndex((limit, index) => (numbers?.[index] ?? 0) !== limit)
  return at === -1 || (numbers?.[at] ?? 0) > (limits?.[at] ?? 0)
}

/** How an instance is set up; the settings of `testbed/README.md`. */
export interface Mode {
  /** Default `jwt`: authorization on, scopes enforced. */
  readonly auth?: "open" | "key" | "jwt" | "jwt-unscoped"
  readonly isolation?: boolean
  readonly roles?: boolean
  readonly audience?: string
  /** What `jwt` verifies. Default HS256 with `SECRET`; else set `publicKey`, too. */
  readonly algorithm?: "HS256" | "ES256" | "RS256"
  /**
   * `memory`: a store without approvals; `none`: no store; `postgres`: the one at `databaseUrl`. Default a SQLite file.
   */
  readonly db?: "file" | "memory" | "none" | "postgres"
  readonly databaseUrl?: string
  readonly toolSeconds?: number
  /** True if a gate stands before each gated tool; then the test writes its file (`AgentOs.gate`). */
  readonly gate?: boolean
  /** Another host of that instance, with its database and its gate's file. */
  readonly beside?: Pick<AgentOs, "database" | "gate">
  /** True if AgentOS's own Slack interface is mounted, before a Slack that takes everything; or the URL of another's API. */
  readonly slack?: boolean | string
  /** True if a library is served that can be searched. */
  readonly knowledge?: boolean
  /** True if A2A is mounted. */
  readonly a2a?: boolean
  /** True if schedules can be triggered. */
  readonly scheduler?: boolean
  /** The public key as PEM text, for ES256, and for `jwt-unscoped`, which takes RS256 only. */
  readonly publicKey?: string
  /** The credential that tests drive the instance with, where none of the usual ones passes. */
  readonly operator?: string
}

/** A running AgentOS. */
export interface AgentOs {
  readonly url: string
  readonly version: string
  readonly mode: Mode
  /** Its SQLite file. */
  readonly database: string
  /** Where its gate's file is read, once there is one. */
  readonly gate: string
  /** The tools that really ran, in order; `monotonic` is the machine's clock that only goes forwards, in s. */
  executions(): readonly {
    readonly tool: string
    readonly arguments: Readonly<Record<string, unknown>>
    readonly monotonic?: number
  }[]
  /** What its own Slack interface asked of Slack, in order. */
  slackCalls(): readonly { readonly method: string; readonly arguments: Readonly<Record<string, unknown>> }[]
  /** Kills its process, and starts another one over the same files at the same address. */
  restart(): Promise<void>
  close(): Promise<void>
}

/** The HS256 secret of every instance. */
export const SECRET = "countersign-local-secret-of-32-bytes-or-more"
/** The security key of instances in key mode. */
export const SECURITY_KEY = "countersign-local-security-key"
/** What Slack signs with at an instance's own Slack interface. */
export const SLACK_SIGNING_SECRET = "countersign-local-signing-secret"
const STARTS_WITHIN_MS = 120_000

/** How often it is tried anew: a port that was free a moment ago may be somebody else's by now. */
const STARTS = 3

/**
 * Starts an instance over a fresh database and waits until it answers. Whoever starts it closes it. `portOf` gives the
 * port of each try.
 */
export async function startAgentOs(version: string, mode: Mode = {}, portOf = freePort): Promise<AgentOs> {
  const failures: string[] = []
  while (failures.length < STARTS) {
    const started = await tryToStart(version, mode, await portOf())
    if (typeof started !== "string") return started
    failures.push(started)
  }
  throw new Error(`AgentOS ${version} did not start: ${failures.join("; ")}`)
}

/** The instance, or what its program said where it ended, or where something else answers on its port. */
async function tryToStart(version: string, mode: Mode, port: number): Promise<AgentOs | string> {
  const folder = mkdtempSync(join(tmpdir(), "countersign-agentos-"))
  const name = `Countersign Sample ${randomUUID()}`
  const env = environmentOf(mode, { folder, port, name })
  const app = fileURLToPath(new URL("testbed/app.py", import.meta.url))
  let said = ""
  const launch = () => {
    const child = spawn(pythonWith(version, process.env), [app], {
      cwd: folder,
      env,
      stdio: ["ignore", "ignore", "pipe"],
    })
    child.stderr.on("data", (chunk: Buffer) => (said = (said + chunk.toString()).slice(-4_000)))
    return { child, exited: once(child, "exit") }
  }
  let running = launch()
  const url = `http://127.0.0.1:${port}`
  const kill = async () => {
    running.child.kill("SIGKILL")
    await running.exited
  }
  const close = async () => {
    await kill()
    rmSync(folder, { recursive: true, force: true })
  }
  const isRunning = () => isUp(url, name, () => running.child.exitCode === null)
  const restart = async () => {
    await kill()
    running = launch()
    if (!(await isRunning())) throw new Error(`AgentOS ${version} did not start again: ${said}`)
  }
  if (!(await isRunning())) {
    await close()
    return said
  }
  const executions = () => linesOf(join(folder, "executions.jsonl")) as ReturnType<AgentOs["executions"]>
  const slackCalls = () => linesOf(join(folder, "slack.jsonl")) as ReturnType<AgentOs["slackCalls"]>
  return {
    url,
    version,
    mode,
    database: join(folder, "agentos.db"),
    gate: gateIn(folder),
    executions,
    slackCalls,
    restart,
    close,
  }
}

function environmentOf(
  mode: Mode,
  place: { readonly folder: string; readonly port: number; readonly name: string },
): NodeJS.ProcessEnv {
  const {
    auth = "jwt",
    isolation = false,
    roles = false,
    audience = "",
    algorithm = "HS256",
    db = "file",
    toolSeconds = 0,
    slack = false,
    gate = false,
    knowledge = false,
    a2a = false,
    scheduler = false,
    publicKey = SECRET,
    beside = { database: join(place.folder, "agentos.db"), gate: gateIn(place.folder) },
  } = mode
  const database = { file: beside.database, memory: db, none: db, postgres: mode.databaseUrl }[db]
  const settings = {
    AUTH: auth,
    SECRET: publicKey,
    SECURITY_KEY,
    USER_ISOLATION: isolation ? "1" : "",
    ROLES: roles ? "1" : "",
    AUDIENCE: audience,
    ALGORITHM: algorithm,
    DB: database,
    EXECUTIONS: join(place.folder, "executions.jsonl"),
    TOOL_SECONDS: String(toolSeconds),
    GATE: gate ? beside.gate : "",
    SLACK: slack === true ? join(place.folder, "slack.jsonl") : slack || "",
    SLACK_SIGNING_SECRET,
    KNOWLEDGE: knowledge ? "1" : "",
    A2A: a2a ? "1" : "",
    SCHEDULER: scheduler ? "1" : "",
    PORT: String(place.port),
    NAME: place.name,
  }
  const named = Object.entries(settings).map(([name, value]) => [`AGENTOS_${name}`, value])
  const { PATH, HOME, LANG } = process.env
  return { PATH, HOME, LANG, PYTHONPATH: gatePackage, ...Object.fromEntries(named) }
}

/** The package of the gate, as it stands in the project. */
export const gatePackage = fileURLToPath(new URL("../../integrations/agno/src", import.meta.url))

function gateIn(folder: string): string {
  return join(folder, "gate.json")
}

/** True once it answers by its own name; false once its program has ended. */
async function isUp(url: string, name: string, isAlive: () => boolean): Promise<boolean> {
  const end = Date.now() + STARTS_WITHIN_MS
  while (Date.now() < end && isAlive()) {
    if ((await nameAt(url)) === name) return true
    await wait(100)
  }
  return false
}

async function nameAt(url: string): Promise<unknown> {
  try {
    const answer = await fetch(`${url}/info`, { signal: AbortSignal.timeout(5_000) })
    return ((await answer.json()) as { readonly name?: unknown }).name
  } catch {
    return undefined // nobody answers there yet, or somebody else does
  }
}

function linesOf(path: string): readonly unknown[] {
  try {
    return readFileSync(path, "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as unknown)
  } catch {
    return [] // no tool has run yet
  }
}

/**
 * A JWT of the instance's secret. Without `sub` it has no identity; `exp` and `iat` are now and in an hour unless
 * given.
 */
export function aJwt(scopes: unknown, claims: Readonly<Record<string, unknown>> = {}): Promise<string> {
  const now = Math.floor(Date.now() / 1_000)
  const payload = { scopes, iat: now - 5, exp: now + 3_600, ...claims }
  return new SignJWT(payload).setProtectedHeader({ alg: "HS256" }).sign(new TextEncoder().encode(SECRET))
}
