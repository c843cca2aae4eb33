// Installs the project's packages if they are missing, or are not those of package-lock.json.
import { existsSync, readFileSync } from "node:fs"
import { basename, join } from "node:path"
import { run } from "./processes.mjs"

/**
 * Makes sure that node_modules holds what package-lock.json names. Needs the network only if something is missing.
 * Throws if npm fails.
 * @param {{ readonly root: string, readonly env: NodeJS.ProcessEnv, readonly log: (line: string) => void }} options
 *   `root` is the folder of package.json; `log` is called only for an installation
 */
export async function installPackages({ root, env, log }) {
  if (packagesMatchLock(root)) return
  log("installing the packages, once")
  const flags = ["--no-audit", "--no-fund", "--no-save", "--include=dev", "--include=optional", "--loglevel=error"]
  const { code, output } = await run([...npmCommand(env), "install", ...flags], { env, cwd: root })
  if (code !== 0) {
    throw new Error(
      `npm install failed in ${root}. The first run needs the network and a folder that may be written. ` +
        `npm said:\n${output}`,
    )
  }
}

/**
 * Compares package-lock.json with npm's own record of its last complete installation. A package for another platform
 * (optional) may be absent, but a package that is there must have the locked version.
 * @param {string} root
 * @returns {boolean}
 */
export function packagesMatchLock(root) {
  const installedFile = join(root, "node_modules", ".package-lock.json")
  if (!existsSync(installedFile)) return false
  const installed = packagesIn(installedFile)
  return Object.entries(packagesIn(join(root, "package-lock.json"))).every(([path, { version, optional }]) => {
    const found = installed[path]
    return path === "" || (found ? found.version === version : optional === true)
  })
}

/**
 * @param {string} lockFile
 * @returns {Record<string, { readonly version?: string, readonly optional?: boolean }>}
 */
function packagesIn(lockFile) {
  return JSON.parse(readFileSync(lockFile, "utf8")).packages
}

/**
 * The npm that runs us, started by the same Node (PATH may name a Node that this installation is about to replace);
 * else the npm on PATH.
 * @param {NodeJS.ProcessEnv} env
 * @returns {string[]}
 */
export function npmCommand(env) {
  const running = env["npm_execpath"]
  return running && basename(running) === "npm-cli.js" ? [process.execPath, running] : ["npm"]
}
