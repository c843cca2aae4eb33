// The parts of a release: package, chart, image recipe, SBOM and checksums. The same commit gives the same bytes.
import { execFileSync } from "node:child_process"
import { createHash } from "node:crypto"
import { copyFileSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { run } from "../processes.mjs"
import { archiveOf } from "./commit.mjs"

/** The checksums of all other files, as sha256sum reads them. */
export const sumsFile = "SHA256SUMS"

/**
 * What parts are made of: the commit, a clone of it, a folder to work in, and programs.
 * @typedef {{ readonly commit: import("./commit.mjs").Commit, readonly clone: string, readonly work: string,
 *   readonly helm: string, readonly env: NodeJS.ProcessEnv }} Sources
 */

/** Writes all parts into an empty folder. @type {(made: string, sources: Sources) => Promise<void>} */
export async function writeParts(made, sources) {
  await writePackage(made, sources)
  await writeChart(made, sources)
  writeRecipe(made, sources)
  const sums = readdirSync(made).toSorted()
  writeFileSync(join(made, sumsFile), sums.map((name) => `${sumOf(join(made, name))}  ${name}\n`).join(""))
}

/** Throws unless each file has its sum. @type {(folder: string) => void} */
export function sumsHold(folder) {
  for (const line of readFileSync(join(folder, sumsFile), "utf8").trimEnd().split("\n")) {
    const [sum, name = ""] = line.split("  ")
    if (sumOf(join(folder, name)) !== sum) throw new Error(`${name} is not what was made. Is the disk well? Try again.`)
  }
}

/** The package as people install it, and its SBOM. @type {(made: string, sources: Sources) => Promise<void>} */
async function writePackage(made, { commit: { version }, clone, env }) {
  await succeed(["npm", "run", "build"], { cwd: clone, env })
  // npm gives each file in the package one and the same date.
  await succeed(["npm", "pack", "./dist", "--pack-destination", made], { cwd: clone, env })
  copyFileSync(join(clone, "dist/sbom.cdx.json"), join(made, `countersign-${version}.cdx.json`))
}

/**
 * The chart. Helm (since 4) takes the files' dates, which are the commit's.
 * @type {(made: string, sources: Sources) => Promise<void>}
 */
export async function writeChart(made, { commit: { version }, clone, work, helm, env }) {
  const folder = join(work, "chart")
  mkdirSync(folder)
  execFileSync("tar", ["-x", "-C", folder], { input: archiveOf(clone, ["charts/countersign"], "") })
  const homes = { HELM_CACHE_HOME: folder, HELM_CONFIG_HOME: folder, HELM_DATA_HOME: folder }
  const command = [helm, "package", "charts/countersign", "--destination", folder]
  await succeed(command, { cwd: folder, env: { ...env, ...homes } })
  // The package has the name that helm gives.
  renameSync(join(folder, `countersign-${version}.tgz`), join(made, `countersign-chart-${version}.tgz`))
}

/** What `docker build` and `docker compose` need. @type {(made: string, sources: Sources) => void} */
export function writeRecipe(made, { commit: { version }, clone }) {
  const reaches = readFileSync(join(clone, ".dockerignore"), "utf8").match(/(?<=^!).+$/gm) ?? []
  const name = `countersign-image-${version}`
  const archive = archiveOf(clone, ["Dockerfile", ".dockerignore", "compose.yaml", ...reaches], `${name}/`)
  writeFileSync(join(made, `${name}.tar.gz`), gzipSync(archive, { level: 9 }))
}

/** @type {(file: string) => string} */
function sumOf(file) {
  return createHash("sha256").update(readFileSync(file)).digest("hex")
}

/**
 * @param {readonly string[]} command
 * @param {{ readonly cwd: string, readonly env: NodeJS.ProcessEnv }} place
 */
async function succeed(command, place) {
  const { code, output } = await run(command, place)
  if (code !== 0) throw new Error(`${command.join(" ")} ended with ${code}: ${output}`)
}
