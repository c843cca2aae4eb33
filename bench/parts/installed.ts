// The product as it is installed, run by Node as `countersign run` does.
import { type ChildProcessByStdio, spawn } from "node:child_process"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Readable } from "node:stream"
import { fileURLToPath } from "node:url"
import type { OwnRedis } from "./bot.ts"
import { signingSecret } from "./clicks.ts"
import { onServerCore } from "./cores.ts"
import type { World } from "./world.ts"

export const root = fileURLToPath(new URL("../..", import.meta.url))

/** A process whose output can be read. */
type Talking = ChildProcessByStdio<null, Readable, Readable>

/** Makes `dist/` anew. */
export async function buildProgram(): Promise<void> {
  const build = spawn(process.execPath, [join(root, "src/setup/build.mjs")], { cwd: root, stdio: "ignore" })
  const code = await new Promise<number | null>((resolve) => build.once("exit", resolve))
  if (code !== 0) throw new Error(`the build ended with ${code}: run npm run build to see why`)
}

/**
 * What Node compiled before depends on what ran last, so nothing takes it. The package has no native part, and that of
 * the clone's packages does not stand in for it.
 */
export const asInstalled = { NODE_DISABLE_COMPILE_CACHE: "1", MSGPACKR_NATIVE_ACCELERATION_DISABLED: "true" }

/** How it is run. */
export interface InstalledSetup {
  /** Slack, and the platform, unless another one is named. */
  readonly world: World
  readonly redis: OwnRedis
  /** The keys of its instance, as YAML in braces has them. Default: the world's address. */
  readonly instance?: string
  /** More lines of the config. Default: none. */
  readonly more?: string
  /** Default: any that is free. */
  readonly port?: number
  /** Words before the command. Default: those that fix it to the servers' core. */
  readonly on?: readonly string[]
}

/** How it is run in front of a world. */
export function installedBot({ world, redis, instance, more = "", port = 0, on = onServerCore }: InstalledSetup) {
  const config = join(redis.folder, "countersign.yaml")
  writeFileSync(
    config,
    `
data_folder: ${redis.folder}
instances: [{ name: main, ${instance ?? `url: "${world.url}"`} }]
slack: { mode: http, sandbox: true, api_url: "${world.url}/api/", bot_token: "\${SLACK_BOT_TOKEN}", pace_ms: 0 }
http: { port: ${port}, host: 127.0.0.1 }
rules: [{ name: all, routes: [C0BENCH], approvers: [U0ALICE], unknown_requester: allow }]
${more}
`,
  )
  const env = {
    COUNTERSIGN_CONFIG: config,
    COUNTERSIGN_KEY: "a key of the bench that is long enough",
    REDIS_URL: redis.url,
    SLACK_BOT_TOKEN: "xoxb-bench",
    SLACK_SIGNING_SECRET: signingSecret,
    SLACK_SANDBOX: "true",
    ...asInstalled,
    // The certificates of this machine's network, which are checked at a start, are none of the product's.
    NODE_EXTRA_CA_CERTS: "",
  }
  return { command: [...on, process.execPath, join(root, "dist/src/cli/countersign.mjs"), "run"], env }
}

/** Resolves when a process says that it has started. Rejects if it ends before. */
export function untilStarted(child: Talking): Promise<void> {
  const said = Promise.withResolvers<void>()
  let words = ""
  const read = (chunk: Buffer) => {
    words += chunk.toString()
    if (words.includes("started")) said.resolve()
  }
  child.stdout.on("data", read)
  child.stderr.on("data", read)
  child.once("exit", () => said.reject(new Error(`it ended before it started: ${words}`)))
  return said.promise
}

/** Tells a process to end, and waits until it has. */
export async function endedBySignal(child: Talking): Promise<void> {
  const ended = new Promise((resolve) => child.once("exit", resolve))
  child.kill("SIGTERM")
  await ended
}
