// The installation's key: given by the environment, else made once in the data folder, readable by its owner only (R14).
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, statSync, writeSync } from "node:fs"
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
  const make = () => `${random().toString("base64url")}\n`
  return Buffer.from(readSecretFile({ path: key.path, make, advice: "set COUNTERSIGN_KEY" }))
}

/** A secret in a file of its own. */
interface SecretFile {
  readonly path: string
  /** The text of a fresh one. */
  readonly make: () => string
  /** What else the operator can do, for messages. */
  readonly advice: string
}

/** The text of a secret file, made with mode 600 if it is not there. Throws `KeyError` as `readKey` does. */
export function readSecretFile({ path, make, advice }: SecretFile): string {
  makeIfMissing(path, make, advice)
  if ((statSync(path).mode & 0o077) !== 0) {
    throw new KeyError(
      `the key file ${path} may be read by others: run chmod 600 on it, and think about whether somebody did`,
    )
  }
  const text = readFileSync(path, "utf8").trim()
  if (text.length < 32)
    throw new KeyError(`the key file ${path} is too short: restore it from your backup, or ${advice}`)
  return text
}

function makeIfMissing(path: string, make: () => string, advice: string): void {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    const file = openSync(path, "wx", 0o600)
    writeSync(file, make())
    closeSync(file)
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST" && existsSync(path))) {
      throw new KeyError(`cannot make the key file ${path}: give its folder to this user, or ${advice}`, {
        cause: error,
      })
    }
  }
}
