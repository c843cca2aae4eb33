// Starts what schedules name, when they are due or somebody asks, and records each attempt. The run, its approvals and
// the record are one transaction. If several processes share a file, each schedule is still started once.

import { findComponent, titleOf } from "../components/component.ts"
import { componentKinds } from "../engine/run.ts"
import type { ServiceParts } from "../handler.ts"
import { randomId } from "../ids.ts"
import type { RowOf } from "../resources/resource.ts"
import { type scheduleRunRow, scheduleRuns } from "../resources/schedule-runs.ts"
import { dueNext, type scheduleRow, schedules } from "../resources/schedules.ts"
import { scheduleRunStanding } from "../runs/schedule-run-record.ts"
import { startWithin } from "../runs/start-run.ts"
import { thinkLater } from "../runs/think.ts"
import { textOf } from "../storage/columns.ts"
import { transact } from "../storage/database.ts"
import { findRow, insertRow, updateRow } from "../storage/resource-store.ts"
import { findFamily } from "../storage/run-store.ts"

/** A schedule as it is kept. */
export type Schedule = RowOf<typeof scheduleRow>

/** A run of a schedule as it is kept. */
type ScheduleRun = RowOf<typeof scheduleRunRow>

/** Starts a schedule at once, because somebody asks for it. Does not change when it is due next. */
export function fireNow(parts: ServiceParts, schedule: Schedule): ScheduleRun {
  const run = transact(parts.database, () => {
    const now = parts.clock()
    const begun = attempt(parts, schedule, 1, now)
    updateRow(parts.database, schedules, schedule.id, retryAfter(schedule, begun, now))
    return begun
  })
  takeOn(parts, run)
  return run
}

/** Begins to ask the model of the started run, if it has one. */
function takeOn(parts: ServiceParts, { run_id: id }: ScheduleRun): void {
  const family = id === null ? null : findFamily(parts.database, id)
  if (family !== null) thinkLater(parts, family)
}

/** Starts a schedule if it is still due, and notes when it is due next. Several processes may call it at once. */
function fireIfDue(parts: ServiceParts, id: string): void {
  const started = transact(parts.database, () => {
    const now = parts.clock()
    const schedule = findRow(parts.database, schedules, id)
    if (schedule === null) return null
    if ((schedule.updated_at ?? schedule.created_at) > now + slackMs) {
      // A clock that was ahead planned this schedule, so it may be due only in a year.
      updateRow(parts.database, schedules, id, plannedAnew(schedule, now))
      return null
    }
    const isRetry = schedule.retry_at !== null && schedule.retry_at <= now
    const isDue = schedule.next_run_at !== null && schedule.next_run_at <= now
    if (!schedule.enabled || !(isRetry || isDue)) return null
    const run = attempt(parts, schedule, isRetry ? schedule.attempts + 1 : 1, now)
    updateRow(parts.database, schedules, id, {
      ...(isDue ? { next_run_at: dueNext(schedule, now) } : {}),
      ...retryAfter(schedule, run, now),
    })
    return run
  })
  if (started !== null) takeOn(parts, started)
}

/** Records that a schedule could not even be tried, and when it is due next, so that we do not try it without end. */
function giveUp(parts: ServiceParts, id: string, why: string): void {
  transact(parts.database, () => {
    const now = parts.clock()
    const schedule = findRow(parts.database, schedules, id)
    if (schedule === null) return
    const failed = { ...begun(parts, schedule, 1, now), completed_at: now, status: "failed", error: why } as const
    insertRow(parts.database, scheduleRuns, failed)
    updateRow(parts.database, schedules, id, plannedAnew(schedule, now))
  })
}

function plannedAnew(schedule: Schedule, now: number): Partial<Schedule> {
  return { next_run_at: dueNext(schedule, now), retry_at: null, attempts: 0, updated_at: now }
}

/** Makes one attempt and records it. Part of the caller's transaction. */
function attempt(parts: ServiceParts, schedule: Schedule, count: number, now: number): ScheduleRun {
  const run = carryOutSchedule(parts, schedule, begun(parts, schedule, count, now), now)
  insertRow(parts.database, scheduleRuns, run)
  return run
}

function begun(parts: ServiceParts, schedule: Schedule, count: number, now: number): ScheduleRun {
  return {
    id: randomId(parts.random),
    schedule_id: schedule.id,
    user_id: schedule.user_id,
    attempt: count,
    triggered_at: now,
    completed_at: null,
    status: "running",
    status_code: null,
    run_id: null,
    session_id: null,
    error: null,
    input: schedule.payload,
    output: null,
    requirements: null,
    created_at: now,
  }
}

function carryOutSchedule(parts: ServiceParts, schedule: Schedule, run: ScheduleRun, now: number): ScheduleRun {
  const failed = (status: number, error: string): ScheduleRun => {
    return { ...run, status: "failed", status_code: status, error, completed_at: now }
  }
  const { message, session_id: session } = schedule.payload ?? {}
  if (typeof message !== "string") return failed(422, "payload.message: expected the text that the run starts with")
  const kind = componentKinds.find((candidate) => candidate === schedule.target_type)
  const component = kind === undefined ? null : findComponent(parts.script, kind, schedule.target_id ?? "")
  if (component === null) return failed(404, `${titleOf(kind ?? "agent")} not found`)
  const sessionId = typeof session === "string" && session !== "" ? session : randomId(parts.random)
  const origin = { id: schedule.id, run_id: run.id }
  const outcome = startWithin(parts, component, { message, sessionId, userId: schedule.user_id, schedule: origin })
  if (!outcome.ok) return failed(outcome.status, outcome.detail)
  const { family } = outcome.leg
  return { ...run, ...scheduleRunStanding(family, now), status_code: 200, run_id: family.run.id, session_id: sessionId }
}

/** When a failed attempt is tried again: as often and as late as the schedule says. */
function retryAfter(
  { max_retries: most, retry_delay_seconds: delay }: Schedule,
  { status, attempt: count }: ScheduleRun,
  now: number,
): Pick<Schedule, "retry_at" | "attempts" | "updated_at"> {
  const isTriedAgain = status === "failed" && count <= most
  const again = isTriedAgain ? { retry_at: now + delay * 1000, attempts: count } : { retry_at: null, attempts: 0 }
  return { ...again, updated_at: now }
}

/** How many schedules are started at one look. The others wait for the next, so that requests are answered. */
const most = 20

/** A time later than this long after now, in milliseconds, comes from a clock that was ahead. */
const slackMs = 60_000

/**
 * Begins to look every `pollMs` for schedules that are due. Starts a schedule once if it became due while no process
 * ran. Returns a function that ends it.
 */
export function startScheduler(parts: ServiceParts, pollMs: number): () => void {
  const { later } = parts
  const startOne = (id: string): void =>
    later.begin(
      `starting schedule ${id}`,
      () => fireIfDue(parts, id),
      (why) => giveUp(parts, id, why),
    )
  const timer = setInterval(
    () => later.begin("looking for schedules that are due", () => dueNow(parts).forEach(startOne)),
    pollMs,
  )
  timer.unref()
  return () => clearInterval(timer)
}

function dueNow({ database, clock }: ServiceParts): readonly string[] {
  const now = clock()
  return database
    .prepare(
      `SELECT id FROM schedules WHERE enabled = 1
         AND (next_run_at <= ? OR retry_at <= ? OR ifnull(updated_at, created_at) > ?)
       ORDER BY coalesce(retry_at, next_run_at) LIMIT ${most}`,
    )
    .all(now, now, now + slackMs)
    .map((row) => textOf(row, "id"))
}
