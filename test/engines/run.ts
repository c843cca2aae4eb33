// Runs the suites that need Redis on several kinds of it: npm run test:engines [-- ENGINE… PATH…]
import { spawn } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { startCluster } from "../support/redis-server.ts"
import { bringEngine, engines } from "../tools/engines.mjs"

const root = fileURLToPath(new URL("../..", import.meta.url))

/** What needs Redis: the store, the jobs, the whole bot, and what breaks. */
const suites = ["test/store", "test/queue", "test/stories", "test/faults"]
/** Of these, what talks to the Redis that all tests share; the others start servers of their own in any case. */
const onCluster = ["test/store", "test/queue", "test/stories"]

const names = [...engines.map(({ name }) => name), "cluster"]
const { positionals } = parseArgs({ allowPositionals: true, strict: false })
const chosen = positionals.filter((word) => names.includes(word))
const paths = positionals.filter((word) => !names.includes(word))

const skipped: string[] = []
const failed: string[] = []
for (const name of chosen.length === 0 ? names : chosen) await tryEngine(name)
for (const line of skipped) console.log(`skipped ${line}`)
console.log(failed.length === 0 ? "engines: all green" : `engines: failed on ${failed.join(", ")}`)
if (failed.length > 0) process.exitCode = 1

async function tryEngine(name: string): Promise<void> {
  const engine = engines.find((one) => one.name === name)
  if (engine === undefined) return tryCluster()
  const brought = await bringEngine(engine, process.env)
  if ("missing" in brought) {
    skipped.push(`${name} (${engine.about}): ${brought.missing}`)
    return
  }
  console.log(`\n== ${engine.about}`)
  const env = { ...process.env, PATH: `${brought.path}:${process.env["PATH"]}`, REDIS_URL: "" }
  if (!(await runs(paths.length === 0 ? suites : paths, env))) failed.push(name)
}

async function tryCluster(): Promise<void> {
  console.log("\n== a Redis Cluster of three servers")
  const cluster = await startCluster()
  try {
    const env = { ...process.env, REDIS_URL: cluster.url }
    if (!(await runs(paths.length === 0 ? onCluster : paths, env))) failed.push("cluster")
  } finally {
    await cluster.stop()
  }
}

/** True if all tests below these paths passed. */
async function runs(below: readonly string[], env: NodeJS.ProcessEnv): Promise<boolean> {
  const vitest = ["node_modules/vitest/vitest.mjs", "run", "--config", "test/vitest.config.ts"]
  const child = spawn(process.execPath, [...vitest, ...below], { cwd: root, env, stdio: "inherit" })
  const [code] = await once(child, "exit")
  return code === 0
}
