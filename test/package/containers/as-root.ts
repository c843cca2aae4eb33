// Tests that start containers: only root may make namespaces and mounts as they need them. In CI nothing is skipped.
import { test } from "vitest"
import { isRoot } from "../../../src/setup/tools/debian.mjs"

if (!isRoot()) process.stderr.write("skipped: what starts containers, since only root may make their namespaces\n")

/** A test that an ordinary user's run skips, and says so. */
export const testAsRoot = test.skipIf(!isRoot())
