// The steps of a workflow's run, in order. Each step is a call of a function, or a call that hands work to a member.
import { derivedId } from "../ids.ts"
import type { EngineRun, Family } from "./run.ts"
import type { ToolExecution } from "./tool-execution.ts"

/** A step's place in its workflow. */
interface StepPlace {
  readonly id: string
  readonly name: string
  readonly index: number
}

/** A step that has begun: its call, and the run of the member that carries it out; null for a function. */
export interface BegunStep {
  readonly place: StepPlace
  readonly call: ToolExecution
  readonly member: Family | null
}

/** The step at a position. */
export function stepAt(run: EngineRun, index: number): StepPlace {
  const turn = run.state.turns[index]
  const call = Array.isArray(turn) ? turn[0] : undefined
  const name = call === undefined ? String(index) : (call.step ?? ("member" in call ? call.member : call.tool))
  return { id: derivedId("step", run.componentId, index), name, index }
}

/** The steps that have begun, the current one last. */
export function begunSteps({ run, members }: Family): readonly BegunStep[] {
  return run.state.tools.map((call, index) => ({
    place: stepAt(run, index),
    call,
    member: members.find((member) => member.run.id === call.child_run_id) ?? null,
  }))
}
