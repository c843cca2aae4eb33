// Finds a Redis server on this machine. If there is none, installs it by the package manager, or unpacks its packages.
import { existsSync } from "node:fs"
import { join } from "node:path"
import { cacheFolder } from "../cache-folder.mjs"
import { failureOf, installDebian, isRoot, libraryPath, unpackPackages } from "../debian.mjs"
import { isExecutable, pathFolders, run } from "../processes.mjs"
import { OwnRedisError } from "./own-redis-error.mjs"

/**
 * A server program. `env` is the whole environment that its process needs.
 * @typedef {{ readonly command: string, readonly env: Readonly<Record<string, string>> }} RedisProgram
 */

/** The oldest server that BullMQ accepts. */
const oldest = [6, 2]

/**
 * Finds `redis-server` or `valkey-server` (6.2 or later): on PATH, else where an earlier call unpacked it. Else
 * installs it, which needs the network once. Safe to call from several processes at once. If all this fails, throws an
 * error that says what to do.
 * @param {import("../processes.mjs").Machine} machine
 * @returns {Promise<RedisProgram>}
 */
export async function findRedis({ env, log }) {
  const found = await existingRedis(env)
  if (found) return found
  const tried = await installRedis({ env, log })
  const installed = await existingRedis(env)
  if (installed) return installed
  throw new OwnRedisError(
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
  const paths = pathFolders(env).flatMap((folder) => [join(folder, "redis-server"), join(folder, "valkey-server")])
  const onPath = paths.filter(isExecutable).map((command) => ({ command, env: {} }))
  for (const candidate of [...onPath, programIn(join(cacheFolder(env), "redis"))]) {
    if (candidate !== undefined && (await isRecentEnough(candidate))) return candidate
  }
  return undefined
}

/**
 * True if the program runs here at all and is not too old. It prints `Redis server v=7.0.15 …`.
 * @param {RedisProgram} program
 */
async function isRecentEnough({ command, env }) {
  const { code, output } = await run([command, "--version"], { env: { ...env }, timeoutMs: 10_000 })
  const [, major, minor] = /\bv=(\d+)\.(\d+)/.exec(output) ?? []
  if (code !== 0 || major === undefined || minor === undefined) return false
  const [oldestMajor = 0, oldestMinor = 0] = oldest
  return Number(major) > oldestMajor || (Number(major) === oldestMajor && Number(minor) >= oldestMinor)
}

/**
 * Installs a Redis in the first way that works. Returns what was tried, in a sentence for the message if we still find
 * no server. Never throws.
 * @param {import("../processes.mjs").Machine} machine
 * @returns {Promise<string>}
 */
async function installRedis({ env, log }) {
  const failures = []
  for (const { name, install } of waysToInstall()) {
    log(`no Redis found, installing one (${name})`)
    const failure = await install(env).catch((/** @type {unknown} */ error) => String(error))
    if (failure === undefined) return `${name} reported success.`
    failures.push(`${name}: ${failure}.`)
  }
  return failures.join("\n")
}

/**
 * @typedef {{ readonly name: string, readonly install: (env: NodeJS.ProcessEnv) => Promise<string | undefined> }} Way
 */

/** @returns {Way[]} if an `install` fails, it returns why */
function waysToInstall() {
  if (process.platform === "darwin") return [{ name: "brew install redis", install: installByBrew }]
  const unpack = { name: "apt-get download into the cache folder", install: unpackDebianPackages }
  const install = (/** @type {NodeJS.ProcessEnv} */ env) => installDebian(["redis-server"], env)
  return isRoot() ? [{ name: "apt-get install redis-server", install }, unpack] : [unpack]
}

/** @type {Way["install"]} */
async function installByBrew(env) {
  return failureOf(await run(["brew", "install", "redis"], { env }))
}

/**
 * Unpacks those packages of redis-server that are missing here.
 * @type {Way["install"]}
 */
function unpackDebianPackages(env) {
  return unpackPackages({
    env,
    folder: "redis",
    packages: ["redis-server", "redis-tools"],
    neededBy: "redis-server",
    isComplete: (root) => programIn(root) !== undefined,
  })
}

/**
 * The server below a folder where Debian packages were unpacked, if there is one.
 * @param {string} root
 * @returns {RedisProgram | undefined}
 */
function programIn(root) {
  const command = join(root, "usr/bin/redis-server")
  return existsSync(command) ? { command, env: { LD_LIBRARY_PATH: libraryPath(root) } } : undefined
}
