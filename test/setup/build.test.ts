// The bundle: a stand-in program with the packages that are hard to bundle, started as an installed package would be.
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, expect, test } from "vitest"
import { run } from "../../src/setup/processes.mjs"

const root = new URL("../..", import.meta.url).pathname
const home = mkdtempSync(join(tmpdir(), "countersign-build-"))
const project = join(home, "project")
const installed = join(home, "elsewhere/node_modules/countersign")

const program = `// A stand-in.
import bolt from "@slack/bolt"
import { Queue } from "bullmq"
import { Redis } from "ioredis"
import { startRedis } from "../setup/redis.mjs"
console.log([bolt.App, Queue, Redis, startRedis].map((part) => typeof part).join(" "), process.argv.slice(2).join(" "))
`

beforeAll(async () => {
  cpSync(join(root, "src/setup"), join(project, "src/setup"), { recursive: true })
  for (const folder of ["src/cli", "src/sandbox/page"]) mkdirSync(join(project, folder), { recursive: true })
  cpSync(join(root, "package.json"), join(project, "package.json"))
  writeFileSync(join(project, "src/cli/main.ts"), program)
  writeFileSync(join(project, "src/sandbox/page/style.css"), "body {}\n")
  writeFileSync(join(project, "src/sandbox/page/main.ts"), "// Not an asset.\n")
  symlinkSync(join(root, "node_modules"), join(project, "node_modules"))
  const built = await run([process.execPath, join(project, "src/setup/build.mjs")], { env: process.env })
  if (built.code !== 0) throw new Error(built.output)
  mkdirSync(installed, { recursive: true })
  cpSync(join(project, "dist"), join(installed, "dist"), { recursive: true })
  cpSync(join(root, "package.json"), join(installed, "package.json"))
})

afterAll(() => rmSync(home, { recursive: true }))

test("the bundle runs alone, below a node_modules, without any package", async () => {
  const command = [process.execPath, join(installed, "dist/countersign.mjs"), "help", "--all"]

  const ended = await run(command, { env: process.env, cwd: home })

  expect(ended).toEqual({ code: 0, output: "function function function function help --all" })
})

test("the command can be run as it is", () => {
  expect(statSync(join(installed, "dist/countersign.mjs")).mode & 0o111).toBe(0o111)
})

test("the page's files come along, its sources do not", () => {
  expect(existsSync(join(installed, "dist/page/style.css"))).toBe(true)
  expect(existsSync(join(installed, "dist/page/main.ts"))).toBe(false)
})
