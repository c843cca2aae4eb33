// A run with its members and calls as a tree of spans. The times are those that runs and calls keep anyway.
import type { DatabaseSync } from "node:sqlite"
import { displayName } from "../engine/advance.ts"
import type { EngineRun, Family } from "../engine/run.ts"
import type { ToolExecution } from "../engine/tool-execution.ts"
import { executedAt } from "../storage/run-store.ts"
import { contentOf } from "../views/run-view.ts"
import { writeExact } from "../wire/exact-json.ts"

/** One span as the wire shows it. A key without a value is left out. */
export interface TraceSpan {
  readonly id: string
  readonly status: SpanStatus
  readonly spans?: readonly TraceSpan[]
  readonly [key: string]: unknown
}

type SpanStatus = "OK" | "ERROR" | "UNSET"

/** The tree of a run. */
export function spanOf(database: DatabaseSync, family: Family): TraceSpan {
  const { run, members } = family
  // A workflow's calls are its steps, not calls of tools: we show the runs of the steps instead.
  const calls = run.kind === "workflow" ? [] : run.state.tools
  const below = [...calls.map((call) => callSpan(database, call)), ...members.map((member) => spanOf(database, member))]
  const status = spanStatus(run)
  const content = contentOf(family)
  return {
    id: run.id.replaceAll("-", "").slice(0, 16),
    name: `${displayName(run)}.run`,
    type: run.kind.toUpperCase(),
    ...between(run.createdAt, run.updatedAt),
    status,
    input: run.state.message,
    ...(status === "ERROR" ? { error: content } : status === "OK" ? { output: content } : {}),
    ...(below.length === 0 ? {} : { spans: below }),
    metadata: { run_id: run.id, session_id: run.sessionId, ...(run.userId === null ? {} : { user_id: run.userId }) },
  }
}

function spanStatus({ status }: EngineRun): SpanStatus {
  if (status === "ERROR") return "ERROR"
  return status === "COMPLETED" || status === "REGENERATED" ? "OK" : "UNSET"
}

function callSpan(database: DatabaseSync, call: ToolExecution): TraceSpan {
  const { tool_call_id: id, tool_name: name, result, tool_call_error: failed } = call
  const start = call.created_at * 1000
  const text = result === null ? {} : failed === true ? { error: result } : { output: result }
  return {
    id,
    name,
    type: "TOOL",
    ...between(start, executedAt(database, id) ?? start),
    status: failed === true ? "ERROR" : result === null ? "UNSET" : "OK",
    input: writeExact(call.tool_args),
    ...text,
    metadata: { tool_name: name, parameters: call.tool_args },
  }
}

/** How many spans a tree has, and how many of them failed. */
export function countSpans(span: TraceSpan): { readonly total: number; readonly failed: number } {
  const below = (span.spans ?? []).map(countSpans)
  return {
    total: 1 + below.reduce((sum, { total }) => sum + total, 0),
    failed: Number(span.status === "ERROR") + below.reduce((sum, { failed }) => sum + failed, 0),
  }
}

/** The span with an id, without the spans below it; null if the tree has none. */
export function findSpan(span: TraceSpan, id: string): TraceSpan | null {
  if (span.id === id) {
    const { spans: _below, ...alone } = span
    return alone
  }
  for (const below of span.spans ?? []) {
    const found = findSpan(below, id)
    if (found !== null) return found
  }
  return null
}

/** Start, end and duration for the wire. Both arguments are epoch milliseconds. */
export function between(start: number, end: number): Readonly<Record<string, string>> {
  const last = Math.max(start, end)
  return { duration: durationOf(last - start), start_time: instant(start), end_time: instant(last) }
}

function durationOf(ms: number): string {
  return ms < 1000 ? `${ms}ms` : `${(ms / 1000).toFixed(2)}s`
}

/** A moment as ISO 8601, to the millisecond. */
export function instant(at: number): string {
  return new Date(at).toISOString()
}
