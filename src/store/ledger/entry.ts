// A ledger entry: something that happened, bound to the entry before it in its chain, under our MAC.
import { canonicalJson } from "../../domain/content/canonical.ts"
import { isJsonObject, type Json, parseJson } from "../../domain/content/json.ts"
import type { Seal } from "../../domain/proof/seal.ts"
import { type Erasable, splitEvent } from "./erasable-record.ts"
import type { LedgerEvent } from "./ledger-event.ts"

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
  /**
   * `case:<id>`, `link:<name>`, `audits:<instance>`, `sum:<name>`, `fingerprint:<name>`, `config`, `signing-keys` or
   * `installation`.
   */
  readonly chain: string
  /** Its place in the chain, from 1. */
  readonly n: number
  /** The MAC of the entry before it in the chain, "" for the first. */
  readonly prev: string
  /** What happened. The part that may be erased lies in an erasable record, whose hash stands here. */
  readonly event: Readonly<Record<string, Json>>
  /** True: made while Slack was the local sandbox (R19). */
  readonly sandbox: boolean
}

/** Where entries are added. */
export interface ChainEnd {
  readonly chain: string
  readonly head: ChainHead
  readonly sandbox: boolean
}

/** New entries of a chain; `erasables` belong into the same commit as the entries that name them. */
export interface Extension {
  readonly entries: readonly SealedEntry[]
  readonly erasables: readonly Erasable[]
  readonly head: ChainHead
}

/** Seals events as the next entries of a chain, and says where the chain then ends. */
export function extendChain(seal: Seal, end: ChainEnd, events: readonly LedgerEvent[]): Extension {
  const entries: SealedEntry[] = []
  const erasables: Erasable[] = []
  let head = end.head
  for (const event of events) {
    const split = splitEvent(seal, event)
    const entry = sealEntry(seal, { ...end, head }, split.event)
    entries.push(entry)
    if (split.erasable !== null) erasables.push(split.erasable)
    head = { count: head.count + 1, mac: entry.mac }
  }
  return { entries, erasables, head }
}

function sealEntry(seal: Seal, end: ChainEnd, event: Json): SealedEntry {
  const { chain, head, sandbox } = end
  const place = { chain, n: head.count + 1, prev: head.mac, event }
  const body = canonicalJson(sandbox ? { ...place, sandbox: true } : place)
  return { body, mac: seal.mac("entry", body) }
}

/** Opens an entry; null unless we sealed exactly this body, under exactly this MAC. */
export function openEntry(seal: Seal, entry: SealedEntry): Entry | null {
  if (!seal.verify("entry", entry.body, entry.mac) || !isPlain(entry.mac)) return null
  return openOwnEntry(entry)
}

/** True for a MAC as we write it: base64url has spare bits, so several texts decode alike. */
function isPlain(mac: string): boolean {
  return Buffer.from(mac, "base64url").toString("base64url") === mac
}

/** Opens an entry that we are known to have sealed. */
export function openOwnEntry(entry: SealedEntry): Entry | null {
  const value = parseJson(entry.body)
  if (!isJsonObject(value)) return null
  const { chain, n, prev, event } = value
  if (typeof chain !== "string" || typeof n !== "number" || typeof prev !== "string") return null
  return isJsonObject(event) ? { chain, n, prev, event, sandbox: value["sandbox"] === true } : null
}
