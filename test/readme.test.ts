// Holds the README to the truth: every command in it is run by a test or by .ci/run, every variable and example is one
// that we read.
import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { knownVariables } from "../src/config/reading/environment.ts"
import { loadConfig } from "../src/config.ts"

const root = new URL("..", import.meta.url).pathname
const textOf = (path: string): string => readFileSync(join(root, path), "utf8")
const readme = textOf("README.md")
const programs = /^(?:npm|npx|node|docker|countersign|openssl|git|export)\b/

/** Commands that no test can run as they stand, and why. */
const untested: Readonly<Record<string, string>> = {
  "npm run coverage": "is npm test once more, with lines counted",
  "docker compose up": "needs Docker; test/setup/image.test.ts checks what it would build and start",
  "openssl genpkey -algorithm ed25519": "makes a key; test/proof signs with keys made the same way by Node",
  "openssl rand -hex 32": "any 32 bytes do; the tests bring a key of their own",
  "npm run mutation": "runs the tests of test/domain, test/auth, test/proof and the ledger thousands of times",
  "npm run mutation -- --mutate src/domain/case/vote.ts": "the same for one file, for a minute",
  "npm install --global ./countersign-0.1.0.tgz":
    "changes the machine; test/setup/package.test.ts installs the same file into a folder",
}

/** Every command of the README, in its blocks and in its sentences; `export` lines are looked at below. */
function commandsIn(text: string): readonly string[] {
  const blocks = [...text.matchAll(/^ *```sh\n([\s\S]*?)^ *```$/gm)].flatMap(([, block = ""]) => block.split("\n"))
  const inline = [...text.replaceAll(/^ *```[\s\S]*?^ *```$/gm, "").matchAll(/`([^`\n]+)`/g)].map(
    ([, code = ""]) => code,
  )
  const lines = [...blocks, ...inline.filter((code) => programs.test(code) && code.includes(" "))]
  const commands = lines.flatMap((line) => line.split("&&")).map((line) => line.trim())
  return [...new Set(commands)].filter((line) => line !== "" && !line.startsWith("export "))
}

/** The words that a test hands to a process for this command: npm scripts of ours are started by their task. */
function wordsOf(command: string): readonly string[] {
  const [, ours] = /^(?:npm run (?:--silent )?countersign --|countersign) (.+)$/.exec(command) ?? []
  const demo = /^npm run demo(?: -- (.+))?$/.exec(command)
  if (demo) return ["demo", ...(demo[1]?.split(" ") ?? [])]
  return (ours ?? command).split(" ")
}

const tests = globSync("test/**/*.ts", { cwd: root })
  .filter((path) => path !== "test/readme.test.ts")
  .map(textOf)
const ci = textOf(".ci/run")

function isRun(command: string): boolean {
  if (ci.includes(`'${command}'`)) return true
  const words = wordsOf(command).map((word) => JSON.stringify(word).replaceAll(/[.+*?^${}()|[\]\\/]/g, String.raw`\$&`))
  // As the helpers of our tests are called: command([…]), done([…]), countersign(…).
  const called = new RegExp(`\\b(?:command\\(\\[|done\\(\\[|countersign\\()${words.join(",\\s*")}\\s*[\\])]`)
  return tests.some((text) => called.test(text))
}

test("every command in the README is run by a test or by .ci/run, or is listed with its reason", () => {
  const commands = commandsIn(readme)

  expect(commands).toEqual(expect.arrayContaining(["npm run demo", "npm test", "npm run countersign -- ledger verify"]))
  expect(commands.filter((command) => untested[command] === undefined && !isRun(command))).toEqual([])
})

test("every reason is for a command that the README has", () => {
  expect(Object.keys(untested).filter((command) => !commandsIn(readme).includes(command))).toEqual([])
})

test("a command that nothing runs is seen", () => {
  const text = "Try `npm run countersign -- nonsense`:\n```sh\nnpm run build && npm run never\n```\n"

  expect(commandsIn(text).filter((command) => !isRun(command))).toEqual([
    "npm run never",
    "npm run countersign -- nonsense",
  ])
})

test("every variable in the README is one that we read", () => {
  const files = ["THIRD_PARTY_LICENSES"]
  const written = [...readme.matchAll(/\b(?:[A-Z]+_[A-Z_]+|PORT)\b/g)].map(([name]) => name)
  const names = written.filter((name) => !files.includes(name))

  expect(names.length).toBeGreaterThan(8)
  expect(names.filter((name) => knownVariables[name] === undefined)).toEqual([])
})

test("what the README exports makes a bot, and so does its example of rules", () => {
  const exported = [...readme.matchAll(/^ +export (.+)$/gm)].flatMap(([, line = ""]) => line.split(/\s+/))
  // Whoever copies a line puts a credential of their own where it says …, and is told if they do not.
  const whole = exported.map((pair) => pair.replaceAll("…", "-of-your-own"))
  const env = Object.fromEntries(whole.map((pair) => [pair.split("=")[0], pair.slice(pair.indexOf("=") + 1)]))
  const yaml = /```yaml\n([\s\S]*?)```/.exec(readme)?.[1] ?? ""
  const missing = () => {
    throw Object.assign(new Error("no file"), { code: "ENOENT" })
  }

  expect(loadConfig({ env, readFile: missing, cwd: "/" }).rules).toHaveLength(1)
  expect(loadConfig({ env, readFile: () => yaml, cwd: "/" }).rules[0]).toMatchObject({ name: "payments", quorum: 2 })
})

test("every file and folder that the README names is there", () => {
  const named = [...readme.matchAll(/`((?:src\/[\w./-]+)|[\w-]+\.(?:ya?ml|json))`/g)].map(([, path = ""]) => path)
  const made = ["countersign.yaml"]

  expect(named.length).toBeGreaterThan(10)
  expect(named.filter((path) => !made.includes(path) && globSync(path, { cwd: root }).length === 0)).toEqual([])
})
