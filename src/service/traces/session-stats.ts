// Counts the traces of each session, newest first.
import type { DatabaseSync } from "node:sqlite"
import type { SqlCondition } from "../resources/conditions.ts"
import { integerOf, type TableRow, textOf, textOrNull } from "../storage/columns.ts"
import { toWhere } from "../storage/resource-store.ts"
import { runSlices } from "../storage/run-slices.ts"

/** Columns that name the user or component of traces. If there are several values, the last by alphabet counts. */
const named = ["user_id", "agent_id", "team_id", "workflow_id"] as const

/** A session with its traces. Times are epoch ms. */
export interface SessionStats extends Readonly<Record<(typeof named)[number], string | null>> {
  readonly session_id: string
  readonly total: number
  readonly first: number
  readonly last: number
}

/** Counts the traces that meet the conditions, by session. */
export async function countSessions(
  database: DatabaseSync,
  conditions: readonly SqlCondition[],
): Promise<readonly SessionStats[]> {
  const sessions = new Map<string, SessionStats>()
  for await (const { first, last } of runSlices(database)) {
    const { where, values } = toWhere([...conditions, { sql: "seq BETWEEN ? AND ?", values: [first, last] }])
    const rows = database.prepare(
      `SELECT session_id, ${named.map((name) => `max(${name}) AS ${name}`).join(", ")}, count(*) AS n,
         min(created_at) AS first, max(created_at) AS last
       FROM traces ${where} GROUP BY session_id`,
    )
    for (const row of rows.all(...values)) {
      const stats = statsOf(row)
      const before = sessions.get(stats.session_id)
      sessions.set(stats.session_id, before === undefined ? stats : joinedStats(before, stats))
    }
  }
  return [...sessions.values()].toSorted(
    (a, b) => b.last - a.last || (a.session_id < b.session_id ? -1 : a.session_id > b.session_id ? 1 : 0),
  )
}

function statsOf(row: TableRow): SessionStats {
  return {
    session_id: textOf(row, "session_id"),
    user_id: textOrNull(row, "user_id"),
    agent_id: textOrNull(row, "agent_id"),
    team_id: textOrNull(row, "team_id"),
    workflow_id: textOrNull(row, "workflow_id"),
    total: integerOf(row, "n"),
    first: integerOf(row, "first"),
    last: integerOf(row, "last"),
  }
}

function joinedStats(one: SessionStats, other: SessionStats): SessionStats {
  const lastOf = (name: (typeof named)[number]) => {
    const [left, right] = [one[name], other[name]]
    return left === null || (right !== null && right > left) ? right : left
  }
  return {
    session_id: one.session_id,
    user_id: lastOf("user_id"),
    agent_id: lastOf("agent_id"),
    team_id: lastOf("team_id"),
    workflow_id: lastOf("workflow_id"),
    total: one.total + other.total,
    first: Math.min(one.first, other.first),
    last: Math.max(one.last, other.last),
  }
}
