// A ledger entry: what happened, bound to the entry before it in its chain, under our MAC.
import { canonicalJson } from "../domain/canonical.ts"
import type { CaseEvent } from "../domain/event.ts"
import { isJsonObject, type Json, type JsonObject, parseJson } from "../domain/json.ts"
import type { Seal } from "../domain/seal.ts"

/** What happens to the records that are no cases. `at` is epoch milliseconds. */
type StoreEvent = { readonly at: number } & (
  | { readonly kind: "installed"; readonly installation: string; readonly keyId: string }
  | {
      readonly kind: "activated"
      readonly revision: string
      /** The revision that was active before, or null. */
      readonly before: string | null
      readonly added: readonly string[]
      readonly removed: readonly string[]
      readonly changed: readonly string[]
      /** True if the revision had been active earlier and an operator asked for it. */
      readonly again: boolean
    }
  | { readonly kind: "pinned"; readonly email: string; readonly person: string }
  /** A public key (RFC 7517) that signs from now on. */
  | { readonly kind: "key-added"; readonly key: JsonObject }
)

/** Everything that an entry can tell. */
export type LedgerEvent = CaseEvent | StoreEvent

/** The end of a chain: how many entries it has, and the MAC of the last; "" before the first. */
export interface ChainHead {
  readonly count: number
  readonly mac: string
}

/** The head of a chain without entries. */
export const noEntries: ChainHead = { count: 0, mac: "" }

/** An entry as the ledger holds it: canonical JSON and the MAC over that very text. */
export interface SealedEntry {
  readonly body: string
  readonly mac: string
}

/** An entry as read. `event` is as it was written; its kinds are those of `LedgerEvent`. */
export interface Entry {
  /** `case:<id>`, `pin:<name>`, `config`, `signing-keys` or `installation`. */
  readonly chain: string
  /** Its place in the chain, from 1. */
  readonly n: number
  /** The MAC of the entry before it in the chain, "" for the first. */
  readonly prev: string
  readonly event: Readonly<Record<string, Json>>
  /** Made while Slack was the local sandbox (R19). */
  readonly sandbox: boolean
}

/** Where entries are added. */
export interface ChainEnd {
  readonly chain: string
  readonly head: ChainHead
  readonly sandbox: boolean
}

/** Seals events as the next entries of a chain, and says where the chain ends then. */
export function extendChain(
  seal: Seal,
  end: ChainEnd,
  events: readonly LedgerEvent[],
): { readonly entries: readonly SealedEntry[]; readonly head: ChainHead } {
  const entries: SealedEntry[] = []
  let head = end.head
  for (const event of events) {
    const entry = sealEntry(seal, { ...end, head }, event)
    entries.push(entry)
    head = { count: head.count + 1, mac: entry.mac }
  }
  return { entries, head }
}

function sealEntry(seal: Seal, end: ChainEnd, event: LedgerEvent): SealedEntry {
  const { chain, head, sandbox } = end
  const place = { chain, n: head.count + 1, prev: head.mac, event: parseJson(JSON.stringify(event)) }
  const body = canonicalJson(sandbox ? { ...place, sandbox: true } : place)
  return { body, mac: macOf(seal, body) }
}

function macOf(seal: Seal, body: string): string {
  return seal.mac("entry", body)
}

/** Opens an entry, or returns null if we did not seal it just so: any other byte in body or MAC counts. */
export function openEntry(seal: Seal, entry: SealedEntry): Entry | null {
  // The texts are compared too, since a MAC in base64url has bits to spare that decode alike.
  if (!seal.verify("entry", entry.body, entry.mac) || macOf(seal, entry.body) !== entry.mac) return null
  const value = parseJson(entry.body)
  if (!isJsonObject(value)) return null
  const { chain, n, prev, event } = value
  if (typeof chain !== "string" || typeof n !== "number" || typeof prev !== "string") return null
  return isJsonObject(event) ? { chain, n, prev, event, sandbox: value["sandbox"] === true } : null
}
