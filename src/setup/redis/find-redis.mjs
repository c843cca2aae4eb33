// Finds a Redis server program on this machine, and installs one when there is none.
import { delimiter, join } from "node:path"
import { isExecutable, run } from "../processes.mjs"
import { installRedis, unpackedRedis } from "./install-redis.mjs"

/**
 * A server program. `env` is all of the environment that its process needs.
 * @typedef {{ readonly command: string, readonly env: Readonly<Record<string, string>> }} RedisProgram
 * @typedef {(line: string) => void} Log
 */

/** The oldest server that BullMQ accepts. */
const OLDEST = [6, 2]

/**
 * Finds `redis-server` or `valkey-server` (6.2 or later): on PATH, else as an earlier call unpacked it, else by installing it, which
 * needs the network once. Safe to call from several processes at once. Throws an error that says what to do when all of it fails.
 * @param {{ readonly env: NodeJS.ProcessEnv, readonly log: Log }} options `log` hears of an installation only
 * @returns {Promise<RedisProgram>}
 */
export async function findRedis({ env, log }) {
  const found = await existingRedis(env)
  if (found) return found
  const tried = await installRedis({ env, log })
  const installed = await existingRedis(env)
  if (installed) return installed
  throw new Error(
    `No Redis server was found and none could be installed. ${tried}\n` +
      "Install Redis 6.2 or later (Debian: apt-get install redis-server, macOS: brew install redis), " +
      "or set REDIS_URL to a server that runs already, for example REDIS_URL=redis://127.0.0.1:6379",
  )
}

/**
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<RedisProgram | undefined>}
 */
async function existingRedis(env) {
  /** @type {RedisProgram[]} */
  const candidates = programsOnPath(env).map((command) => ({ command, env: {} }))
  const unpacked = unpackedRedis(env)
  if (unpacked) candidates.push(unpacked)
  for (const candidate of candidates) {
    if (await isRecentEnough(candidate)) return candidate
  }
  return undefined
}

/**
 * @param {NodeJS.ProcessEnv} env
 * @returns {string[]}
 */
function programsOnPath(env) {
  const folders = (env["PATH"] ?? "").split(delimiter).filter(Boolean)
  const paths = folders.flatMap((folder) => [join(folder, "redis-server"), join(folder, "valkey-server")])
  return paths.filter(isExecutable)
}

/**
 * Whether the program runs here at all and is not too old; it prints `Redis server v=7.0.15 …`.
 * @param {RedisProgram} program
 */
async function isRecentEnough({ command, env }) {
  const { code, output } = await run([command, "--version"], { env: { ...env }, timeoutMs: 10_000 })
  const [, major, minor] = /\bv=(\d+)\.(\d+)/.exec(output) ?? []
  if (code !== 0 || major === undefined || minor === undefined) return false
  const [oldestMajor = 0, oldestMinor = 0] = OLDEST
  return Number(major) > oldestMajor || (Number(major) === oldestMajor && Number(minor) >= oldestMinor)
}
