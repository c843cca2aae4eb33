// Bringing AgentOS: which versions, each installed once into the cache, and a plain message when that fails.

import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { expect, test } from "vitest"
import { aFolder } from "../support/opened.ts"
import {
  a2aPythons,
  agnoVersions,
  gatePythons,
  installAgentOs,
  installOpenApiTools,
  openApiPython,
  pythonWith,
} from "./agentos.mjs"

function put(path: string, script: string): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, `#!/bin/sh\n${script}\n`)
  chmodSync(path, 0o755)
}

/**
 * A machine whose python3 makes environments, in which pip says and ends as the test wants; both note what they were
 * asked.
 */
function aMachine(pip = "exit 0") {
  const home = aFolder("machine")
  const asked = join(home, "asked")
  const requirements = join(home, "requirements.txt")
  writeFileSync(requirements, "fastapi==1\n")
  const inside = `#!/bin/sh\\nshift 5; echo pip $* >> ${asked}\\n${pip}\\n`
  const make = `/bin/mkdir -p "$3/bin"; printf '${inside}' > "$3/bin/python"; /bin/chmod +x "$3/bin/python"`
  put(join(home, "bin/python3"), `case "$1$2" in -c*) exit 0;; -mvenv) echo venv >> ${asked}; ${make};; esac`)
  const said: string[] = []
  const env = { PATH: join(home, "bin"), HOME: home, AGNO_VERSION: "3.0.11" }
  const askedFor = () => (existsSync(asked) ? readFileSync(asked, "utf8").trim().split("\n") : [])
  return { env, requirements, said, askedFor, log: (line: string) => void said.push(line) }
}

test.each([
  [undefined, ["3.1.10", "2.7.2"]],
  ["", ["3.1.10", "2.7.2"]],
  ["3.0.11", ["3.0.11"]],
  ["3.0.0a3, 2.9.0", ["3.0.0a3", "2.9.0"]],
])("AGNO_VERSION=%s means the versions %j", (named, versions) => {
  expect(agnoVersions({ AGNO_VERSION: named })).toEqual(versions)
})

test.each(["latest", "3.1.10;ls", "-r x", "../x"])("AGNO_VERSION=%s is refused", (named) => {
  expect(() => agnoVersions({ AGNO_VERSION: named })).toThrow("which is no version like 3.1.10")
})

/** What a machine with nothing is told about A2A's own SDKs, and what pip is asked for. */
const sdks = {
  said: ["installing a2a-sdk 0.3.26, once", "installing a2a-sdk 1.3.0, once"],
  asked: ["venv", "pip a2a-sdk==0.3.26", "venv", "pip a2a-sdk==1.3.0"],
}

test("a version is installed once, with what the testbed needs, and A2A's own SDKs each in a place of its own", async () => {
  const machine = aMachine()

  await installAgentOs(machine)
  await installAgentOs(machine)

  expect(machine.said).toEqual(["installing agno 3.0.11, once", ...sdks.said])
  expect(machine.askedFor()).toEqual(["venv", `pip agno==3.0.11 -r ${machine.requirements}`, ...sdks.asked])
  const pythons = [pythonWith("3.0.11", machine.env), ...a2aPythons(machine.env).map(({ python }) => python)]
  expect(pythons.filter((python) => existsSync(python))).toHaveLength(3)
})

test("other requirements are installed anew", async () => {
  const machine = aMachine()
  await installAgentOs(machine)
  writeFileSync(machine.requirements, "fastapi==2\n")

  await installAgentOs(machine)

  expect(machine.said).toEqual(["installing agno 3.0.11, once", ...sdks.said, "installing agno 3.0.11, once"])
})

test("each other Python of the machine gets what the gate's package is tested with, once", async () => {
  const machine = aMachine()
  writeFileSync(machine.requirements, "fastapi==1\nredis==8.1.0\naiosqlite==0.22.1\n")
  for (const name of ["bin/python3.12", ".pyenv/versions/3.13.0/bin/python"])
    put(join(machine.env.HOME, name), `exec ${machine.env.HOME}/bin/python3 "$@"`)

  await installAgentOs(machine)
  await installAgentOs(machine)

  const extra = (version: string) => `installing agno 3.0.11 for Python ${version}, once`
  expect(machine.said).toEqual(["installing agno 3.0.11, once", ...sdks.said, extra("3.12"), extra("3.13")])
  const pip = "pip agno==3.0.11 redis<=8.1.0 aiosqlite<=0.22.1"
  expect(machine.askedFor().slice(-4)).toEqual(["venv", pip, "venv", pip])
  expect(gatePythons(machine.env).map(({ version }) => version)).toEqual(["3.12", "3.13"])
})

test("a failing pip is told in its own words, and tried again the next time", async () => {
  const machine = aMachine("echo no such version; exit 1")

  await expect(installAgentOs(machine)).rejects.toThrow(
    /agno==3\.0\.11.* failed:\nno such version\nIt needs the network/,
  )
  await expect(installAgentOs(machine)).rejects.toThrow("no such version")
})

test("the tools that read the interface description are installed once, by their list", async () => {
  const machine = aMachine()

  await installOpenApiTools(machine)
  await installOpenApiTools(machine)

  expect(machine.said).toEqual(["installing the tools that read the interface description, once"])
  expect(machine.askedFor().map((line) => line.trim())).toEqual(["venv", `pip -r ${machine.requirements}`])
  expect(existsSync(openApiPython(machine.env))).toBe(true)
})
