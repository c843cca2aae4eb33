// The installation's keys, for MACs (R14) and receipts: given, or made once in files that only their owner can read.
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, statSync, writeSync } from "node:fs"
import { dirname } from "node:path"
import type { Config } from "../../config.ts"
import { derivedKeyText, makeKeyText, readSigningKey, type SigningKey } from "../../proof/signing-key.ts"

/** A key file that must not be used. `what` is wrong with it, `todo` is what to do; the message says both. */
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
 * The key as bytes. If the key file is missing, makes it from `random` (32 bytes, mode 600); only one process does.
 * Throws `KeyError` for a file that others may read, or with less than 32 characters.
 */
export function readKey(key: Config["key"], random: () => Buffer): Buffer {
  if (key.kind === "given") return Buffer.from(key.value)
  const make = () => `${random().toString("base64url")}\n`
  return openKeyFile({ path: key.path, make, instead: "set COUNTERSIGN_KEY" })
}

/** A key in its own file. */
interface KeyFile {
  readonly path: string
  /** Makes the text of a new key. */
  readonly make: () => string
  /** What else the operator can do, in words for messages. */
  readonly instead: string
}

/** The text of a key file. If it is missing, makes it with mode 600. Throws `KeyError` as `readKey` does. */
export function openKeyFile({ path, make, instead }: KeyFile): Buffer {
  makeIfMissing({ path, make, instead })
  return readKeyFile(path, instead)
}

/** The key in a file that exists. Throws `KeyError` as `readKey` does, and for a file that cannot be read. */
export function readKeyFile(path: string, instead = "set COUNTERSIGN_KEY"): Buffer {
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
      { what: `the key file ${path} cannot be read`, todo: `give it to this user, or ${instead}` },
      { cause: error },
    )
  }
  const todo = `restore it from your backup, or ${instead}`
  throw new KeyError({ what: `the key file ${path} is too short`, todo })
}

function makeIfMissing({ path, make, instead }: KeyFile): void {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    const file = openSync(path, "wx", 0o600)
    writeSync(file, make())
    closeSync(file)
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST" && existsSync(path)) return
    const todo = `give its folder to this user, or ${instead}`
    throw new KeyError({ what: `cannot make the key file ${path}`, todo }, { cause: error })
  }
}

/**
 * An installation's signing key. If the key file is missing, makes it (mode 600); only one process does. Throws
 * `KeyError` for an unusable file, `ProofError` for a text that is no private key on Ed25519 or P-256.
 */
export async function openSigningKey(config: Config, key: Buffer): Promise<SigningKey> {
  const { receipts, installation } = config
  switch (receipts.key.kind) {
    case "given":
      return readSigningKey(receipts.key.value, "COUNTERSIGN_RECEIPT_KEY")
    case "derived":
      return readSigningKey(derivedKeyText(key, installation), "the key that follows from COUNTERSIGN_KEY")
    case "file": {
      const { path } = receipts.key
      const make = () => makeKeyText(receipts.algorithm)
      const text = openKeyFile({ path, make, instead: "set COUNTERSIGN_RECEIPT_KEY" }).toString()
      return readSigningKey(text, `the key file ${path}`)
    }
  }
}
