// Keeps content and the pieces that a search finds, in one transaction.
import type { DatabaseSync } from "node:sqlite"
import type { ServiceParts } from "../handler.ts"
import { derivedId } from "../ids.ts"
import { type contentRow, knowledgeContent } from "../resources/knowledge-content.ts"
import type { RowOf } from "../resources/resource.ts"
import { transact } from "../storage/database.ts"
import { findRow, insertRow, updateRow } from "../storage/resource-store.ts"

/** Content as it is kept. */
export type Content = RowOf<typeof contentRow>

/** New content. Content is the same if its user, its name and its `source` (the text, or the origin) are the same. */
export interface NewContent {
  readonly name: string | null
  readonly description: string | null
  readonly metadata: Content["metadata"]
  readonly origin: string | null
  readonly userId: string | null
  readonly source: string
}

/** Adds content whose text comes later. If the content exists already, it is filled anew. */
export function announceContent(parts: ServiceParts, told: NewContent): Content {
  const { name, description, metadata, origin, userId, source } = told
  const id = derivedId("knowledge", userId ?? "", name ?? "", source)
  return transact(parts.database, () => {
    const now = parts.clock()
    const before = findRow(parts.database, knowledgeContent, id)
    const row: Content = {
      id,
      name,
      description,
      type: null,
      size: 0,
      metadata,
      status: "processing",
      status_message: null,
      origin,
      user_id: userId,
      created_at: before?.created_at ?? now,
      updated_at: now,
    }
    if (before === null) insertRow(parts.database, knowledgeContent, row)
    else updateRow(parts.database, knowledgeContent, id, row)
    return row
  })
}

/** Writes the text of content, as the pieces that a search finds. Null if the content was deleted meanwhile. */
export function fillContent(parts: ServiceParts, id: string, text: string, type: string): Content | null {
  const { database } = parts
  return transact(database, () => {
    const before = findRow(database, knowledgeContent, id)
    if (before === null) return null
    const size = Buffer.byteLength(text)
    const change = { type, size, status: "completed", status_message: null, updated_at: parts.clock() } as const
    updateRow(database, knowledgeContent, id, change)
    writeChunks(database, id, chunksOf(text))
    return { ...before, ...change }
  })
}

function writeChunks(database: DatabaseSync, id: string, chunks: readonly string[]): void {
  database.prepare("DELETE FROM knowledge_chunks WHERE content_id = ?").run(id)
  const insert = database.prepare("INSERT INTO knowledge_chunks (content_id, place, text) VALUES (?, ?, ?)")
  chunks.forEach((chunk, place) => insert.run(id, place, chunk))
}

/** Notes why there is no text for content. */
export function failContent(parts: ServiceParts, id: string, why: string): void {
  updateRow(parts.database, knowledgeContent, id, {
    status: "failed",
    status_message: why,
    updated_at: parts.clock(),
  })
}

/** Content that is still being fetched after this long, in milliseconds, was cut off. */
const longestMs = 120_000

/** Marks content whose fetching a restart cut off. Called before reads, so that nobody waits for it. */
export function failCutOff({ database, clock }: ServiceParts): void {
  const now = clock()
  const late = database.prepare(
    "SELECT 1 FROM knowledge_content WHERE status = 'processing' AND updated_at NOT BETWEEN ? AND ? LIMIT 1",
  )
  const recent = [now - longestMs, now + longestMs]
  if (late.get(...recent) === undefined) return
  database
    .prepare(
      `UPDATE knowledge_content SET status = 'failed', status_message = ?, updated_at = ?
       WHERE status = 'processing' AND updated_at NOT BETWEEN ? AND ?`,
    )
    .run("It did not come in time; add it again", now, ...recent)
}

/** Longest piece, in UTF-16 units. */
const longest = 1500

/** The pieces of a text, in order. A text of blanks has none. */
function chunksOf(text: string): readonly string[] {
  const pieces = text
    .split(/\n\s*\n/)
    .map((paragraph) => paragraph.trim())
    .filter((paragraph) => paragraph !== "")
    .flatMap(cut)
  const chunks: string[] = []
  for (const piece of pieces) {
    const last = chunks.at(-1)
    if (last !== undefined && last.length + 2 + piece.length <= longest)
      chunks[chunks.length - 1] = `${last}\n\n${piece}`
    else chunks.push(piece)
  }
  return chunks
}

/** Cuts a paragraph that is too long: after a space, or between two characters if it has no space. */
function cut(paragraph: string): readonly string[] {
  const pieces: string[] = []
  let rest = paragraph
  while (rest.length > longest) {
    const space = rest.lastIndexOf(" ", longest)
    const at = space > longest / 2 ? space : safeEnd(rest, longest)
    pieces.push(rest.slice(0, at).trim())
    rest = rest.slice(at).trim()
  }
  return rest === "" ? pieces : [...pieces, rest]
}

/** A place to cut a text that does not split a surrogate pair. */
function safeEnd(text: string, at: number): number {
  const code = text.charCodeAt(at)
  return code >= 0xdc00 && code <= 0xdfff ? at - 1 : at
}
