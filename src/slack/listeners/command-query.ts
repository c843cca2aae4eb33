// What stands behind a word of the command: filters such as `agent:payments tool:send_* older:1h`, each understood or sent back.
import type { Filter, PastFilter } from "../../flow/inbound.ts"
import { nearest } from "./nearest.ts"

/** A list as it was asked for. */
export interface ListQuery {
  readonly mine: boolean
  readonly page: number
  readonly filter: Filter
}

/** The history as it was asked for. */
export interface HistoryQuery {
  readonly page: number
  readonly filter: PastFilter
}

/** A query, or the word that nobody understands and the nearest right one. */
export type Read<T> =
  | { readonly ok: true; readonly query: T }
  | { readonly ok: false; readonly word: string; readonly meant: string }

const LIST_WORDS = ["mine", "all", "overdue", "agent:", "tool:", "instance:", "rule:", "older:"] as const
const HISTORY_WORDS = ["today", "@", "agent:", "tool:", "instance:", "rule:"] as const
const DAY_MS = 86_400_000
const UNITS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: DAY_MS }

/** `mine`, `all`, `overdue`, filters and a page number, in any order. */
export function readListQuery(words: readonly string[]): Read<ListQuery> {
  let query: ListQuery = { mine: false, page: 1, filter: {} }
  for (const word of words) {
    const next = listWord(query, word)
    if (next === null) return { ok: false, word, meant: nearest(word.toLowerCase(), LIST_WORDS) }
    query = next
  }
  return { ok: true, query }
}

function listWord(query: ListQuery, word: string): ListQuery | null {
  if (word.toLowerCase() === "mine") return { ...query, mine: true }
  if (word.toLowerCase() === "all") return { ...query, mine: false }
  if (word.toLowerCase() === "overdue") return { ...query, filter: { ...query.filter, overdue: true } }
  const page = pageOf(word)
  if (page !== null) return { ...query, page }
  const filter = filterOf(word) ?? olderOf(word)
  return filter === null ? null : { ...query, filter: { ...query.filter, ...filter } }
}

/** `today`, a person, filters and a page number, in any order. */
export function readHistoryQuery(words: readonly string[]): Read<HistoryQuery> {
  let query: HistoryQuery = { page: 1, filter: {} }
  for (const word of words) {
    const next = historyWord(query, word)
    if (next === null) return { ok: false, word, meant: nearest(word.toLowerCase(), HISTORY_WORDS) }
    query = next
  }
  return { ok: true, query }
}

function historyWord(query: HistoryQuery, word: string): HistoryQuery | null {
  const page = pageOf(word)
  if (page !== null) return { ...query, page }
  const filter = word.toLowerCase() === "today" ? { withinMs: DAY_MS } : (personOf(word) ?? filterOf(word))
  return filter === null ? null : { ...query, filter: { ...query.filter, ...filter } }
}

/** Slack writes `@ann` as `<@U0ANN|ann>` where it knows her. */
function personOf(word: string): PastFilter | null {
  const known = /^<@([UW][A-Z0-9]{1,30})(?:\|[^>]*)?>$/.exec(word)
  if (known?.[1] !== undefined) return { person: known[1] }
  return /^@.+/.test(word) ? { person: word.slice(1) } : null
}

function filterOf(word: string): Filter | null {
  const [, key = "", value = ""] = /^([a-z]+):(.+)$/i.exec(word) ?? []
  switch (key.toLowerCase()) {
    case "agent":
      return { agent: value }
    case "tool":
      return { tool: value }
    case "instance":
      return { instance: value }
    case "rule":
      return { rule: value }
    default:
      return null
  }
}

function olderOf(word: string): Filter | null {
  const [, count, unit = ""] = /^older:(\d{1,6})([smhd])$/i.exec(word) ?? []
  const ms = UNITS[unit.toLowerCase()]
  return count === undefined || ms === undefined ? null : { olderMs: Number(count) * ms }
}

function pageOf(word: string): number | null {
  return /^[1-9]\d{0,5}$/.test(word) ? Number(word) : null
}
