// Holds the README to the truth: every command in it is run by a test or by .ci/run, every variable and example is one
// that we read.
import { globSync } from "node:fs"
import { expect, test } from "vitest"
import { knownVariables } from "../src/config/reading/environment.ts"
import { loadConfig } from "../src/config.ts"
import { commandsIn, isRun, isWalked, textOf } from "./doc-commands.ts"

const root = new URL("..", import.meta.url).pathname
const readme = textOf("README.md")

/** Commands that no test can run as they stand, and why. */
const untested: Readonly<Record<string, string>> = {
  "docker compose up --detach --wait": "test/package/compose.test.ts gives it",
  "openssl genpkey -algorithm ed25519": "makes a key; test/proof signs with keys made the same way by Node",
  "openssl rand -hex 32": "any 32 bytes do; the tests bring a key of their own",
  "npm run mutation": "runs the tests of test/domain, test/auth, test/proof and the ledger thousands of times",
  "npm run mutation -- --mutate src/domain/case/vote.ts": "the same for one file, for a minute",
}

test("every command in the README is run by a test or by .ci/run, or is listed with its reason", () => {
  const commands = commandsIn(readme)

  expect(commands).toEqual(expect.arrayContaining(["npm run demo", "npm test", "npm run countersign -- ledger verify"]))
  expect(
    commands.filter((command) => untested[command] === undefined && !isRun(command) && !isWalked(command)),
  ).toEqual([])
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
  const names = [...readme.matchAll(/\b(?:[A-Z]+_[A-Z_]+|PORT)\b/g)].map(([name]) => name)

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
