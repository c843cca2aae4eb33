// What the ledger of a store says, entry by entry.
import type { OpenedEntry } from "../../src/store/ledger/opened-entries.ts"
import type { OpenStore } from "./support.ts"

/** Every entry, opened with its erasable record. */
export async function opened({ store }: OpenStore): Promise<readonly OpenedEntry[]> {
  const entries: OpenedEntry[] = []
  for await (const entry of store.entries(0)) entries.push(entry)
  return entries
}

/** `voted kept` and the like, of the entries that name an erasable record. */
export async function kinds(open: OpenStore): Promise<readonly string[]> {
  const told = (await opened(open)).filter(({ erasable }) => erasable !== null)
  return told.map(({ entry, erasable }) => `${textOf(entry?.event["kind"])} ${erasable?.kind}`)
}

/** The hash of the erasable record that an entry names; "" where it names none. */
export function sideHashOf({ entry }: OpenedEntry): string {
  return textOf(entry?.event["erasable"])
}

/** Key and field of the erasable records of cases that the entries name, in their order. */
export async function sidesOf(open: OpenStore): Promise<readonly (readonly string[])[]> {
  return (await opened(open)).flatMap((one) => {
    const [hash, chain = ""] = [sideHashOf(one), one.entry?.chain]
    return hash === "" ? [] : [[open.store.keys.case(chain.slice(5)), `erasable:${hash.slice(0, 16)}`]]
  })
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : ""
}
