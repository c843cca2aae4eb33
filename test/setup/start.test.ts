// The entry of every npm script, run as a program in a small project of its own: what it installs, what it runs, how it
// ends.
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import { packagesMatchLock } from "../../src/setup/packages.mjs"
import { limitMs } from "../support/limits.ts"
import { aFolder } from "../support/opened.ts"
import { terminalEnv } from "../support/terminal.ts"

const root = new URL("../..", import.meta.url).pathname

/** A stand-in for the program: it says what it was started with, and waits when told to. */
const program = `// A stand-in.
const args: readonly string[] = process.argv.slice(2)
if (args[0] === "fail") process.exitCode = 7
if (args[0] === "die") process.kill(process.pid, "SIGKILL")
if (args.includes("wait")) {
  process.on("SIGTERM", () => process.exit(5))
  setInterval(() => undefined, 1_000)
}
console.log(JSON.stringify({ args, major: Number(process.versions.node.split(".")[0]), pid: process.pid }))`

/** A project with our set-up, a stand-in for the program, and our packages unless `packages` says otherwise. */
function aProject({ packages = true } = {}): string {
  const project = aFolder("project")
  cpSync(join(root, "src/setup"), join(project, "src/setup"), { recursive: true })
  for (const file of ["package.json", "package-lock.json"]) cpSync(join(root, file), join(project, file))
  mkdirSync(join(project, "src/cli"), { recursive: true })
  writeFileSync(join(project, "src/cli/main.ts"), program)
  if (packages) symlinkSync(join(root, "node_modules"), join(project, "node_modules"))
  return project
}

type Run = { readonly code: number | null; readonly out: string; readonly err: string }

function launch(project: string, args: readonly string[], env: NodeJS.ProcessEnv = {}) {
  return started([process.execPath, join(project, "src/setup/start.mjs"), ...args], project, { ...process.env, ...env })
}

function started([program = "", ...args]: readonly string[], cwd: string, env: NodeJS.ProcessEnv) {
  const child = spawn(program, args, { cwd, env, stdio: ["ignore", "pipe", "pipe"] })
  onTestFinished(() => void child.kill("SIGKILL"))
  return { child, ended: outcomeOf(child) }
}

/** Whether a process with this id runs. */
function runs(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false // there is no such process
  }
}

function outcomeOf(child: ChildProcess): Promise<Run> {
  let out = ""
  let err = ""
  child.stdout?.on("data", (chunk) => (out += chunk))
  child.stderr?.on("data", (chunk) => (err += chunk))
  return new Promise((resolve) => child.on("close", (code) => resolve({ code, out, err })))
}

/** An npm that writes down that it ran, and then does what the script says. */
function anNpm(project: string, script: string): NodeJS.ProcessEnv {
  const path = join(project, "npm/npm-cli.js")
  mkdirSync(join(project, "npm"))
  writeFileSync(join(project, "npm/package.json"), "{}")
  const note = `require("node:fs").appendFileSync(${JSON.stringify(join(project, "npm-ran"))}, process.argv.slice(2).join(" ") + "\\n")`
  writeFileSync(path, `${note}\n${script}\n`)
  return { npm_execpath: path }
}

test("a task gets its arguments, a recent Node and a clean output", async () => {
  const { ended } = launch(aProject(), ["countersign", "help", "--all"])

  const { code, out, err } = await ended

  expect({ code, err }).toEqual({ code: 0, err: "" })
  expect(JSON.parse(out)).toMatchObject({ args: ["help", "--all"], major: 24 })
})

test("demo is the program's demo", async () => {
  const { out } = await launch(aProject(), ["demo", "--once"]).ended

  expect(JSON.parse(out).args).toEqual(["demo", "--once"])
})

test("the task's exit code is ours", async () => {
  expect((await launch(aProject(), ["countersign", "fail"]).ended).code).toBe(7)
})

test("a task that a signal ended ends us by the same signal", async () => {
  const { child, ended } = launch(aProject(), ["countersign", "die"])

  expect((await ended).code).toBe(null)
  expect(child.signalCode).toBe("SIGKILL")
})

test("a signal that ends us reaches the task, whose end is ours", async () => {
  const { child, ended } = launch(aProject(), ["countersign", "wait"])
  await new Promise((resolve) => child.stdout.once("data", resolve))

  child.kill("SIGTERM")

  expect((await ended).code).toBe(5)
})

test.each([
  ["npm run countersign", ["countersign", "--", "wait"]],
  ["npm run demo", ["demo", "--", "wait"]],
])("a signal that ends npm ends the program of %s too", async (_command, args) => {
  const env = { ...terminalEnv, REDIS_URL: "redis://127.0.0.1:1" }
  const { child } = started(["npm", "run", "--silent", ...args], aProject(), env)
  const [line] = await once(child.stdout, "data", { signal: AbortSignal.timeout(limitMs) })
  const { pid } = JSON.parse(line)
  onTestFinished(() => void (runs(pid) && process.kill(pid, "SIGKILL")))

  child.kill("SIGTERM")

  await expect.poll(() => runs(pid), { message: "the program lives on: the script has to begin with exec" }).toBe(false)
})

test("an unknown task is refused with the list of tasks", async () => {
  const { code, err } = await launch(aProject(), ["dance"]).ended

  expect(code).toBe(1)
  expect(err).toMatch(/There is no task "dance"\. Tasks: demo, countersign, test, check/)
})

test("packages that match the lock are not installed again, so no network is needed", async () => {
  const project = aProject()
  const env = anNpm(project, "process.exitCode = 1")

  expect((await launch(project, ["countersign", "help"], env).ended).code).toBe(0)
  expect(existsSync(join(project, "npm-ran"))).toBe(false)
})

test("missing packages are installed once, with one line on the error stream", async () => {
  const project = aProject({ packages: false })
  const modules = JSON.stringify(join(root, "node_modules"))
  const env = anNpm(project, `require("node:fs").symlinkSync(${modules}, "node_modules")`)

  const first = await launch(project, ["countersign", "help"], env).ended
  const second = await launch(project, ["countersign", "help"], env).ended

  expect(first).toMatchObject({ code: 0, err: "countersign: installing the packages, once\n" })
  expect(second).toMatchObject({ code: 0, err: "" })
  expect(readFileSync(join(project, "npm-ran"), "utf8")).toMatch(/^install .*--no-save.*\n$/)
})

test("an installation that fails ends the task with npm's own words", async () => {
  const project = aProject({ packages: false })
  const env = anNpm(project, `console.error("npm error code ENOTFOUND"); process.exitCode = 1`)

  const { code, out, err } = await launch(project, ["countersign", "help"], env).ended

  expect({ code, out }).toEqual({ code: 1, out: "" })
  expect(err).toMatch(/npm install failed .* needs the network [^]*npm error code ENOTFOUND/)
})

test("without REDIS_URL the demo makes sure of a Redis first; help does not", async () => {
  const project = aProject()
  const bare = { PATH: "/nowhere", HOME: project, XDG_CACHE_HOME: "", REDIS_URL: "" }

  const demo = await launch(project, ["demo"], bare).ended
  const help = await launch(project, ["countersign", "help"], bare).ended
  const given = await launch(project, ["demo"], { ...bare, REDIS_URL: "redis://127.0.0.1:1" }).ended

  expect(demo.code).toBe(1)
  expect(demo.err).toContain("No Redis server was found")
  expect([help.code, given.code]).toEqual([0, 0])
})

test("packages match only if each locked version is there; those of other platforms may be absent", () => {
  const project = aFolder("lock")
  mkdirSync(join(project, "node_modules"))
  const installed = (packages: object) => {
    writeFileSync(join(project, "node_modules/.package-lock.json"), JSON.stringify({ packages }))
    return packagesMatchLock(project)
  }
  const locked = {
    "": { version: "0.1.0" },
    "node_modules/a": { version: "1.0.0" },
    "node_modules/b": { version: "1.0.0", optional: true },
  }
  writeFileSync(join(project, "package-lock.json"), JSON.stringify({ packages: locked }))

  expect(packagesMatchLock(project)).toBe(false)
  expect(installed({ "node_modules/a": { version: "1.0.0" } })).toBe(true)
  expect(installed({ "node_modules/a": { version: "1.0.1" } })).toBe(false)
  expect(installed({ "node_modules/b": { version: "1.0.0" } })).toBe(false)
  expect(installed({ "node_modules/a": { version: "1.0.0" }, "node_modules/b": { version: "2.0.0" } })).toBe(false)
})
