// The package of the gate (integrations/agno): its own tests on each agno, its types and style, and the wheel that it
// builds, on every Python that is to be had.
import { cpSync, mkdtempSync, readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { describe, expect, onTestFinished, test } from "vitest"
import { run } from "../../src/setup/processes.mjs"
import { pythonWith } from "../../src/setup/tools/agentos.mjs"
import { terminalEnv } from "../support/terminal.ts"
import { gatePackage, VERSIONS } from "./agentos.ts"

const cwd = fileURLToPath(new URL("../../integrations/agno", import.meta.url))
const env = { ...terminalEnv, PYTHONPATH: gatePackage, PYTHONDONTWRITEBYTECODE: "1" }

/** What a program said, if it ended well. */
async function saidBy(command: readonly string[], from = cwd): Promise<string> {
  const { code, output } = await run(command, { env, cwd: from })
  if (code !== 0) throw new Error(`${command.join(" ")} ended with ${code}:\n${output}`)
  return output
}

describe.each(VERSIONS)("beside agno %s the package of the gate", (version) => {
  const said = (args: readonly string[], from = cwd) => saidBy([pythonWith(version, process.env), ...args], from)

  test("passes its own tests, the ten thousand vectors and bodies among them", async () => {
    expect(await said(["-m", "unittest", "--quiet"])).toMatch(/OK$/m)
  })

  test("has types, and the style of ruff", async () => {
    expect(await said(["-m", "mypy", "--no-incremental"])).toContain("no issues found")
    expect(await said(["-m", "ruff", "check", "--no-cache"])).toContain("All checks passed")
    expect(await said(["-m", "ruff", "format", "--check", "--no-cache"])).toContain("already formatted")
  })

  test("builds a wheel that holds the package and nothing else", async () => {
    const place = mkdtempSync(join(tmpdir(), "countersign-wheel-"))
    onTestFinished(() => rmSync(place, { recursive: true, force: true }))
    cpSync(cwd, join(place, "source"), { recursive: true })
    const build = "import os, sys; from setuptools.build_meta import build_wheel; os.chdir('source'); build_wheel('..')"

    await said(["-c", build], place)

    const [wheel = ""] = readdirSync(place).filter((name) => name.endsWith(".whl"))
    expect(wheel).toBe("countersign_agno-0.1.0-py3-none-any.whl")
    const names = await said(["-m", "zipfile", "-l", join(place, wheel)])
    expect(names).toContain("countersign_agno/py.typed")
    expect(names).not.toContain("tests/")
  })
})

/** Pythons beside those of the environments, of which the parts that need neither agno nor cryptography are tried. */
test.each(["3.10", "3.11", "3.12", "3.13"])(
  "the canonical form is the same on Python %s, if it is there",
  async (version) => {
    const there = await run([`python${version}`, "--version"], { env })
    if (there.code !== 0) return

    expect(await saidBy([`python${version}`, "-m", "unittest", "--quiet", "tests.test_canonical"])).toMatch(/OK$/m)
  },
)
