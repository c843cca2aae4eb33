// Makes the package in dist/: our files as JavaScript (Node runs no TypeScript below node_modules), and the packages of
// the lock in a node_modules of its own.
import { execFileSync } from "node:child_process"
import { chmodSync, copyFileSync, cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { build } from "esbuild"
import { npmCommand } from "./packages.mjs"
import { bundlePage, pageFolder, scriptFile, styleFile } from "./page.mjs"

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))))
const dist = join(root, "dist")

/** The file that starts the program. An older Node can run it. */
const commandFile = "src/cli/countersign.mjs"
/** The module that others may import. Its file has the same name. */
const checkName = "check-call"
/** The SBOM's name: scanners look for it there. */
const sbomFile = "sbom.cdx.json"

/** The package holds these just as they are here: messages name pages of docs, and those pages link to the rest. */
const copied = [
  "README.md",
  "LICENSE",
  "manifest.yml",
  "countersign.example.yaml",
  "docs",
  "ARCHITECTURE.md",
  "CHANGELOG.md",
  "CONTRIBUTING.md",
  "SECURITY.md",
  "integrations/agno/README.md",
  "integrations/agno/pyproject.toml",
  "integrations/agno/examples",
  "integrations/agno/src",
]
/** What Python leaves beside its sources. */
const leftByPython = /(?:__pycache__|\.egg-info)$/
/** npm needs these to install exactly what the lock says. They are no part of the package. */
const lockFiles = ["package-lock.json", ".npmrc"]

rmSync(dist, { recursive: true, force: true })
done([process.execPath, join(root, "node_modules/typescript/bin/tsc"), "-p", "src/setup/tsconfig.build.json"])
chmodSync(join(dist, commandFile), 0o755)
await bundleCheck()
await layPage()
for (const name of [...copied, ...lockFiles])
  cpSync(join(root, name), join(dist, name), { recursive: true, filter: (path) => !leftByPython.test(path) })
writeJson("package.json", packageJson())
installInDist()
for (const name of lockFiles) rmSync(join(dist, name))

/** Bundles a gate's check into one file, for other people's tools (docs/tool-gate.md). Node 22 has `JSON.rawJSON`. */
async function bundleCheck() {
  await build({
    absWorkingDir: root,
    bundle: true,
    platform: "node",
    logLevel: "warning",
    entryPoints: ["src/proof/check-call.ts"],
    outfile: join(dist, `${checkName}.mjs`),
    format: "esm",
    target: "node22",
    legalComments: "inline",
  })
  copyFileSync(join(root, `src/setup/${checkName}.d.mts`), join(dist, `${checkName}.d.mts`))
}

/** Lays the sandbox's page where `pageLoader` of the package looks for it. */
async function layPage() {
  const { script, style } = await bundlePage(root)
  const folder = join(dist, "src/setup", pageFolder)
  mkdirSync(folder)
  writeFileSync(join(folder, scriptFile), script)
  writeFileSync(join(folder, styleFile), style)
}

/**
 * The package.json of the package. It brings its packages along, so that people run the versions that we tested. One
 * more package, which is optional, brings a Node.
 */
function packageJson() {
  const ours = JSON.parse(readFileSync(join(root, "package.json"), "utf8"))
  const { name, version, description, license, type, engines, dependencies, optionalDependencies } = ours
  const bin = { countersign: commandFile }
  const check = { types: `./${checkName}.d.mts`, default: `./${checkName}.mjs` }
  const exports = { [`./${checkName}`]: check, "./package.json": "./package.json" }
  const packages = { dependencies, bundleDependencies: Object.keys(dependencies), optionalDependencies }
  return { name, version, description, license, type, bin, exports, engines, ...packages }
}

/** Installs the packages of the lock, and lists them in an SBOM (https://cyclonedx.org). */
function installInDist() {
  const npm = npmCommand(process.env)
  done([...npm, "ci", "--omit=dev", "--omit=optional", "--prefer-offline", "--loglevel=error"], dist)
  const sbom = JSON.parse(done([...npm, "sbom", "--sbom-format=cyclonedx", "--sbom-type=application"], dist))
  sbom.metadata.component.name = packageJson().name
  // The same packages give the same file.
  delete sbom.serialNumber
  delete sbom.metadata.timestamp
  leavePeersOut(sbom)
  writeJson(sbomFile, sbom)
}

/**
 * Leaves out peers (types, another library) that only another package wants beside it: npm packs no such package.
 * `npm sbom --omit=peer` is no help: it also drops peers that our own package.json names (hono, react, undici).
 * @param {{ components: { readonly "bom-ref": string }[], dependencies: { readonly ref: string, dependsOn: string[] }[]
 *   }} sbom
 */
function leavePeersOut(sbom) {
  const { packages } = JSON.parse(readFileSync(join(dist, "node_modules/.package-lock.json"), "utf8"))
  const peers = Object.keys(packages).filter((path) => packages[path].peer)
  for (const path of peers) rmSync(join(dist, path), { recursive: true })
  const named = new Set(peers.map((path) => `${path.split("node_modules/").at(-1)}@${packages[path].version}`))
  const stays = (/** @type {string} */ name) => !named.has(name)
  sbom.components = sbom.components.filter((component) => stays(component["bom-ref"]))
  sbom.dependencies = sbom.dependencies.filter(({ ref }) => stays(ref))
  for (const one of sbom.dependencies) one.dependsOn = one.dependsOn.filter(stays)
}

/**
 * Runs a program and returns what it wrote. If the program fails, throws an error with all that it wrote.
 * @param {readonly string[]} command
 * @param {string} cwd
 */
function done([program = "", ...args], cwd = root) {
  return execFileSync(program, args, { cwd, encoding: "utf8", maxBuffer: 2 ** 26 })
}

/**
 * @param {string} name
 * @param {unknown} value
 */
function writeJson(name, value) {
  writeFileSync(join(dist, name), `${JSON.stringify(value, null, 2)}\n`)
}
