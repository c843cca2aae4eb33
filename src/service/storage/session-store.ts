// Sessions in SQLite.
import type { DatabaseSync } from "node:sqlite"
import { z } from "zod"
import { componentKinds } from "../engine/run.ts"
import type { RowOf } from "../resources/resource.ts"
import { nullableText, objectField } from "../resources/row-columns.ts"

const sessionRow = z.object({
  id: z.string(),
  kind: z.enum(componentKinds),
  component_id: nullableText,
  user_id: nullableText,
  name: nullableText,
  state: objectField.nullable(),
  metadata: objectField.nullable(),
  summary: objectField.nullable(),
  created_at: z.int(),
  updated_at: z.int(),
})

/** One session. Times are epoch ms. `name` null: its first run's message names it. */
export type Session = RowOf<typeof sessionRow>

/** The sessions, for `resource-store.ts`. */
export const sessions = { table: "sessions", row: sessionRow, key: "id" }

/** Notes the time of the last change in a session. `at` is epoch milliseconds. */
export function touchSession(database: DatabaseSync, id: string, at: number): void {
  database.prepare("UPDATE sessions SET updated_at = max(updated_at, ?) WHERE id = ?").run(at, id)
}
