// The first stage of the Dockerfile, run as it stands: it makes the package that npm users get, which the tests of
// containers take for the image.
import { createHash } from "node:crypto"
import { globSync, lstatSync, readFileSync } from "node:fs"
import { delimiter, dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { expect, test } from "vitest"
import { aFolder } from "../support/opened.ts"
import { terminalEnv } from "../support/terminal.ts"
import { reachesBuild, runBuildStage } from "./containers/build-stage.ts"

const root = fileURLToPath(new URL("../..", import.meta.url))

/** What is in a folder: each file with its digest. */
function filesOf(folder: string): ReadonlyMap<string, string> {
  const files = globSync("**/{*,.*}", { cwd: folder }).filter((file) => lstatSync(join(folder, file)).isFile())
  return new Map(
    files.map((file) => [
      file,
      createHash("sha256")
        .update(readFileSync(join(folder, file)))
        .digest("hex"),
    ]),
  )
}

test("the first stage makes the package from what .dockerignore lets through, file for file", async () => {
  const home = aFolder("stage")
  const path = [dirname(process.execPath), terminalEnv["PATH"]].join(delimiter)
  const env = { ...terminalEnv, PATH: path, npm_config_prefer_offline: "true" }

  await runBuildStage({ project: root, context: join(home, "context"), folder: join(home, "build"), env })

  const [made, meant] = [filesOf(join(home, "build/dist")), filesOf(join(root, "dist"))]
  const names = [...new Set([...made.keys(), ...meant.keys()])]
  expect(meant.size).toBeGreaterThan(5_000)
  expect(names.filter((name) => made.get(name) !== meant.get(name))).toEqual([])
  expect(globSync("*", { cwd: join(home, "build/data") })).toEqual([])
}, 600_000)

test("a .dockerignore lets through what it names and what lies in it, and no other", () => {
  const reaches = reachesBuild("# all but\n*\n!src\n!README.md\n")

  expect(["src/cli/main.ts", "README.md", "src2/x", ".env", "docs/README.md"].filter(reaches)).toEqual([
    "src/cli/main.ts",
    "README.md",
  ])
  expect(() => reachesBuild("*\n!docs/*.md\n")).toThrow("nobody reads these lines of .dockerignore: *, !docs/*.md")
})
