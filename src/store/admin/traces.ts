// Traces: where the ledger holds a person's text and names. Each entry names its erasable record.

import { type Erased, isNamed } from "../../domain/case/erasure.ts"
import { isJsonArray } from "../../domain/content/json.ts"
import { foldName } from "../../domain/people/person.ts"
import { erasedHashes, receiptNamedBy } from "../ledger/erasable-check.ts"
import type { OpenedEntry } from "../ledger/opened-entries.ts"
import { chainOf, isCaseChain, isLinkChain } from "../redis/keys.ts"

/** What one chain holds of a person. */
export interface PersonTrace {
  readonly chain: string
  /** Hashes of erasable records. */
  readonly erasables: readonly string[]
  /** Receipts that state a vote of the person. */
  readonly receipts: readonly { readonly decision: string; readonly hash: string }[]
  /** True if an erasable record cannot be read and no entry says whose it is: it may be the person's. */
  readonly unreadable: boolean
}

/** What the ledger holds of a person. */
export interface PersonTraces {
  readonly erased: Erased
  /**
   * Every chain of a case or link, and that of the config if it has orders: any may hold a trace. Chains that know the
   * person only by name come first. So if an erasure is cut short, the next run still finds the names.
   */
  readonly chains: readonly PersonTrace[]
  /** How many entries are gone or not ours: nobody can find the texts that they named. */
  readonly unread: number
}

/** An erasable record that may be the person's, and what tells whose it is. */
interface Seen {
  readonly hash: string
  readonly owner: string | null
  readonly texts: readonly string[]
}

interface SeenChain {
  erasables: Seen[]
  /** Hashes of erasable records that we cannot read, and of which no entry says whose they are. */
  spoiled: readonly string[]
  receipts: { readonly decision: string; readonly hash: string }[]
}

/** Walks the ledger once. `names`: other names of the person. */
export async function findTraces(
  entries: AsyncIterable<OpenedEntry>,
  { person, names }: { readonly person: string; readonly names: readonly string[] },
): Promise<PersonTraces> {
  const chains = new Map<string, SeenChain>()
  const known = new Set(names.map(foldName))
  let [last, unread] = [0, 0]
  for await (const entry of entries) {
    note(chains, known, entry, person)
    unread += entry.number - last - 1 + Number(entry.entry === null)
    last = entry.number
  }
  const erased = { person, names: known }
  const traces = [...chains].map(([chain, seen]) => traceOf(chain, seen, erased))
  return {
    erased,
    unread,
    chains: traces.toSorted((a, b) => traceOrder(chains, a, person) - traceOrder(chains, b, person)),
  }
}

function note(chains: Map<string, SeenChain>, known: Set<string>, opened: OpenedEntry, person: string): void {
  const { entry, erasable } = opened
  if (entry === null || !mayTrace(entry)) return
  const seen = chains.get(entry.chain) ?? { erasables: [], spoiled: [], receipts: [] }
  chains.set(entry.chain, seen)
  const { erasable: hash, kind, people } = entry.event
  if (kind === "removed") Object.assign(seen, { erasables: [], spoiled: [], receipts: [] })
  if (kind === "erased") {
    const gone = new Set(erasedHashes(entry.event))
    seen.receipts = seen.receipts.filter((one) => !gone.has(one.hash))
    seen.spoiled = seen.spoiled.filter((one) => !gone.has(one))
  }
  if (erasable?.kind === "kept" && typeof hash === "string") {
    const { reason: _, values: __, ...names } = erasable.text
    seen.erasables.push({ hash, owner: erasable.person, texts: Object.values(names) })
    if (erasable.person === person) for (const name of Object.values(names)) known.add(foldName(name))
  }
  if (erasable?.kind === "missing" || erasable?.kind === "changed") noteSpoiled(seen, opened)
  const receipt = receiptNamedBy(entry.event)
  if (receipt !== null && isJsonArray(people) && people.includes(person)) seen.receipts.push(receipt)
}

/** True for entries of chains that may hold a trace. Of the config only its orders do, and they have texts. */
function mayTrace({ chain, event }: NonNullable<OpenedEntry["entry"]>): boolean {
  if (chain === chainOf.config) return typeof event["erasable"] === "string" || event["kind"] === "erased"
  return isCaseChain(chain) || isLinkChain(chain)
}

/** Notes a record that we cannot read, but somebody may put back: we erase it, too, if the entry names the owner. */
function noteSpoiled(seen: SeenChain, { entry }: OpenedEntry): void {
  const { erasable: hash, person, people } = entry?.event ?? {}
  const owner = isJsonArray(people) ? people.at(-1) : person
  if (typeof hash !== "string") return
  if (typeof owner !== "string") seen.spoiled = [...seen.spoiled, hash]
  else seen.erasables.push({ hash, owner, texts: [] })
}

function traceOf(chain: string, { erasables, spoiled, receipts }: SeenChain, erased: Erased): PersonTrace {
  const theirs = erasables.filter(({ owner, texts }) =>
    owner === null ? texts.some((text) => isNamed(text, erased)) : owner === erased.person,
  )
  return { chain, erasables: theirs.map(({ hash }) => hash), receipts, unreadable: spoiled.length > 0 }
}

/** The order of traces: cases that know the person only by name, then cases that know the person's id, then links. */
function traceOrder(chains: ReadonlyMap<string, SeenChain>, { chain }: PersonTrace, person: string): number {
  if (isLinkChain(chain)) return 2
  return chains.get(chain)?.erasables.some(({ owner }) => owner === person) === true ? 1 : 0
}
