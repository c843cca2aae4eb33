// Finds the programs that some tests need, Chromium, promtool, Postgres and curl, and brings Debian's when there are
// none.
import { existsSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { cacheFolder } from "../../src/setup/cache-folder.mjs"
import { installDebian, isRoot, libraryPath, unpackPackages } from "../../src/setup/debian.mjs"
import { isExecutable, onPath, pathFolders } from "../../src/setup/processes.mjs"

/** @typedef {import("../../src/setup/processes.mjs").Machine} Machine */

/** What Chromium is called on different systems, the one that we test with first. */
const chromiumNames = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"]

/** Without the font emoji are empty boxes. */
const chromiumPackages = ["chromium", "fonts-noto-color-emoji"]

/**
 * The path of a Chromium: `CHROMIUM` if it is set, else one on PATH, else installed by apt-get as root, which needs the
 * network once. Throws an error that says what to do when there is none.
 * @param {Machine} machine
 * @returns {Promise<string>}
 */
export async function findChromium({ env, log }) {
  const found = env["CHROMIUM"] || onPath(chromiumNames, env)
  if (found) return found
  if (isRoot()) log("no Chromium found, installing one (apt-get install chromium)")
  const failure = isRoot() ? await installDebian(chromiumPackages, env) : "only root may install it"
  const installed = onPath(chromiumNames, env)
  if (installed) return installed
  throw new Error(
    `The browser tests need Chromium, which is not installed${failure === undefined ? "" : `: ${failure}`}.\n` +
      `Install it (Debian: apt-get install ${chromiumPackages.join(" ")}), ` +
      "or set CHROMIUM to the path of a Chromium or Chrome.",
  )
}

/**
 * The path of a promtool: `PROMTOOL` if it is set, else one on PATH, else unpacked from Debian's package of Prometheus,
 * which needs the network once. Throws an error that says what to do when there is none.
 * @param {Machine} machine
 * @returns {Promise<string>}
 */
export async function findPromtool({ env, log }) {
  const programIn = (/** @type {string} */ root) => join(root, "usr/bin/promtool")
  const isComplete = (/** @type {string} */ root) => isExecutable(programIn(root))
  const unpacked = programIn(join(cacheFolder(env), "prometheus"))
  const found = env["PROMTOOL"] || onPath(["promtool"], env) || [unpacked].find(isExecutable)
  if (found) return found
  log("no promtool found, fetching one (apt-get download prometheus)")
  const failure = await unpackPackages({ env, folder: "prometheus", packages: ["prometheus"], isComplete })
  if (failure === undefined) return unpacked
  throw new Error(
    `The alert rules are run by promtool, which is not installed, and fetching it failed: ${failure}.\n` +
      "Install Prometheus (Debian: apt-get install prometheus, macOS: brew install prometheus), " +
      "or set PROMTOOL to the path of a promtool.",
  )
}

/**
 * Sees to it that `curl` is on PATH, since pages tell people to use it: installed by apt-get as root, which needs the
 * network once. Throws an error that says what to do when there is none.
 * @param {Machine} machine
 * @returns {Promise<void>}
 */
export async function bringCurl({ env, log }) {
  if (onPath(["curl"], env)) return
  if (isRoot()) log("no curl found, installing it (apt-get install curl)")
  const failure = isRoot() ? await installDebian(["curl"], env) : "only root may install it"
  if (onPath(["curl"], env)) return
  throw new Error(
    `The pages call curl, which is not installed${failure === undefined ? "" : `: ${failure}`}.\n` +
      "Install it (Debian: apt-get install curl) and try again.",
  )
}

/**
 * The programs of a server. `env` is all of the environment that their processes need. `root` is where they were
 * unpacked, undefined if they were not.
 * @typedef {{ readonly bin: string, readonly env: Readonly<Record<string, string>>, readonly root?: string }}
 *   PostgresPrograms
 */

/** Where Debian keeps the programs of each version, below a root. */
const debianFolder = "usr/lib/postgresql"

/**
 * The programs `initdb` and `postgres`: in the folder that `POSTGRES_BIN` names if it is set, else in one on PATH, else
 * where Debian installs them, else unpacked from Debian's package, which needs the network once. Throws an error that
 * says what to do when there are none.
 * @param {import("../../src/setup/processes.mjs").Machine & { readonly system?: string }} options `system` is the root of the
 *   system, `/` by default
 * @returns {Promise<PostgresPrograms>}
 */
export async function findPostgres({ env, log, system = "/" }) {
  const named = env["POSTGRES_BIN"]
  if (named) return { bin: named, env: {} }
  const installed = [...pathFolders(env), ...foldersIn(system)].find(isServer)
  if (installed !== undefined) return { bin: installed, env: {} }
  const root = join(cacheFolder(env), "postgres")
  const before = unpackedIn(root)
  if (before !== undefined) return before
  log("no Postgres found, fetching one (apt-get download postgresql)")
  const isComplete = (/** @type {string} */ made) => unpackedIn(made) !== undefined
  const failure = await unpackPackages({ env, folder: "postgres", packages: [], neededBy: "postgresql", isComplete })
  const unpacked = unpackedIn(root)
  if (failure === undefined && unpacked !== undefined) return unpacked
  throw new Error(
    `A test against the real AgentOS needs Postgres, which is not installed, and fetching it failed: ${failure}.\n` +
      "Install it (Debian: apt-get install postgresql, macOS: brew install postgresql), " +
      "or set POSTGRES_BIN to the folder of its programs.",
  )
}

/** @type {(root: string) => PostgresPrograms | undefined} */
function unpackedIn(root) {
  const bin = foldersIn(root).find(isServer)
  return bin === undefined ? undefined : { bin, env: { LD_LIBRARY_PATH: libraryPath(root) }, root }
}

/** The newest version first. @type {(root: string) => string[]} */
function foldersIn(root) {
  const top = join(root, debianFolder)
  if (!existsSync(top)) return []
  return readdirSync(top)
    .toSorted((one, other) => Number.parseInt(other, 10) - Number.parseInt(one, 10))
    .map((version) => join(top, version, "bin"))
}

/** @type {(folder: string) => boolean} */
function isServer(folder) {
  return ["initdb", "postgres"].every((program) => isExecutable(join(folder, program)))
}
