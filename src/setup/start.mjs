// The entry of every npm script: installs what is missing, then runs the task by Node 24. start.mjs <task> [argument…]
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { endLike, runInForeground } from "./foreground.mjs"
import { findNode } from "./node.mjs"
import { installPackages } from "./packages.mjs"
import { findRedis } from "./redis/find-redis.mjs"
import { tasks } from "./tasks.mjs"

/** @typedef {import("./foreground.mjs").End} End */

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))))

try {
  endLike(await start(process.argv.slice(2), process.env))
} catch (error) {
  log(error instanceof Error ? error.message : String(error))
  process.exitCode = 1
}

/**
 * Prepares the machine and runs the task's steps until one fails.
 * @param {readonly string[]} argv
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<End>}
 */
async function start([name = "", ...args], env) {
  const task = tasks.get(name)
  if (!task) throw new Error(`There is no task "${name}". Tasks: ${[...tasks.keys()].join(", ")}.`)
  await installPackages({ root, env, log })
  const node = findNode(join(root, "package.json"))
  // We find or install it now, even if the task could do that itself: so whatever runs next needs no network.
  if (!env["REDIS_URL"] && task.needsRedis(args)) await findRedis({ env, log })
  return runSteps(task.steps(args), { node, env: withTools(env, node) })
}

/**
 * @param {readonly import("./tasks.mjs").Step[]} steps
 * @param {{ readonly node: string, readonly env: NodeJS.ProcessEnv }} context
 * @returns {Promise<End>}
 */
async function runSteps(steps, { node, env }) {
  for (const { title, command } of steps) {
    const began = performance.now()
    const [program = "", ...args] = command
    const end = await runInForeground([program === "node" ? node : program, ...args], { env, cwd: root })
    const failed = !("code" in end) || end.code !== 0
    if (title) log(`${title}: ${failed ? "failed" : "ok"} after ${((performance.now() - began) / 1_000).toFixed(1)} s`)
    if (failed) return end
  }
  return { code: 0 }
}

/**
 * The environment with the project's tools, and the Node that runs them, first on PATH.
 * @param {NodeJS.ProcessEnv} env
 * @param {string} node
 * @returns {NodeJS.ProcessEnv}
 */
function withTools(env, node) {
  return { ...env, PATH: [dirname(node), join(root, "node_modules", ".bin"), env["PATH"]].join(":") }
}

/** @param {string} line goes to the error stream, so that the task's own output stays clean */
function log(line) {
  process.stderr.write(`countersign: ${line}\n`)
}
