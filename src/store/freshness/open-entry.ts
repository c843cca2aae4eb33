// A ledger entry as freshness needs it: its place, its chain, and little of what it says.
import { isVoteKind } from "../../domain/case/event.ts"
import { isJsonObject, type Json } from "../../domain/content/json.ts"
import { entryLeaf, type Hash } from "../../domain/proof/merkle.ts"
import type { Seal } from "../../domain/proof/seal.ts"
import { type Entry, openEntry, openOwnEntry, type SealedEntry } from "../ledger/entry.ts"
import type { NumberedEntry } from "../ledger/read-ledger.ts"

/** An entry of ours, at its place. */
export interface OpenEntry {
  readonly number: number
  readonly mac: string
  readonly chain: string
  readonly n: number
  readonly prev: string
  readonly kind: string
  /** When the entry was made, by the clock of the process that made it, epoch ms. */
  readonly at: number
  /** The interaction behind a vote, by its id; null for anything but a vote. */
  readonly vote: string | null
  /** The era that the entry begins; null: none. */
  readonly era: BegunEra | null
  readonly leaf: Hash
}

/** What an entry says about the era that it begins. */
export interface BegunEra {
  readonly id: number
  /** The chains that the era touches; null: all open cases and all sums. */
  readonly chains: readonly string[] | null
  /** True if an operator began the era by accepting a roll-back. */
  readonly accepts: boolean
  /** Where the config's chain ended before it lost its end; null: it lost nothing. */
  readonly config: readonly string[] | null
}

/** Opens an entry that was read; null unless we wrote exactly this, and its id has our form. */
export function openRead(seal: Seal, read: NumberedEntry): OpenEntry | null {
  const entry = read.whole && read.number !== null ? openEntry(seal, read) : null
  return entry === null || read.number === null ? null : opened(entry, read, read.number)
}

/** Opens an entry that this process wrote just now. */
export function openOwn(own: SealedEntry, number: number): OpenEntry | null {
  const entry = openOwnEntry(own)
  return entry === null ? null : opened(entry, own, number)
}

function opened(entry: Entry, sealed: SealedEntry, number: number): OpenEntry {
  const { chain, n, prev, event } = entry
  const { kind, interaction, at } = event
  return {
    number,
    mac: sealed.mac,
    chain,
    n,
    prev,
    kind: typeof kind === "string" ? kind : "",
    at: typeof at === "number" ? at : 0,
    vote: isVoteKind(kind) && typeof interaction === "string" ? interaction : null,
    era: kind === "era" ? eraOf(event) : null,
    leaf: entryLeaf(sealed),
  }
}

function eraOf({ era, touched, config, accepted }: Entry["event"]): BegunEra | null {
  if (typeof era !== "number") return null
  return { id: era, chains: textsIn(touched), config: textsIn(config), accepts: isJsonObject(accepted) }
}

function textsIn(list: Json | undefined): readonly string[] | null {
  return Array.isArray(list) ? list.filter((one) => typeof one === "string") : null
}
