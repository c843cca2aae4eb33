// A run of a scripted agent: its state, and the steps from one pause to the next. Pure.
import { z } from "zod"
import type { JsonObject } from "./exact-json.ts"
import { toolSchema } from "./script.ts"
import { settle, type Verdict } from "./settle-call.ts"
import { askedFor, demandOf, requirementSchema, type ToolExecution, toolExecutionSchema } from "./tool-execution.ts"

/** What a run remembers beside its columns; kept as JSON text. It carries its own script, so a new script changes no old run. */
export const runStateSchema = z.object({
  message: z.string(),
  answer: z.string(),
  turns: z.array(z.array(z.object({ tool: z.string(), args: z.custom<JsonObject>() }))),
  toolbox: z.array(toolSchema),
  /** Number of turns that are over. */
  turn: z.number(),
  tools: z.array(toolExecutionSchema),
  requirements: z.array(requirementSchema),
})

/** See `runStateSchema`. */
export type RunState = z.output<typeof runStateSchema>

/** The run states that occur here (specification 2.2). */
export type RunStatus = "PENDING" | "RUNNING" | "PAUSED" | "COMPLETED" | "CANCELLED" | "ERROR" | "REGENERATED"

/** One run. Times are epoch milliseconds. */
export type Run = {
  readonly id: string
  readonly agentId: string
  readonly sessionId: string
  readonly userId: string | null
  readonly status: RunStatus
  readonly createdAt: number
  readonly updatedAt: number
  readonly state: RunState
}

/** A stretch of a run up to its next pause or its end; `ran` are the calls that were executed, each once. */
export type Leg = { readonly run: Run; readonly ran: readonly ToolExecution[] }

/** Names for what comes into being during a leg; `at` is epoch milliseconds. */
export type Stamps = { readonly at: number; readonly newId: () => string; readonly newCallId: () => string }

/** The calls that the run waits for. */
export function openCalls(run: Run): readonly ToolExecution[] {
  return run.status === "PAUSED" ? run.state.tools.filter((call) => call.approval_id !== null && isOpen(call)) : []
}

/** Takes a run through its turns until one pauses or none is left. */
export function advance(run: Run, stamps: Stamps): Leg {
  const turn = run.state.turns[run.state.turn]
  if (turn === undefined) return { run: { ...run, status: "COMPLETED", updatedAt: stamps.at }, ran: [] }
  const asked = askTurn(run, turn, stamps)
  const calls = asked.map((call) =>
    call.approval_id === null ? settle(call, { kind: "approved", values: null }, run.state.toolbox) : call,
  )
  const ran = calls.filter((call) => call.approval_id === null)
  const waiting = calls.filter((call) => call.approval_id !== null)
  const tools = [...run.state.tools, ...calls]
  if (waiting.length === 0) {
    const next = advance({ ...run, state: { ...run.state, tools, turn: run.state.turn + 1 } }, stamps)
    return { run: next.run, ran: [...ran, ...next.ran] }
  }
  const requirements = [...run.state.requirements, ...waiting.map((call) => demandOf(call, stamps.newId(), stamps.at))]
  return { run: { ...run, status: "PAUSED", updatedAt: stamps.at, state: { ...run.state, tools, requirements } }, ran }
}

/** Carries the verdict to every call of the current pause and takes the run on from there. */
export function takeOn(run: Run, verdict: Verdict, stamps: Stamps): Leg {
  const open = new Set(openCalls(run).map((call) => call.tool_call_id))
  const settled = run.state.tools.map((call) =>
    open.has(call.tool_call_id) ? settle(call, verdict, run.state.toolbox) : call,
  )
  const ran = verdict.kind === "approved" ? settled.filter((call) => open.has(call.tool_call_id)) : []
  const state = {
    ...run.state,
    tools: settled,
    turn: run.state.turn + 1,
    requirements: run.state.requirements.map(confirmed(settled)),
  }
  const next = advance({ ...run, status: "RUNNING", state }, stamps)
  return { run: next.run, ran: [...ran.filter((call) => call.tool_call_error === false), ...next.ran] }
}

function isOpen(call: ToolExecution): boolean {
  return call.tool_call_error === null && call.result === null
}

function askTurn(run: Run, turn: RunState["turns"][number], stamps: Stamps): readonly ToolExecution[] {
  const approvalId = stamps.newId()
  return turn.flatMap((call) => {
    const tool = run.state.toolbox.find((candidate) => candidate.name === call.tool)
    if (tool === undefined) return []
    return [
      askedFor(tool, call.args, {
        callId: stamps.newCallId(),
        at: stamps.at,
        approvalId: tool.gated ? approvalId : null,
      }),
    ]
  })
}

function confirmed(
  calls: readonly ToolExecution[],
): (requirement: RunState["requirements"][number]) => RunState["requirements"][number] {
  return (requirement) => {
    const call = calls.find((candidate) => candidate.tool_call_id === requirement.tool_execution.tool_call_id)
    if (call === undefined || call.confirmed === null) return requirement
    const execution = {
      ...requirement.tool_execution,
      confirmed: call.confirmed,
      confirmation_note: call.confirmation_note,
    }
    return { ...requirement, tool_execution: execution }
  }
}
