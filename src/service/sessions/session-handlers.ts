// The sessions endpoints of 4.3, over the runs of this service.
import type { z } from "zod"
import type { Answering, HandlerRequest, Handlers, ServiceParts } from "../handler.ts"
import { randomId } from "../ids.ts"
import { cancelPending } from "../storage/approval-store.ts"
import { transact } from "../storage/database.ts"
import { deleteSessionRuns, listSessionRuns, readFamily } from "../storage/run-store.ts"
import {
  deleteSession,
  findSession,
  insertSession,
  listSessions,
  type Session,
  updateSession,
} from "../storage/session-store.ts"
import { runPreview, sessionRunView } from "../views/session-run-view.ts"
import { writeExact } from "../wire/exact-json.ts"
import { readJson, readQuery } from "../wire/read-request.ts"
import { answer, meta, noContent, refuse, type ServiceReply } from "../wire/reply.ts"
import {
  createBody,
  createQuery,
  deleteBody,
  deleteQuery,
  listQuery,
  oneQuery,
  renameBody,
  runsQuery,
  updateBody,
} from "./session-schemas.ts"
import { sessionRow, sessionView } from "./session-view.ts"

/** Handlers of the sessions endpoints. Lists show sessions of `standing.owner` only, unless it is null. */
export function sessionHandlers(parts: ServiceParts): Handlers {
  return {
    "GET /sessions": (request) => list(parts, request),
    "POST /sessions": (request) => create(parts, request),
    "DELETE /sessions": (request) => removeMany(parts, request),
    "GET /sessions/*": (request) => withSession(parts, request, (session) => answer(sessionView(parts, session))),
    "POST /sessions/*/rename": (request) =>
      withSession(parts, request, (session) => change(parts, request, session, renameBody)),
    "PATCH /sessions/*": (request) =>
      withSession(parts, request, (session) => change(parts, request, session, updateBody)),
    "DELETE /sessions/*": (request) => removeOne(parts, request),
    "GET /sessions/*/runs": (request) => runs(parts, request, sessionRunView),
    "GET /sessions/*/run-previews": (request) => runs(parts, request, runPreview),
    "GET /sessions/*/runs/*": (request) => run(parts, request),
  }
}

function list({ database, clock }: ServiceParts, { context, standing }: HandlerRequest): ServiceReply {
  const checked = readQuery(listQuery, context)
  if (!checked.ok) return checked.reply
  const query = checked.value
  const begun = clock()
  const { sessions, total } = listSessions(database, {
    kind: query.type,
    componentId: query.component_id,
    userId: userOf(standing, query) ?? undefined,
    name: query.session_name,
    sortBy: query.sort_by,
    order: query.sort_order === "asc" ? "ASC" : "DESC",
    limit: query.limit,
    page: query.page,
  })
  return answer({ data: sessions.map(sessionRow), meta: meta(query.page, query.limit, total, clock() - begun) })
}

async function create(parts: ServiceParts, { context, standing }: HandlerRequest): Promise<ServiceReply> {
  const query = readQuery(createQuery, context)
  if (!query.ok) return query.reply
  const checked = await readJson(createBody, context, parts.settings)
  if (!checked.ok) return checked.reply
  const wish = checked.value
  const now = parts.clock()
  const session: Session = {
    id: wish.session_id ?? randomId(parts.random),
    kind: query.value.type,
    componentId: wish[`${query.value.type}_id`] ?? null,
    userId: standing.owner ?? standing.caller.subject ?? wish.user_id ?? null,
    name: wish.session_name ?? null,
    ...freeForm({ state: wish.session_state, metadata: wish.metadata, summary: null }),
    createdAt: now,
    updatedAt: now,
  }
  if (!insertSession(parts.database, session)) {
    return refuse(
      409,
      `Session with id '${session.id}' already exists. Use PATCH /sessions/${session.id} to update it.`,
    )
  }
  return answer(sessionView(parts, session), 201)
}

async function change(
  parts: ServiceParts,
  { context }: HandlerRequest,
  session: Session,
  schema: z.ZodType<z.output<typeof updateBody>>,
): Promise<ServiceReply> {
  const checked = await readJson(schema, context, parts.settings)
  if (!checked.ok) return checked.reply
  const wish = checked.value
  updateSession(parts.database, session.id, {
    name: wish.session_name ?? null,
    ...freeForm({ state: wish.session_state, metadata: wish.metadata, summary: wish.summary }),
    at: parts.clock(),
  })
  const changed = findSession(parts.database, session.id)
  return changed === null ? notFound(session.id) : answer(sessionView(parts, changed))
}

function removeOne(parts: ServiceParts, { ids: [id = ""], context, standing }: HandlerRequest): ServiceReply {
  const query = readQuery(deleteQuery, context)
  if (!query.ok) return query.reply
  transact(parts.database, () => remove(parts, id, userOf(standing, query.value)))
  return noContent
}

async function removeMany(parts: ServiceParts, { context, standing }: HandlerRequest): Promise<ServiceReply> {
  const query = readQuery(deleteQuery, context)
  if (!query.ok) return query.reply
  const checked = await readJson(deleteBody, context, parts.settings)
  if (!checked.ok) return checked.reply
  const { session_ids: ids, session_types: types } = checked.value
  if (ids.length !== types.length) return refuse(400, "Session IDs and session types must have the same length")
  const user = userOf(standing, query.value)
  transact(parts.database, () => {
    ids.forEach((id, at) => {
      if (findSession(parts.database, id)?.kind === types[at]) remove(parts, id, user)
    })
  })
  return noContent
}

/** Removes a session of `user` (null: of any) with its runs, and cancels what those waited for. */
function remove({ database, clock }: ServiceParts, id: string, user: string | null): void {
  if (!deleteSession(database, id, user)) return
  for (const { id: runId } of listSessionRuns(database, id)) cancelPending(database, runId, Math.floor(clock() / 1000))
  deleteSessionRuns(database, id)
}

function runs(parts: ServiceParts, request: HandlerRequest, viewOf: typeof sessionRunView): ServiceReply {
  const checked = readQuery(runsQuery, request.context)
  if (!checked.ok) return checked.reply
  const { status, created_after: after, created_before: before } = checked.value
  const session = visible(parts, request, checked.value)
  if (session === null) return refuse(404, `Session with ID ${request.ids[0]} not found`)
  const found = listSessionRuns(parts.database, session.id).filter(
    (one) =>
      (status === undefined || one.status === status) &&
      (after === undefined || one.createdAt >= after * 1000) &&
      (before === undefined || one.createdAt <= before * 1000),
  )
  return answer(found.map((one) => viewOf(readFamily(parts.database, one))))
}

function run(parts: ServiceParts, request: HandlerRequest): ServiceReply {
  const checked = readQuery(oneQuery, request.context)
  if (!checked.ok) return checked.reply
  const [id, runId] = request.ids
  const session = visible(parts, request, checked.value)
  const found =
    session === null ? undefined : listSessionRuns(parts.database, session.id).find((one) => one.id === runId)
  return found === undefined
    ? refuse(404, `Run with ID ${runId} not found in session ${id}`)
    : answer(sessionRunView(readFamily(parts.database, found)))
}

function withSession(parts: ServiceParts, request: HandlerRequest, then: (session: Session) => Answering): Answering {
  const checked = readQuery(oneQuery, request.context)
  if (!checked.ok) return checked.reply
  const session = visible(parts, request, checked.value)
  return session === null ? notFound(request.ids[0] ?? "") : then(session)
}

/** The session of the path, if it is of the requested type and user; under user isolation the user is the caller. */
function visible(
  { database }: ServiceParts,
  { ids: [id = ""], standing }: HandlerRequest,
  wanted: z.output<typeof oneQuery>,
): Session | null {
  const session = findSession(database, id)
  if (session === null || (wanted.type ?? session.kind) !== session.kind) return null
  return (userOf(standing, wanted) ?? session.userId) === session.userId ? session : null
}

/** Whose sessions a request is about; null: anybody's. */
function userOf({ owner }: HandlerRequest["standing"], wanted: z.output<typeof deleteQuery>): string | null {
  return owner ?? wanted.user_id ?? null
}

function freeForm(values: {
  readonly state: unknown
  readonly metadata: unknown
  readonly summary: unknown
}): Pick<Session, "state" | "metadata" | "summary"> {
  const text = (value: unknown): string | null => (value === undefined || value === null ? null : writeExact(value))
  return { state: text(values.state), metadata: text(values.metadata), summary: text(values.summary) }
}

function notFound(id: string): ServiceReply {
  return refuse(404, `Session with id '${id}' not found`)
}
