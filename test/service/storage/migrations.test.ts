// The steps that make the tables: a step that a file may have taken never changes.

import { createHash } from "node:crypto"
import { DatabaseSync } from "node:sqlite"
import { expect, test } from "vitest"
import { searchPieces } from "../../../src/service/knowledge/search-knowledge.ts"
import { described } from "../../../src/service/resources/described.ts"
import { openDatabase } from "../../../src/service/storage/database.ts"
import { indexedWords } from "../../../src/service/storage/indexed-words.ts"
import { migrations } from "../../../src/service/storage/migrations.ts"

/** The beginnings of the steps' SHA-256. To change a table add a step; never change a line of this list. */
const known: readonly string[] = [
  "578a7daf44f219ca",
  "d5aa37616f7ce370",
  "23b6e8e453548647",
  "e781948601eb8d13",
  "a418dc6d9994339f",
  "ac20cf40a195138e",
  "f1a89c5e1ed7d102",
  "8f20e64c671185ec",
  "9676f07f388f5270",
  "a9a93852ce3ca371",
  "6b2a972ade2d9337",
  "ae64761d1e469f78",
  "2d054c32453672dd",
]

test("every step is the one that was there before, and new ones come last", () => {
  const steps = migrations.map((step) => createHash("sha256").update(step).digest("hex").slice(0, 16))

  expect(steps).toEqual(known)
})

test("every described resource finds its table with its columns", () => {
  const database = openDatabase(":memory:")

  const columns = (table: string) =>
    database
      .prepare(`SELECT name FROM pragma_table_info('${table}')`)
      .all()
      .map(({ name }) => String(name))

  for (const { table, row } of described) {
    expect(columns(table)).toEqual(expect.arrayContaining(["seq", ...Object.keys(row.shape)]))
  }
  database.close()
})

test("texts of a file that an earlier step made are found by the words of today", () => {
  const database = new DatabaseSync(":memory:")
  database.function("indexed_words", (text) => indexedWords(String(text)))
  const steps = known.indexOf("2d054c32453672dd")
  for (const step of migrations.slice(0, steps)) database.exec(step)
  database.exec(`
    INSERT INTO knowledge_content (id, name, size, status, created_at, updated_at)
      VALUES ('a', 'roads.md', 1, 'completed', 1, 1);
    INSERT INTO knowledge_chunks (content_id, place, text) VALUES ('a', 0, 'Straße')`)

  database.exec(migrations.slice(steps).join(""))

  const found = (words: string) => searchPieces(database, { words, conditions: [], most: 9, limit: 9, page: 1 }).total
  expect(["strasse", "road", "bridge"].map(found)).toEqual([1, 1, 0])
  database.close()
})
