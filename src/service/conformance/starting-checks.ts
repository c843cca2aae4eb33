// Checks of what can start something (schedules, fetched knowledge, eval runs). They make only rows that start nothing.
import { z } from "zod"
import type { PlatformCheck, Scenario } from "./check.ts"
import { checksOf } from "./claims.ts"
import { rowWith, secondsTime, wholePage } from "./shapes.ts"

const text = z.string()

const schedules = checksOf("schedules", "4.3", { at: "/schedules", id: "id" })
const schedule = rowWith({
  id: text,
  enabled: z.boolean(),
  created_at: secondsTime,
  next_run_at: secondsTime.nullish(),
})
/** Due only on 29 February, so that nothing starts while it exists. */
const yearly = {
  name: "{own}",
  cron_expr: "0 3 29 2 *",
  endpoint: "/agents/{agent}/runs",
  method: "POST",
  payload: { message: "of a check" },
  timezone: "UTC",
}
const scheduleChecks: readonly PlatformCheck[] = [
  schedules.open({
    says: "a schedule is made, and knows when it is due",
    request: "POST /schedules",
    json: yearly,
    status: 201,
    shape: schedule.refine((row) => typeof row["next_run_at"] === "number", "next_run_at: seconds"),
    holds: { ...yearly, enabled: true },
    keep: { schedule: "id" },
    undo: "DELETE /schedules/{schedule}",
  }),
  schedules.open({
    says: "a schedule is shown",
    request: "GET /schedules/{schedule}",
    shape: schedule,
    holds: { id: "{schedule}" },
  }),
  schedules.refused(409, {
    says: "a name that is in use is 409",
    request: "POST /schedules",
    json: yearly,
  }),
  schedules.invalid({
    says: "a cron expression that is none is 422",
    request: "POST /schedules",
    json: { ...yearly, name: "{own}-2", cron_expr: "nonsense" },
  }),
  schedules.invalid({
    says: "a time zone that there is not is 422",
    request: "POST /schedules",
    json: { ...yearly, name: "{own}-3", timezone: "Mars/Olympus" },
  }),
  schedules.open({
    says: "a schedule is disabled",
    request: "POST /schedules/{schedule}/disable",
    shape: z.looseObject({ enabled: z.literal(false) }),
  }),
  schedules.refused(409, {
    says: "a disabled schedule is not triggered",
    request: "POST /schedules/{schedule}/trigger",
  }),
  schedules.open({
    says: "the list of disabled ones has it",
    request: "GET /schedules?enabled=false",
    shape: wholePage(schedule.refine(({ enabled }) => enabled === false, "enabled: false")),
  }),
  schedules.open({
    says: "a schedule is enabled again",
    request: "POST /schedules/{schedule}/enable",
    shape: z.looseObject({ enabled: z.literal(true) }),
  }),
  schedules.open({
    says: "a schedule is changed, and what is left out stays",
    request: "PATCH /schedules/{schedule}",
    json: { description: "changed" },
    shape: schedule,
    holds: { description: "changed", cron_expr: yearly.cron_expr },
  }),
  schedules.open({
    says: "a schedule that never started has no runs",
    request: "GET /schedules/{schedule}/runs",
    shape: wholePage(z.looseObject({})).refine(({ data }) => data.length === 0, "data: no row"),
  }),
  schedules.open({ says: "a schedule is removed", request: "DELETE /schedules/{schedule}", status: 204, undoes: true }),
  schedules.refused(404, { says: "a schedule that was removed is 404", request: "GET /schedules/{schedule}" }),
]

const knowledge = checksOf("knowledge", "4.3")
const content = rowWith({ id: text, name: text, status: text })
const knowledgeChecks: readonly PlatformCheck[] = [
  knowledge.open({
    says: "a text is taken as content",
    request: "POST /knowledge/content",
    form: { name: "{own}", text_content: "{own} grows olives." },
    status: 202,
    shape: content,
    holds: { name: "{own}" },
    keep: { content: "id" },
    undo: "DELETE /knowledge/content/{content}",
  }),
  knowledge.open({
    says: "content is shown",
    request: "GET /knowledge/content/{content}",
    shape: content,
    holds: { id: "{content}" },
  }),
  knowledge.open({
    says: "content is renamed",
    request: "PATCH /knowledge/content/{content}",
    form: { name: "{own} renamed" },
    shape: content,
    holds: { name: "{own} renamed" },
  }),
  knowledge.refused(400, {
    says: "content of nothing is 400",
    request: "POST /knowledge/content",
    form: { name: "{own}" },
  }),
  knowledge.open({ says: "content is removed", request: "DELETE /knowledge/content/{content}", undoes: true }),
  knowledge.refused(404, { says: "content that was removed is 404", request: "GET /knowledge/content/{content}" }),
]

const evals = checksOf("evals", "4.3")
const wish = { agent_id: "{none}", eval_type: "reliability", input: "of a check" }
/** An eval run that is made runs an agent, so we ask only for what must be refused. */
const evalChecks: readonly PlatformCheck[] = [
  evals.invalid({ says: "to remove no eval runs is 422", request: "DELETE /eval-runs", json: { eval_run_ids: [] } }),
  evals.refused(404, {
    says: "an eval run that there is not is not renamed",
    request: "PATCH /eval-runs/{none}",
    json: { name: "x" },
  }),
  evals.refused(404, { says: "an eval of an unknown agent is 404", request: "POST /eval-runs", json: wish }),
  evals.refused(400, {
    says: "an eval of an agent and a team at once is 400",
    request: "POST /eval-runs",
    json: { ...wish, team_id: "{none}" },
  }),
  evals.invalid({ says: "an eval without an input is 422", request: "POST /eval-runs", json: { agent_id: "{none}" } }),
]

/** The checks of what can start something. */
export const startingScenarios: readonly Scenario[] = [
  { family: "schedules", makes: true, checks: scheduleChecks },
  { family: "knowledge", makes: true, checks: knowledgeChecks },
  { family: "evals", checks: evalChecks },
]
