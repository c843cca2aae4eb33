// Says what is in the bundle: a CycloneDX SBOM of its packages (https://cyclonedx.org), and their licences.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { isLeftOut } from "./left-out.mjs"
import { run } from "./processes.mjs"

/** @typedef {Pick<import("esbuild").Metafile, "inputs" | "outputs">} Metafile */
/** @typedef {{ readonly id?: string, readonly name?: string, readonly text?: { readonly content: string } }} License */
/**
 * A package of the SBOM, as far as it is read here. `licenses` is what its package.json declares, `evidence` holds its
 * files.
 * @typedef {{ readonly group?: string, readonly name: string, readonly version: string, readonly author?: string,
 *   readonly licenses?: readonly { readonly license?: License, readonly expression?: string }[], readonly evidence?: {
 *   readonly licenses?: readonly { readonly license: License }[] } }} Component
 */

/** The names under which scanners and people look for the two files. */
export const sbomFile = "sbom.cdx.json"
export const licensesFile = "THIRD_PARTY_LICENSES"

/**
 * Writes both files into a folder. What is in the bundle is read from what esbuild tells of its builds; a package of
 * which no code was taken is left out. The same bundle gives the same files. Throws when the SBOM cannot be made, or a
 * package names no licence.
 * @param {{ readonly root: string, readonly folder: string, readonly metafiles: readonly Metafile[] }} options `root`
 *   is the folder of the project's package.json
 */
export async function writeSbom({ root, folder, metafiles }) {
  const file = join(folder, sbomFile)
  await makeSbom({ root, file, metafiles })
  /** @type {{ readonly components: readonly Component[] }} */
  const { components } = JSON.parse(readFileSync(file, "utf8"))
  writeFileSync(join(folder, licensesFile), licenseTexts(components))
}

/** @param {{ readonly root: string, readonly file: string, readonly metafiles: readonly Metafile[] }} options */
async function makeSbom({ root, file, metafiles }) {
  const temporary = mkdtempSync(join(tmpdir(), "countersign-sbom-"))
  try {
    const metafile = join(temporary, "metafile.json")
    writeFileSync(metafile, JSON.stringify(merged(metafiles)))
    const program = new URL("../bin/cyclonedx-esbuild-cli.js", import.meta.resolve("@cyclonedx/cyclonedx-esbuild"))
    const flags = ["--gather-license-texts", "--output-reproducible", "--validate", "--output-file", file]
    const { code, output } = await run([process.execPath, fileURLToPath(program), ...flags, metafile], {
      env: process.env,
      cwd: root,
    })
    if (code !== 0) throw new Error(`cyclonedx-esbuild could not describe the bundle. It said:\n${output}`)
  } finally {
    rmSync(temporary, { recursive: true })
  }
}

/**
 * @param {readonly Metafile[]} metafiles
 * @returns {Metafile}
 */
function merged(metafiles) {
  const outputs = Object.assign({}, ...metafiles.map(({ outputs }) => outputs))
  return {
    inputs: taken(Object.assign({}, ...metafiles.map(({ inputs }) => inputs))),
    outputs: Object.fromEntries(
      Object.entries(outputs).map(([name, output]) => [name, { ...output, inputs: taken(output.inputs) }]),
    ),
  }
}

/**
 * @template T
 * @param {Readonly<Record<string, T>>} inputs
 * @returns {Record<string, T>}
 */
function taken(inputs) {
  return Object.fromEntries(Object.entries(inputs).filter(([name]) => !isLeftOut(name)))
}

/**
 * One text with each package's name, version, licence and licence files. Throws when a package neither declares a
 * licence nor brings a file: whoever adds such a package has to ask its authors first.
 * @param {readonly Component[]} components
 * @returns {string}
 */
export function licenseTexts(components) {
  const intro = "Countersign's program holds code of these packages, each under the licence that it brings.\n"
  return [intro, ...components.map(licenseText)].join(`\n${"=".repeat(80)}\n`)
}

/** @param {Component} component */
function licenseText({ group, name, version, author, licenses = [], evidence }) {
  const title = `${group === undefined ? "" : `${group}/`}${name} ${version}`
  const declared = licenses.map(({ license, expression }) => expression ?? license?.id ?? license?.name).join(", ")
  const texts = (evidence?.licenses ?? []).map(({ license }) => decoded(license.text?.content ?? ""))
  if (declared === "" && texts.length === 0) {
    throw new Error(
      `${title} is in the bundle and says nothing of a licence. Ask its authors for one, or use another package.`,
    )
  }
  const without =
    "Its files hold no text of a licence; its package.json says " + `${declared}${author ? `, by ${author}` : ""}.`
  return [`${title}\n${declared}`, ...(texts.length > 0 ? texts : [without])].join("\n\n") + "\n"
}

/** @param {string} content as the SBOM keeps it */
function decoded(content) {
  return Buffer.from(content, "base64").toString("utf8").trim()
}
