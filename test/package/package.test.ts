// The package as somebody gets it: what it holds, that its files are the source's and its packages the lock's, and what
// it does beside the bot.
import { existsSync, globSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { transform } from "esbuild"
import { describe, expect, it, onTestFinished } from "vitest"
import { parse } from "yaml"
import { receiptClaims } from "../../src/domain/case/receipt.ts"
import { type Ended, run } from "../../src/setup/processes.mjs"
import { aCase, anApproval, aRequirement, aVote } from "../support/builders.ts"
import { noon } from "../support/clock.ts"
import { pageLinks } from "../support/page-links.ts"
import { aSigner } from "../support/signer.ts"
import { terminalEnv } from "../support/terminal.ts"

const root = new URL("../..", import.meta.url).pathname
const home = process.env["PACKAGE_HOME"] ?? ""
const folder = join(home, "npm-11")
const installed = join(folder, "node_modules/countersign")

/** Licences that ask for their own words, which each package brings, and nothing else. */
const freeLicenses = ["MIT", "ISC", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "0BSD", "BlueOak-1.0.0", "Unlicense"]

type Component = {
  readonly name: string
  readonly version: string
  readonly purl: string
  readonly licenses?: readonly { readonly license?: { readonly id?: string } }[]
}

type Manifest = {
  readonly name: string
  readonly version: string
  readonly dependencies?: Readonly<Record<string, string>>
  readonly bundleDependencies?: readonly string[]
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

function jsonOf<T>(path: string): T {
  return JSON.parse(readFileSync(path, "utf8")) as T
}

const ours = jsonOf<Manifest>(join(root, "package.json"))
const lock = jsonOf<{ packages: Record<string, { version: string }> }>(join(root, "package-lock.json")).packages
const { components, metadata } = jsonOf<{ components: readonly Component[]; metadata: { component: object } }>(
  join(installed, "sbom.cdx.json"),
)

/** Where each package of an installation lies, and its version: `node_modules/zod` → `4.6.7`. */
function versionsIn(folder: string): Readonly<Record<string, string>> {
  const files = globSync("**/node_modules/{*,@*/*}/package.json", { cwd: folder })
  return Object.fromEntries(
    files
      .filter((file) => /(?:^|\/)node_modules\/(?:@[^/]+\/)?[^/@]+\/package\.json$/.test(file))
      .map((file) => [file.replace("/package.json", ""), jsonOf<Manifest>(join(folder, file)).version]),
  )
}

function countersign(...args: readonly string[]): Promise<Ended> {
  return run([join(folder, "node_modules/.bin/countersign"), ...args], { env: terminalEnv, cwd: folder })
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

describe.each(["npm-11", "npm-12"])("installed by %s", (installer) => {
  it("each package has the version of the lock, at the place of the lock, and none is there besides", () => {
    const versions = versionsIn(join(home, installer, "node_modules/countersign"))
    const locked = Object.fromEntries(Object.keys(versions).map((path) => [path, lock[path]?.version]))

    expect(Object.keys(versions).length).toBeGreaterThan(200)
    expect(versions).toEqual(locked)
    const beside = readdirSync(join(home, installer, "node_modules")).filter((name) => !/^\.|^node-/.test(name))
    expect(beside).toEqual(["countersign"])
  })
})

describe("the installed package", () => {
  it("holds our files and what goes with them, and depends on packages that it brings and on a Node", () => {
    const { dependencies, bundleDependencies, optionalDependencies } = jsonOf<Manifest>(join(installed, "package.json"))

    expect(dependencies).toEqual(ours.dependencies)
    expect(bundleDependencies).toEqual(Object.keys(ours.dependencies ?? {}))
    expect(optionalDependencies).toEqual(ours.optionalDependencies)
    expect(readdirSync(installed).toSorted()).toEqual([
      "ARCHITECTURE.md",
      "CHANGELOG.md",
      "CONTRIBUTING.md",
      "LICENSE",
      "README.md",
      "SECURITY.md",
      "check-call.d.mts",
      "check-call.mjs",
      "countersign.example.yaml",
      "docs",
      "integrations",
      "manifest.yml",
      "node_modules",
      "package.json",
      "sbom.cdx.json",
      "src",
    ])
    expect(statSync(join(installed, "src/cli/countersign.mjs")).mode & 0o111).toBe(0o111)
  })

  it("has the pages that messages name, and whatever its pages link to", () => {
    const words = globSync("src/**/*.js", { cwd: installed }).map((file) => readFileSync(join(installed, file), "utf8"))
    const named = [...new Set(words.flatMap((text) => text.match(/\bdocs\/[\w/-]+\.\w+/g) ?? []))]
    const links = pageLinks(installed, ["**/*.{md,txt}"]).map(({ to }) => to)

    expect(named).toEqual(expect.arrayContaining(["docs/how-to/agentos-gate.md", "docs/policy.md"]))
    expect(links).toEqual(expect.arrayContaining(["SECURITY.md", "docs/demo-phone.png", "integrations/agno/README.md"]))
    expect([...named, ...links].filter((path) => !existsSync(join(installed, path)))).toEqual([])
  })

  it("each of our files says to the byte what its source does, once both are written alike", async () => {
    const files = globSync("src/**/*.{js,mjs}", { cwd: installed }).filter(
      (file) => !file.startsWith("src/setup/page/"),
    )
    const odd = await Promise.all(
      files.map(async (file) => {
        const source = readFileSync(join(root, file.replace(/\.js$/, ".ts")), "utf8")
        const [said, meant] = await Promise.all([
          alike(readFileSync(join(installed, file), "utf8")),
          alike(source.replaceAll(/(["'])(\.\.?\/[\w./-]+)\.ts\1/g, "$1$2.js$1")),
        ])
        return said === meant ? [] : [file]
      }),
    )

    expect(files.length).toBeGreaterThan(500)
    expect(odd.flat()).toEqual([])
  })

  it("names lines of the TypeScript in a stack, once Node is told to", async () => {
    const program = `import { loadConfig } from ${JSON.stringify(join(installed, "src/config.js"))}
const readFile = () => "no: [rules"
try { loadConfig({ env: {}, cwd: "/", readFile }) } catch (error) { console.log(error.stack) }
`
    const env = { ...terminalEnv, NODE_OPTIONS: "--enable-source-maps" }
    const command = [process.execPath, "--input-type=module", "--eval", program]
    const { output } = await run(command, { env, cwd: folder })
    const [, file = "", line = ""] = /\/(src\/[\w/-]+\.ts):(\d+):\d+/.exec(output) ?? []

    expect(file, output).toMatch(/^src\/config/)
    expect(readFileSync(join(root, file), "utf8").split("\n")[Number(line) - 1]).toMatch(/throw new \w+Error\(/)
  })

  it("has an SBOM of exactly the packages that it brings, which tells nothing of the machine it was made on", () => {
    const text = readFileSync(join(installed, "sbom.cdx.json"), "utf8")
    const listed = new Set(components.map(({ name, version }) => `${name}@${version}`))
    const brought = Object.entries(versionsIn(installed)).map(([path, version]) => {
      return `${path.split("node_modules/").at(-1)}@${version}`
    })

    expect(listed).toEqual(new Set(brought))
    expect(metadata.component).toMatchObject({ name: "countersign", purl: "pkg:npm/countersign@0.2.0" })
    expect(components.filter(({ purl }) => !purl.startsWith("pkg:npm/"))).toEqual([])
    expect(text).not.toContain(root)
    expect(text).not.toMatch(/timestamp|serialNumber/)
  })

  it("may be handed on: each package that it brings has a licence that allows it", () => {
    const odd = components.filter(
      ({ licenses = [{}] }) => !licenses.every(({ license }) => freeLicenses.includes(license?.id ?? "")),
    )

    expect(
      odd.map(({ name }) => name),
      "read what the licence wants before it joins freeLicenses",
    ).toEqual([])
  })

  it("has the page for browsers: a script and a style, and nothing of its sources", () => {
    const page = join(installed, "src/setup/page")

    expect(readdirSync(page).toSorted()).toEqual(["page.css", "page.js"])
    expect(readFileSync(join(page, "page.css"), "utf8")).not.toMatch(/@import|url\((?!["']?data:)/)
    expect(globSync("src/sandbox/page/**", { cwd: installed })).toEqual([])
  })

  it("lets others check a call before it runs, with types, and without any package or command of ours", async () => {
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
    onTestFinished(() => rmSync(join(folder, "guard.mts")))
    const tsc = [join(root, "node_modules/.bin/tsc"), "--noEmit", "--strict", "--module", "nodenext"]
    const place = { env: terminalEnv, cwd: folder }
    const typed = await run([...tsc, "--lib", "es2024,dom", "--types", "", "guard.mts"], place)
    const ran = await run([process.execPath, "guard.mts"], place)

    expect(typed).toEqual({ code: 0, output: "" })
    expect(ran.output.trim()).toBe("ann@example.com other-call")
    expect(readFileSync(join(installed, "check-call.mjs"), "utf8")).not.toMatch(/\bfrom "(?!node:)/)
  })

  it("lists its commands, also on the Node of this machine, which may be an old one", async () => {
    const { code, output } = await countersign("help")

    expect(output).toContain("Usage: countersign")
    expect(output).toContain(`lies here: ${join(installed, "docs")}`)
    for (const command of ["run", "demo", "doctor", "ledger", "manifest"]) expect(output).toContain(command)
    expect(code).toBe(0)
  })

  it("keeps what Node compiled in the user's own cache folder, and runs where nothing can be kept", async () => {
    const cache = join(home, "cache")
    const keeping = (place: string) => {
      const command = [join(folder, "node_modules/.bin/countersign"), "help"]
      return run(command, { env: { ...terminalEnv, XDG_CACHE_HOME: place }, cwd: folder })
    }

    const kept = await keeping(cache)
    const nowhere = await keeping(join(installed, "README.md"))

    expect(globSync(join(cache, "countersign/compiled/*/*")).length).toBeGreaterThan(10)
    expect(statSync(join(cache, "countersign")).uid).toBe(process.getuid?.())
    expect(nowhere).toEqual(kept)
    expect(kept.code).toBe(0)
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

/** The code of a file as one printer writes it, with each letter as it stands. */
async function alike(code: string): Promise<string> {
  const options = {
    loader: "ts",
    charset: "utf8",
    target: "esnext",
    legalComments: "none",
    minifyWhitespace: true,
  } as const
  const tsconfigRaw = { compilerOptions: { verbatimModuleSyntax: true } }
  const { code: written } = await transform(code, { ...options, tsconfigRaw })
  // A file of types alone is still a module.
  return written.replace(/^export\{\};\n$/, "")
}
