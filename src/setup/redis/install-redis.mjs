// Brings a Redis server onto this machine: by the package manager, or unpacked into a cache folder of the user's own.
import { existsSync } from "node:fs"
import { join } from "node:path"
import { cacheFolder } from "../cache-folder.mjs"
import { run } from "../processes.mjs"
import { failureOf, libraryPath, unpackPackages } from "../tools/debian.mjs"

/** @typedef {import("./find-redis.mjs").RedisProgram} RedisProgram */

/**
 * Installs a Redis by the first way that fits: apt-get as root, Debian packages unpacked into the cache folder, brew. Returns a
 * sentence on what was tried, for the message when the server still cannot be found; never throws.
 * @param {{ readonly env: NodeJS.ProcessEnv, readonly log: (line: string) => void }} options
 * @returns {Promise<string>}
 */
export async function installRedis({ env, log }) {
  const failures = []
  for (const way of waysToInstall()) {
    log(`no Redis found, installing one (${way.name})`)
    const failure = await way.install(env).catch((/** @type {unknown} */ error) => String(error))
    if (failure === undefined) return `${way.name} reported success.`
    failures.push(`${way.name}: ${failure}.`)
  }
  return failures.join("\n")
}

/**
 * The server that an earlier call unpacked into the cache folder, if there is one.
 * @param {NodeJS.ProcessEnv} env
 * @returns {RedisProgram | undefined}
 */
export function unpackedRedis(env) {
  return programIn(join(cacheFolder(env), "redis"))
}

/** @typedef {{ readonly name: string, readonly install: (env: NodeJS.ProcessEnv) => Promise<string | undefined> }} Way */

/** @returns {Way[]} each `install` gives back why it failed, or nothing */
function waysToInstall() {
  if (process.platform === "darwin") return [{ name: "brew install redis", install: installByBrew }]
  const unpack = { name: "apt-get download into the cache folder", install: unpackDebianPackages }
  if (process.getuid?.() !== 0) return [unpack]
  return [{ name: "apt-get install redis-server", install: installByApt }, unpack]
}

/** @type {Way["install"]} */
async function installByBrew(env) {
  return failureOf(await run(["brew", "install", "redis"], { env }))
}

/** @type {Way["install"]} */
async function installByApt(env) {
  const quiet = { ...env, DEBIAN_FRONTEND: "noninteractive" }
  const updated = await run(["apt-get", "update", "-q"], { env: quiet })
  if (updated.code !== 0) return failureOf(updated)
  const wait = ["-o", "DPkg::Lock::Timeout=120"]
  return failureOf(
    await run(["apt-get", ...wait, "install", "--no-install-recommends", "-qy", "redis-server"], { env: quiet }),
  )
}

/**
 * Unpacks what is missing here of redis-server's packages.
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
 * @param {string} root where Debian packages were unpacked
 * @returns {RedisProgram | undefined}
 */
function programIn(root) {
  const command = join(root, "usr/bin/redis-server")
  if (!existsSync(command)) return undefined
  return { command, env: { LD_LIBRARY_PATH: libraryPath(root) } }
}
