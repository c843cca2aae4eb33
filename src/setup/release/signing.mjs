// Signs and verifies by minisign (https://jedisct1.github.io/minisign/), and brings Debian's where there is none.
import { spawnSync } from "node:child_process"
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { cacheFolder } from "../cache-folder.mjs"
import { libraryPath, unpackPackages } from "../debian.mjs"
import { isExecutable, onPath } from "../processes.mjs"
import { publicKeyFile, publicKeyIn } from "./commit.mjs"

/** @typedef {{ readonly program: string, readonly env: Readonly<Record<string, string>> }} Minisign */

/**
 * Minisign, and the environment that it needs: what `MINISIGN` names if that is set, else the one on PATH, else
 * unpacked from Debian's package, which needs the network once. Throws an error that says what to do when there
 * is none.
 * @param {import("../processes.mjs").Machine} machine
 * @returns {Promise<Minisign>}
 */
export async function findMinisign({ env, log }) {
  const root = join(cacheFolder(env), "minisign")
  const programIn = (/** @type {string} */ folder) => join(folder, "usr/bin/minisign")
  const isComplete = (/** @type {string} */ folder) => isExecutable(programIn(folder))
  const found = env["MINISIGN"] || onPath(["minisign"], env)
  if (found) return { program: found, env: {} }
  if (!isComplete(root)) {
    log("no minisign found, fetching one (apt-get download minisign)")
    const packages = ["minisign"]
    const failure = await unpackPackages({ env, folder: "minisign", packages, neededBy: "minisign", isComplete })
    if (failure !== undefined)
      throw new Error(
        `A release is signed by minisign, which is not installed, and fetching it failed: ${failure}.\n` +
          "Install it (Debian: apt-get install minisign, macOS: brew install minisign), " +
          "or set MINISIGN to the path of a minisign.",
      )
  }
  return { program: programIn(root), env: { LD_LIBRARY_PATH: libraryPath(root) } }
}

/**
 * A key that signs. The secret lies on disk only while minisign reads it.
 * @typedef {{ readonly publicKey: string, readonly publicFile: string, readonly sign: (file: string, comment:
 *   string) => void, readonly verify: (file: string) => void }} Key
 */

/**
 * What a key is opened by: its file, its password's file, a folder of ours to work in, and the key that the commit
 * names.
 * @typedef {{ readonly minisign: Minisign, readonly key: string, readonly password?: string, readonly work: string,
 *   readonly committed?: string | undefined }} KeyFiles
 */

/**
 * Opens a secret key and makes sure that it signs for the commit. Throws an error that says what to do if not.
 * @param {KeyFiles} files
 * @returns {Key}
 */
export function openKey({ minisign, key, password, work, committed }) {
  const secret = textOf(key, "the key")
  const isEncrypted = checkForm(secret, key)
  if (isEncrypted && password === undefined)
    throw new Error(`The key in ${key} has a password: name a file with it by --password-file.`)
  const input = password === undefined ? "" : `${textOf(password, "the key's password").split(/\r?\n/)[0]}\n`
  const secretFile = join(work, "secret")
  const publicFile = join(work, publicKeyFile)
  const call = (/** @type {readonly string[]} */ args, text = "") => said(minisign, args, text)
  const withSecret = (/** @type {readonly string[]} */ args) => {
    try {
      writeFileSync(secretFile, secret, { mode: 0o600 })
      return call([...args, "-s", secretFile], input)
    } finally {
      rmSync(secretFile, { force: true })
    }
  }
  const opened = withSecret(["-R", "-p", publicFile])
  if (/wrong password/i.test(opened)) throw new Error(`The password in ${password} is not that of the key in ${key}.`)
  if (!existsSync(publicFile)) throw new Error(`minisign does not take the key in ${key}: ${opened.trim()}`)
  const publicKey = publicKeyIn(readFileSync(publicFile, "utf8"))
  if (committed !== undefined && committed !== publicKey)
    throw new Error(
      `Users verify by the key in ${publicKeyFile}, and ${key} is another: its public key is ${publicKey}.\n` +
        `Name the file of the right key, or commit the other ${publicKeyFile} (docs/releasing.md).`,
    )
  return {
    publicKey,
    publicFile,
    sign: (file, comment) => void withSecret(["-S", "-m", file, "-t", comment]),
    verify: (file) => {
      const words = call(["-V", "-p", publicFile, "-m", file])
      if (!words.startsWith("Signature and comment signature verified"))
        throw new Error(`The signature of ${file} does not hold: ${words.trim()}`)
    },
  }
}

/**
 * Throws if this is no secret key of minisign's; else says whether it has a password (the format is at
 * https://jedisct1.github.io/minisign/#secret-key-format).
 * @type {(secret: string, file: string) => boolean}
 */
function checkForm(secret, file) {
  const [comment = "", line = ""] = secret.split(/\r?\n/)
  const bytes = Buffer.from(line, "base64")
  if (comment.startsWith("untrusted comment:") && bytes.length === 158 && bytes.toString("latin1", 0, 2) === "Ed")
    return bytes.toString("latin1", 2, 4) === "Sc"
  throw new Error(`${file} is no secret key of minisign: docs/releasing.md says how to make one.`)
}

/** @type {(file: string, what: string) => string} */
function textOf(file, what) {
  try {
    return readFileSync(file, "utf8")
  } catch (error) {
    throw new Error(
      `There is no reading ${what} in ${file}: ${error instanceof Error ? error.message : String(error)}.`,
      {
        cause: error,
      },
    )
  }
}

/**
 * What minisign said, on both streams.
 * @type {(minisign: Minisign, args: readonly string[], input: string) => string}
 */
function said({ program, env }, args, input) {
  const { stdout, stderr, error } = spawnSync(program, args, {
    input,
    encoding: "utf8",
    env: { ...process.env, ...env },
  })
  if (error !== undefined) throw new Error(`${program} could not be started: ${error.message}`, { cause: error })
  return stdout + stderr
}
