// The sessions endpoints of specification 4.3, over the runs of this service.
import type { z } from "zod"
import type { HandlerRequest, ServiceParts } from "../handler.ts"
import { randomId } from "../ids.ts"
import { given } from "../resources/conditions.ts"
import { routesOf, type ServiceRoute, type WithBody, type WithQuery } from "../route.ts"
import { cancelPending } from "../storage/approval-store.ts"
import { transact } from "../storage/database.ts"
import { deleteRows, findRow, insertRow, listRows, updateRow } from "../storage/resource-store.ts"
import { deleteSessionRuns, listSessionRuns, readFamily } from "../storage/run-store.ts"
import { type Session, sessions } from "../storage/session-store.ts"
import { runPreview, sessionRunView } from "../views/session-run-view.ts"
import { jsonBody, readQuery } from "../wire/read-request.ts"
import { answer, meta, noContent, refuse, type ServiceReply } from "../wire/reply.ts"
import type { Checked } from "../wire/validation.ts"
import {
  createBody,
  createQuery,
  deleteBody,
  deleteQuery,
  listQuery,
  oneQuery,
  renameBody,
  runsQuery,
  sessionList,
  sessionModel,
  sessionRun,
  sessionRunList,
  sessionRunPreviewList,
  updateBody,
} from "./session-schemas.ts"
import { sessionRow, sessionView, shownSessions } from "./session-view.ts"

const route = routesOf("Sessions")
const [read, write, erase] = ["sessions:read", "sessions:write", "sessions:delete"]

/** The sessions endpoints. Lists show only sessions of `standing.owner`; if that is null, all sessions. */
export const sessionRoutes: readonly ServiceRoute[] = [
  route("GET /sessions", read, {
    id: "get_sessions",
    summary: "List sessions",
    query: listQuery,
    reply: sessionList,
    handler: showSessions,
  }),
  route("GET /sessions/*", read, {
    id: "get_session_by_id",
    summary: "View a session",
    query: oneQuery,
    reply: sessionModel,
    before: namedIn,
    handler: (parts, { found }) => answer(sessionView(parts, found)),
  }),
  route("POST /sessions", write, {
    id: "create_session",
    summary: "Create a session",
    query: createQuery,
    body: jsonBody(createBody),
    status: 201,
    reply: sessionModel,
    refusals: [409],
    handler: createSession,
  }),
  route("POST /sessions/*/rename", write, {
    id: "rename_session",
    summary: "Rename a session",
    query: oneQuery,
    body: jsonBody(renameBody),
    reply: sessionModel,
    before: namedIn,
    handler: (parts, { found, body }) => changeSession(parts, found, body),
  }),
  route("PATCH /sessions/*", write, {
    id: "update_session",
    summary: "Update a session",
    query: oneQuery,
    body: jsonBody(updateBody),
    reply: sessionModel,
    before: namedIn,
    handler: (parts, { found, body }) => changeSession(parts, found, body),
  }),
  route("DELETE /sessions", erase, {
    id: "delete_sessions",
    summary: "Delete sessions in bulk",
    query: deleteQuery,
    body: jsonBody(deleteBody),
    refusals: [400],
    handler: removeMany,
  }),
  route("DELETE /sessions/*", erase, {
    id: "delete_session",
    summary: "Delete a session",
    query: deleteQuery,
    handler: (parts, { ids: [id = ""], query, standing }) => {
      transact(parts.database, () => removeSession(parts, id, sessionUser(standing, query)))
      return noContent
    },
  }),
  route("GET /sessions/*/runs", read, {
    id: "get_session_runs",
    summary: "List the runs of a session",
    isOwn: true,
    query: runsQuery,
    reply: sessionRunList,
    handler: (parts, request) => runs(parts, request, sessionRunView),
  }),
  route("GET /sessions/*/run-previews", read, {
    id: "get_session_run_previews",
    summary: "List the runs of a session in short",
    isOwn: true,
    query: runsQuery,
    reply: sessionRunPreviewList,
    handler: (parts, request) => runs(parts, request, runPreview),
  }),
  route("GET /sessions/*/runs/*", read, {
    id: "get_session_run",
    summary: "View a run of a session",
    isOwn: true,
    query: oneQuery,
    reply: sessionRun,
    handler: run,
  }),
]

function showSessions(
  { database, clock }: ServiceParts,
  { query, standing }: WithQuery<typeof listQuery>,
): ServiceReply {
  const { sort_by: column, sort_order: order, limit, page } = query
  const begun = clock()
  const { rows, total } = listRows(database, shownSessions, {
    conditions: [
      ...given("kind = ?", query.type),
      ...given("component_id = ?", query.component_id),
      ...given("user_id = ?", sessionUser(standing, query)),
      ...given("instr(lower(name), lower(?)) > 0", query.session_name),
    ],
    sortBy: column === "session_name" ? "name" : column,
    order: order === "asc" ? "ASC" : "DESC",
    limit,
    page,
  })
  return answer({ data: rows.map(sessionRow), meta: meta(page, limit, total, clock() - begun) })
}

function createSession(
  parts: ServiceParts,
  { query, body: wish, standing }: WithQuery<typeof createQuery> & WithBody<typeof createBody>,
): ServiceReply {
  const now = parts.clock()
  const session: Session = {
    id: wish.session_id ?? randomId(parts.random),
    kind: query.type,
    component_id: wish[`${query.type}_id`] ?? null,
    user_id: standing.owner ?? standing.caller.subject ?? wish.user_id ?? null,
    name: wish.session_name ?? null,
    state: wish.session_state ?? null,
    metadata: wish.metadata ?? null,
    summary: null,
    created_at: now,
    updated_at: now,
  }
  if (!insertRow(parts.database, sessions, session)) {
    return refuse(
      409,
      `Session with id '${session.id}' already exists. Use PATCH /sessions/${session.id} to update it.`,
    )
  }
  return answer(sessionView(parts, session), 201)
}

function changeSession(parts: ServiceParts, { id }: Session, wish: z.output<typeof updateBody>): ServiceReply {
  return transact(parts.database, () => {
    const session = findRow(parts.database, sessions, id)
    if (session === null) return noSuchSession(id)
    const change = {
      name: wish.session_name ?? session.name,
      state: wish.session_state ?? session.state,
      metadata: wish.metadata ?? session.metadata,
      summary: wish.summary ?? session.summary,
      updated_at: parts.clock(),
    }
    updateRow(parts.database, sessions, id, change)
    return answer(sessionView(parts, { ...session, ...change }))
  })
}

function removeMany(
  parts: ServiceParts,
  { query, body, standing }: WithQuery<typeof deleteQuery> & WithBody<typeof deleteBody>,
): ServiceReply {
  const { session_ids: ids, session_types: types } = body
  if (ids.length !== types.length) return refuse(400, "Session IDs and session types must have the same length")
  const user = sessionUser(standing, query)
  transact(parts.database, () => {
    ids.forEach((id, at) => {
      if (findRow(parts.database, sessions, id)?.kind === types[at]) removeSession(parts, id, user)
    })
  })
  return noContent
}

/** Removes a session of `user` (undefined: of any) with its runs, and cancels the runs' pending approvals. */
function removeSession({ database, clock }: ServiceParts, id: string, user: string | undefined): void {
  const own = [{ sql: "id = ?", values: [id] }, ...given("user_id = ?", user)]
  if (deleteRows(database, sessions, own) === 0) return
  for (const { id: runId } of listSessionRuns(database, id)) cancelPending(database, runId, Math.floor(clock() / 1000))
  deleteSessionRuns(database, id)
}

function runs(parts: ServiceParts, request: WithQuery<typeof runsQuery>, viewOf: typeof sessionRunView): ServiceReply {
  const { status, created_after: after, created_before: before } = request.query
  const session = visible(parts, request, request.query)
  if (session === null) return refuse(404, `Session with ID ${request.ids[0]} not found`)
  const found = listSessionRuns(parts.database, session.id).filter(
    (one) =>
      (status === undefined || one.status === status) &&
      (after === undefined || one.createdAt >= after * 1000) &&
      (before === undefined || one.createdAt <= before * 1000),
  )
  return answer(found.map((one) => viewOf(readFamily(parts.database, one))))
}

function run(parts: ServiceParts, request: WithQuery<typeof oneQuery>): ServiceReply {
  const [id, runId] = request.ids
  const session = visible(parts, request, request.query)
  const found =
    session === null ? undefined : listSessionRuns(parts.database, session.id).find((one) => one.id === runId)
  return found === undefined
    ? refuse(404, `Run with ID ${runId} not found in session ${id}`)
    : answer(sessionRunView(readFamily(parts.database, found)))
}

/** The session of the path, or 404. It is looked up before the body is read. */
function namedIn(parts: ServiceParts, request: HandlerRequest): Checked<Session> {
  const query = readQuery(oneQuery, request.context)
  if (!query.ok) return query
  const session = visible(parts, request, query.value)
  return session === null ? { ok: false, reply: noSuchSession(request.ids[0] ?? "") } : { ok: true, value: session }
}

/** The session of the path, if it has the requested type and user. Under user isolation that user is the caller. */
function visible(
  { database }: ServiceParts,
  { ids: [id = ""], standing }: HandlerRequest,
  wanted: z.output<typeof oneQuery>,
): Session | null {
  const session = findRow(database, sessions, id)
  if (session === null || (wanted.type ?? session.kind) !== session.kind) return null
  return (sessionUser(standing, wanted) ?? session.user_id) === session.user_id ? session : null
}

/** The user whose sessions a request is about; undefined: all users. */
function sessionUser({ owner }: HandlerRequest["standing"], wanted: z.output<typeof deleteQuery>): string | undefined {
  return owner ?? wanted.user_id
}

function noSuchSession(id: string): ServiceReply {
  return refuse(404, `Session with id '${id}' not found`)
}
