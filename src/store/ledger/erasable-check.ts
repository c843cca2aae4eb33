// Compares what lies beside the ledger (erasable records and receipts) with the hashes that the entries name.
import { receiptHash } from "../../domain/case/receipt.ts"
import { attempt } from "../errors.ts"
import type { SealedPlace } from "../redis/sealed-record.ts"
import type { Entry } from "./entry.ts"
import { readErasable } from "./erasable-record.ts"
import type { LedgerProblem, LedgerWalk } from "./ledger-walk.ts"
import { readReceipt } from "./receipts.ts"

/** How many records are read at once. */
const batch = 200

/** Something that an entry names by its hash. `decision` is that of a receipt, null for an erasable record. */
interface Named {
  readonly number: number
  readonly chain: string
  readonly hash: string
  readonly decision: string | null
}

/** Makes a check that notes what each entry names or erases, and looks at all of it at the end. */
export function createErasableCheck(options: SealedPlace) {
  const named = new Map<string, Named>()
  const erased = new Set<string>()
  const ofChain = new Map<string, string[]>()
  const add = (one: Named) => {
    named.set(nameInChain(one), one)
    ofChain.set(one.chain, [...(ofChain.get(one.chain) ?? []), nameInChain(one)])
  }
  return {
    note: (entry: Entry, number: number): void => {
      for (const one of namedBy(entry, number)) add(one)
      for (const id of erasedBy(entry, ofChain.get(entry.chain) ?? [])) erased.add(id)
    },
    /** The first thing that is missing, changed, or not gone though erased; null: none. Throws `StoreError`. */
    problem: async (walk: LedgerWalk): Promise<LedgerProblem | null> => {
      const all = [...named.values()]
      for (let at = 0; at < all.length; at += batch) {
        const found = await Promise.all(all.slice(at, at + batch).map((one) => look(options, one)))
        for (const [index, state] of found.entries()) {
          const one = all[at + index]
          if (one === undefined || isRight(state, erased.has(nameInChain(one)))) continue
          // It may have been erased since we read its entry: then the ledger says so by now.
          const problem = await walk.go()
          if (problem !== null) return problem
          const now = await look(options, one)
          if (!isRight(now, erased.has(nameInChain(one)))) return erasableProblem(one, now)
        }
      }
      return null
    },
    /** How many of these things were erased, by an operator or by `retention`. */
    erased: () => erased.size,
  }
}

/** The name of a hash within its chain: so nobody can use a copy from another chain. */
function nameInChain({ chain, hash }: Pick<Named, "chain" | "hash">): string {
  return `${chain} ${hash}`
}

function namedBy({ event, chain }: Entry, number: number): readonly Named[] {
  const { erasable: named } = event
  const receipt = receiptNamedBy(event)
  const erasable = typeof named === "string" ? [{ number, chain, hash: named, decision: null }] : []
  return receipt === null ? erasable : [...erasable, { number, chain, ...receipt }]
}

/** The receipt that an entry names, by its decision and hash; null if it names none. */
export function receiptNamedBy({ kind, decision, receipt }: Entry["event"]) {
  const named = kind === "decided" && typeof decision === "string" && typeof receipt === "string"
  return named ? { decision, hash: receipt } : null
}

/** What is gone, as an entry says: the hashes that `erased` lists, or for `removed` all that the case had. */
function erasedBy({ event, chain }: Entry, before: readonly string[]): readonly string[] {
  if (event["kind"] === "removed") return before
  return event["kind"] === "erased" ? erasedHashes(event).map((hash) => nameInChain({ chain, hash })) : []
}

/** The hashes that an `erased` entry lists. */
export function erasedHashes(event: Entry["event"]): readonly string[] {
  return [event["erasables"], event["receipts"]].flatMap((list) =>
    Array.isArray(list) ? list.filter((hash) => typeof hash === "string") : [],
  )
}

type Found = "kept" | "missing" | "changed"

function isRight(found: Found, erased: boolean): boolean {
  return found === (erased ? "missing" : "kept")
}

async function look(options: SealedPlace, named: Named): Promise<Found> {
  const { decision, hash } = named
  if (decision === null) return (await readErasable(options, named)).kind
  const receipt = await attempt("read a receipt", () => readReceipt(options, decision))
  if (receipt === null) return "missing"
  return receiptHash(receipt) === hash ? "kept" : "changed"
}

function erasableProblem({ number, chain, decision }: Named, found: Found): LedgerProblem {
  const what = decision === null ? `the erasable record of entry ${number}` : `the receipt of decision ${decision}`
  const kind = decision === null ? "erasable" : "receipt"
  const named = decision === null ? "" : `, named by entry ${number},`
  switch (found) {
    case "missing":
      return { code: `${kind}-missing`, number, chain, message: `${what}${named} is gone, and nobody erased it` }
    case "changed":
      return { code: `${kind}-changed`, number, chain, message: `${what}${named} is not the one that entry names` }
    case "kept":
      return { code: `${kind}-returned`, number, chain, message: `${what}${named} was erased, and is there again` }
  }
}
