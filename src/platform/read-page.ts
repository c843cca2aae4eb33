// Reads one page of a list. If the page fails, reads the same rows in smaller pages, so that a bad row hides no other.
import type { Envelope } from "./envelope.ts"
import { PlatformError } from "./errors.ts"

/** Asks for one page, from 1. Throws `PlatformError`. */
export type AskPage<Item> = (page: number, limit: number) => Promise<Envelope<Item>>

/** Items as they came, and why we cannot read some places of the list, not even by themselves. */
export interface Slice<Item> {
  readonly items: readonly Item[]
  readonly holes: readonly string[]
}

/** A slice, and what it says about the whole list. */
export interface Part<Item> extends Slice<Item> {
  readonly total: number | null
  /** The page size that the server used, maybe smaller than asked for; null if we read the page in parts. */
  readonly limit: number | null
  /** See `Envelope`. */
  readonly bare: boolean
  /** True if the list ends here. */
  readonly last: boolean
}

/** A page that no list reaches. AgentOS answers 200 with no rows. */
const beyondAnyList = 1_000_000

/**
 * Reads one page. After a 500 it asks again, because the database may be the cause. If that fails, too, or the page is
 * too large or no JSON, it reads pages of 10 and of 1 (`docs/platform-facts.md`, traps 5 and 14). A row that fails
 * alone becomes a hole. Throws the `PlatformError` if the list fails as a whole.
 */
export async function* readPage<Item>(ask: AskPage<Item>, page: number, limit: number): AsyncGenerator<Part<Item>> {
  const whole = await tryPage(ask, page, limit)
  if (!(whole instanceof PlatformError)) return yield partOf(whole, page, limit)
  if (!(await isAlive(ask, whole))) throw whole
  yield* readSmaller(ask, { page, limit, failure: whole })
}

async function* readSmaller<Item>(
  ask: AskPage<Item>,
  from: { readonly page: number; readonly limit: number; readonly failure: PlatformError },
): AsyncGenerator<Part<Item>> {
  const { page, limit, failure } = from
  if (limit === 1)
    return yield { items: [], holes: [failure.message], total: null, limit: null, bare: false, last: false }
  const smaller = limit > 10 && limit % 10 === 0 ? 10 : 1
  const first = ((page - 1) * limit) / smaller + 1
  for (let step = 0; step < limit / smaller; step += 1) {
    const found = await tryPage(ask, first + step, smaller)
    if (found instanceof PlatformError) {
      yield* readSmaller(ask, { page: first + step, limit: smaller, failure: found })
      continue
    }
    const part = partOf(found, first + step, smaller)
    yield { ...part, limit: null }
    if (part.last) return
  }
}

/** The page, or its error if smaller pages may help. */
async function tryPage<Item>(ask: AskPage<Item>, page: number, limit: number): Promise<Envelope<Item> | PlatformError> {
  const once = async () => {
    try {
      return await ask(page, limit)
    } catch (error) {
      if (error instanceof PlatformError && isPartial(error)) return error
      throw error
    }
  }
  const found = await once()
  return found instanceof PlatformError && found.code === "server" ? once() : found
}

function isPartial({ code, status }: PlatformError): boolean {
  return code === "too_large" || code === "not_json" || status === 500
}

/** True if the list answers at all. If not, smaller pages would be a hundred calls for nothing. */
async function isAlive(ask: AskPage<unknown>, failure: PlatformError): Promise<boolean> {
  if (failure.code === "too_large") return true
  try {
    await ask(beyondAnyList, 1)
    return true
  } catch (error) {
    if (error instanceof PlatformError) return error.code === "invalid" || error.code === "not_found"
    throw error
  }
}

function partOf<Item>(envelope: Envelope<Item>, page: number, asked: number): Part<Item> {
  const { items, total, bare } = envelope
  const limit = Math.min(asked, envelope.limit ?? asked)
  return { items, holes: [], total, limit, bare, last: isLast(envelope, page, limit) }
}

function isLast({ items, total, bare }: Envelope<unknown>, page: number, limit: number): boolean {
  if (items.length === 0) return true
  // More rows than we asked for: the server has no pages.
  if (items.length > limit) return true
  if (total !== null && total >= (page - 1) * limit + items.length) return page * limit >= total
  return !bare && items.length < limit
}
