// A whole world for the story tests: the real bot wiring, a real Redis, the embedded service behind a proxy that can
// fail, the sandbox.
import { randomBytes, randomUUID } from "node:crypto"
import { readFileSync } from "node:fs"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { signToken } from "../../src/auth/sign-token.ts"
import { type Bot, startBot } from "../../src/bot.ts"
import { openSigner } from "../../src/cli/installation/context.ts"
import { loadConfig } from "../../src/config.ts"
import type { Ports } from "../../src/flow/ports.ts"
import { createLog } from "../../src/log.ts"
import { defaultSeed, sandboxCast } from "../../src/sandbox/workspace/seed.ts"
import { type Sandbox, startSandbox } from "../../src/sandbox.ts"
import type { ScriptInput } from "../../src/service/components/script.ts"
import type { RunningService } from "../../src/service.ts"
import { startDescribed } from "../service/described/start-described.ts"
import { botEnv } from "../support/bot-env.ts"
import { type FaultyProxy, startFaultyProxy } from "../support/faulty-proxy.ts"
import { limitMs } from "../support/limits.ts"
import { testRedisUrl } from "../support/redis.ts"

export { limitMs, sandboxCast }

/** The key of the installation, which Redis never sees. */
export const sealKey = Buffer.from("a key of the tests that is long enough")

/** What read tokens are signed with, where a story sets `http.read`. */
export const readKey = "the key with which tests sign tokens to read"

/** A rule that most stories need, as YAML below `rules:`. */
export const plainRule = `
  - name: everything
    routes: [${sandboxCast.approvals}]
    approvers: [${sandboxCast.approvers}]
    unknown_requester: allow
    require_reason: never`

export interface WorldOptions {
  readonly mode?: "socket" | "http"
  /** YAML below `rules:`. */
  readonly rules?: string
  /** More YAML at the top level. */
  readonly more?: string
  /** A file that holds the instance's token, instead of the environment. */
  readonly tokenFile?: string
  /** More keys of the instance, as `key: value, key: value`. */
  readonly instance?: string
  /** More YAML inside `http: {…}`, beginning with a comma. */
  readonly http?: string
  /** More variables of the bot's environment. */
  readonly env?: Readonly<Record<string, string>>
  /** Least time between two messages of a channel. Default 1 ms. */
  readonly paceMs?: number
  /** More waiting cards than this are summed up. Default 0: never. */
  readonly summaryAbove?: number
  readonly redisUrl?: string
  /** Default: a name that no other world has. */
  readonly installation?: string
  readonly script?: ScriptInput
  readonly pollMs?: number
  /** Slack's own clock, epoch ms, where it differs from ours. */
  readonly slackClock?: () => number
  /** How long a call to Slack or the platform may take. */
  readonly timeoutMs?: number
  /** Which runs are continued. Default: the key is left out. */
  readonly resume?: "approved" | "decided"
  /** What they are continued with; where the platform is the embedded service, one is made. */
  readonly resumeToken?: string
  /** How long a continue may take. Default as in the config. */
  readonly resumeTimeout?: string
  /** A scope that the bot's app lacks. */
  readonly without?: string
  /** What the bot's credential may do besides reading and resolving approvals. */
  readonly scopes?: readonly string[]
  /** True where the workspace belongs to an Enterprise Grid organization, `E0GRID`. */
  readonly grid?: boolean
  /** How long a ticket waits before it repeats its step, in ms. Default 400. */
  readonly ticketDelayMs?: number
  /** How often runs that nobody is asked about are looked for. Default as in production. */
  readonly unaskedMs?: number
  /** The time that all replicas agree on. Default: that of Redis. */
  readonly sharedClock?: () => number
}

const gridSeed = { ...defaultSeed, team: { ...defaultSeed.team, enterprise: { id: "E0GRID", name: "Grid" } } }

export type Row = { readonly id: string; readonly status: string; readonly resolved_by: string | null } & Record<
  string,
  unknown
>

/** A running bot and the workspace it serves, whatever platform stands behind it. */
export interface Stage {
  readonly sandbox: Sandbox
  /** Lines of the bot's log. */
  readonly log: readonly Record<string, unknown>[]
  readonly installation: string
  /** The bots' data folder. */
  readonly folder: string
  readonly env: Readonly<Record<string, string>>
  readonly yaml: string
  bot: Bot
  /** Starts a second bot (another replica, or after a stop). */
  start(): Promise<Bot>
  close(): Promise<void>
}

/** A stage with the embedded service behind a proxy. */
export interface World extends Stage {
  readonly service: RunningService
  readonly proxy: FaultyProxy
}

/** The environment and YAML of a world's bot. */
export function configText(
  options: WorldOptions,
  places: { readonly platformUrl: string; readonly installation: string; readonly folder: string },
): string {
  const {
    mode = "socket",
    rules = plainRule,
    more = "",
    pollMs = 200,
    timeoutMs = 1_500,
    resume,
    resumeTimeout = "5m",
    instance,
  } = options
  const how = `, resume: ${resume}, resume_token: "\${RESUME_TOKEN}", resume_timeout: ${resumeTimeout}`
  const resuming = resume === undefined ? "" : how
  const { paceMs = 1, summaryAbove = 0, tokenFile } = options
  const token = tokenFile === undefined ? 'token: "${PLATFORM_TOKEN}"' : `token_file: ${tokenFile}`
  return `
installation: ${places.installation}
data_folder: ${places.folder}
instances:
  - { name: main, url: "${places.platformUrl}", ${token}, poll_every: ${pollMs}ms, timeout: ${timeoutMs}ms${resuming}${instance === undefined ? "" : `, ${instance}`} }
slack: { mode: ${mode}, sandbox: true, pace_ms: ${paceMs}, summary_above: ${summaryAbove} }
http: { port: 0, host: 127.0.0.1${options.http ?? ""} }
${more}
rules:${rules}
`
}

/** Starts a world. Whoever starts it closes it. */
export async function startWorld(options: WorldOptions = {}): Promise<World> {
  const secret = randomBytes(32).toString("hex")
  const service = await startDescribed({
    database: ":memory:",
    authorization: true,
    ...(options.resume === undefined ? {} : { verificationKeys: [secret], algorithm: "HS256" as const }),
    clock: Date.now,
    random: (size) => randomBytes(size),
    ...(options.script === undefined ? {} : { script: options.script }),
  })
  const proxy = await startFaultyProxy(service.url)
  const scopes = ["approvals:read", "approvals:write", ...(options.scopes ?? [])]
  const token = service.mintServiceAccount({ name: "countersign", scopes })
  const resumeToken = await runnerToken(secret)
  const stage = await startStage({ resumeToken, ...options }, { url: proxy.url, token })
  return {
    ...stage,
    service,
    proxy,
    close: async () => {
      await stage.close()
      await Promise.all([proxy.close(), service.close()])
    },
  }
}

/** A JWT that has no subject and may run and not resolve. */
function runnerToken(secret: string): Promise<string> {
  const families = ["agents", "teams", "workflows"]
  const scopes = [...families.flatMap((family) => [`${family}:run`, `${family}:read`]), "sessions:read"]
  const issuedAt = Math.floor(Date.now() / 1_000)
  return signToken({ algorithm: "HS256", key: secret, scopes, issuedAt, lifeSeconds: 3_600 })
}

/** A name that no other world has. */
export function anInstallation(): string {
  return `t${randomUUID().slice(0, 8)}`
}

/** Starts a bot and its workspace in front of a platform that runs already. Whoever starts it closes it. */
export async function startStage(
  options: WorldOptions,
  platform: { readonly url: string; readonly token: string },
): Promise<Stage> {
  const { mode = "socket" } = options
  const random = () => randomBytes(16).toString("hex")
  const seed = options.grid === true ? gridSeed : defaultSeed
  const sandbox = await startSandbox({ clock: options.slackClock ?? Date.now, random, delivery: { mode }, seed })
  if (options.without !== undefined) sandbox.scopes.delete(options.without)
  const { installation = anInstallation() } = options
  const env = {
    ...botEnv({ sandbox, platformToken: platform.token, key: sealKey.toString() }),
    READ_KEY: readKey,
    RESUME_TOKEN: options.resumeToken ?? "",
    ...options.env,
  }
  const folder = await mkdtemp(join(tmpdir(), "countersign-world-"))
  const yaml = configText(options, { platformUrl: platform.url, installation, folder })
  const log: Record<string, unknown>[] = []
  const bots: Bot[] = []
  const redisUrl = options.redisUrl ?? testRedisUrl()
  const ticketDelay = options.ticketDelayMs === undefined ? {} : { ticketDelayMs: options.ticketDelayMs }
  const looks = {
    ...(options.unaskedMs === undefined ? {} : { unaskedMs: options.unaskedMs }),
    ...(options.sharedClock === undefined ? {} : { sharedClock: options.sharedClock }),
  }
  const start = async () => {
    const bot = await startTestBot({ env, yaml, log, redisUrl, ...ticketDelay, ...looks })
    if (mode === "http") sandbox.deliverTo(`${bot.url}/slack/events`)
    bots.push(bot)
    return bot
  }
  const bot = await start()
  const close = async () => {
    await Promise.all(bots.map((one) => one.close()))
    await sandbox.close()
    await rm(folder, { recursive: true, force: true })
  }
  return { sandbox, log, installation, folder, env, yaml, bot, start, close }
}

/** The production wiring with timings that suit a test. */
export async function startTestBot(options: {
  readonly env: Readonly<Record<string, string>>
  readonly yaml: string
  readonly log: Record<string, unknown>[]
  readonly redisUrl: string
  readonly ticketDelayMs?: number
  /** True when an operator said `--activate`. */
  readonly activate?: boolean
  /** Default: the time of this machine. */
  readonly clock?: () => number
  /** The time that all replicas agree on. Default: that of Redis. */
  readonly sharedClock?: () => number
  /** How often runs that nobody is asked about are looked for. Default as in production. */
  readonly unaskedMs?: number
  /** Wraps the flow's ports, so that a story can cut a call to the outside. */
  readonly around?: (ports: Ports) => Ports
}): Promise<Bot> {
  const { clock = Date.now } = options
  const readFile = (path: string) => (path === "/countersign.yaml" ? options.yaml : readFileSync(path, "utf8"))
  const config = loadConfig({ env: options.env, readFile, cwd: "/" })
  const log = createLog({
    write: (line) => void options.log.push(JSON.parse(line)),
    clock,
    level: "debug",
    secrets: config.secrets,
  })
  const key = Buffer.from(options.env["COUNTERSIGN_KEY"] ?? "")
  const timing = {
    checkpointTickMs: 250,
    ticketDelayMs: options.ticketDelayMs ?? 400,
    ticketLookMs: 100,
    ticketHoldMs: 1_500,
    sweepMs: 1_000,
    lockMs: 1_500,
    stalledMs: 500,
    slackTimeoutMs: 1_500,
    channelMs: 300,
    ...(options.unaskedMs === undefined ? {} : { unaskedMs: options.unaskedMs }),
  }
  return startBot({
    config,
    key,
    signer: await openSigner({ config, key }),
    redisUrl: options.redisUrl,
    log,
    clock,
    random: randomBytes,
    activate: options.activate ?? false,
    timing,
    ...(options.sharedClock === undefined ? {} : { sharedClock: options.sharedClock }),
    ...(options.around === undefined ? {} : { around: options.around }),
  })
}
