// Brings Debian packages: installs them as root, or unpacks them into the user's own cache folder, which needs no root.
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { cacheFolder } from "./cache-folder.mjs"
import { run } from "./processes.mjs"

/**
 * Installs packages, as root. If this fails, returns why.
 * @param {readonly string[]} packages
 * @param {NodeJS.ProcessEnv} env
 */
export async function installDebian(packages, env) {
  const quiet = { ...env, DEBIAN_FRONTEND: "noninteractive" }
  const updated = failureOf(await run(["apt-get", "update", "-q"], { env: quiet }))
  if (updated !== undefined) return updated
  const options = ["-o", "DPkg::Lock::Timeout=120", "install", "--no-install-recommends", "-qy"]
  return failureOf(await run(["apt-get", ...options, ...packages], { env: quiet }))
}

/** True if we may install packages. */
export function isRoot() {
  return process.getuid?.() === 0
}

/**
 * Packages to unpack into `folder` of the cache folder: `packages`, and what else this machine would install for
 * `neededBy`. They come from the sources of this machine, or, with `suite`, from another suite of Debian, such as
 * `bookworm-backports`. `isComplete` tells whether all that is wanted lies below a root.
 * @typedef {{ readonly env: NodeJS.ProcessEnv, readonly folder: string, readonly packages: readonly string[],
 *   readonly neededBy?: string, readonly suite?: string, readonly isComplete: (root: string) => boolean }} Unpacking
 */

/**
 * Downloads and unpacks. The folder gets its final name only once it is complete: another process that does the same at
 * the same time never sees half of it. If this fails, returns why.
 * @param {Unpacking} unpacking
 * @returns {Promise<string | undefined>}
 */
export async function unpackPackages(unpacking) {
  const { env, folder } = unpacking
  mkdirSync(cacheFolder(env), { recursive: true, mode: 0o700 })
  const work = mkdtempSync(join(cacheFolder(env), `${folder}-`))
  try {
    const failure = await downloadAndUnpack(unpacking, work)
    if (failure !== undefined) return failure
    return putInPlace(unpacking, join(work, "root"))
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

/**
 * @param {Unpacking} unpacking
 * @param {string} work an empty folder; the packages end in `root` below it
 * @returns {Promise<string | undefined>}
 */
async function downloadAndUnpack({ env, packages, neededBy, suite }, work) {
  for (const folder of ["lists/partial", "cache/archives/partial", "root"])
    mkdirSync(join(work, folder), { recursive: true })
  const own = [
    `Dir::State::lists=${work}/lists`,
    `Dir::Cache=${work}/cache`,
    "Debug::NoLocking=1",
    "APT::Sandbox::User=",
    ...(suite === undefined ? [] : await sourcesOf(suite, work, env)),
  ]
  const options = ["-q", ...own.flatMap((option) => ["-o", option])]
  const updated = await run(["apt-get", ...options, "update"], { env })
  if (updated.code !== 0) return failureOf(updated)
  const all = new Set(packages)
  if (neededBy !== undefined) {
    const planned = await run(["apt-get", ...options, "-s", "install", "--no-install-recommends", neededBy], { env })
    if (planned.code !== 0) return failureOf(planned)
    for (const name of missingPackages(planned.output)) all.add(name)
  }
  // Packages that are installed here may be newer than those of that suite.
  const wanted = [...all].map((name) => (suite !== undefined && packages.includes(name) ? `${name}/${suite}` : name))
  const downloaded = await run(["apt-get", ...options, "download", ...wanted], { env, cwd: work })
  if (downloaded.code !== 0) return failureOf(downloaded)
  for (const file of readdirSync(work).filter((name) => name.endsWith(".deb"))) {
    const unpacked = await run(["dpkg", "-x", join(work, file), join(work, "root")], { env })
    if (unpacked.code !== 0) return failureOf(unpacked)
  }
  return undefined
}

/**
 * Writes a list of sources for one suite of Debian, on the mirrors that this machine uses. Returns apt's options for
 * this list.
 * @type {(suite: string, work: string, env: NodeJS.ProcessEnv) => Promise<string[]>}
 */
async function sourcesOf(suite, work, env) {
  const { output } = await run(["apt-get", "indextargets", "--format", "$(SITE)"], { env })
  const mirrors = new Set(output.split("\n").filter((line) => /\/debian\/?$/.test(line)))
  const keyring = "/usr/share/keyrings/debian-archive-keyring.gpg"
  const signed = existsSync(keyring) ? `[signed-by=${keyring}] ` : ""
  // Backports need packages of the release that they are for.
  const suites = [...new Set([suite.replace(/-.*/, ""), suite])]
  const lines = [...mirrors].flatMap((mirror) => suites.map((one) => `deb ${signed}${mirror} ${one} main`))
  writeFileSync(join(work, "sources.list"), `${lines.join("\n")}\n`)
  return [`Dir::Etc::sourcelist=${work}/sources.list`, "Dir::Etc::sourceparts=-"]
}

/**
 * The packages that a simulated installation adds, by lines such as `Inst libatomic1 (12.2.0-14 Debian:12/stable)`.
 * @param {string} plan
 * @returns {string[]}
 */
function missingPackages(plan) {
  return [...plan.matchAll(/^Inst (\S+)/gm)].map(([, name = ""]) => name)
}

/**
 * @param {Unpacking} unpacking
 * @param {string} made
 * @returns {string | undefined}
 */
function putInPlace({ env, folder, isComplete }, made) {
  const place = join(cacheFolder(env), folder)
  if (!isComplete(made)) return "the packages do not hold what was looked for"
  if (existsSync(place) && !isComplete(place)) rmSync(place, { recursive: true, force: true })
  try {
    renameSync(made, place)
  } catch (error) {
    if (!isComplete(place)) throw error // otherwise somebody else was faster, and theirs is as good
  }
  return undefined
}

/**
 * The last line that a program wrote; undefined if all went well.
 * @param {import("./processes.mjs").Ended} ended
 * @returns {string | undefined}
 */
export function failureOf({ code, output }) {
  if (code === 0) return undefined
  return (
    output
      .split("\n")
      .findLast((line) => line.trim() !== "")
      ?.trim() ?? `exit code ${code}`
  )
}

/**
 * The `LD_LIBRARY_PATH` by which programs that were unpacked below a root find their libraries.
 * @param {string} root
 * @returns {string}
 */
export function libraryPath(root) {
  const tops = [join(root, "usr/lib"), join(root, "lib")].filter((folder) => existsSync(folder))
  const triplets = tops.flatMap((top) =>
    readdirSync(top)
      .filter((name) => name.includes("-linux-"))
      .map((name) => join(top, name)),
  )
  return [...triplets, ...tops].join(":")
}
