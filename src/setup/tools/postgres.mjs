// Finds a Postgres server for the tests against the real AgentOS, and unpacks Debian's when there is none.
import { existsSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { cacheFolder } from "../cache-folder.mjs"
import { isExecutable, pathFolders } from "../processes.mjs"
import { libraryPath, unpackPackages } from "./debian.mjs"

/**
 * The programs of a server. `env` is all of the environment that their processes need. `root` is where they were
 * unpacked, undefined if they were not.
 * @typedef {{ readonly bin: string, readonly env: Readonly<Record<string, string>>, readonly root?: string }}
 *   PostgresPrograms
 */

/** Where Debian keeps the programs of each version, below a root. */
const DEBIAN = "usr/lib/postgresql"

/**
 * The programs `initdb` and `postgres`: in the folder that `POSTGRES_BIN` names if it is set, else in one on PATH, else
 * where Debian installs them, else unpacked from Debian's package, which needs the network once. Throws an error that
 * says what to do when there are none.
 * @param {import("../processes.mjs").Machine & { readonly system?: string }} options `system` is the root of the
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
      "Install it (Debian: apt-get install postgresql, macOS: brew install postgresql), or set POSTGRES_BIN to the folder of its programs.",
  )
}

/** @type {(root: string) => PostgresPrograms | undefined} */
function unpackedIn(root) {
  const bin = foldersIn(root).find(isServer)
  return bin === undefined ? undefined : { bin, env: { LD_LIBRARY_PATH: libraryPath(root) }, root }
}

/** The newest version first. @type {(root: string) => string[]} */
function foldersIn(root) {
  const top = join(root, DEBIAN)
  if (!existsSync(top)) return []
  return readdirSync(top)
    .toSorted((one, other) => Number.parseInt(other, 10) - Number.parseInt(one, 10))
    .map((version) => join(top, version, "bin"))
}

/** @type {(folder: string) => boolean} */
function isServer(folder) {
  return ["initdb", "postgres"].every((program) => isExecutable(join(folder, program)))
}
