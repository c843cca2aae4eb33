// What can be run: agents, teams and workflows of the script, in one form.
import { z } from "zod"
import type { ComponentKind } from "../engine/run.ts"
import {
  executorOf,
  type ScriptedModel,
  type ScriptedRun,
  type ScriptedTool,
  type ScriptTurn,
} from "../engine/script-schema.ts"
import { namedLooseObject } from "../wire/named-model.ts"
import type { Script } from "./script.ts"

/** A component as the run engine sees it. */
export interface Component {
  readonly kind: ComponentKind
  readonly id: string
  readonly name: string
  readonly description: string | null
  readonly tools: readonly ScriptedTool[]
  /** The model that says what each run does; null: the script says it. */
  readonly model: ScriptedModel | null
  readonly instructions: string | null
  /** Plans the next run: the one that the message names, else the next in turn after `before` earlier runs. */
  plan(message: string, before: number): Plan
}

/** What a run does: its turns and its answer, and whether it asks refused calls again as was proposed. */
interface Plan {
  readonly turns: readonly ScriptTurn[]
  readonly answer: string
  readonly listens?: boolean
}

/** How the wire names the model of a component that follows its script. */
export const ownModel = { id: "scripted-model", provider: "scripted" } as const

/** A model in the words of the wire. */
export function modelView(model: ScriptedModel | null): { readonly id: string; readonly provider: string } {
  return { id: model?.name ?? ownModel.id, provider: providerOf(model?.name ?? ownModel.id) }
}

/** Who provides a model of this name. */
export function providerOf(name: string): string {
  return name === ownModel.id ? ownModel.provider : "openai-compatible"
}

/** All components of one kind, in the order of the script. */
export function componentsOf(script: Script, kind: ComponentKind): readonly Component[] {
  switch (kind) {
    case "agent":
      return script.agents.map((agent) => ({
        ...agent,
        kind,
        plan: agent.model === null ? planOf(agent.runs) : unplanned,
      }))
    case "team":
      return script.teams.map((team) => ({ ...team, ...modelless, kind, plan: planOf(team.runs) }))
    case "workflow":
      return script.workflows.map((workflow) => ({
        ...workflow,
        ...modelless,
        kind,
        tools: workflow.steps.flatMap((step) => step.function ?? []),
        plan: () => ({ turns: workflow.steps.map(stepTurn), answer: "" }),
      }))
  }
}

const modelless = { model: null, instructions: null } as const

/** One component, or null. */
export function findComponent(script: Script, kind: ComponentKind, id: string): Component | null {
  return componentsOf(script, kind).find((component) => component.id === id) ?? null
}

/** The plural of a kind: the name of its routes and scopes. */
export function familyOf(kind: ComponentKind): "agents" | "teams" | "workflows" {
  return `${kind}s`
}

/** A kind in the words of the wire's errors: `Agent`, `Team`, `Workflow`. */
export function titleOf(kind: ComponentKind): string {
  return kind.charAt(0).toUpperCase() + kind.slice(1)
}

/** A kind in a sentence: `an agent`, `a team`. */
export function withArticle(kind: ComponentKind): string {
  return kind === "agent" ? "an agent" : `a ${kind}`
}

/** What is shown of a component, whatever its kind. */
export const componentModel = namedLooseObject("Component", { id: z.string(), name: z.string(), db_id: z.string() })

function planOf(runs: readonly ScriptedRun[]): Component["plan"] {
  return (message, before) => {
    const named = runs.find((run) => run.name === message)
    return named ?? runs[before % runs.length] ?? { turns: [], answer: "Done." }
  }
}

/** The plan of an agent with a model: its turns come from the model, one after the other. */
function unplanned(): ReturnType<Component["plan"]> {
  return { turns: [], answer: "" }
}

function stepTurn(step: Script["workflows"][number]["steps"][number]): ScriptTurn {
  const executor = executorOf(step)
  if (executor === null) return [{ tool: step.function?.name ?? "", args: step.args, step: step.name }]
  return [{ member: executor.id, kind: executor.kind, task: step.task, step: step.name }]
}
