// Makes runs: those that callers start and those that teams and workflows start for their members.
import { type Component, findComponent, titleOf } from "../components/component.ts"
import { displayName } from "../engine/advance.ts"
import { type EngineRun, type Member, type Stage, withStatus } from "../engine/run.ts"
import type { ServiceParts } from "../handler.ts"
import { randomCallId, randomId } from "../ids.ts"
import { countRuns } from "../storage/run-store.ts"

/** What a new run is made from. `before` counts the component's earlier runs; `at` is epoch milliseconds. */
interface Birth {
  readonly message: string
  readonly sessionId: string
  readonly userId: string | null
  readonly before: number
  readonly parentId: string | null
  readonly schedule: EngineRun["state"]["schedule"]
  readonly step: EngineRun["state"]["step"]
  readonly at: number
}

/** A PENDING run of a component. */
export function newRun(parts: Pick<ServiceParts, "random">, component: Component, birth: Birth): EngineRun {
  const { turns, answer, listens = false } = component.plan(birth.message, birth.before)
  return {
    id: randomId(parts.random),
    kind: component.kind,
    componentId: component.id,
    parentId: birth.parentId,
    sessionId: birth.sessionId,
    userId: birth.userId,
    status: "PENDING",
    createdAt: birth.at,
    updatedAt: birth.at,
    state: {
      message: birth.message,
      answer,
      turns: [...turns],
      listens,
      toolbox: [...component.tools],
      turn: 0,
      tools: [],
      requirements: [],
      name: component.name,
      error: null,
      schedule: birth.schedule,
      step: birth.step,
      approval: null,
      regenerated_from: null,
      model: component.model,
      instructions: component.instructions,
      said: [],
      usage: { input_tokens: 0, output_tokens: 0 },
    },
  }
}

/** What a stretch of runs needs, with the same time for all. New members take the runs of their script in turn. */
export function stageOf(parts: ServiceParts): Stage {
  const at = parts.clock()
  const begun = new Map<string, number>()
  return {
    at,
    newId: () => randomId(parts.random),
    newCallId: () => randomCallId(parts.random),
    begin: (parent, member) => {
      const component = findComponent(parts.script, member.kind, member.id) ?? ghostOf(member)
      const key = `${member.kind} ${member.id}`
      const before = countRuns(parts.database, component) + (begun.get(key) ?? 0)
      begun.set(key, (begun.get(key) ?? 0) + 1)
      const { sessionId, userId } = parent
      const { schedule } = parent.state
      const step = stepFor(parent, member)
      const birth = { message: member.task, sessionId, userId, before, parentId: parent.id, schedule, step, at }
      return withStatus(newRun(parts, component, birth), "RUNNING", at)
    },
  }
}

/** The step that a member's run carries out. If a team in a step hands work on, that belongs to the same step. */
function stepFor(parent: EngineRun, { id, step }: Member): EngineRun["state"]["step"] {
  if (parent.kind !== "workflow") return parent.state.step
  return { workflow_id: parent.componentId, workflow_name: displayName(parent), step_name: step ?? id }
}

/** Replaces a member that the script no longer has: its run fails, and says why. */
function ghostOf({ kind, id }: Member): Component {
  const error = `${titleOf(kind)} ${id} does not exist`
  const plan = () => ({ turns: [{ error }], answer: "" })
  return { kind, id, name: id, description: null, tools: [], model: null, instructions: null, plan }
}
