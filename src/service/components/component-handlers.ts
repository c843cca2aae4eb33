// Lists and views of agents, teams and workflows (specification 4.3), key for key as the real service shows them.
import type { ComponentKind } from "../engine/run.ts"
import {
  executorOf,
  type ScriptedAgent,
  type ScriptedTeam,
  type ScriptedTool,
  type ScriptedWorkflow,
} from "../engine/script-schema.ts"
import { delegateTool } from "../engine/tool-execution.ts"
import type { HandlerRequest, Handlers, ServiceParts } from "../handler.ts"
import { answer, refuse, type ServiceReply } from "../wire/reply.ts"
import { modelView } from "./component.ts"
import { withComponent } from "./guard-component.ts"
import type { Script } from "./script.ts"

/**
 * Handlers of the six routes. A list shows what `<family>:read` covers; a caller who may see nothing of a family gets
 * 403.
 */
export function componentHandlers(parts: ServiceParts): Handlers {
  const view = (kind: ComponentKind) => (request: HandlerRequest) =>
    withComponent(parts, request, { kind, actions: ["read"] }, ({ id }) =>
      answer(componentView(parts.script, kind, id)),
    )
  return {
    "GET /agents": (request) => listed(request, "agents:read", parts.script.agents, agentView),
    "GET /teams": (request) => {
      const { script } = parts
      return listed(request, "teams:read", script.teams, (team) => teamView(team, script))
    },
    "GET /workflows": (request) => listed(request, "workflows:read", parts.script.workflows, workflowRow),
    "GET /agents/*": view("agent"),
    "GET /teams/*": view("team"),
    "GET /workflows/*": view("workflow"),
  }
}

/** One component by itself, or null if there is none of the id. */
export function componentView(script: Script, kind: ComponentKind, id: string): Record<string, unknown> | null {
  switch (kind) {
    case "agent":
      return shown(script.agents, id, agentView)
    case "team":
      return shown(script.teams, id, (team) => teamView(team, script))
    case "workflow":
      return shown(script.workflows, id, (workflow) => workflowDetail(workflow, script))
  }
}

/** What of a family the caller's scopes cover. */
export function seen<T extends { readonly id: string }>(
  { standing }: Pick<HandlerRequest, "standing">,
  scope: string,
  components: readonly T[],
): readonly T[] {
  return components.filter(({ id }) => !standing.enforced || standing.scopes.covers(scope, id))
}

function listed<T extends { readonly id: string }>(
  request: HandlerRequest,
  scope: string,
  components: readonly T[],
  view: (component: T) => Record<string, unknown>,
): ServiceReply {
  const { enforced, scopes } = request.standing
  if (enforced && !scopes.coversSome(scope)) return refuse(403, `Insufficient permissions. Required scope(s): ${scope}`)
  return answer(seen(request, scope, components).map(view))
}

function shown<T extends { readonly id: string }>(
  components: readonly T[],
  id: string,
  view: (component: T) => Record<string, unknown>,
): Record<string, unknown> | null {
  const found = components.find((component) => component.id === id)
  return found === undefined ? null : view(found)
}

/** Id of the one database; components and the configuration name it. */
export const databaseId = "countersign-service"

function modelShown(model: ScriptedAgent["model"]): Record<string, string> {
  const { id, provider } = modelView(model)
  return { name: provider, model: id, provider }
}

/** An agent. */
function agentView(agent: ScriptedAgent): Record<string, unknown> {
  return {
    ...head(agent),
    is_factory: false,
    model: modelShown(agent.model),
    tools: { tools: agent.tools.map(toolView) },
  }
}

/** A team with its members. */
function teamView(team: ScriptedTeam, script: Script): Record<string, unknown> {
  const members = script.agents.filter((agent) => team.members.includes(agent.id))
  const delegate = { name: delegateTool, description: "Hands a task to a member.", parameters: delegateParameters }
  return {
    ...head(team),
    mode: "coordinate",
    model: modelShown(null),
    tools: { tools: [...team.tools.map(toolView), delegate] },
    members: members.map(agentView),
  }
}

/** A workflow as lists show it. */
function workflowRow(workflow: ScriptedWorkflow): Record<string, unknown> {
  return { ...head(workflow), is_factory: false, is_component: false }
}

/** A workflow with its steps. */
function workflowDetail(workflow: ScriptedWorkflow, script: Script): Record<string, unknown> {
  return { ...head(workflow), steps: workflow.steps.map((step) => stepView(step, script)) }
}

function stepView(step: ScriptedWorkflow["steps"][number], script: Script): Record<string, unknown> {
  const by = executorOf(step)
  if (by === null) return { name: step.name, type: "Step" }
  const { kind, id } = by
  const executor =
    kind === "agent" ? shown(script.agents, id, agentView) : shown(script.teams, id, (team) => teamView(team, script))
  return { name: step.name, type: "Step", ...(executor === null ? {} : { [kind]: executor }) }
}

function head(component: {
  readonly id: string
  readonly name: string
  readonly description: string | null
}): Record<string, unknown> {
  const { id, name, description } = component
  return { id, name, db_id: databaseId, ...(description === null ? {} : { description }) }
}

/** A tool with what it needs of people. If a script names no parameters, those of user input are all that is known. */
export function toolView(tool: ScriptedTool): Record<string, unknown> {
  const pause = tool.gated ? { [pauseKeys[tool.pause]]: true } : {}
  const approval = tool.gated ? "required" : tool.audit ? "audit" : null
  return {
    name: tool.name,
    description: tool.description,
    parameters: tool.parameters ?? {
      type: "object",
      properties: Object.fromEntries(
        tool.fields.map(({ name, field_type, description }) => [
          name,
          { type: jsonTypes[field_type] ?? "string", description },
        ]),
      ),
    },
    ...pause,
    approval_type: approval,
  }
}

const pauseKeys = {
  confirmation: "requires_confirmation",
  user_input: "requires_user_input",
  external_execution: "external_execution",
} as const

const jsonTypes: Readonly<Record<string, string>> = {
  str: "string",
  int: "integer",
  float: "number",
  bool: "boolean",
  list: "array",
  dict: "object",
}

const delegateParameters = {
  type: "object",
  properties: { member_id: { type: "string" }, task: { type: "string" } },
  required: ["member_id", "task"],
}
