// All keys that verify tokens, in the order in which we try them (specification 5.2, rules 3 and 4).
import { readFileSync, statSync } from "node:fs"
import { decodeProtectedHeader } from "jose"
import { AuthSetupError } from "./errors.ts"
import { type KeySet, readKeySet } from "./key-set.ts"
import { readVerificationKey, type VerificationKey } from "./verification-keys.ts"
import type { TokenVerifierOptions } from "./verify-token.ts"

/** The keys to try for a token, and a number that changes whenever the keys do. */
export interface Keyring {
  candidates(token: string): readonly VerificationKey[]
  generation(): number
}

type KeyringOptions = Pick<
  TokenVerifierOptions,
  "verificationKeys" | "jwksFile" | "algorithm" | "clock" | "onKeyProblem"
>

/**
 * Gathers the keys. We try the keys of the set that have the token's `kid`; if there are none, those without a kid;
 * then the static keys. Throws `AuthSetupError` if a key cannot be used, or if the key set file is empty and there is
 * no other key.
 */
export function createKeyring(options: KeyringOptions): Keyring {
  const { algorithm, jwksFile } = options
  const fixed = options.verificationKeys.map((text) => readVerificationKey(text, algorithm))
  if (jwksFile === undefined) return { candidates: () => fixed, generation: () => 0 }
  const onProblem = options.onKeyProblem ?? (() => undefined)
  const file = openKeySetFile({ path: jwksFile, algorithm, clock: options.clock, onProblem })
  const { keys } = file.current()
  if (keys.named.size + keys.nameless.length + fixed.length === 0) {
    throw new AuthSetupError("key_set_unreadable", `key set file ${jwksFile}: it holds no key for ${algorithm}`)
  }
  return {
    candidates: (token) => [...selected(file.current().keys, kidOf(token)), ...fixed],
    generation: () => file.current().generation,
  }
}

function selected(keys: KeySet, kid: string | undefined): readonly VerificationKey[] {
  return (kid === undefined ? undefined : keys.named.get(kid)) ?? keys.nameless
}

function kidOf(token: string): string | undefined {
  try {
    const { kid } = decodeProtectedHeader(token)
    return typeof kid === "string" ? kid : undefined
  } catch (error) {
    // Whoever verifies the token says what is wrong.
    if (error instanceof TypeError) return undefined
    throw error
  }
}

/** Where the key set is and how it is watched. */
interface KeySetFileOptions extends Pick<TokenVerifierOptions, "algorithm" | "clock"> {
  readonly path: string
  /** Called if the changed file cannot be used; the keys from before stay in force. */
  readonly onProblem: (error: unknown) => void
}

/** The keys now. `generation` changes with every new set, so that we drop conclusions from an older set. */
interface KeySetFile {
  current(): { readonly keys: KeySet; readonly generation: number }
}

const lookEveryMs = 1000

/**
 * Reads the file. Afterwards it looks whether the file changed when somebody asks for keys, at most once a second. If
 * the file is gone or broken, perhaps half-way written, this changes nothing and is reported once. Throws
 * `AuthSetupError` if the file cannot be used at start.
 */
function openKeySetFile(options: KeySetFileOptions): KeySetFile {
  let stamp = stampOf(options.path)
  let keys = read(options)
  let generation = 0
  let lookedAt = options.clock()
  const look = (): void => {
    const now = stampOf(options.path)
    if (now === stamp) return
    stamp = now
    try {
      keys = read(options)
      generation += 1
    } catch (error) {
      options.onProblem(error)
    }
  }
  return {
    current: () => {
      const now = options.clock()
      if (Math.abs(now - lookedAt) >= lookEveryMs) {
        lookedAt = now
        look()
      }
      return { keys, generation }
    },
  }
}

/** A text that changes when somebody writes or replaces a file; empty if there is no file. */
function stampOf(path: string): string {
  const stats = statSync(path, { bigint: true, throwIfNoEntry: false })
  return stats === undefined ? "" : `${stats.ino} ${stats.size} ${stats.mtimeNs} ${stats.ctimeNs}`
}

function read({ path, algorithm }: KeySetFileOptions): KeySet {
  try {
    return readKeySet(readFileSync(path, "utf8"), algorithm)
  } catch (cause) {
    if (cause instanceof AuthSetupError) throw new AuthSetupError(cause.code, `${path}: ${cause.message}`, { cause })
    throw new AuthSetupError("key_set_unreadable", `key set file ${path}: it cannot be read`, { cause })
  }
}
