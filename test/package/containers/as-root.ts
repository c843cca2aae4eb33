// Tests that start containers: only root of a Linux may make namespaces and mounts as they need them. In CI none is
// skipped.
import { test } from "vitest"
import { isRoot } from "../../../src/setup/debian.mjs"

/** Whether such tests run here. Throws where CI is set and they cannot, so that no CI is green without them. */
export function mayStartContainers(root: boolean, env: NodeJS.ProcessEnv): boolean {
  if (root) return true
  const why = "only root of a Linux may make the namespaces of containers"
  if (env["CI"]) throw new Error(`These tests start containers, and ${why}. Run them as root, or without CI.`)
  process.stderr.write(`skipped: what starts containers, since ${why}\n`)
  return false
}

/** True where containers can be started. */
export const startsContainers = mayStartContainers(isRoot() && process.platform === "linux", process.env)

/** A test that an ordinary user's run skips, and says so. */
export const testAsRoot = test.skipIf(!startsContainers)
