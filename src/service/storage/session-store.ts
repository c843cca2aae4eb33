// Sessions in SQLite.
import type { DatabaseSync } from "node:sqlite"
import { type ComponentKind, componentKinds } from "../engine/run.ts"
import { ServiceError } from "../errors.ts"
import { given } from "../resources/conditions.ts"
import { countOf, integerOf, offsetOf, type TableRow, textOf, textOrNull } from "./columns.ts"
import { toWhere } from "./resource-store.ts"

/** One session. Free-form fields are JSON text; times are epoch ms. `name` null: its first run's message names it. */
export interface Session {
  readonly id: string
  readonly kind: ComponentKind
  readonly componentId: string | null
  readonly userId: string | null
  readonly name: string | null
  readonly state: string | null
  readonly metadata: string | null
  readonly summary: string | null
  readonly createdAt: number
  readonly updatedAt: number
}

/** Adds a session; false if there is a session with this id. */
export function insertSession(database: DatabaseSync, session: Session): boolean {
  const outcome = database
    .prepare(
      `INSERT INTO sessions (id, kind, component_id, user_id, name, state, metadata, summary, created_at, updated_at)
       VALUES (:id, :kind, :componentId, :userId, :name, :state, :metadata, :summary, :createdAt, :updatedAt)
       ON CONFLICT (id) DO NOTHING`,
    )
    .run({ ...session })
  return outcome.changes === 1
}

/** One session, or null. */
export function findSession(database: DatabaseSync, id: string): Session | null {
  const row = database.prepare("SELECT * FROM sessions WHERE id = ?").get(id)
  return row === undefined ? null : toSession(row)
}

/** What a PATCH changes. A null field stays as it is. `at` is epoch milliseconds. */
type SessionChange = Pick<Session, "name" | "state" | "metadata" | "summary"> & { readonly at: number }

/** Changes a session; false if there is none. */
export function updateSession(database: DatabaseSync, id: string, change: SessionChange): boolean {
  const outcome = database
    .prepare(
      `UPDATE sessions SET name = coalesce(:name, name), state = coalesce(:state, state),
         metadata = coalesce(:metadata, metadata), summary = coalesce(:summary, summary), updated_at = :at
       WHERE id = :id`,
    )
    .run({ ...change, id })
  return outcome.changes === 1
}

/** Notes the time of the last change in a session. `at` is epoch milliseconds. */
export function touchSession(database: DatabaseSync, id: string, at: number): void {
  database.prepare("UPDATE sessions SET updated_at = max(updated_at, ?) WHERE id = ?").run(at, id)
}

/** Deletes a session of this user (null: of any user); false if there is none. */
export function deleteSession(database: DatabaseSync, id: string, owner: string | null): boolean {
  const outcome = database
    .prepare("DELETE FROM sessions WHERE id = :id AND (:owner IS NULL OR user_id = :owner)")
    .run({ id, owner })
  return outcome.changes === 1
}

/** Which sessions, in which order, on which page. An undefined field does not matter; `name` is a part of the name. */
interface SessionQuery {
  readonly kind: ComponentKind | undefined
  readonly componentId: string | undefined
  readonly userId: string | undefined
  readonly name: string | undefined
  readonly sortBy: "created_at" | "updated_at" | "session_name"
  readonly order: "ASC" | "DESC"
  readonly limit: number
  readonly page: number
}

/** A session's own name, else the message of its first run, else nothing. */
const shownName = `coalesce(name, (SELECT json_extract(state, '$.message') FROM runs
  WHERE runs.session_id = sessions.id AND parent_id IS NULL ORDER BY rowid LIMIT 1), '')`

/** A page of sessions with the names that are shown, and how many sessions there are in all. */
export function listSessions(
  database: DatabaseSync,
  query: SessionQuery,
): { readonly sessions: readonly Session[]; readonly total: number } {
  const { where, values } = toWhere([
    ...given("kind = ?", query.kind),
    ...given("component_id = ?", query.componentId),
    ...given("user_id = ?", query.userId),
    ...given(`instr(lower(${shownName}), lower(?)) > 0`, query.name),
  ])
  const count = database.prepare(`SELECT count(*) AS n FROM sessions ${where}`).get(...values)
  const column = query.sortBy === "session_name" ? shownName : query.sortBy
  const rows = database
    .prepare(`SELECT *, ${shownName} AS shown FROM sessions ${where}
      ORDER BY ${column} ${query.order}, seq ${query.order} LIMIT ? OFFSET ?`)
    .all(...values, query.limit, offsetOf(query))
  const sessions = rows.map((found) => ({ ...toSession(found), name: textOf(found, "shown") }))
  return { sessions, total: countOf(count) }
}

function toSession(row: TableRow): Session {
  const id = textOf(row, "id")
  const kind = componentKinds.find((candidate) => candidate === textOf(row, "kind"))
  if (kind === undefined) throw new ServiceError("database_corrupt", `session ${id}: its kind cannot be read`)
  return {
    id,
    kind,
    componentId: textOrNull(row, "component_id"),
    userId: textOrNull(row, "user_id"),
    name: textOrNull(row, "name"),
    state: textOrNull(row, "state"),
    metadata: textOrNull(row, "metadata"),
    summary: textOrNull(row, "summary"),
    createdAt: integerOf(row, "created_at"),
    updatedAt: integerOf(row, "updated_at"),
  }
}
