// Which commit a release is made of, and why it can't be.
import { execFileSync } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"

/**
 * A commit that may be released: its version, id and date (ISO 8601), and the key that its minisign.pub names, if it
 * has one.
 * @typedef {{ readonly version: string, readonly id: string, readonly date: string, readonly publicKey?: string }}
 *   Commit
 */

/** The file that users verify by. */
export const publicKeyFile = "minisign.pub"

/**
 * The commit that is checked out. Throws an error that says what to do if the tree is not clean, if the changelog lacks
 * the version or its date, or if the version has a tag.
 * @param {string} root
 * @returns {Commit}
 */
export function commitToRelease(root) {
  checkTree(root)
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"))
  checkChangelog(version, readFileSync(join(root, "CHANGELOG.md"), "utf8"))
  const tagged = git(root, "tag", "--list", `v${version}`)
  if (tagged !== "")
    throw new Error(
      `${version} was released before: there is a tag ${tagged}. Give this commit another version (docs/releasing.md).`,
    )
  const id = git(root, "rev-parse", "HEAD")
  const date = new Date(git(root, "log", "-1", "--format=%cI")).toISOString()
  const file = join(root, publicKeyFile)
  return { version, id, date, ...(existsSync(file) ? { publicKey: publicKeyIn(readFileSync(file, "utf8")) } : {}) }
}

/** The key in a public key file: its last line that is not empty. @type {(text: string) => string} */
export function publicKeyIn(text) {
  return text.trim().split("\n").at(-1)?.trim() ?? ""
}

/**
 * Makes a clone that has just the files of the commit.
 * @type {(root: string, commit: Commit, folder: string) => string}
 */
export function cloneOf(root, { id }, folder) {
  git(root, "clone", "--quiet", "--shared", "--no-checkout", root, folder)
  git(folder, "checkout", "--quiet", "--detach", id)
  return folder
}

/**
 * A tar archive of these files of the commit, each with the commit's date. `prefix` comes before their paths.
 * @type {(clone: string, paths: readonly string[], prefix: string) => Buffer}
 */
export function archiveOf(clone, paths, prefix) {
  const words = ["-c", "tar.umask=0022", "archive", "--format=tar", `--prefix=${prefix}`, "HEAD", "--", ...paths]
  return execFileSync("git", words, { cwd: clone, maxBuffer: 2 ** 28 })
}

/** @type {(root: string) => void} */
function checkTree(root) {
  const changed = git(root, "status", "--porcelain").split("\n").filter(Boolean)
  if (changed.length === 0) return
  const shown = changed.length > 10 ? [...changed.slice(0, 9), `… and ${changed.length - 9} more`] : changed
  throw new Error(
    "The tree is not clean. A release holds what is committed: commit these files, or take them away, and try again." +
      shown.map((line) => `\n${line}`).join(""),
  )
}

/** @type {(version: string, changelog: string) => void} */
function checkChangelog(version, changelog) {
  const today = new Date().toISOString().slice(0, 10)
  const heading = `## [${version}] - ${today}`
  const sections = changelog.split(/^(?=## )/m)
  const section = sections.find((one) => one.startsWith(`## [${version}]`))
  if (section === undefined)
    throw new Error(
      `CHANGELOG.md does not have ${version}: put "${heading}" above its notes, commit that, and try again.`,
    )
  const [first = "", ...notes] = section.split("\n")
  const date = /^## \[[^\]]+\] - (\d{4}-\d\d-\d\d)$/.exec(first.trimEnd())?.[1]
  if (date === undefined || Number.isNaN(Date.parse(date)))
    throw new Error(`CHANGELOG.md gives ${version} no date: write "${heading}", commit that, and try again.`)
  if (notes.join("").trim() === "")
    throw new Error(`CHANGELOG.md says nothing about ${version}: write what users get, commit that, and try again.`)
}

/** @type {(cwd: string, ...args: readonly string[]) => string} */
function git(cwd, ...args) {
  try {
    return execFileSync("git", args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] }).trimEnd()
  } catch (error) {
    const said = error instanceof Error ? error.message : String(error)
    throw new Error(`A release is made of a commit of this project's git repository, and git failed. ${said}`, {
      cause: error,
    })
  }
}
