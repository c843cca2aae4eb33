// Traces, made from the service's own runs: list, view, search, and counts by session.
import type { DatabaseSync } from "node:sqlite"
import { collectionRoutes, seenBy } from "../collections/collection-handlers.ts"
import type { Answering, ServiceParts } from "../handler.ts"
import type { SqlCondition } from "../resources/conditions.ts"
import type { RowOf } from "../resources/resource.ts"
import {
  searchBody,
  sessionStatsList,
  statsQuery,
  traceOrSpan,
  traceQuery,
  type traceRow,
  traces,
  tracesFound,
} from "../resources/traces.ts"
import { routesOf, type ServiceRoute, type WithBody, type WithQuery } from "../route.ts"
import { findRow, listRows } from "../storage/resource-store.ts"
import { findFamily } from "../storage/run-store.ts"
import { withoutNulls } from "../wire/exact-json.ts"
import { jsonBody } from "../wire/read-request.ts"
import { answer, meta, refuse, type ServiceReply } from "../wire/reply.ts"
import { countSessions } from "./session-stats.ts"
import { compileFilter } from "./trace-filter.ts"
import { between, countSpans, findSpan, instant, spanOf, type TraceSpan } from "./trace-view.ts"

type Trace = RowOf<typeof traceRow>

const route = routesOf(traces.tag)

/** Traces. Under user isolation, callers who are not admin see only those of their own runs. */
export const traceRoutes: readonly ServiceRoute[] = [
  ...collectionRoutes(traces, { show: (trace, { database }) => summaryOf(trace, treeOf(database, trace)) }),
  route("GET /traces/*", "traces:read", {
    id: "get_trace",
    summary: "View a trace, or one of its spans",
    query: traceQuery,
    reply: traceOrSpan,
    handler: showTrace,
  }),
  route("GET /trace_session_stats", "traces:read", {
    id: "get_trace_stats",
    summary: "View trace session stats",
    query: statsQuery,
    reply: sessionStatsList,
    handler: (parts, { query, standing: { owner } }) => {
      const { limit, page, user_id: user, ...others } = query
      const wanted = [...Object.values(others), owner === null ? user : undefined]
      const conditions = [...wanted.filter((condition) => condition !== undefined), ...seenBy(traces, owner)]
      return statsReply(parts, conditions, { limit, page })
    },
  }),
  route("POST /traces/search", "traces:read", {
    id: "search_traces",
    summary: "Search traces, one by one or by session",
    body: jsonBody(searchBody),
    reply: tracesFound,
    refusals: [400],
    handler: searchTraces,
  }),
]

function showTrace(
  { database }: ServiceParts,
  { ids: [id = ""], query, standing }: WithQuery<typeof traceQuery>,
): ServiceReply {
  const trace = findRow(database, traces, id, seenBy(traces, standing.owner))
  const { span_id: spanId, run_id: runId } = query
  if (trace === null || (runId ?? trace.run_id) !== trace.run_id) return refuse(404, traces.notFound(id))
  if (spanId === undefined) return answer(detailOf(database, trace))
  const span = findSpan(treeOf(database, trace), spanId)
  return span === null ? refuse(404, "Span not found") : answer(span)
}

function treeOf(database: DatabaseSync, trace: Trace): TraceSpan {
  const family = findFamily(database, trace.run_id)
  if (family === null) throw new Error(`trace ${trace.trace_id} has no run ${trace.run_id}`)
  return spanOf(database, family)
}

function summaryOf(trace: Trace, tree: TraceSpan): Readonly<Record<string, unknown>> {
  const { total, failed } = countSpans(tree)
  const { trace_id, name, status, run_id, session_id, user_id, agent_id, team_id, workflow_id } = trace
  return withoutNulls({
    trace_id,
    name,
    status,
    ...between(trace.start_time, trace.end_time),
    total_spans: total,
    error_count: failed,
    input: tree["input"] ?? null,
    run_id,
    session_id,
    user_id,
    agent_id,
    team_id,
    workflow_id,
    created_at: instant(trace.created_at),
  })
}

/** A trace with its tree. The run's output and error stand beside the tree, not in its root. */
function detailOf(database: DatabaseSync, trace: Trace): Readonly<Record<string, unknown>> {
  const tree = treeOf(database, trace)
  const { input: _asked, output = null, error = null, ...root } = tree
  return { ...summaryOf(trace, tree), ...withoutNulls({ output, error }), tree: [root] }
}

function searchTraces(parts: ServiceParts, { body, standing }: WithBody<typeof searchBody>): Answering {
  const { database, clock } = parts
  const { filter, group_by: group, page, limit } = body
  const compiled = filter === null || filter === undefined ? null : compileFilter(filter)
  if (compiled?.ok === false) return refuse(400, `Invalid filter expression: ${compiled.fault}`)
  const conditions = [...(compiled === null ? [] : [compiled.condition]), ...seenBy(traces, standing.owner)]
  if (group === "session") return statsReply(parts, conditions, { page, limit })
  const begun = clock()
  const query = { conditions, sortBy: "start_time", order: "DESC", page, limit } as const
  const { rows, total } = listRows(database, traces, query)
  const data = rows.map((trace) => detailOf(database, trace))
  return answer({ data, meta: meta(page, limit, total, clock() - begun) })
}

async function statsReply(
  { database, clock }: ServiceParts,
  conditions: readonly SqlCondition[],
  { page, limit }: { readonly page: number; readonly limit: number },
): Promise<ServiceReply> {
  const begun = clock()
  const sessions = await countSessions(database, conditions)
  const data = sessions.slice((page - 1) * limit, page * limit).map(({ total, first, last, ...named }) =>
    withoutNulls({
      ...named,
      total_traces: total,
      first_trace_at: instant(first),
      last_trace_at: instant(last),
    }),
  )
  return answer({ data, meta: meta(page, limit, sessions.length, clock() - begun) })
}
