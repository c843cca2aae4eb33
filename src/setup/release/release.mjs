// Makes a release of the commit that is checked out: npm run release -- --key FILE (docs/releasing.md).
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { basename, dirname, join, resolve } from "node:path"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { runInForeground } from "../foreground.mjs"
import { findHelm } from "../helm.mjs"
import { pathFolders } from "../processes.mjs"
import { cloneOf, commitToRelease, publicKeyFile } from "./commit.mjs"
import { sumsFile, sumsHold, writeParts } from "./parts.mjs"
import { findMinisign, openKey } from "./signing.mjs"

/** @typedef {import("./commit.mjs").Commit} Commit */
/** @typedef {{ readonly key: string, readonly password?: string, readonly out: string, readonly ci?: string }}
 *   Wanted */

const root = dirname(dirname(dirname(dirname(fileURLToPath(import.meta.url)))))
const usage = "Usage: npm run release -- --key FILE [--password-file FILE] [--out FOLDER] [--ci COMMAND]"

/** @type {string[]} */
const temporary = []
process.on("exit", () => {
  for (const folder of temporary) rmSync(folder, { recursive: true, force: true })
})
// What runs for us is passed the signal before we go.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => setImmediate(() => process.exit(1)))

try {
  // What others may read does not depend on who makes the release.
  process.umask(0o022)
  await release(wantedBy(process.argv.slice(2)))
} catch (error) {
  tell(error instanceof Error ? error.message : String(error))
  process.exitCode = 1
}

/**
 * Looks at all that can be refused before the CI, which takes an hour. The folder gets its name only after all in it
 * was verified.
 * @param {Wanted} wanted
 */
async function release(wanted) {
  const env = terminalEnv()
  const commit = commitToRelease(root)
  checkOut(wanted.out)
  const work = temporaryFolder(join(tmpdir(), "countersign-release-"))
  const minisign = await findMinisign({ env, log: tell })
  const key = openKey({ ...wanted, minisign, work, committed: commit.publicKey })
  const helm = await findHelm({ env, log: tell })
  tell(`releasing ${commit.version}, commit ${commit.id}, signed by the key ${key.publicKey}`)
  const clone = cloneOf(root, commit, join(work, "clone"))
  await runCi(wanted, clone, env)
  tell("making the package, the chart and the image's recipe")
  const made = join(work, "release")
  mkdirSync(made)
  await writeParts(made, { commit, clone, work, helm, env })
  copyFileSync(key.publicFile, join(made, publicKeyFile))
  key.sign(join(made, sumsFile), trustedComment(commit, wanted))
  giveName(made, wanted.out, (folder) => {
    sumsHold(folder)
    key.verify(join(folder, sumsFile))
  })
  process.stdout.write(whatIsLeft(commit, wanted))
}

/** @type {(args: string[]) => Wanted} */
function wantedBy(args) {
  const { key, "password-file": password, out, ci } = valuesOf(args)
  if (!key)
    throw new Error(`There is no key to sign with: name its file (docs/releasing.md says how to make one).\n${usage}`)
  // npm starts us in the project's root; files are named from where the command was given.
  const named = (/** @type {string} */ file) => resolve(process.env["INIT_CWD"] ?? root, file)
  return {
    key: named(key),
    out: out === undefined ? join(root, "release") : named(out),
    ...(password === undefined ? {} : { password: named(password) }),
    ...(ci === undefined ? {} : { ci }),
  }
}

/** @type {(args: string[]) => Readonly<Partial<Record<"key" | "password-file" | "out" | "ci", string>>>} */
function valuesOf(args) {
  const text = /** @type {const} */ ({ type: "string" })
  try {
    return parseArgs({ args, options: { key: text, "password-file": text, out: text, ci: text } }).values
  } catch (error) {
    throw new Error(`${error instanceof Error ? error.message : String(error)}\n${usage}`, { cause: error })
  }
}

/** @type {(out: string) => void} */
function checkOut(out) {
  if (!existsSync(out)) return
  if (!statSync(out).isDirectory()) throw new Error(`${out} is a file: name a folder by --out.`)
  if (readdirSync(out).length > 0)
    throw new Error(`${out} is not empty: take away what is in it, or name another folder by --out.`)
}

/**
 * Runs `.ci/run` in the clone: so only what is committed counts, and this tree may be worked in meanwhile.
 * @type {(wanted: Wanted, clone: string, env: NodeJS.ProcessEnv) => Promise<void>}
 */
async function runCi({ ci }, clone, env) {
  const name = ci ?? ".ci/run"
  tell(`running ${name} in a clone of the commit`)
  const end = await runInForeground(ci === undefined ? ["bash", name] : ["sh", "-c", ci], { env, cwd: clone })
  if ("code" in end && end.code === 0) return
  const how = "code" in end ? `ended with ${end.code}` : `was ended by ${end.signal}`
  throw new Error(`${name} ${how}, so nothing is released. Mend what it says, commit that, and try again.`)
}

/** The signature vouches for this, too. @type {(commit: Commit, wanted: Wanted) => string} */
function trustedComment({ version, id, date }, { ci }) {
  const words = `countersign ${version}, commit ${id} of ${date}`
  return ci === undefined ? words : `${words}; a trial, whose CI was another command`
}

/** @type {(made: string, out: string, verify: (folder: string) => void) => void} */
function giveName(made, out, verify) {
  mkdirSync(dirname(out), { recursive: true })
  const beside = temporaryFolder(join(dirname(out), `.${basename(out)}-`))
  cpSync(made, beside, { recursive: true })
  verify(beside)
  chmodSync(beside, 0o755)
  renameSync(beside, out)
}

/** @type {(commit: Commit, wanted: Wanted) => string} */
function whatIsLeft({ version, id, publicKey }, { out, ci }) {
  const files = readdirSync(out).toSorted()
  const unknown = `3. The commit has no ${publicKeyFile}: put this one where users know that it is yours, best there.\n`
  const trial = ci === undefined ? "" : `\nThis is a trial: ${ci} ran in place of .ci/run. Publish nothing of it.\n`
  return `
${out} holds the release ${version}, and its signature was verified:
${files.map((file) => `  ${file}\n`).join("")}${trial}
Left to do by hand (docs/releasing.md):
1. Tag the commit, and push the tag:
   git tag --annotate v${version} --message "countersign ${version}" ${id}
   git push origin v${version}
2. Upload these ${files.length} files to where users find releases, with the notes of CHANGELOG.md.
${publicKey === undefined ? unknown : ""}`
}

/** As at a terminal: nothing of the npm that runs us is left. */
function terminalEnv() {
  const ours = Object.entries(process.env).filter(([name]) => !/^(?:npm_(?!config_)|INIT_CWD$)/.test(name))
  const folders = pathFolders(process.env).filter((folder) => !folder.includes("node_modules"))
  return { ...Object.fromEntries(ours), PATH: folders.join(":") }
}

/** @type {(prefix: string) => string} */
function temporaryFolder(prefix) {
  const folder = mkdtempSync(prefix)
  temporary.push(folder)
  return folder
}

/** @type {(line: string) => void} */
function tell(line) {
  process.stderr.write(`release: ${line}\n`)
}
