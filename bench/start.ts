// From the command to listening, as it is installed: bundled.
//
// It keeps what was compiled, as the installed command and the image do. Floor of 12: a program that loads the same
// packages, and listens.
// Floor of 12b: Node with nothing to do.
import { spawn } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { freePort } from "../test/support/free-port.ts"
import { startOwnRedis } from "./parts/bot.ts"
import { fixOneCore, onServerCore } from "./parts/cores.ts"
import type { Measured } from "./parts/figure.ts"
import { buildProgram, endedBySignal, installedBot, root, untilStarted } from "./parts/installed.ts"
import { alternate, compare } from "./parts/rounds.ts"
import { startWorld } from "./parts/world.ts"

/** What the bot loads from elsewhere, and what a bot has to do before it is up. */
const packages = [
  "@slack/bolt",
  "@slack/web-api",
  "bullmq",
  "commander",
  "ioredis",
  "jose",
  "undici",
  "yaml",
  "zod",
  "hono",
  "@hono/node-server",
]
const bareProgram = `
${packages.map((name) => `import "${name}"`).join("\n")}
import { createServer } from "node:http"
const server = createServer((request, response) => response.end())
server.listen(0, "127.0.0.1", () => console.log("started"))
`

/** Reports 12 and 12b. */
export async function run(report: (what: Measured) => void): Promise<void> {
  fixOneCore()
  await buildProgram()
  const folder = mkdtempSync(join(tmpdir(), "countersign-start-"))
  writeFileSync(join(folder, "empty.mjs"), "")
  const world = await startWorld()
  const redis = await startOwnRedis({ port: await freePort() })
  const node = [...onServerCore, process.execPath]
  const bot = installedBot({ world, redis, compiled: join(folder, "compiled") })
  const [empties = [], floors = [], products = []] = await alternate([
    () => finished([...node, join(folder, "empty.mjs")], {}),
    () => started([...node, "--input-type=module", "--eval", bareProgram], {}),
    () => started(bot.command, bot.env),
  ])
  const product = { unit: "ms", product: products }
  report(compare({ ...product, scenario: "12", what: "start, against the packages alone", floor: floors }))
  report(compare({ ...product, scenario: "12b", what: "start, against an empty Node", floor: empties }))
  await Promise.all([redis.stop(), world.close()])
  rmSync(folder, { recursive: true, force: true })
}

/** The ms until a command has ended. */
function finished([command = "", ...args]: readonly string[], env: Readonly<Record<string, string>>): Promise<number> {
  const begun = performance.now()
  const child = spawn(command, args, { cwd: root, env: { ...process.env, ...env }, stdio: "ignore" })
  return new Promise((resolve) => child.once("exit", () => resolve(performance.now() - begun)))
}

/** The ms until a command says that it has started; then it is ended. */
async function started(
  [command = "", ...args]: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<number> {
  const begun = performance.now()
  const child = spawn(command, args, { cwd: root, env: { ...process.env, ...env }, stdio: ["ignore", "pipe", "pipe"] })
  await untilStarted(child)
  const taken = performance.now() - begun
  await endedBySignal(child)
  return taken
}
