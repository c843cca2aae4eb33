// The words after a command: filters such as `agent:payments since:7d`. A word that we do not know is sent back.
import leven from "leven"
import { type CaseStatus, pastStatuses, waitingStatuses } from "../../domain/case/case.ts"
import type { SlackId } from "../../domain/people/person.ts"
import type { Filter } from "../../flow/ports/inbound.ts"
import { isPageNumber } from "../lists/list-messages.ts"
import { filterExample } from "../text/command-words.ts"

/** Who typed the words, and when (epoch ms). */
export interface QueryReader {
  readonly asker: SlackId
  readonly now: number
}

/** The part of the history that was asked for. `after`: how many cases an earlier look went through; we skip those. */
export interface HistoryRequest {
  readonly page: number
  readonly after: number
  readonly filter: Filter
}

/** The list that was asked for. */
export interface ListRequest extends HistoryRequest {
  readonly mine: boolean
}

/**
 * A query, or the word that we do not know and the nearest one that we do. `meant`: a word that we know, and that is
 * much like one of the words that are searched for.
 */
export type ReadQuery<T> =
  | { readonly ok: true; readonly query: T; readonly meant?: string }
  | { readonly ok: false; readonly word: string; readonly meant: string }

const filterNames = ["agent", "team", "workflow", "tool", "instance", "rule"] as const
const commonWords = [
  ...filterNames.map((name) => `${name}:`),
  "requested",
  "today",
  "yesterday",
  "@person",
  "status:",
  "requester:",
  "text:",
  "since:",
  "until:",
  "after:",
]
const listWords = ["mine", "all", "overdue", "limit", "older:", ...commonWords] as const
const historyWords = ["today", ...commonWords] as const
const dayMs = 86_400_000
const units: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: dayMs }

const keys = listWords.flatMap((word) => (word.endsWith(":") ? [word.slice(0, -1)] : []))
/** A key with a space before or after its colon: `requester: @rita`. */
const partedKey = new RegExp(String.raw`(?<=^|\s)(${keys.join("|")})\s*:\s*(?=\S)`, "gi")

/** The words, each key together with its value. */
function withValues(words: readonly string[]): readonly string[] {
  return words
    .join(" ")
    .replace(partedKey, "$1:")
    .split(" ")
    .filter((word) => word !== "")
}

/** `mine`, `all`, `overdue`, `limit`, filters, a page number and words to search for, in any order. */
export function readListQuery(words: readonly string[], reader: QueryReader): ReadQuery<ListRequest> {
  const start = { mine: false, page: 1, after: 0, filter: {} }
  return readWords<ListRequest>(words, { start, take: listWord, known: listWords, statuses: waitingStatuses, reader })
}

function listWord(query: ListRequest, word: string, language: Language<ListRequest>): ListRequest | null {
  const known = word.toLowerCase()
  if (known === "mine" || known === "all") return { ...query, mine: known === "mine" }
  const filter = flagOf(known) ?? olderOf(word)
  return filter === null ? commonWord(query, word, language) : { ...query, filter: { ...query.filter, ...filter } }
}

function flagOf(known: string): Filter | null {
  if (known === "overdue") return { overdue: true }
  return known === "limit" ? { limit: true } : null
}

/** Filters, a page number and words to search for, in any order. */
export function readHistoryQuery(words: readonly string[], reader: QueryReader): ReadQuery<HistoryRequest> {
  const start = { page: 1, after: 0, filter: {} }
  return readWords<HistoryRequest>(words, {
    start,
    take: commonWord,
    known: historyWords,
    statuses: pastStatuses,
    reader,
  })
}

/** True if the words ask only about decided cases. */
export function isAboutPast(words: readonly string[]): boolean {
  const waiting: readonly string[] = waitingStatuses
  const asked = withValues(words).flatMap((word) => /^status:(.+)$/i.exec(word)?.[1]?.toLowerCase() ?? [])
  return asked.some((status) => !waiting.includes(status) && pastStatuses.some((one) => one === status))
}

/** What somebody typed into a search field: filters. Every other word is part of a name or an id. */
export function readSearch(text: string, reader: QueryReader): Filter {
  const language = { statuses: [...waitingStatuses, ...pastStatuses], reader }
  const words = withValues(text.split(/\s+/))
  return filterOf(words.map((word) => filterWord(word, language) ?? { text: word }))
}

interface Language<Q> {
  readonly start: Q
  readonly take: (query: Q, word: string, language: Language<Q>) => Q | null
  readonly known: readonly [string, ...string[]]
  readonly statuses: readonly CaseStatus[]
  readonly reader: QueryReader
}

function readWords<Q extends HistoryRequest>(words: readonly string[], language: Language<Q>): ReadQuery<Q> {
  let query = language.start
  let meant: string | undefined
  for (const word of withValues(words)) {
    const next = language.take(query, word, language)
    if (next === null && !isSearched(word)) return { ok: false, word, meant: meantBy(word.toLowerCase(), language) }
    query = next ?? { ...query, filter: filterOf([query.filter, { text: word }]) }
    if (next === null) meant ??= likeOne(word, language.known)
  }
  return { ok: true, query, ...(meant === undefined ? {} : { meant }) }
}

/** We take a word for one of ours only if at most this many letters differ. */
const maxWrong = 2

/** True for a word to search for: no word of ours, or one with a key before its colon that is unlike all our keys. */
function isSearched(word: string): boolean {
  const typed = word.toLowerCase()
  const [, key] = /^([a-z]+):/.exec(typed) ?? []
  if (key === undefined) return !listWords.some((one) => one === typed)
  return keys.every((one) => leven(one, key.slice(0, 40)) > maxWrong)
}

/** The word of ours that somebody may have meant by one that we search for. */
function likeOne(word: string, known: readonly string[]): string | undefined {
  const typed = word.toLowerCase().slice(0, 40)
  if (typed.length <= maxWrong + 1) return undefined
  return known.find((one) => /^[a-z]+$/.test(one) && one[0] === typed[0] && leven(one, typed) <= maxWrong)
}

/** All filters in one. A case has to hold the words of each. */
function filterOf(filters: readonly Filter[]): Filter {
  const text = filters.flatMap((one) => one.text ?? []).join(" ")
  const joined: Filter = Object.assign({}, ...filters)
  return text === "" ? joined : { ...joined, text }
}

function meantBy<Q>(word: string, { known, statuses }: Language<Q>): string {
  const [first, ...others] = statuses
  const said = /^status:(.*)$/.exec(word)?.[1]
  if (said !== undefined && first !== undefined) return `status:${nearest(said, [first, ...others])}`
  const [key = word] = /^[a-z]+:/.exec(word) ?? []
  const meant = nearest(key, known)
  if (!meant.endsWith(":")) return meant
  const [, value = ""] = /:(.+)$/.exec(word) ?? []
  return `${meant}${filterExample(meant, value)}`
}

function commonWord<Q extends HistoryRequest>(query: Q, word: string, language: Language<Q>): Q | null {
  if (isPageNumber(word)) return { ...query, page: Number(word) }
  const [, after] = /^after:(\d{1,9})$/i.exec(word) ?? []
  if (after !== undefined) return { ...query, after: Number(after) }
  const filter = filterWord(word, language)
  return filter === null ? null : { ...query, filter: filterOf([query.filter, filter]) }
}

function filterWord(
  word: string,
  { statuses, reader }: { readonly statuses: readonly CaseStatus[]; readonly reader: QueryReader },
): Filter | null {
  const known = word.toLowerCase()
  if (known === "requested") return { requestedBy: reader.asker }
  if (known === "today" || known === "yesterday") return dayOf(known, reader)
  const [, key = "", value = ""] = /^([a-z]+):(.+)$/i.exec(word) ?? []
  switch (key.toLowerCase()) {
    case "status": {
      const status = statuses.find((one) => one === value.toLowerCase())
      return status === undefined ? null : { status }
    }
    case "requester":
      return requesterOf(value, reader)
    case "text":
      return { text: value }
    case "since":
    case "until":
      return edgeOf(key.toLowerCase() === "since" ? "since" : "until", value, reader)
    default: {
      const name = filterNames.find((one) => one === key.toLowerCase())
      return name === undefined ? personFilter(word) : { [name]: value }
    }
  }
}

/** Slack writes `@ann` as `<@U0ANN|ann>` if it knows her. */
const mentioned = /^<@([UW][A-Z0-9]{1,30})(?:\|[^>]*)?>$/

function personFilter(word: string): Filter | null {
  const [, user] = mentioned.exec(word) ?? []
  if (user !== undefined) return { person: user }
  return /^@.+/.test(word) ? { person: word.slice(1) } : null
}

function requesterOf(value: string, { asker }: QueryReader): Filter {
  const [, user] = mentioned.exec(value) ?? []
  if (user !== undefined) return { requestedBy: { team: asker.team, user } }
  if (value.toLowerCase() === "me") return { requestedBy: asker }
  // If Slack does not know the name after an @, it is the beginning of an address.
  return { requester: value.replace(/^@(?=.)/, "") }
}

/** A day in UTC. */
function dayOf(day: "today" | "yesterday", { now }: QueryReader): Filter {
  const start = now - (now % dayMs)
  return day === "today" ? { since: start } : { since: start - dayMs, until: start - 1 }
}

/** `7d` ago, the beginning or the end of a day (UTC), `today`, `yesterday`, or a moment with its time zone. */
function edgeOf(edge: "since" | "until", value: string, reader: QueryReader): Filter | null {
  const known = value.toLowerCase()
  const at = known === "today" || known === "yesterday" ? dayOf(known, reader).since : momentOf(value, reader)
  if (at === undefined || Number.isNaN(at)) return null
  const wholeDay = /^(?:\d{4}-\d\d-\d\d|today|yesterday)$/.test(known)
  return { [edge]: edge === "until" && wholeDay ? at + dayMs - 1 : at }
}

function momentOf(value: string, { now }: QueryReader): number {
  const ago = spanOf(value)
  if (ago !== null) return now - ago
  return /^\d{4}-\d\d-\d\d(?:T[\d:.]{4,12}(?:Z|[+-]\d\d:?\d\d))?$/i.test(value) ? Date.parse(value) : Number.NaN
}

function olderOf(word: string): Filter | null {
  const [, value = ""] = /^older:(.+)$/i.exec(word) ?? []
  const ms = spanOf(value)
  return ms === null ? null : { olderMs: ms }
}

function spanOf(text: string): number | null {
  const [, count, unit = ""] = /^(\d{1,6})([smhd])$/i.exec(text) ?? []
  const ms = units[unit.toLowerCase()]
  return count === undefined || ms === undefined ? null : Number(count) * ms
}

/** The word that begins like this, else the one with the fewest letters to change. If several fit, the first. */
export function nearest<T extends string>(typed: string, words: readonly [T, ...T[]]): T {
  const short = typed.slice(0, 40)
  const begun = words.find((word) => word.startsWith(short))
  return begun ?? words.reduce((best, word) => (leven(short, word) < leven(short, best) ? word : best))
}
