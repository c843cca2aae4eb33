// The ledger's entries, opened one by one, for commands that show them.
import type { SealedPlace } from "../redis/sealed-record.ts"
import { type Entry, openEntry } from "./entry.ts"
import { erasedHashes } from "./erasable-check.ts"
import { type ErasableText, readErasable } from "./erasable-record.ts"
import { readChain, readEntry, readLedger } from "./read-ledger.ts"

/** How many entries are read at once. */
const pageSize = 500

/** An entry's erasable record as we found it; `ledger verify` reports `missing` and `changed`. */
export type OpenedErasable =
  | ({ readonly kind: "kept" } & ErasableText)
  | { readonly kind: "erased" | "missing" | "changed" }

/** An entry with its place. `entry` is null if it is not ours: its MAC does not hold. */
export interface OpenedEntry {
  readonly number: number
  readonly body: string
  readonly mac: string
  readonly entry: Entry | null
  /** The free text, names and e-mails of the entry; null if it has none. */
  readonly erasable: OpenedErasable | null
}

/** The entries after a sequence number, up to now. Leaves out ids that do not have our form. Throws `StoreError`. */
export async function* openedEntries(options: SealedPlace, after: number): AsyncGenerator<OpenedEntry> {
  const { redis, keys, seal } = options
  for await (const page of readLedger(redis, keys, { after: `${after}-0`, pageSize })) {
    const opened = page.map(async ({ number, body, mac, whole }) => {
      const entry = whole ? openEntry(seal, { body, mac }) : null
      return number === null ? null : { number, body, mac, entry, erasable: await erasableOf(options, entry, number) }
    })
    for (const entry of await Promise.all(opened)) if (entry !== null) yield entry
  }
}

async function erasableOf(options: SealedPlace, entry: Entry | null, number: number): Promise<OpenedErasable | null> {
  const hash = entry?.event["erasable"]
  if (entry === null || typeof hash !== "string") return null
  const read = await readErasable(options, { chain: entry.chain, hash })
  if (read.kind !== "missing") return read
  return { kind: (await isErased(options, entry.chain, { number, hash })) ? "erased" : "missing" }
}

/** True if a later entry of the chain says that the erasable record was erased, or that its case was removed. */
async function isErased(
  options: SealedPlace,
  chain: string,
  { number, hash }: { readonly number: number; readonly hash: string },
): Promise<boolean> {
  const { redis, keys, seal } = options
  const numbers = await readChain(options, chain)
  for (const later of numbers.filter((one) => Number(one) > number).toReversed()) {
    const sealed = await readEntry(redis, keys, later)
    const entry = sealed === null ? null : openEntry(seal, sealed)
    if (entry?.chain !== chain) continue
    const { event } = entry
    if (event["kind"] === "removed" || (event["kind"] === "erased" && erasedHashes(event).includes(hash))) return true
  }
  return false
}
