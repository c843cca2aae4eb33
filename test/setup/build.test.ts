// The package in dist/: a stand-in program with the packages that are hard to bundle, started as an installed package
// would be.
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
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
import { startRedis } from "../setup/redis/start-redis.mjs"
import { pageLoader } from "../setup/page.mjs"
console.log([bolt.App, Queue, Redis, startRedis].map((part) => typeof part).join(" "), process.argv.slice(2).join(" "))
try { new bolt.ExpressReceiver({ signingSecret: "a secret" }) } catch (error) { console.log(error.message) }
void pageLoader()().then((page) => console.log(page.script.includes("/live"), page.style.includes(".sidebar")))
`

beforeAll(async () => {
  cpSync(join(root, "src/setup"), join(project, "src/setup"), { recursive: true })
  for (const folder of ["src/sandbox/page", "src/blockkit"]) {
    cpSync(join(root, folder), join(project, folder), { recursive: true })
  }
  for (const folder of ["cli", "proof"]) mkdirSync(join(project, "src", folder))
  for (const file of ["package.json", "README.md", "LICENSE", "manifest.yml", "countersign.example.yaml"]) {
    cpSync(join(root, file), join(project, file))
  }
  writeFileSync(join(project, "src/cli/main.ts"), program)
  writeFileSync(join(project, "src/proof/check-call.ts"), 'export const checkCall = "a stand-in"\n')
  cpSync(join(root, "tsconfig.json"), join(project, "tsconfig.json"))
  symlinkSync(join(root, "node_modules"), join(project, "node_modules"))
  const built = await run([process.execPath, join(project, "src/setup/build.mjs")], { env: process.env })
  if (built.code !== 0) throw new Error(built.output)
  cpSync(join(project, "dist"), installed, { recursive: true })
})

afterAll(() => rmSync(home, { recursive: true }))

test("the bundle runs alone, below a node_modules, without any package, and knows its page", async () => {
  const command = [process.execPath, join(installed, "countersign.mjs"), "help", "--all"]

  const ended = await run(command, { env: process.env, cwd: home })

  const [types, , page] = ended.output.split("\n")
  expect({ types, page }).toEqual({ types: "function function function function help --all", page: "true true" })
  expect(ended.code).toBe(0)
})

test("what is left out of the bundle says so when it is called after all", async () => {
  const { output } = await run([process.execPath, join(installed, "main.mjs")], { env: process.env, cwd: home })

  expect(output).toContain("@slack/bolt:express is left out of this package, since Countersign never calls it")
})

test("the command can be run as it is", () => {
  expect(statSync(join(installed, "countersign.mjs")).mode & 0o111).toBe(0o111)
})

test("the page lies there for browsers: a script and a style, and nothing of its sources", () => {
  expect(readdirSync(join(installed, "page")).toSorted()).toEqual(["page.css", "page.js"])
  expect(readFileSync(join(installed, "page/page.css"), "utf8")).not.toMatch(/@import|url\((?!["']?data:)/)
})

test("the SBOM lists the packages that code was taken from, those of the page too, and no other", () => {
  const { components } = JSON.parse(readFileSync(join(installed, "sbom.cdx.json"), "utf8"))
  const names = components.map(({ group, name }: { group?: string; name: string }) => (group ? `${group}/` : "") + name)

  expect(names).toEqual(expect.arrayContaining(["@slack/bolt", "bullmq", "ioredis", "react-dom", "bootstrap"]))
  expect(names.filter((name: string) => ["jose", "yaml", "esbuild", "vitest"].includes(name))).toEqual([])
})

test("a second build of the same sources gives the same SBOM", async () => {
  const first = readFileSync(join(project, "dist/sbom.cdx.json"), "utf8")

  await run([process.execPath, join(project, "src/setup/build.mjs")], { env: process.env })

  expect(readFileSync(join(project, "dist/sbom.cdx.json"), "utf8")).toBe(first)
})
