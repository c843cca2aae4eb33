// A run of a scripted component: its states, the runs below it, and what a stretch of it leaves behind.
import { z } from "zod"
import { ServiceError } from "../errors.ts"
import { modelSchema, toolSchema, turnSchema } from "./script-schema.ts"
import { jsonObject, requirementSchema, type ToolExecution, toolExecutionSchema } from "./tool-execution.ts"

/**
 * What a run remembers beside its columns, as JSON text. It includes its own script, so a new script changes no old
 * run.
 */
export const runStateSchema = z.object({
  message: z.string(),
  answer: z.string(),
  turns: z.array(turnSchema),
  toolbox: z.array(toolSchema),
  /** Number of turns that are over. */
  turn: z.number(),
  tools: z.array(toolExecutionSchema),
  requirements: z.array(requirementSchema),
  /** Display name of the component. */
  name: z.string(),
  /** Why the run ended in ERROR. */
  error: z.string().nullable().default(null),
  /** The schedule that started it, or the run above it, and which of the schedule's runs that was. */
  schedule: z.object({ id: z.string(), run_id: z.string() }).nullable().default(null),
  /** The step of a workflow that it carries out, or that the run above it does. */
  step: z
    .object({ workflow_id: z.string(), workflow_name: z.string(), step_name: z.string() })
    .nullable()
    .default(null),
  /** The approval after which the run went on, as its routes showed it then. */
  approval: jsonObject.nullable().default(null),
  /** The run whose answer this one gives anew. */
  regenerated_from: z.string().nullable().default(null),
  /** The model that is asked for each turn and for the answer; null: all turns are there from the start. */
  model: modelSchema.nullable().default(null),
  /** What the model is told first. */
  instructions: z.string().nullable().default(null),
  /** What the model said beside the calls of each turn. */
  said: z.array(z.string()).default([]),
  /** The tokens that the model took so far, as its endpoint counts them. */
  usage: z
    .object({ input_tokens: z.number(), output_tokens: z.number() })
    .default({ input_tokens: 0, output_tokens: 0 }),
})

/** Tokens that a model read and wrote. */
export type Usage = z.output<typeof runStateSchema>["usage"]

/** See `runStateSchema`. */
type RunState = z.output<typeof runStateSchema>

/** What can be run. */
export const componentKinds = ["agent", "team", "workflow"] as const

/** One of them. */
export type ComponentKind = (typeof componentKinds)[number]

/** One run. Times are epoch milliseconds. */
export interface EngineRun {
  readonly id: string
  readonly kind: ComponentKind
  readonly componentId: string
  /** The run of the team or workflow that started this one; null for one that a caller started. */
  readonly parentId: string | null
  readonly sessionId: string
  readonly userId: string | null
  readonly status: RunStatus
  readonly createdAt: number
  readonly updatedAt: number
  readonly state: RunState
}

/** A run with the runs that it started, oldest first. */
export interface Family {
  readonly run: EngineRun
  readonly members: readonly Family[]
}

/** What events can say about a run. */
export type Moment =
  | "started"
  | "continued"
  | "model_started"
  | "model_completed"
  | "tool_started"
  | "tool_completed"
  | "step_continued"
  | "content"
  | "content_completed"
  | "paused"
  | "completed"
  | "failed"
  | "cancelled"

/** One thing that happened: to which run, as it was then, and with which call. */
export interface RunEvent {
  readonly moment: Moment
  readonly family: Family
  readonly call: ToolExecution | null
  /** The piece that the model said just then, of content that comes in pieces. */
  readonly text?: string
}

/** A call and the run that made it. */
export interface Made {
  readonly run: EngineRun
  readonly call: ToolExecution
}

/** A stretch of a run up to its next pause or its end; `ran` are the calls that were executed, each once. */
export interface Leg {
  readonly family: Family
  readonly ran: readonly Made[]
  readonly events: readonly RunEvent[]
}

/** What a run needs to go on. `at` is epoch milliseconds; `begin` makes the run that work is handed to, RUNNING. */
export interface Stage {
  readonly at: number
  readonly newId: () => string
  readonly newCallId: () => string
  readonly begin: (parent: EngineRun, member: Member) => EngineRun
}

/** The component to which a run hands work, and that work. */
export interface Member {
  readonly kind: "agent" | "team"
  readonly id: string
  readonly task: string
  /** The step's name, if a workflow hands it over. */
  readonly step: string | null
}

/** The calls of this run itself that wait for a decision. */
export function openCalls(run: EngineRun): readonly ToolExecution[] {
  return run.status === "PAUSED" ? run.state.tools.filter(isOpen) : []
}

/** True for a call that waits for a decision. */
export function isOpen(call: ToolExecution): boolean {
  return call.approval_id !== null && call.tool_call_error === null && call.result === null
}

/** True for a run that waits for its model's next word. */
export function isThinking({ status, state }: EngineRun): boolean {
  return status === "RUNNING" && state.model !== null && state.turn >= state.turns.length
}

/** The run of an id with all below it, or null. */
export function branchOf(family: Family, runId: string): Family | null {
  if (family.run.id === runId) return family
  for (const member of family.members) {
    const found = branchOf(member, runId)
    if (found !== null) return found
  }
  return null
}

/** A run and all below it, parents first. */
export function everyRun(family: Family): readonly EngineRun[] {
  return [family.run, ...family.members.flatMap(everyRun)]
}

/** All states of 2.2, in its order. */
export const runStatuses = ["PENDING", "RUNNING", "COMPLETED", "PAUSED", "CANCELLED", "ERROR", "REGENERATED"] as const

/** One of them. */
export type RunStatus = (typeof runStatuses)[number]

/** Where a run may go from a state. REGENERATED marks a run whose answer another run gave anew. */
const ways: Readonly<Record<RunStatus, readonly RunStatus[]>> = {
  PENDING: ["RUNNING", "CANCELLED"],
  RUNNING: ["PAUSED", "COMPLETED", "ERROR", "CANCELLED"],
  PAUSED: ["RUNNING", "CANCELLED"],
  COMPLETED: ["REGENERATED"],
  CANCELLED: [],
  ERROR: [],
  REGENERATED: [],
}

/** True if a run may go from one state straight to the other. */
export function mayBecome(from: RunStatus, to: RunStatus): boolean {
  return ways[from].includes(to)
}

/** The run in another state. `at` is epoch milliseconds. Throws `ServiceError` if there is no such way. */
export function withStatus(run: EngineRun, status: RunStatus, at: number): EngineRun {
  if (!mayBecome(run.status, status)) {
    throw new ServiceError("run_transition", `run ${run.id}: ${run.status} cannot become ${status}`)
  }
  return { ...run, status, updatedAt: at }
}

/** A refusal for the wire. */
export interface RunRefusal {
  readonly ok: false
  readonly status: 400 | 403 | 404 | 409
  readonly detail: string
}

/** The events and the run as it is then, or the refusal. */
export type RunOutcome = { readonly ok: true; readonly leg: Leg } | RunRefusal

/** Refuses a step. */
export function refused(status: RunRefusal["status"], detail: string): RunRefusal {
  return { ok: false, status, detail }
}
