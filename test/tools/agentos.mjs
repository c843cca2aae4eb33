// Brings what `npm run test:agentos` runs against: Python, and a virtual environment for each version of agno and of
// A2A's own client.
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { homedir } from "node:os"
import { join } from "node:path"
import { cacheFolder } from "../../src/setup/cache-folder.mjs"
import { installDebian, isRoot } from "../../src/setup/debian.mjs"
import { run } from "../../src/setup/processes.mjs"

/** What users install today, and the version whose API the specification is. */
const versions = ["3.1.10", "2.7.2"]

/** The versions of agno to test against: those that AGNO_VERSION names, parted by spaces or commas, else both. */
export function agnoVersions(/** @type {NodeJS.ProcessEnv} */ env) {
  const named = (env["AGNO_VERSION"] ?? "").split(/[\s,]+/).filter(Boolean)
  for (const version of named) {
    if (!/^\d+(\.\w+)*$/.test(version))
      throw new Error(`AGNO_VERSION names "${version}", which is no version like 3.1.10`)
  }
  return named.length === 0 ? versions : named
}

/** The versions of A2A's own SDK for Python: 0.3 speaks protocol 0.3.0, and 1 speaks it where a card asks for it. */
const a2aSdks = ["0.3.26", "1.3.0"]

/** The Pythons that the package of the gate is for (integrations/agno). */
const pythons = ["3.10", "3.11", "3.12", "3.13"]

/** The packages of the requirements that its tests need beside agno. */
const neededByGate = /^(?:sqlalchemy|aiosqlite|cryptography|redis)\b/

/**
 * The Pythons of this machine that have the newest agno for the tests of the gate, once they are installed, by version.
 * @param {NodeJS.ProcessEnv} env
 * @returns {readonly { readonly version: string, readonly python: string }[]}
 */
export function gatePythons(env) {
  const all = pythons.map((version) => ({ version, python: pythonWith(`python-${version}`, env) }))
  return all.filter(({ python }) => existsSync(python))
}

/**
 * The Pythons that have A2A's own SDK, whether it is installed yet or not, by its version.
 * @param {NodeJS.ProcessEnv} env
 */
export function a2aPythons(env) {
  return a2aSdks.map((version) => ({ version, python: pythonWith(nameOfSdk(version), env) }))
}

/** @type {(version: string) => string} */
function nameOfSdk(version) {
  return `a2a-sdk-${version}`
}

/**
 * The Python that has a version of agno, whether it is installed yet or not.
 * @param {string} version
 * @param {NodeJS.ProcessEnv} env
 */
export function pythonWith(version, env) {
  return join(placeOf(version, env), "bin", "python")
}

/**
 * Makes sure that each version can be started. Throws an error that says what to do where that fails.
 * @param {import("../../src/setup/processes.mjs").Machine & { readonly requirements: string }} options `requirements` is the file
 *   that names what is needed beside agno
 */
export async function installAgentOs({ env, requirements, log }) {
  const wanted = readFileSync(requirements, "utf8")
  const agnos = agnoVersions(env).map((version) => ({
    name: version,
    title: `agno ${version}`,
    packages: [`agno==${version}`, "-r", requirements],
    mark: wanted,
  }))
  const sdks = a2aSdks.map((version) => {
    const name = nameOfSdk(version)
    return { name, title: `a2a-sdk ${version}`, packages: [`a2a-sdk==${version}`], mark: name }
  })
  for (const { name, title, packages, mark } of [...agnos, ...sdks]) {
    if (isInstalled(name, mark, env)) continue
    const python = (await findPython(env)) ?? (await installPython({ env, log }))
    log(`installing ${title}, once`)
    await makeEnvironment({ env, name, python, packages })
    writeFileSync(markOf(name, env), mark)
  }
  await installOthers({ env, wanted, log })
}

/**
 * The tests of the gate's package run on each Python of this machine that AgentOS does not run on already.
 * @param {{ readonly env: NodeJS.ProcessEnv, readonly wanted: string, readonly log: (line: string) => void }} options
 */
async function installOthers({ env, wanted, log }) {
  const [newest = ""] = agnoVersions(env)
  const lines = wanted.split("\n").filter((line) => neededByGate.test(line))
  // Not every version is there for every Python.
  const packages = [`agno==${newest}`, ...lines.map((line) => line.replace("==", "<="))]
  const others = pythons.filter((version) => !existsSync(join(placeOf(newest, env), "lib", `python${version}`)))
  for (const version of others) {
    const name = `python-${version}`
    const python = isInstalled(name, packages.join(" "), env) ? undefined : await findVersion(version, env)
    if (python === undefined) continue
    log(`installing agno ${newest} for Python ${version}, once`)
    await makeEnvironment({ env, name, python, packages })
    writeFileSync(markOf(name, env), packages.join(" "))
  }
}

/**
 * A Python of this very version that can make environments, on the path or as pyenv keeps it.
 * @type {(version: string, env: NodeJS.ProcessEnv) => Promise<string | undefined>}
 */
async function findVersion(version, env) {
  const kept = globSync(
    join(env["PYENV_ROOT"] ?? join(env["HOME"] ?? homedir(), ".pyenv"), `versions/${version}.*/bin/python`),
  )
  for (const python of [...kept, `python${version}`]) {
    if ((await run([python, "-c", "import ensurepip, venv"], { env })).code === 0) return python
  }
  return undefined
}

/** @type {(version: string, env: NodeJS.ProcessEnv) => string} */
function placeOf(version, env) {
  return join(cacheFolder(env), "agentos", version)
}

/**
 * Written last, so that a half-made environment is made anew. @type {(version: string, env: NodeJS.ProcessEnv) =>
 * string}
 */
function markOf(version, env) {
  return join(placeOf(version, env), "complete")
}

/** @type {(version: string, wanted: string, env: NodeJS.ProcessEnv) => boolean} */
function isInstalled(version, wanted, env) {
  const mark = markOf(version, env)
  return existsSync(mark) && readFileSync(mark, "utf8") === wanted && existsSync(pythonWith(version, env))
}

/**
 * A Python of 3.10 or later that can make environments. @type {(env: NodeJS.ProcessEnv) => Promise<string | undefined>}
 */
async function findPython(env) {
  const fit = "import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 10))"
  for (const python of ["python3", "/usr/bin/python3"]) {
    if ((await run([python, "-c", fit], { env })).code === 0) return python
  }
  return undefined
}

/** @type {(machine: import("../../src/setup/processes.mjs").Machine) => Promise<string>} */
async function installPython({ env, log }) {
  const todo =
    "Install Python 3.10 or later with its venv module (Debian: apt-get install python3 python3-venv) and try again."
  if (!isRoot()) throw new Error(`No Python that can make virtual environments was found. ${todo}`)
  log("no Python that can make virtual environments found, installing one (apt-get install python3 python3-venv)")
  const failure = await installDebian(["python3", "python3-venv"], env)
  if (failure !== undefined) throw new Error(`apt-get failed: ${failure}\n${todo}`)
  const python = await findPython(env)
  if (python === undefined) throw new Error(`apt-get brought no Python 3.10 or later. ${todo}`)
  return python
}

/**
 * @typedef {{ readonly env: NodeJS.ProcessEnv, readonly name: string, readonly python: string, readonly packages:
 *   readonly string[] }} Wanted
 * @param {Wanted} options `packages` as pip takes them
 */
async function makeEnvironment({ env, name, packages, python }) {
  const place = placeOf(name, env)
  rmSync(place, { recursive: true, force: true })
  mkdirSync(place, { recursive: true })
  await demand([python, "-m", "venv", place], env, "The message above is Python's.")
  const install = [pythonWith(name, env), "-m", "pip", "install", "-q", "--disable-pip-version-check"]
  const todo = "It needs the network, once."
  await demand([...install, ...packages], env, todo)
}

/** The environment of the tools that read the interface description. */
const openApiTools = "openapi-tools"

/**
 * Makes sure that the tools of `npm run test:openapi` can be started.
 * @param {import("../../src/setup/processes.mjs").Machine & { readonly requirements: string }} options `requirements` names them
 */
export async function installOpenApiTools({ env, requirements, log }) {
  const wanted = readFileSync(requirements, "utf8")
  if (isInstalled(openApiTools, wanted, env)) return
  const python = (await findPython(env)) ?? (await installPython({ env, log }))
  log("installing the tools that read the interface description, once")
  await makeEnvironment({ env, name: openApiTools, python, packages: ["-r", requirements] })
  writeFileSync(markOf(openApiTools, env), wanted)
}

/** The Python that has these tools; their programs stand beside it. */
export function openApiPython(/** @type {NodeJS.ProcessEnv} */ env) {
  return pythonWith(openApiTools, env)
}

/** @type {(command: readonly string[], env: NodeJS.ProcessEnv, todo: string) => Promise<void>} */
async function demand(command, env, todo) {
  const { code, output } = await run(command, { env })
  if (code !== 0) throw new Error(`${command.join(" ")} failed:\n${output}\n${todo}`)
}
