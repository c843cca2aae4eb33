// A run of a scripted component: its states, the runs below it, and what one stretch of it changes.
import { z } from "zod"
import { ServiceError } from "../errors.ts"
import { modelSchema, toolSchema, turnSchema } from "./script-schema.ts"
import { jsonObject, requirementSchema, type ToolExecution, toolExecutionSchema } from "./tool-execution.ts"

/**
 * What a run remembers beside its columns, as JSON text. It includes its own script, so a new script does not change
 * runs that have begun.
 */
export const runStateSchema = z.object({
  message: z.string(),
  answer: z.string(),
  turns: z.array(turnSchema),
  toolbox: z.array(toolSchema),
  /** True: it asks refused calls again as was proposed. */
  listens: z.boolean().default(false),
  /** How many turns are over. */
  turn: z.number(),
  tools: z.array(toolExecutionSchema),
  requirements: z.array(requirementSchema),
  /** Display name of the component. */
  name: z.string(),
  /** Why the run ended in ERROR. */
  error: z.string().nullable().default(null),
  /** The schedule that started this run or the run above it, and the id of that run of the schedule. */
  schedule: z.object({ id: z.string(), run_id: z.string() }).nullable().default(null),
  /** The step of a workflow that this run, or the run above it, carries out. */
  step: z
    .object({ workflow_id: z.string(), workflow_name: z.string(), step_name: z.string() })
    .nullable()
    .default(null),
  /** The approval after which the run went on, as the routes showed it then. */
  approval: jsonObject.nullable().default(null),
  /** The run whose answer this run gives again. */
  regenerated_from: z.string().nullable().default(null),
  /** The model that is asked for each turn and for the answer; null: all turns are there from the start. */
  model: modelSchema.nullable().default(null),
  /** What the model reads first. */
  instructions: z.string().nullable().default(null),
  /** What the model said beside the calls of each turn. */
  said: z.array(z.string()).default([]),
  /** The tokens that the model took so far, as its endpoint counts them. */
  usage: z
    .object({ input_tokens: z.number(), output_tokens: z.number() })
    .default({ input_tokens: 0, output_tokens: 0 }),
})

/** How many tokens a model read and wrote. */
export type Usage = z.output<typeof runStateSchema>["usage"]

type RunState = z.output<typeof runStateSchema>

/** The kinds of components. */
export const componentKinds = ["agent", "team", "workflow"] as const

/** A kind of component. */
export type ComponentKind = (typeof componentKinds)[number]

/** One run. Times are epoch milliseconds. */
export interface EngineRun {
  readonly id: string
  readonly kind: ComponentKind
  readonly componentId: string
  /** The run of the team or workflow that started this run; null if a caller started it. */
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

/** One thing that happened, with the run as it was at that moment, and the call. */
export interface RunEvent {
  readonly moment: Moment
  readonly family: Family
  readonly call: ToolExecution | null
  /** The piece of content that the model just said, if content comes in pieces. */
  readonly text?: string
}

/** A call and the run that made it. */
export interface Made {
  readonly run: EngineRun
  readonly call: ToolExecution
}

/** A stretch of a run up to its next pause or its end. `ran` lists the calls that were executed, each once. */
export interface Leg {
  readonly family: Family
  readonly ran: readonly Made[]
  readonly events: readonly RunEvent[]
}

/** What a run needs to go on. `at` is epoch milliseconds; `begin` makes a member's run, which is RUNNING. */
export interface Stage {
  readonly at: number
  readonly newId: () => string
  readonly newCallId: () => string
  readonly begin: (parent: EngineRun, member: Member) => EngineRun
}

/** A component that gets work from a run, and that work. */
export interface Member {
  readonly kind: "agent" | "team"
  readonly id: string
  readonly task: string
  /** The step's name, if a workflow hands the work over. */
  readonly step: string | null
}

/** The calls of this run that wait for a decision, without those of its members. */
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

/** The run with this id and all runs below it, or null. */
export function branchOf(family: Family, runId: string): Family | null {
  if (family.run.id === runId) return family
  for (const member of family.members) {
    const found = branchOf(member, runId)
    if (found !== null) return found
  }
  return null
}

/** A run and all runs below it, parents first. */
export function everyRun(family: Family): readonly EngineRun[] {
  return [family.run, ...family.members.flatMap(everyRun)]
}

/** All states of specification 2.2, in that order. */
export const runStatuses = ["PENDING", "RUNNING", "COMPLETED", "PAUSED", "CANCELLED", "ERROR", "REGENERATED"] as const

/** A state of a run. */
export type RunStatus = (typeof runStatuses)[number]

/** The states that may follow each state. REGENERATED: another run gave the answer again. */
const ways: Readonly<Record<RunStatus, readonly RunStatus[]>> = {
  PENDING: ["RUNNING", "CANCELLED"],
  RUNNING: ["PAUSED", "COMPLETED", "ERROR", "CANCELLED"],
  PAUSED: ["RUNNING", "CANCELLED"],
  COMPLETED: ["REGENERATED"],
  CANCELLED: [],
  ERROR: [],
  REGENERATED: [],
}

/** True if the second state may follow the first directly. */
export function mayBecome(from: RunStatus, to: RunStatus): boolean {
  return ways[from].includes(to)
}

/** The run in another state. `at` is epoch milliseconds. Throws `ServiceError` if that state may not follow. */
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

/** The stretch, with its events and the run after them, or the refusal. */
export type RunOutcome = { readonly ok: true; readonly leg: Leg } | RunRefusal

/** Makes a refusal. */
export function refused(status: RunRefusal["status"], detail: string): RunRefusal {
  return { ok: false, status, detail }
}
