// Schedules and their runs: who may schedule what, enabling, disabling, and starting one at once.
import { collectionRoutes, rowToChange, rowView } from "../collections/collection-handlers.ts"
import { familyOf, findComponent } from "../components/component.ts"
import { componentKinds } from "../engine/run.ts"
import { holds, insufficient } from "../gate/standings.ts"
import type { HandlerRequest, ServiceParts } from "../handler.ts"
import { scheduleRuns } from "../resources/schedule-runs.ts"
import { dueNext, scheduleState, schedules } from "../resources/schedules.ts"
import { routesOf, type ServiceRoute } from "../route.ts"
import { updateRow } from "../storage/resource-store.ts"
import { answer, refuse, refuseInput, type ServiceReply } from "../wire/reply.ts"
import { fireNow, type Schedule } from "./scheduler.ts"

const route = routesOf(schedules.tag)

/** Schedules and their runs. Whoever schedules, enables or triggers needs the right to run what the schedule starts. */
export const scheduleRoutes: readonly ServiceRoute[] = [
  ...collectionRoutes(schedules, {
    admit: (parts, request, row, before) =>
      before !== null && !startsOtherwise(row, before) ? null : refuseTarget(parts, request, row),
  }),
  ...collectionRoutes(scheduleRuns),
  route("POST /schedules/*/enable", "schedules:write", {
    id: "enable_schedule",
    summary: "Enable a schedule",
    reply: scheduleState,
    handler: enable,
  }),
  route("POST /schedules/*/disable", "schedules:write", {
    id: "disable_schedule",
    summary: "Disable a schedule",
    reply: scheduleState,
    handler: disable,
  }),
  route("POST /schedules/*/trigger", "schedules:write", {
    id: "trigger_schedule",
    summary: "Trigger a schedule",
    reply: scheduleRuns.model,
    refusals: [409],
    handler: trigger,
  }),
]

/** The fields that say what a schedule starts, when, and how often it tries again. */
const starting = ["endpoint", "payload", "cron_expr", "timezone", "max_retries", "retry_delay_seconds"] as const

/** True if one of these fields changes. Only such a change needs the right to run the component: renaming does not. */
function startsOtherwise(row: Schedule, before: Schedule): boolean {
  return starting.some((name) => row[name] !== before[name])
}

/** Why the caller may not let a schedule start its component, or null. */
function refuseTarget(parts: ServiceParts, { standing }: HandlerRequest, row: Schedule): ServiceReply | null {
  const { target_type: type, target_id: id, endpoint } = row
  const kind = componentKinds.find((candidate) => candidate === type)
  if (kind === undefined || id === null) return null
  const scope = `${familyOf(kind)}:run`
  if (!holds(standing, scope, id)) return insufficient([scope])
  if (findComponent(parts.script, kind, id) !== null) return null
  const msg = `Value error, there is no ${kind} ${id}`
  return refuseInput([{ type: "value_error", loc: ["body", "endpoint"], msg, input: endpoint }])
}

function enable(parts: ServiceParts, request: HandlerRequest): ServiceReply {
  const found = rowToChange(parts, schedules, request)
  if (!found.ok) return found.reply
  const refusal = refuseTarget(parts, request, found.value)
  if (refusal !== null) return refusal
  return turned(parts, found.value, { enabled: true, next_run_at: dueNext(found.value, parts.clock()) })
}

function disable(parts: ServiceParts, request: HandlerRequest): ServiceReply {
  const found = rowToChange(parts, schedules, request)
  return found.ok ? turned(parts, found.value, { enabled: false, retry_at: null, attempts: 0 }) : found.reply
}

function turned(parts: ServiceParts, row: Schedule, change: Partial<Schedule>): ServiceReply {
  const at = { updated_at: parts.clock() }
  updateRow(parts.database, schedules, row.id, { ...change, ...at })
  const { id, name, enabled, next_run_at, updated_at } = rowView(schedules, { ...row, ...change, ...at })
  return answer({ id, name, enabled, next_run_at, updated_at })
}

function trigger(parts: ServiceParts, request: HandlerRequest): ServiceReply {
  const found = rowToChange(parts, schedules, request)
  if (!found.ok) return found.reply
  if (!found.value.enabled) return refuse(409, "Schedule is disabled")
  const refusal = refuseTarget(parts, request, found.value)
  return refusal ?? answer(rowView(scheduleRuns, fireNow(parts, found.value)))
}
