// User isolation: callers who are not admin work only with their own rows (the real service's switch; off by default).
// Handlers narrow lists and counts to `standing.owner`; requests that name one row are checked here, before. Only
// admins may resolve and delete approvals, even their own: others get 404, as if there were no such row.
import type { DatabaseSync } from "node:sqlite"
import { serviceRoutes } from "../all-routes.ts"
import type { Handler, HandlerRequest, Handlers, ServiceParts } from "../handler.ts"
import { described, patternsOf } from "../resources/described.ts"
import { textOrNull } from "../storage/columns.ts"
import { refuse, type ServiceReply } from "../wire/reply.ts"
import { servedRoutes } from "./route-table.ts"

/** The routes of described resources whose rows belong to somebody. */
const describedRoutes: ReadonlySet<string> = new Set(
  described.filter(({ owner }) => owner !== null).flatMap(patternsOf),
)

/** The routes that show or change rows of users: a caller without an identity has no business there. */
export const rowRoutes: ReadonlySet<string> = new Set([
  ...serviceRoutes.filter(({ forAnybody }) => forAnybody !== true).map(({ pattern }) => pattern),
  ...Object.keys(servedRoutes).filter(showsRows),
])

/**
 * Asking for an approval and starting a run by REST do not belong to these: they make a row, which then belongs to the
 * person they name. An A2A message may go on with a task.
 */
function showsRows(pattern: string): boolean {
  if (/^POST \/\w+\/\*\/runs$/.test(pattern)) return false
  if (describedRoutes.has(pattern)) return true
  return /^\w+ \/sessions(?:\/|$)|\/runs(?:\/|$)|\/message[:/]|\/tasks:/.test(pattern)
}

/** Handlers that answer 404 for rows of others; the same handlers if isolation is off. */
export function isolated({ database, settings }: ServiceParts, handlers: Handlers): Handlers {
  if (!settings.userIsolation) return handlers
  const guarded = Object.entries(handlers).map(([pattern, handler]) => {
    const refusal = guardOf(pattern, database)
    return [pattern, refusal === null ? handler : guard(handler, refusal)] as const
  })
  return Object.fromEntries(guarded)
}

/** Says why an owner may not go on, or null if they may. */
type Refusal = (owner: string, request: HandlerRequest) => ServiceReply | null

function guard(handler: Handler, refusal: Refusal): Handler {
  return (request) => {
    const { owner } = request.standing
    return (owner === null ? null : refusal(owner, request)) ?? handler(request)
  }
}

function guardOf(pattern: string, database: DatabaseSync): Refusal | null {
  if (/^(?:GET|POST) \/(?:agents|teams|workflows)\/\*\/runs\/\*/.test(pattern)) {
    const goesOn = pattern.endsWith("/continue")
    return (owner, { ids: [, id = ""] }) => {
      if (ownerOf(database, id) === owner) return null
      return refuse(404, goesOn ? `No runs found for run ID ${id}` : "Run not found")
    }
  }
  return null
}

function ownerOf(database: DatabaseSync, id: string): string | null {
  const row = database.prepare("SELECT user_id FROM runs WHERE id = ?").get(id)
  return row === undefined ? null : textOrNull(row, "user_id")
}
