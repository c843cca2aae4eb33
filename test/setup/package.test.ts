// The package as somebody gets it: built and packed by the README's commands, installed into an empty folder, run with the machine's Node.
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { parse } from "yaml"
import { type Ended, run } from "../../src/setup/processes.mjs"
import { terminalEnv } from "../support/terminal.ts"

const root = new URL("../..", import.meta.url).pathname
const home = mkdtempSync(join(tmpdir(), "countersign-package-"))
const folder = join(home, "empty")
const nodePackage = `node-${process.platform}-${process.arch}`

async function done(command: readonly string[], cwd: string, more: Record<string, string> = {}): Promise<void> {
  const { code, output } = await run(command, { env: { ...terminalEnv, ...more }, cwd })
  if (code !== 0) throw new Error(`${command.join(" ")} ended with ${code}: ${output}`)
}

function countersign(...args: readonly string[]): Promise<Ended> {
  return run([join(folder, "node_modules/.bin/countersign"), ...args], { env: terminalEnv, cwd: folder })
}

beforeAll(async () => {
  await done(["npm", "run", "build"], root)
  await done(["npm", "pack"], root, { npm_config_pack_destination: home })
  const [packed = ""] = readdirSync(home).filter((name) => name.endsWith(".tgz"))
  mkdirSync(folder)
  const flags = ["--prefer-offline", "--fetch-retries=0", "--no-audit", "--no-fund"]
  await done(["npm", "install", ...flags, join(home, packed)], folder)
  // Without a network npm leaves an optional package out; the one that is installed here stands in for it.
  const brought = join(folder, "node_modules", nodePackage)
  const ours = join(root, "node_modules", nodePackage)
  if (!existsSync(brought) && existsSync(ours)) symlinkSync(realpathSync(ours), brought)
}, 180_000)

afterAll(() => rmSync(home, { recursive: true, force: true }))

describe("the installed package", () => {
  it("holds the bundle, its files and nothing of the sources, and depends on a Node alone", () => {
    const installed = join(folder, "node_modules/countersign")
    const packages = readdirSync(join(folder, "node_modules")).filter((name) => !name.startsWith("."))

    expect(packages.filter((name) => !name.startsWith("node-"))).toEqual(["countersign"])
    expect(readdirSync(installed).toSorted()).toEqual(
      ["LICENSE", "README.md", "countersign.example.yaml", "dist", "manifest.yml", "package.json"].toSorted(),
    )
    expect(existsSync(join(installed, "dist/main.mjs"))).toBe(true)
  })

  it("lists its commands", async () => {
    const { code, output } = await countersign("help")

    expect(output).toContain("Usage: countersign")
    for (const command of ["run", "demo", "doctor", "ledger", "manifest"]) expect(output).toContain(command)
    expect(code).toBe(0)
  })

  it("keeps what was compiled in the user's own cache folder", async () => {
    const cache = join(home, "cache")
    const command = [join(folder, "node_modules/.bin/countersign"), "help"]

    const { code } = await run(command, { env: { ...terminalEnv, XDG_CACHE_HOME: cache }, cwd: folder })

    expect(code).toBe(0)
    expect(readdirSync(join(cache, "countersign/compiled")).length).toBeGreaterThan(0)
  })

  it("prints the manifest of this project, and the one for HTTP mode", async () => {
    const socket = await countersign("manifest")
    const http = await countersign("manifest", "--url", "https://bot.example.com")

    expect(parse(socket.output)).toEqual(parse(readFileSync(join(root, "manifest.yml"), "utf8")))
    expect(http.output).toContain("https://bot.example.com/slack/events")
  })

  it("has a doctor, who says what is missing and ends with 1", async () => {
    const { code, output } = await countersign("doctor", "--json")

    expect(JSON.parse(output)).toMatchObject({ healthy: false })
    expect(code).toBe(1)
  })

  it("carries an approval and a rejection through", async () => {
    const { code, output } = await countersign("demo", "--once")

    expect(output).toMatch(/ledger verified: \d+ entries/)
    expect(code).toBe(0)
  })
})
