// Counts each day's runs, sessions, tokens and models, for each user.
import type { DatabaseSync } from "node:sqlite"
import { setImmediate as othersHadTheirTurn } from "node:timers/promises"
import { ownModel } from "../components/component.ts"
import { counts } from "../resources/metrics.ts"
import { integerOf, integerOrNull, type TableRow, textOf } from "../storage/columns.ts"
import { transact } from "../storage/database.ts"
import { runSlices } from "../storage/run-slices.ts"

const kinds = ["agent", "team", "workflow"]

/** A day of a user, while it is counted. `runs` and `sessions` are by kind, and only of runs that callers started. */
interface Day {
  readonly date: string
  readonly user: string
  readonly runs: Map<string, number>
  readonly sessions: Map<string, Set<string>>
  readonly models: Map<string, number>
  input: number
  output: number
}

/** `own`: a caller started the run. */
const ofSlice = `
SELECT date(created_at / 1000, 'unixepoch') AS day, ifnull(user_id, '') AS owner, kind, session_id,
  parent_id IS NULL AS own, ifnull(model, '${ownModel.id}') AS model, count(*) AS n,
  sum(input_tokens) AS input, sum(output_tokens) AS output
FROM runs WHERE rowid BETWEEN :first AND :last GROUP BY 1, 2, 3, 4, 5, 6`

const all = [...counts, "input_tokens", "output_tokens", "models"]

const written = `
INSERT INTO metrics (id, date, user_id, created_at, updated_at, ${all.join(", ")})
VALUES (?, ?, ?, ?, ?, ${all.map(() => "?").join(", ")})
ON CONFLICT (id) DO UPDATE SET
  ${all.map((name) => `${name} = excluded.${name}`).join(", ")}, updated_at = excluded.updated_at`

const dayMs = 86_400_000

function dayOf(at: number): string {
  return new Date(at).toISOString().slice(0, 10)
}

/** How many days are written at once. */
const atOnce = 500

/**
 * Counts the days to which something may have been added since the last count. `at` is epoch milliseconds. We ignore
 * counts with a later time, because a clock that was ahead made them.
 */
export async function countNewDays(database: DatabaseSync, at: number): Promise<void> {
  const last = database.prepare("SELECT max(updated_at) AS at FROM metrics WHERE updated_at <= ?").get(at)
  const countedAt = last === undefined ? null : integerOrNull(last, "at")
  if (countedAt === null) return countDays(database, at)
  const dayBegan = countedAt - (countedAt % dayMs)
  const before = database
    .prepare("SELECT rowid AS n FROM runs WHERE parent_id IS NULL AND created_at < ? ORDER BY created_at DESC LIMIT 1")
    .get(dayBegan)
  await countFrom(database, at, { row: before === undefined ? 1 : integerOf(before, "n"), day: dayOf(dayBegan) })
}

/**
 * Counts anew every day that has runs. Days whose runs were deleted keep their counts. Runs of members are not counted,
 * but their tokens count for their day. `at` is epoch milliseconds.
 */
export function countDays(database: DatabaseSync, at: number): Promise<void> {
  return countFrom(database, at, { row: 1, day: "" })
}

/** Where counting begins: no run of this day or a later day stands before this row. */
interface Beginning {
  readonly row: number
  readonly day: string
}

async function countFrom(database: DatabaseSync, at: number, { row: from, day: firstDay }: Beginning): Promise<void> {
  const days = new Map<string, Day>()
  for await (const { first, last } of runSlices(database, from))
    for (const row of database.prepare(ofSlice).all({ first, last })) countRow(days, row)
  const counted = [...days].filter(([, { date }]) => date >= firstDay)
  for (let from = 0; from < counted.length; from += atOnce) {
    if (from > 0) await othersHadTheirTurn()
    if (!database.isOpen) return
    write(database, counted.slice(from, from + atOnce), at)
  }
}

function write(database: DatabaseSync, days: readonly (readonly [id: string, day: Day])[], at: number): void {
  transact(database, () => {
    const insert = database.prepare(written)
    for (const [id, day] of days) {
      const { date, user, input, output, models } = day
      const byModel = JSON.stringify(Object.fromEntries([...models].toSorted(([a], [b]) => (a < b ? -1 : 1))))
      insert.run(id, date, user, at, at, ...dayCounts(day), input, output, byModel)
    }
  })
}

/** The counts in the order of `counts`. */
function dayCounts({ runs, sessions, user }: Day): readonly number[] {
  return [...kinds.flatMap((kind) => [runs.get(kind) ?? 0, sessions.get(kind)?.size ?? 0]), user === "" ? 0 : 1]
}

function countRow(days: Map<string, Day>, row: TableRow): void {
  const [date, user, kind, runs] = [textOf(row, "day"), textOf(row, "owner"), textOf(row, "kind"), integerOf(row, "n")]
  const day = days.get(`${date}:${user}`) ?? empty(date, user)
  days.set(`${date}:${user}`, day)
  day.input += integerOf(row, "input")
  day.output += integerOf(row, "output")
  if (integerOf(row, "own") === 0) return
  day.runs.set(kind, (day.runs.get(kind) ?? 0) + runs)
  day.sessions.set(kind, (day.sessions.get(kind) ?? new Set<string>()).add(textOf(row, "session_id")))
  if (kind === "workflow") return
  const model = textOf(row, "model")
  day.models.set(model, (day.models.get(model) ?? 0) + runs)
}

function empty(date: string, user: string): Day {
  return { date, user, runs: new Map(), sessions: new Map(), models: new Map(), input: 0, output: 0 }
}
