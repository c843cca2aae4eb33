// All keys that tokens are verified with, in the order in which they are tried (specification 5.2, rules 3 and 4).
import { decodeProtectedHeader } from "jose"
import { AuthSetupError } from "./errors.ts"
import type { KeySet } from "./key-set.ts"
import { openKeySetFile } from "./key-set-file.ts"
import { type Algorithm, readVerificationKey, type VerificationKey } from "./verification-keys.ts"

/** The keys to try for a token, and a number that changes when the keys do. */
export type Keyring = {
  candidates(token: string): readonly VerificationKey[]
  generation(): number
}

/** Where the keys come from. */
export type KeyringOptions = {
  readonly verificationKeys: readonly string[]
  readonly jwksFile?: string
  readonly algorithm: Algorithm
  /** Now, in epoch milliseconds. */
  readonly clock: () => number
  /** Told when a changed key set file cannot be used. */
  readonly onKeyProblem?: (error: unknown) => void
}

/**
 * Gathers the keys. A token's `kid` selects in the key set; without one there, the set's keys that have no kid are tried; then the static
 * ones. Throws `AuthSetupError` if a key cannot be used, or if there is a key set file and no key at all.
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
    // Whoever verifies the token says what is wrong with it.
    if (error instanceof TypeError) return undefined
    throw error
  }
}
