// Leafing: a page of all that one person asked for and may see, however many cases lie before it.
import type { Case } from "../domain/case/case.ts"
import { faceOf } from "../domain/case/card-model.ts"
import type { Listing } from "./inbound.ts"
import type { CaseStore } from "./ports.ts"

/** Cases that are read at a time. The first read is always counted to its end. */
const readAtOnce = 500

/** What of a list is asked for, and what of that this person is shown. */
interface Sieve {
  readonly asked: (one: Case) => boolean
  readonly shown: (one: Case) => Promise<boolean>
}

/** Reads on until the page and one case more are found, or the list is at its end: then the total is exact. */
export async function leafThrough(
  read: CaseStore["listOpen"],
  page: { readonly offset: number; readonly limit: number },
  sieve: Sieve,
): Promise<Listing> {
  // By id: a list that grows while it is read shows some of it twice.
  const found = new Map<string, Case>()
  const end = page.offset + page.limit
  for (let offset = 0; ; offset += readAtOnce) {
    const { cases, total } = await read({ offset, limit: readAtOnce })
    for (const one of await keep(cases.filter(sieve.asked), sieve.shown)) found.set(one.id, one)
    const more = offset + readAtOnce < total
    if (!more || found.size > end) return listingOf([...found.values()], page, more)
  }
}

async function keep(cases: readonly Case[], shown: Sieve["shown"]): Promise<readonly Case[]> {
  const kept = await Promise.all(cases.map(shown))
  return cases.filter((_, index) => kept[index] === true)
}

function listingOf(
  cases: readonly Case[],
  { offset, limit }: { readonly offset: number; readonly limit: number },
  more: boolean,
): Listing {
  const faces = cases.slice(offset, offset + limit).map((one) => faceOf(one, one.cards[0]?.route ?? ""))
  return { faces, total: cases.length, more }
}
