// Debian packages: installed as root, or unpacked into a cache folder of the user's own, which needs no root.
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { cacheFolder } from "./cache-folder.mjs"
import { run } from "./processes.mjs"

/**
 * Installs packages, as root. Returns why it failed, or nothing.
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

/** Whether we may install packages. */
export function isRoot() {
  return process.getuid?.() === 0
}

/**
 * What is unpacked: `packages`, and what else `neededBy` would install here, into `folder` of the cache folder. They
 * come from what this machine installs from, or with `suite` from another one of Debian's, such as
 * `bookworm-backports`. `isComplete` says whether all that is wanted lies below a root.
 * @typedef {{ readonly env: NodeJS.ProcessEnv, readonly folder: string, readonly packages: readonly string[],
 *   readonly neededBy?: string, readonly suite?: string, readonly isComplete: (root: string) => boolean }} Unpacking
 */

/**
 * Downloads and unpacks. The folder appears under its final name only when it is complete, so that others who do the
 * same at the same time cannot see half of it. Returns why it failed, or nothing.
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
  // What is installed here may be newer than anything in that suite.
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
 * Writes a list of sources with one suite of Debian, on the mirrors that this machine uses. Returns apt's options for
 * it.
 * @type {(suite: string, work: string, env: NodeJS.ProcessEnv) => Promise<string[]>}
 */
async function sourcesOf(suite, work, env) {
  const { output } = await run(["apt-get", "indextargets", "--format", "$(SITE)"], { env })
  const mirrors = new Set(output.split("\n").filter((line) => /\/debian\/?$/.test(line)))
  const keyring = "/usr/share/keyrings/debian-archive-keyring.gpg"
  const signed = existsSync(keyring) ? `[signed-by=${keyring}] ` : ""
  // Backports need what lies in the release that they are for.
  const suites = [...new Set([suite.replace(/-.*/, ""), suite])]
  const lines = [...mirrors].flatMap((mirror) => suites.map((one) => `deb ${signed}${mirror} ${one} main`))
  writeFileSync(join(work, "sources.list"), `${lines.join("\n")}\n`)
  return [`Dir::Etc::sourcelist=${work}/sources.list`, "Dir::Etc::sourceparts=-"]
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
 * The last line that a program wrote, or nothing when all went well.
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
 * Where programs that were unpacked below a root find their libraries, as `LD_LIBRARY_PATH` takes it.
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
