// The script of the components: what they are called, which tools they have, and what each of their runs does.
// docs/service.md shows one.
import { parse } from "yaml"
import {
  executorOf,
  type Named,
  type ScriptedAgent,
  type ScriptedStep,
  type ScriptedTeam,
  type ScriptedWorkflow,
  type StepInput,
  scriptSchema,
} from "../engine/script-schema.ts"
import { ServiceError } from "../errors.ts"
import { fromBigints } from "../wire/exact-json.ts"

export type { ScriptInput } from "../engine/script-schema.ts"

/** All components of one service. */
export interface Script {
  readonly agents: readonly ScriptedAgent[]
  readonly teams: readonly ScriptedTeam[]
  readonly workflows: readonly ScriptedWorkflow[]
}

/** Checks a script; integers may be bigint. Throws `ServiceError` that names the place and the fault. */
export function checkScript(input: unknown): Script {
  const outcome = scriptSchema.safeParse(fromBigints(input))
  if (!outcome.success) {
    const [issue] = outcome.error.issues
    throw scriptFault(issue?.path.join(".") ?? "", issue?.message ?? "it is not a script")
  }
  const { agents, teams, workflows } = outcome.data
  const script: Script = {
    agents: agents.map(withName),
    teams: teams.map(withName),
    workflows: workflows.map((workflow) => ({ ...withName(workflow), steps: workflow.steps.map(namedStep) })),
  }
  const fault = checkNames(script)
  if (fault !== null) throw scriptFault(fault.place, fault.fault)
  return script
}

/** Reads a script from YAML text. Throws `ServiceError`. */
export function readScript(yaml: string): Script {
  try {
    return checkScript(parse(yaml, { intAsBigInt: true }))
  } catch (cause) {
    if (cause instanceof ServiceError) throw cause
    const why = cause instanceof Error ? cause.message : "it cannot be read"
    throw new ServiceError("script_invalid", `script: ${why}`, { cause })
  }
}

function withName<T extends { readonly id: string; readonly name?: string | undefined }>(component: T): Named<T> {
  return { ...component, name: component.name ?? component.id }
}

function namedStep(step: StepInput, at: number): ScriptedStep {
  const by = [step.agent, step.team, step.function?.name].filter((one) => one !== undefined)
  if (by.length !== 1) throw scriptFault(`workflows.steps.${at}`, "expected either an agent, a team or a function")
  return { ...step, name: step.name ?? by[0] ?? "" }
}

function scriptFault(place: string, fault: string): ServiceError {
  return new ServiceError("script_invalid", `script: ${place}: ${fault}`)
}

interface ScriptFault {
  readonly place: string
  readonly fault: string
}

/** The first fault, or null. Teams have agents, and steps have agents and teams, so nothing can call itself. */
function checkNames(script: Script): ScriptFault | null {
  for (const family of ["agents", "teams", "workflows"] as const) {
    const twice = repeated(script[family].map((component) => component.id))
    if (twice !== null) return { place: family, fault: `the id ${twice} is used twice` }
  }
  const agents = new Set(script.agents.map((agent) => agent.id))
  const teams = new Set(script.teams.map((team) => team.id))
  const faults = [
    ...script.agents.map((agent) => modelFault(agent) ?? runFault(`agents.${agent.id}`, agent, [])),
    ...script.teams.map((team) => memberFault(team, agents) ?? runFault(`teams.${team.id}`, team, team.members)),
    ...script.workflows.map((workflow) => stepFault(workflow, agents, teams)),
  ]
  return faults.find((fault) => fault !== null) ?? null
}

function stepFault(
  { id, steps }: ScriptedWorkflow,
  agents: ReadonlySet<string>,
  teams: ReadonlySet<string>,
): ScriptFault | null {
  const place = `workflows.${id}.steps`
  const stranger = steps
    .flatMap((step) => executorOf(step) ?? [])
    .find((one) => !(one.kind === "agent" ? agents : teams).has(one.id))
  if (stranger !== undefined) return { place, fault: `there is no ${stranger.kind} ${stranger.id}` }
  const functions = steps.flatMap((step) => step.function ?? [])
  const twice = repeated(functions.map(({ name }) => name))
  if (twice !== null) return { place, fault: `the function ${twice} is used twice` }
  const both = functions.find((one) => one.gated && one.audit)
  return both === undefined ? null : { place, fault: `${both.name} is both gated and audit` }
}

function memberFault(team: ScriptedTeam, agents: ReadonlySet<string>): ScriptFault | null {
  const stranger = team.members.find((member) => !agents.has(member))
  return stranger === undefined ? null : { place: `teams.${team.id}.members`, fault: `there is no agent ${stranger}` }
}

/** What is wrong with an agent because of its model, or because it has none. */
function modelFault({ id, model, instructions, tools, runs }: ScriptedAgent): ScriptFault | null {
  const place = `agents.${id}`
  if (model === null) {
    return instructions === null
      ? null
      : { place: `${place}.instructions`, fault: "only a model reads them; add model" }
  }
  if (runs.length > 0) {
    return { place: `${place}.runs`, fault: "its model says what its runs do; leave out runs, or model" }
  }
  const odd = tools.find(({ name }) => !/^[a-zA-Z0-9_-]{1,64}$/.test(name))
  if (odd === undefined) return null
  const fault = `${odd.name}: models take names of up to 64 letters, digits, - and _`
  return { place: `${place}.tools`, fault }
}

function runFault(
  place: string,
  { tools, runs }: Pick<ScriptedAgent, "tools" | "runs">,
  members: readonly string[],
): ScriptFault | null {
  const names = new Set(tools.map((tool) => tool.name))
  if (names.size < tools.length) return { place: `${place}.tools`, fault: "a name is used twice" }
  const both = tools.find((tool) => tool.gated && tool.audit)
  if (both !== undefined) return { place: `${place}.tools`, fault: `${both.name} is both gated and audit` }
  const calls = runs.flatMap((run) => run.turns).flatMap((turn) => (Array.isArray(turn) ? turn : []))
  for (const call of calls) {
    if ("tool" in call && !names.has(call.tool)) {
      return { place: `${place}.runs`, fault: `${call.tool} is none of its tools` }
    }
    if ("member" in call && (!members.includes(call.member) || call.kind !== "agent")) {
      return { place: `${place}.runs`, fault: `${call.member} is none of its members` }
    }
  }
  return null
}

function repeated(ids: readonly string[]): string | null {
  return ids.find((id, at) => ids.indexOf(id) !== at) ?? null
}
