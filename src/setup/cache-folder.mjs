// Names a folder for things that we can make again: unpacked programs, environments, compiled code.
import { homedir } from "node:os"
import { join } from "node:path"

/**
 * A folder of the user's own, which may not exist yet (https://specifications.freedesktop.org/basedir-spec/latest/).
 * @param {NodeJS.ProcessEnv} env
 */
export function cacheFolder(env) {
  const base = env["XDG_CACHE_HOME"] || join(env["HOME"] || homedir(), ".cache")
  return join(base, "countersign")
}
