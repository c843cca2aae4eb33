// Measures a start of the installed program (our files, and the packages of the lock), from the command to listening.
//
// Floor: a program that loads the same packages from the same folder, and listens. Neither may use code that Node
// compiled before: that depends on what ran last.
import { spawn } from "node:child_process"
import { join } from "node:path"
import { freePort } from "../test/support/free-port.ts"
import { startOwnRedis } from "./parts/bot.ts"
import { fixOneCore, onServerCore } from "./parts/cores.ts"
import type { Measured } from "./parts/figure.ts"
import { asInstalled, buildProgram, endedBySignal, installedBot, root, untilStarted } from "./parts/installed.ts"
import { alternate, compare } from "./parts/rounds.ts"
import { startWorld } from "./parts/world.ts"

/** What the bot loads from elsewhere until it is up. */
const packages = [
  "@hono/node-server",
  "@opentelemetry/api",
  "@slack/bolt",
  "@slack/web-api",
  "bullmq",
  "commander",
  "hono",
  "ioredis",
  "jose",
  "leven",
  "prom-client",
  "undici",
  "yaml",
  "zod",
]
const bareProgram = `
${packages.map((name) => `import "${name}"`).join("\n")}
import { createServer } from "node:http"
const server = createServer((request, response) => response.end())
server.listen(0, "127.0.0.1", () => console.log("started"))
`

/** Reports 12. */
export async function run(report: (what: Measured) => void): Promise<void> {
  fixOneCore()
  await buildProgram()
  const world = await startWorld()
  const redis = await startOwnRedis({ port: await freePort() })
  const node = [...onServerCore, process.execPath]
  const bot = installedBot({ world, redis })
  const [floor = [], product = []] = await alternate([
    () => started([...node, "--input-type=module", "--eval", bareProgram], asInstalled),
    () => started(bot.command, bot.env),
  ])
  report(compare({ scenario: "12", what: "start, against the packages alone", unit: "ms", floor, product }))
  await Promise.all([redis.stop(), world.close()])
}

/** The ms until a command says that it has started; then it is ended. */
async function started(
  [command = "", ...args]: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<number> {
  const begun = performance.now()
  const child = spawn(command, args, {
    cwd: join(root, "dist"),
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  })
  await untilStarted(child)
  const taken = performance.now() - begun
  await endedBySignal(child)
  return taken
}
