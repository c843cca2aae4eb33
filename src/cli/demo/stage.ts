// The demo's stage: Redis, the embedded service, the sandbox and the bot on this machine. Each is closed at the end.
import { randomBytes } from "node:crypto"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { signToken } from "../../auth/sign-token.ts"
import { startBot } from "../../bot.ts"
import { loadConfig } from "../../config.ts"
import { createLog, type Log } from "../../log.ts"
import { type Sandbox, startSandbox } from "../../sandbox.ts"
import { type RunningService, startService } from "../../service.ts"
import { pageLoader } from "../../setup/page.mjs"
import { startRedis } from "../../setup/redis/start-redis.mjs"
import { openSigner } from "../installation/context.ts"
import { openStoreAt } from "../installation/opened-store.ts"
import type { Terminal } from "../terminal.ts"
import { createOperator, type DemoOperator } from "./operator.ts"
import { createProposer } from "./rules-scene.ts"
import { demoScript } from "./script.ts"
import { demoConfig, demoSeed } from "./setting.ts"
import { createTour } from "./tour.ts"

/** Everything that a demo uses. */
export interface DemoStage {
  readonly sandbox: Sandbox
  readonly operator: DemoOperator
  readonly serviceUrl: string
  /** The bot's own address: health, metrics, cases and ledger. */
  readonly botUrl: string
  /** A token of the platform with these scopes. */
  mint(name: string, scopes: readonly string[]): string
  /** A token that reads cases and ledger. */
  readToken(): Promise<string>
  /** Where the ledger is, to verify it. */
  readonly ledger: { readonly redisUrl: string; readonly key: Buffer; readonly installation: string; readonly log: Log }
  close(): Promise<void>
}

interface StageOptions {
  readonly terminal: Terminal
  /** The port of the workspace's page; 0: any free one. */
  readonly port: number
}

/** Builds the stage in its own folder, which is removed at the end. If a part fails, throws that part's error. */
export async function openStage(options: StageOptions): Promise<DemoStage> {
  const closers: (() => Promise<void> | void)[] = []
  const close = async () => {
    for (const closer of closers.splice(0).toReversed()) await closer()
  }
  try {
    return { ...(await build(options, closers)), close }
  } catch (error) {
    await close()
    throw error
  }
}

async function build(
  { terminal, port }: StageOptions,
  closers: (() => Promise<void> | void)[],
): Promise<Omit<DemoStage, "close">> {
  const folder = mkdtempSync(join(tmpdir(), "countersign-demo-"))
  closers.push(() => rmSync(folder, { recursive: true, force: true }))
  const redis = await startRedis({ folder: join(folder, "redis"), env: process.env, log: terminal.err })
  closers.push(() => redis.stop())
  const random = (size: number) => randomBytes(size)
  const secret = random(32).toString("hex")
  const service = await startService({
    database: join(folder, "service.db"),
    script: demoScript,
    authorization: true,
    verificationKeys: [secret],
    algorithm: "HS256",
    clock: Date.now,
    random,
    onFailure: (error, request) => terminal.err(`${request} failed: ${String(error)}`),
  })
  closers.push(() => service.close())
  const sandbox = await startSandbox({
    port,
    clock: Date.now,
    random: () => random(16).toString("hex"),
    delivery: { mode: "socket" },
    seed: demoSeed(),
    loadPage: pageLoader(),
  })
  closers.push(() => sandbox.close())
  const token = service.mintServiceAccount({ name: "countersign", scopes: botScopes })
  const resumeToken = await signDemoToken(secret, resumeScopes)
  const env = envOf(sandbox, { url: service.url, token, resumeToken, readKey: secret })
  const configWith = (gifts?: number) => loadConfig({ env, readFile: () => demoConfig(folder, gifts), cwd: folder })
  const config = configWith()
  const key = random(32)
  const log = createLog({ write: terminal.err, clock: Date.now, level: "warn", secrets: config.secrets })
  const signer = await openSigner({ config, key })
  const common = { log, clock: Date.now, random, activate: false }
  const bot = await startBot({ config, key, signer, redisUrl: redis.url, ...common })
  closers.push(() => bot.close())
  const operating = await signDemoToken(secret, operatorScopes)
  const ledger = { redisUrl: redis.url, key, installation: config.installation, log }
  const mint = (name: string, scopes: readonly string[]) => service.mintServiceAccount({ name, scopes })
  const readToken = () => signDemoToken(secret, ["cases:read", "ledger:read"], ["countersign-read"])
  const operator = createOperator(service.url, operating)
  const { installation } = config
  const rewrite: RunningService["rewriteApproval"] = (id, change) => service.rewriteApproval(id, change)
  const { store, close } = await openStoreAt({ ...ledger, random, sandbox: true })
  closers.push(close)
  const holdChannel = (channel: string, ms: number) => store.pace.hold(`channel:${channel}`, ms)
  const proposer = createProposer({ store, configWith, clock: Date.now })
  const parts = { sandbox, operator, proposer, rewrite, installation, botUrl: bot.url, readToken, holdChannel }
  sandbox.offerTour(createTour(parts))
  return { sandbox, serviceUrl: service.url, botUrl: bot.url, operator, mint, readToken, ledger }
}

/** The scopes to start runs and read approvals. */
const operatorScopes = ["agents:run", "agents:read", "teams:run", "teams:read", "approvals:read"]

/** The scopes with which the bot reads and resolves. It reads sessions, to quote what started a run. */
const botScopes = ["approvals:read", "approvals:write", "sessions:read"]

/** The bot continues runs with these scopes; they let it resolve nothing. */
const resumeFamilies = ["agents", "teams", "workflows"]
const resumeScopes = [...resumeFamilies.flatMap((family) => [`${family}:run`, `${family}:read`]), "sessions:read"]

/** A token without a subject: each run belongs to the person that it is started for. */
function signDemoToken(secret: string, scopes: readonly string[], audience?: readonly string[]): Promise<string> {
  const issuedAt = Math.floor(Date.now() / 1_000)
  return signToken({ algorithm: "HS256", key: secret, scopes, audience, issuedAt, lifeSeconds: 30 * 86_400 })
}

type Credentials = Readonly<Record<"url" | "token" | "resumeToken" | "readKey", string>>

function envOf(sandbox: Sandbox, platform: Credentials): Record<string, string> {
  return {
    COUNTERSIGN_CONFIG: "demo.yaml",
    SLACK_BOT_TOKEN: sandbox.tokens.bot,
    SLACK_APP_TOKEN: sandbox.tokens.app,
    SLACK_API_URL: sandbox.apiUrl,
    SLACK_SANDBOX: "true",
    PLATFORM_URL: platform.url,
    PLATFORM_TOKEN: platform.token,
    RESUME_TOKEN: platform.resumeToken,
    READ_KEY: platform.readKey,
  }
}
