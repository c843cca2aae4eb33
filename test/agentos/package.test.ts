// The package of the gate (integrations/agno): its own tests on each agno, its types and style, and the wheel that it
// builds, on every Python that is to be had.
import { cpSync, mkdtempSync, readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { basename, join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, beforeAll, expect, test } from "vitest"
import { run } from "../../src/setup/processes.mjs"
import { terminalEnv } from "../support/terminal.ts"
import { gatePythons, pythonWith } from "../tools/agentos.mjs"
import { gatePackage, VERSIONS } from "./agentos.ts"

const cwd = fileURLToPath(new URL("../../integrations/agno", import.meta.url))

/** What a program said, if it ended well. `path` is where it finds the package. */
async function saidBy(
  command: readonly string[],
  { from = cwd, path = gatePackage }: { readonly from?: string; readonly path?: string } = {},
): Promise<string> {
  const env = { ...terminalEnv, PYTHONPATH: path, PYTHONDONTWRITEBYTECODE: "1" }
  const { code, output } = await run(command, { env, cwd: from })
  if (code !== 0) throw new Error(`${command.join(" ")} ended with ${code}:\n${output}`)
  return output
}

let place = ""
let wheel = ""

/** The wheel, built as an installer builds it. */
beforeAll(async () => {
  place = mkdtempSync(join(tmpdir(), "countersign-wheel-"))
  cpSync(cwd, join(place, "source"), { recursive: true })
  const build = "import os, sys; from setuptools.build_meta import build_wheel; os.chdir('source'); build_wheel('..')"
  await saidBy([pythonWith(VERSIONS[0] ?? "", process.env), "-c", build], { from: place })
  wheel = join(place, readdirSync(place).find((name) => name.endsWith(".whl")) ?? "none")
})

afterAll(() => rmSync(place, { recursive: true, force: true }))

const pythons = [
  ...VERSIONS.map((version) => ({ name: `agno ${version}`, python: pythonWith(version, process.env) })),
  ...gatePythons(process.env).map(({ version, python }) => ({ name: `Python ${version}`, python })),
]

test.concurrent.each(pythons)(
  "the wheel passes its own tests with $name, the ten thousand vectors and bodies among them",
  async ({ python }) => {
    expect(await saidBy([python, "-m", "unittest", "--quiet"], { path: wheel })).toMatch(/OK$/m)
  },
)

test.each(VERSIONS)("the package has types beside agno %s, and the style of ruff", async (version) => {
  const said = (...args: readonly string[]) => saidBy([pythonWith(version, process.env), "-m", ...args])

  expect(await said("mypy", "--no-incremental")).toContain("no issues found")
  expect(await said("ruff", "check", "--no-cache")).toContain("All checks passed")
  expect(await said("ruff", "format", "--check", "--no-cache")).toContain("already formatted")
})

test("the wheel holds the package and nothing else", async () => {
  const names = await saidBy([pythonWith(VERSIONS[0] ?? "", process.env), "-m", "zipfile", "-l", wheel])

  expect(basename(wheel)).toBe("countersign_agno-0.1.0-py3-none-any.whl")
  expect(names).toContain("countersign_agno/py.typed")
  expect(names).not.toContain("tests/")
})

test("the bench of the package says what the gate adds to a call, and reads beside many rows", async () => {
  const python = pythonWith(VERSIONS[0] ?? "", process.env)

  const said = await saidBy([python, "-m", "bench.cost", "3", "200"], { path: wheel })

  expect(said).toMatch(/^the gate adds -?\d+\.\d\d ms$/m)
  expect(said).toMatch(/^a member's call beside 200 rows of its team: \d+\.\d\d ms; all of these rows: \d+\.\d\d ms$/m)
})
