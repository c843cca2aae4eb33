// Keeps the key set of a file: reads it again when the file changes, so that keys rotate without a restart.
import { readFileSync, statSync } from "node:fs"
import { AuthSetupError } from "./errors.ts"
import { type KeySet, readKeySet } from "./key-set.ts"
import type { Algorithm } from "./verification-keys.ts"

/** Where the key set is and how it is watched. */
export type KeySetFileOptions = {
  readonly path: string
  readonly algorithm: Algorithm
  /** Now, in epoch milliseconds. */
  readonly clock: () => number
  /** Told when the changed file cannot be used; the keys read before stay in force. */
  readonly onProblem: (error: unknown) => void
}

/** The keys now. `generation` changes with every new set, so that what was concluded from an older one can be dropped. */
export type KeySetFile = { current(): { readonly keys: KeySet; readonly generation: number } }

const lookEveryMs = 1000

/**
 * Reads the file. From then on it is looked at when keys are asked for, at most once a second. A file that is gone or broken, as it may be
 * half-way through being written, changes nothing and is reported once. Throws `AuthSetupError` if it cannot be used at start.
 */
export function openKeySetFile(options: KeySetFileOptions): KeySetFile {
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

/** What changes when a file is written or replaced; empty for one that is not there. */
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
