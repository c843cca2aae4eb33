// Finds promtool, which runs the alert rules, and unpacks Debian's into the cache folder when there is none.
import { delimiter, join } from "node:path"
import { cacheFolder } from "../cache-folder.mjs"
import { isExecutable } from "../processes.mjs"
import { unpackPackages } from "./debian.mjs"

/**
 * The path of a promtool: `PROMTOOL` if it is set, else one on PATH, else unpacked from Debian's package of Prometheus, which needs the
 * network once. Throws an error that says what to do when there is none.
 * @param {{ readonly env: NodeJS.ProcessEnv, readonly log: (line: string) => void }} options `log` hears of a download only
 * @returns {Promise<string>}
 */
export async function findPromtool({ env, log }) {
  const unpacked = programIn(join(cacheFolder(env), "prometheus"))
  const found = env["PROMTOOL"] || [...onPath(env), unpacked].find(isExecutable)
  if (found) return found
  log("no promtool found, fetching one (apt-get download prometheus)")
  const isComplete = (/** @type {string} */ root) => isExecutable(programIn(root))
  const failure = await unpackPackages({ env, folder: "prometheus", packages: ["prometheus"], isComplete })
  if (failure === undefined) return unpacked
  throw new Error(
    `The alert rules are run by promtool, which is not installed, and fetching it failed: ${failure}.\n` +
      "Install Prometheus (Debian: apt-get install prometheus, macOS: brew install prometheus), " +
      "or set PROMTOOL to the path of a promtool.",
  )
}

/** @param {string} root where the package was unpacked */
function programIn(root) {
  return join(root, "usr/bin/promtool")
}

/**
 * @param {NodeJS.ProcessEnv} env
 * @returns {string[]}
 */
function onPath(env) {
  const folders = (env["PATH"] ?? "").split(delimiter).filter(Boolean)
  return folders.map((folder) => join(folder, "promtool"))
}
