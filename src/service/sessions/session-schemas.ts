// What the session routes accept (specification 4.3; shapes of the real service).
import { z } from "zod"
import { runStatusSchema } from "../storage/approval-row.ts"
import { chosenId, freeFormObject, optionalInteger, queryInteger } from "../wire/fields.ts"
import { named, namedLooseObject, namedObject } from "../wire/named-model.ts"
import { pageOf } from "../wire/page-model.ts"

const kind = z.enum(["agent", "team", "workflow"])
const text = z.string().optional()
const nullableText = z.string().nullish()
const nullableObject = freeFormObject.nullish()

/** `GET /sessions`. Unknown sort fields are refused: nobody gets another order than they asked for. */
export const listQuery = z.object({
  type: kind.optional(),
  component_id: text,
  user_id: text,
  session_name: text,
  limit: queryInteger(20, 1, 1000),
  page: queryInteger(1, 0),
  sort_by: z.enum(["created_at", "updated_at", "session_name"]).default("created_at"),
  sort_order: z.enum(["asc", "desc"]).default("desc"),
})

/** `POST /sessions`: the query. */
export const createQuery = z.object({ type: kind.default("agent") })

/** `POST /sessions`: the body. */
export const createBody = namedObject("SessionCreate", {
  session_id: chosenId.nullish(),
  session_name: nullableText,
  session_state: nullableObject,
  metadata: nullableObject,
  user_id: nullableText,
  agent_id: nullableText,
  team_id: nullableText,
  workflow_id: nullableText,
})

/** `POST /sessions/{session_id}/rename`. */
export const renameBody = namedObject("SessionRename", { session_name: z.string() })

/** `PATCH /sessions/{session_id}`. A field that is left out or null stays as it is. */
export const updateBody = namedObject("SessionUpdate", {
  session_name: nullableText,
  session_state: nullableObject,
  metadata: nullableObject,
  summary: nullableObject,
})

/** `DELETE /sessions`. */
export const deleteBody = namedObject("SessionsDelete", {
  session_ids: z.array(z.string()).min(1),
  session_types: z.array(kind).min(1),
})

/** `DELETE /sessions` and `DELETE /sessions/{session_id}`: only sessions of this user are removed. */
export const deleteQuery = z.object({ user_id: text })

/** The routes of one session and of its runs. A session of another type or user is not found. */
export const oneQuery = deleteQuery.extend({ type: kind.optional() })

/** `GET /sessions/{session_id}/runs`. Times are epoch seconds. */
export const runsQuery = oneQuery.extend({
  status: text,
  created_after: optionalInteger(0),
  created_before: optionalInteger(0),
})

/** One session. */
export const sessionModel = namedLooseObject("Session", {
  session_id: z.string(),
  session_name: z.string(),
  user_id: nullableText,
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
})

/** A page of sessions. */
export const sessionList = named("SessionList", pageOf(sessionModel))

const run = { run_id: z.string(), status: runStatusSchema, run_input: z.string(), created_at: z.iso.datetime() }

/** A run as its session shows it. */
export const sessionRun = namedLooseObject("SessionRun", {
  ...run,
  parent_run_id: z.string().optional(),
  user_id: nullableText,
  content: z.string(),
})

/** The runs of a session. */
export const sessionRunList = named("SessionRunList", z.array(sessionRun))

/** The runs of a session in short. */
export const sessionRunPreviewList = named(
  "SessionRunPreviewList",
  z.array(z.looseObject({ ...run, content_preview: z.string() })),
)
