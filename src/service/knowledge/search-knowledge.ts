// Searches the pieces of texts by their words and by the names of their content, best first (SQLite FTS5, bm25).
import type { DatabaseSync, SQLInputValue } from "node:sqlite"
import type { SqlCondition } from "../resources/conditions.ts"
import { countOf, integerOf, textOf, textOrNull } from "../storage/columns.ts"
import { indexedWords } from "../storage/indexed-words.ts"
import { toWhere } from "../storage/resource-store.ts"
import { parseExact } from "../wire/exact-json.ts"

/** What to search for, and which page to return. `most` is how many pieces are found at most. */
interface SearchQuery {
  readonly words: string
  /** Conditions on `knowledge_content`, here named `content`. */
  readonly conditions: readonly SqlCondition[]
  readonly most: number
  readonly limit: number
  readonly page: number
}

/** A page of the pieces that contain one of the words, and how many pieces do. */
export function searchPieces(
  database: DatabaseSync,
  { words, conditions, most, limit, page }: SearchQuery,
): { readonly data: readonly Record<string, unknown>[]; readonly total: number } {
  const match = matchOf(words)
  if (match === "") return { data: [], total: 0 }
  const { sql, values } = matching(match, conditions)
  const count = database.prepare(`SELECT count(*) AS n FROM ${sql}`).get(...values)
  const total = Math.min(countOf(count), most)
  const offset = Math.min((page - 1) * limit, most)
  const data = database
    .prepare(
      `SELECT piece.seq, piece.content_id, piece.text, content.name, content.metadata, content.origin
       FROM (SELECT knowledge_words.rowid AS found, knowledge_words.rank AS score FROM ${sql}
         ORDER BY knowledge_words.rank, knowledge_words.rowid LIMIT ? OFFSET ?)
       JOIN knowledge_chunks AS piece ON piece.seq = found JOIN knowledge_content AS content ON content.id = content_id
       ORDER BY score, found`,
    )
    .all(...values, Math.max(Math.min(limit, most - offset), 0), offset)
    .map((row) => {
      const text = textOf(row, "text")
      const metadata = textOrNull(row, "metadata")
      return {
        id: `${textOf(row, "content_id")}_${integerOf(row, "seq")}`,
        content: text,
        name: textOrNull(row, "name"),
        meta_data: metadata === null ? null : parseExact(metadata),
        usage: null,
        reranking_score: null,
        content_id: textOf(row, "content_id"),
        content_origin: textOrNull(row, "origin"),
        size: Buffer.byteLength(text),
      }
    })
  return { data, total }
}

/** The pieces that match. Their content is joined only if there are conditions on it. */
function matching(
  match: string,
  conditions: readonly SqlCondition[],
): { readonly sql: string; readonly values: readonly SQLInputValue[] } {
  const { where, values } = toWhere([{ sql: "knowledge_words MATCH ?", values: [match] }, ...conditions])
  const joined = `JOIN knowledge_chunks AS piece ON piece.seq = knowledge_words.rowid
    JOIN knowledge_content AS content ON content.id = piece.content_id`
  return { sql: `knowledge_words ${conditions.length === 0 ? "" : joined} ${where}`, values }
}

/**
 * A query in the language of FTS5: any of the words, each quoted, so that none is read as an operator. A word matches
 * whole, and also by its beginning, which counts less: `Rückgaben` finds `Rückgabe`. Empty if there is no word.
 */
function matchOf(question: string): string {
  const words = indexedWords(question).match(/[\p{L}\p{N}\p{M}]+/gu) ?? []
  return [...new Set(words)].slice(0, mostWords).flatMap(termsOf).join(" OR ")
}

/** A limit, so that no query takes long. */
const mostWords = 64

/** The beginning of a shorter word may mean something else. */
const shortest = 5

function termsOf(word: string): readonly string[] {
  const letters = Array.from(word)
  if (letters.length === 1 && /\p{Lo}/u.test(word)) return [`"${word}"*`]
  if (letters.length < shortest) return [`"${word}"`]
  const beginning = letters.slice(0, Math.max(shortest - 1, letters.length - 2)).join("")
  return [`"${word}"`, `"${beginning}"*`]
}
