// Reads a list page by page, each item once, whatever comes or goes. Says in whose lists unreadable items are.

import { PlatformError, type PlatformErrorCode } from "./errors.ts"
import { type AskPage, readPage, type Slice } from "./read-page.ts"

const pageSize = 100
/** Far more pages than anybody could decide. A list without an end is a fault of the server. */
const maxPages = 10_000

/** What `paginate` needs of an item. */
interface Named {
  /** Undefined if we cannot read the id. */
  readonly id: string | undefined
}

/**
 * Yields the items of all pages, each id once: new rows push others over page borders, and rows of the same second have
 * no order (`docs/platform-facts.md` 2.2, trap 8). If it saw fewer items than announced, it reads all pages once more.
 * Throws the `PlatformError` of a list that fails as a whole; `readPage` handles a list that fails in part.
 */
export async function* paginate<Item extends Named>(ask: AskPage<Item>): AsyncGenerator<Slice<Item>> {
  const seen = new Set<string>()
  const first = yield* onePass(ask, seen)
  if (first.pages > 1 && seen.size + first.nameless < first.announced) {
    for await (const slice of onePass(ask, seen)) {
      const named = slice.items.filter(({ id }) => id !== undefined)
      if (named.length > 0) yield { items: named, holes: [] }
    }
  }
}

/** What one pass over the pages found. */
interface Pass {
  readonly pages: number
  /** The most items that any page announced; 0 if no page did. */
  readonly announced: number
  /** How many items have no id that we can read, with the holes. */
  readonly nameless: number
}

async function* onePass<Item extends Named>(ask: AskPage<Item>, seen: Set<string>): AsyncGenerator<Slice<Item>, Pass> {
  let limit = pageSize
  let announced = 0
  let nameless = 0
  const here = new Set<string>()
  for (let page = 1; page <= maxPages; page += 1) {
    const before = here.size
    let last = true
    let bare = false
    for await (const part of readPage(ask, page, limit)) {
      const items = part.items.filter((item) => isNew(item, seen))
      nameless += part.holes.length + part.items.filter(({ id }) => id === undefined).length
      for (const { id } of part.items) here.add(id ?? "")
      if (items.length > 0 || part.holes.length > 0) yield { items, holes: part.holes }
      announced = Math.max(announced, part.total ?? 0)
      last = part.last
      bare = part.bare
      limit = page === 1 ? Math.min(limit, part.limit ?? limit) : limit
    }
    // A bare array does not say where the list ends. It ends when a page has nothing new.
    if (last || (bare && here.size === before)) return { pages: page, announced, nameless }
  }
  return { pages: maxPages, announced, nameless }
}

function isNew({ id }: Named, seen: Set<string>): boolean {
  if (id === undefined) return true
  if (seen.has(id)) return false
  seen.add(id)
  return true
}

/** Asks for the first rows under one more filter, such as `agent_id=mailer`. Throws `PlatformError`. */
type AskFiltered = (filter: string) => Promise<unknown>

/**
 * Holes: places of the list that nobody can read. We cannot learn their ids, so only filters may tell whose they are
 * (`docs/platform-facts.md`, trap 6). We remember holes from poll to poll.
 */
export interface Holes {
  /** Notes an agent that a readable approval named: a hole may belong to it. */
  meet(agentId: string | null): void
  /** Says in words where `count` holes are: the agents whose lists fail. Asks again only if the number changed. */
  locate(count: number): Promise<string>
}

/** How a list fails if the platform cannot write one of its rows, or if the answer is no JSON, or too long. */
const failing: ReadonlySet<PlatformErrorCode> = new Set(["server", "not_json", "too_large"])

/** We ask about at most this many agents, because each is a call. */
const maxAsked = 50

/** Remembers agents. If there are holes (rows that nobody can read), asks in whose lists they are. */
export function createHoles(ask: AskFiltered): Holes {
  const agents = new Set<string>()
  let last: { readonly count: number; readonly words: string } = { count: 0, words: "" }
  const among = async (): Promise<string> => {
    const found: string[] = []
    for (const agent of agents) if (await fails(ask, agent)) found.push(agent)
    return found.length === 0 ? "of no agent that is known" : `among those of ${found.join(", ")}`
  }
  return {
    meet: (agentId) => {
      if (agentId !== null && agents.size < maxAsked) agents.add(agentId)
    },
    locate: async (count) => {
      if (count === 0) last = { count, words: "" }
      else if (count !== last.count) last = { count, words: `1 of ${count}, ${await among()}` }
      return last.words
    },
  }
}

async function fails(ask: AskFiltered, agentId: string): Promise<boolean> {
  try {
    await ask(`agent_id=${encodeURIComponent(agentId)}`)
    return false
  } catch (error) {
    if (error instanceof PlatformError && failing.has(error.code)) return true
    throw error
  }
}
