// How the package is tried: installed into an empty folder, it stands in for src in tests of what people see and of
// every command.
import { mkdtempSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join, relative, resolve } from "node:path"
import { defineConfig, type Plugin } from "vitest/config"
import { limits } from "../support/limits.ts"

const root = resolve(import.meta.dirname, "../..")
const source = join(root, "src")

/** Outside of the clone, whose packages would stand in for what the package lacks. `installed.ts` fills it. */
const home = mkdtempSync(join(tmpdir(), "countersign-package-"))
const installed = join(home, "npm-11/node_modules/countersign")

/** Whatever a test imports of src comes from the package, but for the set-up that makes it. */
const fromPackage: Plugin = {
  name: "from-package",
  enforce: "pre",
  resolveId: (id, importer = "") => {
    const path = id.startsWith(".") ? resolve(dirname(importer), id) : id
    if (!path.startsWith(`${source}/`) || path.startsWith(`${source}/setup/`)) return undefined
    return join(installed, "src", relative(source, path).replace(/\.ts$/, ".js"))
  },
}

export default defineConfig({
  root,
  plugins: [fromPackage],
  test: {
    include: ["test/package/**/*.test.ts", "test/slack/**/*.test.ts", "test/cli/**/*.test.ts"],
    ...limits,
    env: { PACKAGE_HOME: home, COUNTERSIGN_PROGRAM: join(installed, "src/cli/countersign.mjs") },
    globalSetup: ["test/package/installed.ts", "test/package/pages/bring-curl.ts"],
    pool: "forks",
    isolate: false,
    maxWorkers: 6,
  },
})
