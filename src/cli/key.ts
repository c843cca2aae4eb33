// The installation's key: given by the environment, else made once in the data folder, readable by its owner only (R14).
import { closeSync, mkdirSync, openSync, readFileSync, statSync, writeSync } from "node:fs"
import { dirname } from "node:path"
import type { Config } from "../config.ts"

/** A key file that must not be used. `what` is wrong with it, `todo` is what to do; the message is both. */
export class KeyError extends Error {
  readonly code = "key-unusable"
  readonly retryable = false
  readonly what: string
  readonly todo: string
  constructor({ what, todo }: { readonly what: string; readonly todo: string }, options?: ErrorOptions) {
    super(`${what}: ${todo}`, options)
    this.name = "KeyError"
    this.what = what
    this.todo = todo
  }
}

/**
 * The key as bytes. A key file that does not exist is made from `random` (32 bytes) with mode 600, by one process only. Throws `KeyError` for
 * a file that others may read, or that holds less than 32 characters.
 */
export function readKey(key: Config["key"], random: () => Buffer): Buffer {
  if (key.kind === "given") return Buffer.from(key.value)
  makeIfMissing(key.path, random)
  return readKeyFile(key.path)
}

/** The key in a file that is there. Throws `KeyError` as `readKey` does, and for a file that cannot be read. */
export function readKeyFile(path: string): Buffer {
  try {
    if ((statSync(path).mode & 0o077) !== 0) {
      const todo = "run chmod 600 on it, and think about whether somebody did"
      throw new KeyError({ what: `the key file ${path} may be read by others`, todo })
    }
    const text = readFileSync(path, "utf8").trim()
    if (text.length >= 32) return Buffer.from(text)
  } catch (error) {
    if (error instanceof KeyError) throw error
    throw new KeyError(
      { what: `the key file ${path} cannot be read`, todo: "give it to this user, or set COUNTERSIGN_KEY" },
      { cause: error },
    )
  }
  const todo = "restore it from your backup, or set COUNTERSIGN_KEY"
  throw new KeyError({ what: `the key file ${path} is too short`, todo })
}

function makeIfMissing(path: string, random: () => Buffer): void {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    const file = openSync(path, "wx", 0o600)
    writeSync(file, `${random().toString("base64url")}\n`)
    closeSync(file)
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") return
    const todo = "give its folder to this user, or set COUNTERSIGN_KEY"
    throw new KeyError({ what: `cannot make the key file ${path}`, todo }, { cause: error })
  }
}
