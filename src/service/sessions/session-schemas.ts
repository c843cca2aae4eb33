// What the session routes accept (specification 4.3; shapes of the real service).
import { z } from "zod"
import { chosenId, freeFormObject, optionalInteger, queryInteger } from "../wire/fields.ts"

const kind = z.enum(["agent", "team", "workflow"])
const text = z.string().optional()
const nullableText = z.string().nullish()
const nullableObject = freeFormObject.nullish()

/** `GET /sessions`. Unknown sort fields are refused, so that no list has another order than asked for. */
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
export const createBody = z.object({
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
export const renameBody = z.object({ session_name: z.string() })

/** `PATCH /sessions/{session_id}`; a field that is left out or null stays as it is. */
export const updateBody = z.object({
  session_name: nullableText,
  session_state: nullableObject,
  metadata: nullableObject,
  summary: nullableObject,
})

/** `DELETE /sessions`. */
export const deleteBody = z.object({
  session_ids: z.array(z.string()).min(1),
  session_types: z.array(kind).min(1),
})

/** `DELETE /sessions` and `DELETE /sessions/{session_id}`: only sessions of this user go. */
export const deleteQuery = z.object({ user_id: text })

/** The routes of one session, its runs included: a session of another type or user is not found. */
export const oneQuery = deleteQuery.extend({ type: kind.optional() })

/** `GET /sessions/{session_id}/runs`; times are epoch seconds. */
export const runsQuery = oneQuery.extend({
  status: text,
  created_after: optionalInteger(0),
  created_before: optionalInteger(0),
})
