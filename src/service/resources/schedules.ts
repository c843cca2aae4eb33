// Schedules: what is started, when, and for which user (specification 4.3).
import { CronExpressionParser } from "cron-parser"
import { z } from "zod"
import { boundedInteger, boundedText, complain, freeFormObject } from "../wire/fields.ts"
import { namedObject } from "../wire/named-model.ts"
import { isFlag } from "./conditions.ts"
import { creating, type Maker, type RowOf, resourceOf, updating } from "./resource.ts"
import { nullableText, objectField, timeField } from "./row-columns.ts"

/** One schedule. `cron_expr` null: it starts only if somebody asks. `retry_at`: when a failed attempt is repeated. */
export const scheduleRow = z.object({
  id: z.string(),
  user_id: nullableText,
  name: z.string(),
  description: nullableText,
  method: z.string(),
  endpoint: z.string(),
  payload: objectField.nullable(),
  cron_expr: nullableText,
  timezone: z.string(),
  timeout_seconds: z.int(),
  max_retries: z.int(),
  retry_delay_seconds: z.int(),
  enabled: z.boolean(),
  next_run_at: timeField("seconds").nullable(),
  managed_by: nullableText,
  target_type: nullableText,
  target_id: nullableText,
  disabled_reason: nullableText,
  created_at: timeField("seconds"),
  updated_at: timeField("seconds").nullable(),
  retry_at: timeField("seconds").nullable(),
  attempts: z.int(),
})

type Schedule = RowOf<typeof scheduleRow>

/** The endpoint of a schedule: the runs of one component. */
const runs = /^\/(agent|team|workflow)s\/([^/%\s\p{Cc}]+)\/runs\/?$/u

/** A text of this shape. `isFit` may demand more than a schema can say. `msg` is the wire's word for other texts. */
function textThat(longest: number, shape: RegExp, msg: string, isFit: (text: string) => boolean = () => true) {
  return boundedText(longest)
    .superRefine((text, context) => {
      if (!shape.test(text) || !isFit(text)) complain(context, { type: "value_error", msg: `Value error, ${msg}` })
    })
    .meta({ pattern: shape.source })
}

/** Five fields, a name, or nothing. */
const cronShape = /^\s*(?:(?:\S+\s+){4}\S+|@(?:yearly|annually|monthly|weekly|daily|hourly))?\s*$/

const fields = {
  name: textThat(
    255,
    /^[a-zA-Z0-9][a-zA-Z0-9 ._-]*$/,
    "Name must start with alphanumeric and contain only alphanumeric, spaces, '.', '_', '-'",
  ),
  cron_expr: textThat(
    128,
    cronShape,
    "Invalid cron expression: expected minute, hour, day of month, month and day of week, at a time that comes",
    (text) => text === "" || nextTime(text, "UTC", 0) !== null,
  ),
  endpoint: textThat(
    512,
    /^\/(agent|team|workflow)s\/[^/%\s]+\/runs\/?$/,
    "Endpoint must be the runs of an agent, a team or a workflow: /agents/{id}/runs",
    (text) => runs.test(text),
  ),
  method: textThat(10, /^[Pp][Oo][Ss][Tt]$/, "Method must be POST, which starts a run"),
  timezone: textThat(64, /^[A-Za-z]/, "Invalid timezone: expected a name such as Europe/Rome", isTimezone),
  timeout_seconds: boundedInteger(1, 86_400),
  max_retries: boundedInteger(0, 10),
  retry_delay_seconds: boundedInteger(1, 3600),
}

const open = { description: boundedText(1024).nullish(), payload: freeFormObject.nullish() }

const body = z.object({
  ...fields,
  ...open,
  cron_expr: fields.cron_expr.default(""),
  method: fields.method.default("POST"),
  timezone: fields.timezone.default("UTC"),
  timeout_seconds: fields.timeout_seconds.default(3600),
  max_retries: fields.max_retries.default(0),
  retry_delay_seconds: fields.retry_delay_seconds.default(60),
})

/** The body of a change. A field that is left out stays as it is. */
const changeBody = z.object({ ...fields, ...open }).partial()

/** The answer to enabling and disabling. */
export const scheduleState = namedObject("ScheduleState", {
  id: z.string(),
  name: z.string(),
  enabled: z.boolean(),
  next_run_at: z.int().nullable(),
  updated_at: z.int().nullable(),
})

/** `/schedules`. `schedules/scheduler.ts` starts them when they are due. */
export const schedules = resourceOf<typeof scheduleRow>({
  name: "Schedule",
  tag: "Schedules",
  scopes: "schedules",
  path: "/schedules",
  table: "schedules",
  row: scheduleRow,
  key: "id",
  hidden: ["retry_at", "attempts"],
  owner: "user_id",
  unique: ["ifnull(user_id, '')", "name"],
  indexes: [["created_at"], ["user_id", "created_at"], ["enabled", "next_run_at"], ["retry_at"]],
  notFound: () => "Schedule not found",
  taken: ({ name }) => `Schedule with name '${name}' already exists`,
  list: {
    id: "list_schedules",
    summary: "List schedules",
    filters: { enabled: isFlag("enabled") },
    limit: 100,
    sortBy: ["created_at", "next_run_at", "name"],
  },
  read: { id: "get_schedule", summary: "View a schedule" },
  create: creating({ id: "create_schedule", summary: "Create a schedule", status: 201 }, body, (wish, maker) => ({
    ok: true,
    value: scheduleOf(wish, maker),
  })),
  update: updating({ id: "update_schedule", summary: "Update a schedule" }, changeBody, (wish, row, maker) => ({
    ok: true,
    value: changeOf(wish, row, maker),
  })),
  remove: { id: "delete_schedule", summary: "Delete a schedule", absent: 404 },
})

function scheduleOf(wish: z.output<typeof body>, maker: Maker): Schedule {
  return {
    ...wish,
    id: maker.newId(),
    user_id: maker.owner ?? maker.subject,
    description: wish.description ?? null,
    method: "POST",
    payload: wish.payload ?? null,
    cron_expr: wish.cron_expr === "" ? null : wish.cron_expr,
    enabled: true,
    next_run_at: wish.cron_expr === "" ? null : nextTime(wish.cron_expr, wish.timezone, maker.now),
    managed_by: null,
    ...endpointTarget(wish.endpoint),
    disabled_reason: null,
    created_at: maker.now,
    updated_at: null,
    retry_at: null,
    attempts: 0,
  }
}

function changeOf(wish: z.output<typeof changeBody>, row: Schedule, maker: Maker): Partial<Schedule> {
  if (Object.keys(wish).length === 0) return {}
  const { cron_expr: cron, timezone = row.timezone, endpoint = row.endpoint } = wish
  const now = { cron_expr: cron === undefined ? row.cron_expr : cron === "" ? null : cron, timezone }
  const isMoved = now.cron_expr !== row.cron_expr || timezone !== row.timezone
  return {
    ...now,
    endpoint,
    ...endpointTarget(endpoint),
    name: wish.name ?? row.name,
    description: wish.description === undefined ? row.description : wish.description,
    payload: wish.payload === undefined ? row.payload : wish.payload,
    timeout_seconds: wish.timeout_seconds ?? row.timeout_seconds,
    max_retries: wish.max_retries ?? row.max_retries,
    retry_delay_seconds: wish.retry_delay_seconds ?? row.retry_delay_seconds,
    next_run_at: isMoved && (row.enabled || now.cron_expr === null) ? dueNext(now, maker.now) : row.next_run_at,
    updated_at: maker.now,
  }
}

/** When a schedule is due next; null if it starts only when somebody asks. */
export function dueNext({ cron_expr: cron, timezone }: Pick<Schedule, "cron_expr" | "timezone">, after: number) {
  return cron === null ? null : nextTime(cron, timezone, after)
}

/** Kind and id of the component that an endpoint starts. */
function endpointTarget(endpoint: string): Pick<Schedule, "target_type" | "target_id"> {
  const [, kind = null, id = null] = runs.exec(endpoint) ?? []
  return { target_type: kind, target_id: id }
}

/** The parser's sign for a random value, which would differ at each reading. */
const drawn = /(?:^|[\s,])H/i

/**
 * The first moment after `after` (both in epoch milliseconds) when an expression is due. Null if it is neither five
 * fields nor a name such as `@daily`, or if that moment never comes, such as the 31st of February.
 */
function nextTime(cron: string, timezone: string, after: number): number | null {
  const text = cron.trim()
  if (text === "" || !cronShape.test(text) || drawn.test(text)) return null
  try {
    return CronExpressionParser.parse(text, { currentDate: new Date(after), tz: timezone })
      .next()
      .getTime()
  } catch {
    return null // the parser has no error class of its own: it throws for any text that is no expression
  }
}

/** True for the name of a time zone, such as `Europe/Rome`. */
function isTimezone(name: string): boolean {
  try {
    return /^[A-Za-z]/.test(name) && new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone !== ""
  } catch (error) {
    if (error instanceof RangeError) return false
    throw error
  }
}
