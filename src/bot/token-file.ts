// The credential of an instance that lies in a file: what it holds now, however and whenever the file is replaced.
import { readFileSync, statSync } from "node:fs"
import { readToken, type TokenFile } from "../config/parts/token-file.ts"
import type { Alarm } from "../flow/ports.ts"
import type { Log } from "../log.ts"

/** Where it lies, and who is told of a change. */
export interface TokenFileOptions {
  readonly instance: string
  readonly file: TokenFile
  /** What the file held when the config was read. */
  readonly token: string
  /** Epoch ms. */
  readonly clock: () => number
  readonly log: Pick<Log, "info" | "hide">
  readonly alarm: (alarm: Alarm) => void
}

/** How often is looked at most whether the file changed, in ms. */
const lookMs = 1_000

/**
 * Gives the credential as it is now. The file is looked at when asked for, at most once a second, also if a link's
 * target is replaced, as by Kubernetes. One that is gone or half written changes nothing, and is an alarm once.
 */
export function openTokenFile({ instance, file, token, clock, log, alarm }: TokenFileOptions): () => string {
  let present = token
  let stamp: string | null = null
  let lookedAt = Number.NEGATIVE_INFINITY
  const take = (read: ReturnType<typeof readNow>): void => {
    if (!read.ok) {
      const hint = "the last credential stays in use until the file holds another one"
      alarm({ code: "token-file-unusable", instance, file: file.path, why: read.why, hint })
    } else if (read.token !== present) {
      present = read.token
      log.hide(present)
      log.info("token-replaced", { instance })
    }
  }
  return () => {
    const now = clock()
    if (Math.abs(now - lookedAt) < lookMs) return present
    lookedAt = now
    const next = stampOf(file.path)
    if (next !== stamp) {
      stamp = next
      take(readNow(file))
    }
    return present
  }
}

/** What changes when a file, or the link that leads to it, is written or replaced; empty for one that is not there. */
function stampOf(path: string): string {
  try {
    const { ino, size, mtimeNs, ctimeNs } = statSync(path, { bigint: true })
    return `${ino} ${size} ${mtimeNs} ${ctimeNs}`
  } catch {
    return "" // whatever is wrong with it, reading it says so
  }
}

function readNow(file: TokenFile): ReturnType<typeof readToken> {
  try {
    return readToken(readFileSync(file.path, "utf8"), file)
  } catch {
    return { ok: false, why: "cannot be read" }
  }
}
