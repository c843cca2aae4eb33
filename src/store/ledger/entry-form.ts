// The two forms of an entry in the stream: condensed, in the fields `e` and `m`; as text, in `body` and `mac`. We seal,
// hash and export the text, whichever form is stored.
import { condense, expand, phrasesOf } from "../redis/condense.ts"
import type { SealedEntry } from "./entry.ts"

/** The fields of an entry in the stream: names and values in turn. */
export type EntryFields = readonly [string, string | Buffer, string, string | Buffer]

/** Longer entries stay text: no entry may hold up whoever reads the ledger. */
const maxLength = 65_536

/** The phrases of entries, in canonical JSON; the most frequent first. New phrases go to the end. */
const phrases = phrasesOf([
  '{"chain":"case:',
  '","event":{"at":',
  '"},"n":',
  ',"prev":"',
  '","sandbox":true}',
  '"}',
  ',"digest":"',
  '","event":{"approval":"',
  '","asked":[{"approvers":["',
  '"],"quorum":1,"rule":"',
  '"}],"at":',
  '","instance":"main","kind":"opened","revision":1,"rules":["',
  '"]},"n":1,"prev":"',
  ',"kind":"placed","place":{"channel":"',
  '","ts":"',
  '"},"revision":1,"route":"channel:',
  '"},"revision":1,"route":"person:',
  '","interaction":"',
  '","kind":"voted","mac":"',
  '","person":"',
  '","revealed":false,"revision":1,"rules":["',
  '","erasable":"',
  '"],"surface":"card","verb":"approve"},"n":',
  ',"decision":"',
  '","kind":"decided","people":["',
  '"],"receipt":"',
  '","verb":"approve"},"n":',
  '","verb":"reject"},"n":',
  '"],"surface":"card","verb":"reject"},"n":',
  '","kind":"resolved","sandbox":true,"verb":"approve"},"n":',
  '","kind":"resolved","sandbox":false,"verb":"approve"},"n":',
  ',"kind":"closed"},"n":',
  '"],"surface":"details","verb":"approve"},"n":',
  '"],"surface":"command","verb":"approve"},"n":',
  '"],"surface":"details","verb":"',
  '"],"surface":"',
  '","revealed":true,"revision":',
  '","revealed":false,"revision":',
  '","instance":"',
  '","kind":"opened","revision":',
  '"],"quorum":',
  ',"rule":"',
  '},{"approvers":["',
  '"},"revision":',
  ',"route":"channel:',
  ',"route":"person:',
  ',"rules":["',
  '"]},"n":',
  '","verb":"',
  ',"attempt":',
  ',"by":null',
  ',"by":',
  ',"at":',
  ',"chain":"',
  ',"kind":"',
  '","kind":"',
  ',"more":0,"people":["',
  ',"more":',
  ',"people":["',
  ',"revision":',
  ',"why":"',
  '","why":"',
  ',"deviations":[',
  ',"detail":',
  ',"result":',
  ',"run":"',
  ',"voided":[',
  '"},"n":1,"prev":"',
  '{"chain":"audits:',
  '{"chain":"link:',
  '{"chain":"config","event":{',
  '{"chain":"installation","event":{',
  '{"chain":"signing-keys","event":{',
  "T0",
  '","U0',
  '"],"tool":"',
  '"],"team":"',
])

/** The fields of an entry; as text if the entry is long, or if it would not come back unchanged. */
export function fieldsOf({ body, mac }: SealedEntry): EntryFields {
  const raw = Buffer.from(mac, "base64url")
  const condensed = body.length > maxLength || macOf(raw) !== mac ? null : condense(body, phrases)
  return condensed === null ? ["body", body, "mac", mac] : ["e", condensed, "m", raw]
}

/** The entry in fields of the stream; null if they are not as we write them. */
export function entryOf(fields: readonly Buffer[]): SealedEntry | null {
  const [first, body, second, mac] = fields
  if (fields.length !== 4 || body === undefined || mac === undefined) return null
  const names = `${first?.toString()} ${second?.toString()}`
  if (names === "body mac") return { body: body.toString(), mac: mac.toString() }
  const text = names === "e m" && mac.length === macLength ? expand(body, phrases) : null
  return text === null ? null : { body: text, mac: macOf(mac) }
}

const macLength = 32

/** A MAC as text, made from text or from bytes. */
export function macOf(mac: Buffer): string {
  return mac.length === macLength ? mac.toString("base64url") : mac.toString()
}

/** The bytes of a MAC, for a condensed entry. If these would not give back the same text: the bytes of the text. */
export function rawMac(mac: string): Buffer {
  const raw = Buffer.from(mac, "base64url")
  return macOf(raw) === mac ? raw : Buffer.from(mac)
}
