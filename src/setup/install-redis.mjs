// Brings a Redis server onto this machine: by the package manager, or unpacked into a cache folder of the user's own.
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from "node:fs"
import { homedir } from "node:os"
import { join } from "node:path"
import { run } from "./processes.mjs"

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
 * Downloads what is missing here of redis-server's packages and unpacks them. The folder appears under its final name only when
 * it is complete, so that others who do the same at the same time cannot see half of it.
 * @type {Way["install"]}
 */
async function unpackDebianPackages(env) {
  mkdirSync(cacheFolder(env), { recursive: true, mode: 0o700 })
  const work = mkdtempSync(join(cacheFolder(env), "redis-"))
  try {
    const failure = await downloadAndUnpack(env, work)
    if (failure !== undefined) return failure
    return putInPlace(join(work, "root"), join(cacheFolder(env), "redis"))
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

/**
 * @param {NodeJS.ProcessEnv} env
 * @param {string} work an empty folder; the packages end in `root` below it
 * @returns {Promise<string | undefined>}
 */
async function downloadAndUnpack(env, work) {
  for (const folder of ["lists/partial", "cache/archives/partial", "root"])
    mkdirSync(join(work, folder), { recursive: true })
  const own = [
    `Dir::State::lists=${work}/lists`,
    `Dir::Cache=${work}/cache`,
    "Debug::NoLocking=1",
    "APT::Sandbox::User=",
  ]
  const options = ["-q", ...own.flatMap((option) => ["-o", option])]
  const updated = await run(["apt-get", ...options, "update"], { env })
  if (updated.code !== 0) return failureOf(updated)
  const planned = await run(["apt-get", ...options, "-s", "install", "--no-install-recommends", "redis-server"], {
    env,
  })
  if (planned.code !== 0) return failureOf(planned)
  const packages = new Set(["redis-server", "redis-tools", ...missingPackages(planned.output)])
  const downloaded = await run(["apt-get", ...options, "download", ...packages], { env, cwd: work })
  if (downloaded.code !== 0) return failureOf(downloaded)
  for (const file of readdirSync(work).filter((name) => name.endsWith(".deb"))) {
    const unpacked = await run(["dpkg", "-x", join(work, file), join(work, "root")], { env })
    if (unpacked.code !== 0) return failureOf(unpacked)
  }
  return undefined
}

/**
 * What a simulated installation would add; its lines read `Inst libatomic1 (12.2.0-14 Debian:12/stable [amd64])`.
 * @param {string} plan
 * @returns {string[]}
 */
function missingPackages(plan) {
  return [...plan.matchAll(/^Inst (\S+)/gm)].map(([, name = ""]) => name)
}

/**
 * @param {string} made
 * @param {string} place
 * @returns {string | undefined}
 */
function putInPlace(made, place) {
  if (!programIn(made)) return "the packages hold no redis-server"
  try {
    renameSync(made, place)
  } catch (error) {
    if (!programIn(place)) throw error // otherwise somebody else was faster, and theirs is as good
  }
  return undefined
}

/**
 * @param {string} root where Debian packages were unpacked
 * @returns {RedisProgram | undefined}
 */
function programIn(root) {
  const command = join(root, "usr/bin/redis-server")
  if (!existsSync(command)) return undefined
  const tops = [join(root, "usr/lib"), join(root, "lib")].filter((folder) => existsSync(folder))
  const triplets = tops.flatMap((top) =>
    readdirSync(top)
      .filter((name) => name.includes("-linux-"))
      .map((name) => join(top, name)),
  )
  return { command, env: { LD_LIBRARY_PATH: [...triplets, ...tops].join(":") } }
}

/** @param {NodeJS.ProcessEnv} env */
function cacheFolder(env) {
  const base = env["XDG_CACHE_HOME"] || join(env["HOME"] || homedir(), ".cache")
  return join(base, "countersign")
}

/**
 * @param {import("./processes.mjs").Ended} ended
 * @returns {string | undefined} the last line that was written, or nothing when all went well
 */
function failureOf({ code, output }) {
  if (code === 0) return undefined
  return (
    output
      .split("\n")
      .findLast((line) => line.trim() !== "")
      ?.trim() ?? `exit code ${code}`
  )
}
