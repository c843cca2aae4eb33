// The doctor on the keys: are they usable, and could somebody guess the installation's? It makes no key.
import { existsSync } from "node:fs"
import type { Config } from "../../config.ts"
import { ProofError } from "../../proof/errors.ts"
import { KeyError, openSigningKey, readKeyFile } from "../installation/key.ts"
import { type Finding, notesOn } from "./finding.ts"

/** The key, if there is one, and the findings. */
export interface KeySeen {
  readonly key: Buffer | null
  readonly finding: Finding
}

/** Looks at the installation's key; a missing key file is not made. */
export function lookAtKey(key: Config["key"]): KeySeen {
  const notes = notesOn("key")
  if (key.kind === "given")
    return judgeKey(Buffer.from(key.value), "COUNTERSIGN_KEY", "COUNTERSIGN_KEY is set and long enough")
  if (!existsSync(key.path))
    return { key: null, finding: notes.ok(`${key.path} is not there yet: the first start makes it`) }
  try {
    return judgeKey(readKeyFile(key.path), key.path, `${key.path} can be read by its owner only`)
  } catch (error) {
    if (!(error instanceof KeyError)) throw error
    const why = "whoever has the key can forge votes and the ledger; without it nothing that was sealed can be read"
    return { key: null, finding: notes.fail({ what: error.what, why, todo: error.todo }) }
  }
}

function judgeKey(key: Buffer, name: string, well: string): KeySeen {
  const notes = notesOn("key")
  const weakness = weaknessOf(key.toString())
  if (weakness === null) return { key, finding: notes.ok(well) }
  const why = "whoever reads Redis has time to guess it, and can then forge votes and the ledger"
  const todo =
    "take the output of openssl rand -hex 32, with a new name (installation): data stay under the key that sealed them"
  return { key, finding: notes.warn({ what: `${name} ${weakness}`, why, todo }) }
}

/** The id of the key that signs receipts, if there is one, and the findings. */
export interface ReceiptKeySeen {
  readonly kid: string | null
  readonly finding: Finding
}

/**
 * Looks at the key that signs receipts and checkpoints; makes no file. `key`: the installation's key, if there is one.
 * `signed`: the ids of all keys that ever signed, or null if we cannot know.
 */
export async function lookAtReceiptKey(
  config: Config,
  key: Buffer | null,
  signed: readonly string[] | null,
): Promise<ReceiptKeySeen> {
  const notes = notesOn("receipts")
  const { key: place } = config.receipts
  const later = place.kind === "file" ? !existsSync(place.path) : place.kind === "derived" && key === null
  if (later) return { kid: null, finding: notes.ok("the first start makes the key that signs them") }
  try {
    const { algorithm, publicKey } = await openSigningKey(config, key ?? Buffer.alloc(0))
    const { kid } = publicKey
    const isNew = (signed ?? []).length > 0 && signed?.includes(kid) === false
    return { kid, finding: isNew ? rotation(kid) : notes.ok(`they are signed with ${algorithm} key ${kid}`) }
  } catch (error) {
    if (!(error instanceof KeyError || error instanceof ProofError)) throw error
    const why = "without it no decision can be made, since each carries a receipt"
    const todo = error instanceof KeyError ? error.todo : "give a private key on Ed25519 or P-256, in PEM or as a JWK"
    return { kid: null, finding: notes.fail({ what: error.message, why, todo }) }
  }
}

function rotation(kid: string): Finding {
  return notesOn("receipts").warn({
    what: `the next start signs them with key ${kid}, which never signed here`,
    why: "a gate at a tool refuses each receipt by a key that its file does not pin",
    todo: "if there are gates, write their file with countersign keys export now, and start when all of them have it",
  })
}

/** Characters that are neighbours on a keyboard, in the alphabet or among the digits. */
const rows = "abcdefghijklmnopqrstuvwxyz 01234567890 qwertyuiop asdfghjkl zxcvbnm"

/** The most frequent pairs of letters in English. */
const common = new Set(
  [
    "th he in er an re on at en nd ti es or te of ed is it al ar st to nt ng se ha as ou io le ve co me de hi ri ro ic",
    "ne ea ra ce li ch ll be ma si om ur",
  ].flatMap((pairs) => pairs.split(" ")),
)

/** Why a key looks weak, in words that follow its name; null if it does not. */
export function weaknessOf(key: string): string | null {
  if (Buffer.byteLength(key) < 32) return "has fewer than 32 bytes"
  if (share(slicesOf(key, 3), (three, at, all) => all.indexOf(three) < at) > 0.25) return "repeats itself"
  if (entropyOf(key) * key.length < 80) return "has few different characters"
  if (share(slicesOf(key.toLowerCase(), 2), runsOn) > 0.7) return "runs along the alphabet or a keyboard"
  return isMadeOfWords(key) ? "is made of words" : null
}

/** Every part of a text that is this long. */
function slicesOf(text: string, length: number): readonly string[] {
  return Array.from({ length: Math.max(0, text.length + 1 - length) }, (_, at) => text.slice(at, at + length))
}

function runsOn(pair: string): boolean {
  const back = `${pair.charAt(1)}${pair.charAt(0)}`
  return pair === back || rows.includes(pair) || rows.includes(back)
}

/** The entropy of a text in bits a character, by how often each character occurs. */
function entropyOf(text: string): number {
  const counts = [...Map.groupBy(text, (letter) => letter).values()].map(({ length }) => length / text.length)
  return counts.reduce((sum, part) => sum - part * Math.log2(part), 0)
}

/** True if a key has mostly letters, in pairs common in English. One in fourteen random pairs is common there. */
function isMadeOfWords(key: string): boolean {
  const runs: readonly string[] = key.toLowerCase().match(/[a-z]{2,}/g) ?? []
  const pairs = runs.flatMap((run) => slicesOf(run, 2))
  const letters = key.replaceAll(/[^a-z]/gi, "").length / key.length
  return letters > 0.75 && pairs.length > 14 && share(pairs, (pair) => common.has(pair)) > 0.36
}

function share<T>(all: readonly T[], is: (one: T, at: number, all: readonly T[]) => boolean): number {
  return all.filter(is).length / all.length
}
