// Keeps texts and what a search finds in them: one transaction over the content and its pieces.
import type { DatabaseSync } from "node:sqlite"
import type { ServiceParts } from "../handler.ts"
import { derivedId } from "../ids.ts"
import { type contentRow, knowledgeContent } from "../resources/knowledge-content.ts"
import type { RowOf } from "../resources/resource.ts"
import { transact } from "../storage/database.ts"
import { findRow, insertRow, updateRow } from "../storage/resource-store.ts"

/** Content as it is kept. */
export type Content = RowOf<typeof contentRow>

/** What is told of a content when it is added. `source` is what makes it the same one: its text, or its origin. */
export interface NewContent {
  readonly name: string | null
  readonly description: string | null
  readonly metadata: Content["metadata"]
  readonly origin: string | null
  readonly userId: string | null
  readonly source: string
}

/** Adds content that is still to come, or begins one of the same name and source anew. */
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

/** Puts the text of a content in its place, with the pieces that a search finds. Null if it was deleted meanwhile. */
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

/** Notes that the text of a content could not be had, and why. */
export function failContent(parts: ServiceParts, id: string, why: string): void {
  updateRow(parts.database, knowledgeContent, id, {
    status: "failed",
    status_message: why,
    updated_at: parts.clock(),
  })
}

/** After this long, in milliseconds, nobody can still be fetching content. */
const longestMs = 120_000

/** Notes what a restart cut off. Called before content is read, so that nobody waits for what will not come. */
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

/** How long a piece is at most, in UTF-16 units. */
const longest = 1500

/** The pieces of a text, in its order; none of a text of spaces. */
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

/** A paragraph that is too long is cut after a space, or where it has none, between two characters. */
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

/** Where a text can be cut without parting a surrogate pair. */
function safeEnd(text: string, at: number): number {
  const code = text.charCodeAt(at)
  return code >= 0xdc00 && code <= 0xdfff ? at - 1 : at
}
