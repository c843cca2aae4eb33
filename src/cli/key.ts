// The installation's key: given by the environment, else made once in the data folder, readable by its owner only (R14).
import { closeSync, mkdirSync, openSync, readFileSync, statSync, writeSync } from "node:fs"
import { dirname } from "node:path"
import type { Config } from "../config.ts"

/** A key file that must not be used. The message says what to do. */
export class KeyError extends Error {
  readonly code = "key-unusable"
  readonly retryable = false
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = "KeyError"
  }
}

/**
 * The key as bytes. A key file that does not exist is made from `random` (32 bytes) with mode 600, by one process only. Throws `KeyError` for
 * a file that others may read, or that holds less than 32 characters.
 */
export function readKey(key: Config["key"], random: () => Buffer): Buffer {
  if (key.kind === "given") return Buffer.from(key.value)
  makeIfMissing(key.path, random)
  if ((statSync(key.path).mode & 0o077) !== 0) {
    throw new KeyError(
      `the key file ${key.path} may be read by others: run chmod 600 on it, and think about whether somebody did`,
    )
  }
  const text = readFileSync(key.path, "utf8").trim()
  if (text.length < 32)
    throw new KeyError(`the key file ${key.path} is too short: restore it from your backup, or set COUNTERSIGN_KEY`)
  return Buffer.from(text)
}

function makeIfMissing(path: string, random: () => Buffer): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  try {
    const file = openSync(path, "wx", 0o600)
    writeSync(file, `${random().toString("base64url")}\n`)
    closeSync(file)
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) {
      throw new KeyError(`cannot make the key file ${path}: give its folder to this user, or set COUNTERSIGN_KEY`, {
        cause: error,
      })
    }
  }
}
