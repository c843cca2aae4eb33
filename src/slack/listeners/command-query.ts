// What stands behind a word of the command: filters such as `agent:payments older:1h`, understood or sent back.
import leven from "leven"
import type { Filter, PastFilter } from "../../flow/ports/inbound.ts"

/** A list as it was asked for. */
export interface ListRequest {
  readonly mine: boolean
  readonly page: number
  readonly filter: Filter
}

/** The history as it was asked for. */
export interface HistoryRequest {
  readonly page: number
  readonly filter: PastFilter
}

/** A query, or the word that nobody understands and the nearest right one. */
export type ReadQuery<T> =
  | { readonly ok: true; readonly query: T }
  | { readonly ok: false; readonly word: string; readonly meant: string }

const listWords = ["mine", "all", "overdue", "agent:", "tool:", "instance:", "rule:", "older:"] as const
const historyWords = ["today", "@", "agent:", "tool:", "instance:", "rule:"] as const
const filterNames = ["agent", "tool", "instance", "rule"] as const
const dayMs = 86_400_000
const units: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: dayMs }

/** `mine`, `all`, `overdue`, filters and a page number, in any order. */
export function readListQuery(words: readonly string[]): ReadQuery<ListRequest> {
  const start = { mine: false, page: 1, filter: {} }
  return readWords<ListRequest>(words, { start, take: listWord, known: listWords })
}

function listWord(query: ListRequest, word: string): ListRequest | null {
  const known = word.toLowerCase()
  if (known === "mine" || known === "all") return { ...query, mine: known === "mine" }
  if (known === "overdue") return { ...query, filter: { ...query.filter, overdue: true } }
  const page = pageOf(word)
  if (page !== null) return { ...query, page }
  const filter = filterOf(word) ?? olderOf(word)
  return filter === null ? null : { ...query, filter: { ...query.filter, ...filter } }
}

/** `today`, a person, filters and a page number, in any order. */
export function readHistoryQuery(words: readonly string[]): ReadQuery<HistoryRequest> {
  return readWords<HistoryRequest>(words, { start: { page: 1, filter: {} }, take: historyWord, known: historyWords })
}

function historyWord(query: HistoryRequest, word: string): HistoryRequest | null {
  const page = pageOf(word)
  if (page !== null) return { ...query, page }
  const filter = word.toLowerCase() === "today" ? { withinMs: dayMs } : (personOf(word) ?? filterOf(word))
  return filter === null ? null : { ...query, filter: { ...query.filter, ...filter } }
}

interface Language<Q> {
  readonly start: Q
  readonly take: (query: Q, word: string) => Q | null
  readonly known: readonly [string, ...string[]]
}

function readWords<Q>(words: readonly string[], { start, take, known }: Language<Q>): ReadQuery<Q> {
  let query = start
  for (const word of words) {
    const next = take(query, word)
    if (next === null) return { ok: false, word, meant: nearest(word.toLowerCase(), known) }
    query = next
  }
  return { ok: true, query }
}

/** Slack writes `@ann` as `<@U0ANN|ann>` where it knows her. */
function personOf(word: string): PastFilter | null {
  const known = /^<@([UW][A-Z0-9]{1,30})(?:\|[^>]*)?>$/.exec(word)
  if (known?.[1] !== undefined) return { person: known[1] }
  return /^@.+/.test(word) ? { person: word.slice(1) } : null
}

function filterOf(word: string): Filter | null {
  const [, key = "", value = ""] = /^([a-z]+):(.+)$/i.exec(word) ?? []
  const name = filterNames.find((one) => one === key.toLowerCase())
  return name === undefined ? null : { [name]: value }
}

function olderOf(word: string): Filter | null {
  const [, count, unit = ""] = /^older:(\d{1,6})([smhd])$/i.exec(word) ?? []
  const ms = units[unit.toLowerCase()]
  return count === undefined || ms === undefined ? null : { olderMs: Number(count) * ms }
}

function pageOf(word: string): number | null {
  return /^[1-9]\d{0,5}$/.test(word) ? Number(word) : null
}

/** The word that begins like this, else the one with the fewest letters to change; of several the first. */
export function nearest<T extends string>(typed: string, words: readonly [T, ...T[]]): T {
  const short = typed.slice(0, 40)
  const begun = words.find((word) => word.startsWith(short))
  return begun ?? words.reduce((best, word) => (leven(short, word) < leven(short, best) ? word : best))
}
