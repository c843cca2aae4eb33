// Finds the programs that some tests need, a Chromium and a promtool, and brings Debian's when there is none.
import { join } from "node:path"
import { cacheFolder } from "../cache-folder.mjs"
import { isExecutable, pathFolders } from "../processes.mjs"
import { installDebian, isRoot, unpackPackages } from "./debian.mjs"

/** @typedef {import("../processes.mjs").Machine} Machine */

/** What Chromium is called on different systems, the one that we test with first. */
const CHROMIUM_NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"]

/** Without the font emoji are empty boxes. */
const CHROMIUM_PACKAGES = ["chromium", "fonts-noto-color-emoji"]

/**
 * The path of a Chromium: `CHROMIUM` if it is set, else one on PATH, else installed by apt-get as root, which needs the
 * network once. Throws an error that says what to do when there is none.
 * @param {Machine} machine
 * @returns {Promise<string>}
 */
export async function findChromium({ env, log }) {
  const found = env["CHROMIUM"] || onPath(CHROMIUM_NAMES, env)
  if (found) return found
  if (isRoot()) log("no Chromium found, installing one (apt-get install chromium)")
  const failure = isRoot() ? await installDebian(CHROMIUM_PACKAGES, env) : "only root may install it"
  const installed = onPath(CHROMIUM_NAMES, env)
  if (installed) return installed
  throw new Error(
    `The browser tests need Chromium, which is not installed${failure === undefined ? "" : `: ${failure}`}.\n` +
      `Install it (Debian: apt-get install ${CHROMIUM_PACKAGES.join(" ")}), ` +
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

/** @type {(names: readonly string[], env: NodeJS.ProcessEnv) => string | undefined} */
function onPath(names, env) {
  return names.flatMap((name) => pathFolders(env).map((folder) => join(folder, name))).find(isExecutable)
}
