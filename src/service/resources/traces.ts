// Traces: the runs that callers and schedules started, shown as spans (specification 4.3). They are read from the runs.
import { z } from "zod"
import { boundedInteger, freeFormObject, queryInteger } from "../wire/fields.ts"
import { named, namedObject } from "../wire/named-model.ts"
import { pageOf } from "../wire/page-model.ts"
import { byText, equals, notAfter, notBefore } from "./conditions.ts"
import { resourceOf } from "./resource.ts"
import { nullableText, timeField } from "./row-columns.ts"

/** One trace: a run that no other run started. `OK` and `ERROR` say how it ended; all other states are `UNSET`. */
export const traceRow = z.object({
  trace_id: z.string(),
  name: z.string(),
  status: z.enum(["OK", "ERROR", "UNSET"]),
  duration_ms: z.int(),
  start_time: timeField("iso"),
  end_time: timeField("iso"),
  run_id: z.string(),
  session_id: z.string(),
  user_id: nullableText,
  agent_id: nullableText,
  team_id: nullableText,
  workflow_id: nullableText,
  created_at: timeField("iso"),
})

const text = z.string().optional()
const whose = { user_id: text, agent_id: text, team_id: text, workflow_id: text }

/** A trace as lists show it, without the fields that it does not have. */
const summary = z.object({
  trace_id: z.string(),
  name: z.string(),
  status: z.string(),
  duration: z.string(),
  start_time: z.iso.datetime(),
  end_time: z.iso.datetime(),
  total_spans: z.int(),
  error_count: z.int(),
  input: z.string().optional(),
  run_id: z.string(),
  session_id: z.string(),
  ...whose,
  created_at: z.iso.datetime(),
})

/** One span: a run or a call, with the spans below it. */
const node = z.object({
  id: z.string(),
  name: z.string(),
  type: z.string(),
  duration: z.string(),
  start_time: z.iso.datetime(),
  end_time: z.iso.datetime(),
  status: z.string(),
  input: z.string().optional(),
  output: z.string().optional(),
  error: z.string().optional(),
  metadata: z.record(z.string(), z.unknown()).optional(),
  get spans() {
    return z.array(node).optional()
  },
})
named("TraceNode", node)

const detail = named(
  "TraceDetail",
  summary.extend({ output: z.string().optional(), error: z.string().optional(), tree: z.array(node) }),
)

/** A whole trace, or one of its spans. */
export const traceOrSpan = named("TraceOrSpan", z.union([detail, node]))

const sessionStats = z.object({
  session_id: z.string(),
  ...whose,
  total_traces: z.int(),
  first_trace_at: z.iso.datetime(),
  last_trace_at: z.iso.datetime(),
})

/** The answer of `GET /trace_session_stats`. */
export const sessionStatsList = named("TraceSessionStatsList", pageOf(sessionStats))

/** The answer of `POST /traces/search`. */
export const tracesFound = named("TracesFound", z.union([named("TraceDetailList", pageOf(detail)), sessionStatsList]))

const ofComponents = { agent_id: ofKind("agent"), team_id: ofKind("team"), workflow_id: ofKind("workflow") }

/** Makes a filter for the runs of a component. The condition uses only indexed columns. */
function ofKind(kind: "agent" | "team" | "workflow") {
  return byText((id) => ({ sql: `kind = '${kind}' AND component_id = ?`, values: [id] }))
}

/** `GET /traces/{trace_id}`: the whole trace, or one of its spans. */
export const traceQuery = z.object({ span_id: z.string().optional(), run_id: z.string().optional() })

/** `GET /trace_session_stats`: which traces are counted, and which page. */
export const statsQuery = z.object({
  user_id: equals("user_id"),
  ...ofComponents,
  start_time: notBefore("created_at"),
  end_time: notAfter("created_at"),
  limit: queryInteger(20, 1, 1000),
  page: queryInteger(1, 1),
})

/** `POST /traces/search`. */
export const searchBody = namedObject("TraceSearch", {
  filter: freeFormObject.nullish(),
  group_by: z.enum(["run", "session"]).default("run"),
  page: boundedInteger(1).default(1),
  limit: boundedInteger(1, 100).default(20),
})

/** `/traces`, and the routes about the traces of sessions. */
export const traces = resourceOf<typeof traceRow>({
  name: "TraceSummary",
  tag: "Traces",
  scopes: "traces",
  path: "/traces",
  table: "traces",
  row: traceRow,
  model: summary,
  key: "trace_id",
  owner: "user_id",
  indexes: [],
  notFound: () => "Trace not found",
  list: {
    id: "get_traces",
    summary: "List traces",
    filters: {
      run_id: equals("run_id"),
      session_id: equals("session_id"),
      user_id: equals("user_id"),
      ...ofComponents,
      status: equals("status"),
      start_time: notBefore("start_time"),
      end_time: notAfter("end_time"),
    },
    limit: 20,
    sortBy: ["start_time", "end_time", "duration_ms", "name"],
  },
})
