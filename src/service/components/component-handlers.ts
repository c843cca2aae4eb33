// Lists and views of agents, teams and workflows (specification 4.3), with the same keys as the real service.
import { z } from "zod"
import { type ComponentKind, componentKinds } from "../engine/run.ts"
import {
  executorOf,
  type ScriptedAgent,
  type ScriptedTeam,
  type ScriptedTool,
  type ScriptedWorkflow,
} from "../engine/script-schema.ts"
import { delegateTool } from "../engine/tool-execution.ts"
import { holds, insufficient } from "../gate/standings.ts"
import type { HandlerRequest } from "../handler.ts"
import { routesOf, type ServiceRoute } from "../route.ts"
import { named } from "../wire/named-model.ts"
import { answer } from "../wire/reply.ts"
import { componentModel, familyOf, modelView, titleOf, withArticle } from "./component.ts"
import { componentIn } from "./guard-component.ts"
import type { Script } from "./script.ts"

const componentList = named("ComponentList", z.array(componentModel))

/**
 * The lists and views of each kind. A list shows what `<family>:read` covers. A caller who may see nothing of a family
 * gets 403.
 */
export const componentRoutes: readonly ServiceRoute[] = componentKinds.flatMap((kind) => {
  const route = routesOf(`${titleOf(kind)}s`, { forAnybody: true })
  const family = familyOf(kind)
  return [
    route(`GET /${family}`, `${family}:read`, {
      id: `get_${family}`,
      summary: `List ${family}`,
      reply: componentList,
      handler: ({ script }, request) => {
        const { enforced, scopes } = request.standing
        if (enforced && !scopes.coversSome(`${family}:read`)) return insufficient([`${family}:read`])
        return answer(seen(request, `${family}:read`, viewsOf(script, kind)).map(({ row }) => row))
      },
    }),
    route(`GET /${family}/*`, `${family}:read`, {
      id: `get_${kind}`,
      summary: `View ${withArticle(kind)}`,
      reply: componentModel,
      before: (parts, request) => componentIn(parts, request, { kind, actions: ["read"] }),
      handler: ({ script }, { found }) => answer(componentView(script, kind, found.id)),
    }),
  ]
})

/** A component as a list shows it (`row`), and by itself (`whole`). */
interface View {
  readonly id: string
  readonly row: Record<string, unknown>
  readonly whole: Record<string, unknown>
}

function viewsOf(script: Script, kind: ComponentKind): readonly View[] {
  const alike = (id: string, whole: View["whole"]): View => ({ id, row: whole, whole })
  switch (kind) {
    case "agent":
      return script.agents.map((agent) => alike(agent.id, agentView(agent)))
    case "team":
      return script.teams.map((team) => alike(team.id, teamView(team, script)))
    case "workflow":
      return script.workflows.map((workflow) => {
        const steps = workflow.steps.map((step) => stepView(step, script))
        const row = { ...componentHead(workflow), is_factory: false, is_component: false }
        return { id: workflow.id, row, whole: { ...componentHead(workflow), steps } }
      })
  }
}

/** One component by itself; null if none has the id. */
export function componentView(script: Script, kind: ComponentKind, id: string): View["whole"] | null {
  return viewsOf(script, kind).find((view) => view.id === id)?.whole ?? null
}

/** Those components that the caller's scopes cover. */
export function seen<T extends { readonly id: string }>(
  { standing }: Pick<HandlerRequest, "standing">,
  scope: string,
  components: readonly T[],
): readonly T[] {
  return components.filter(({ id }) => holds(standing, scope, id))
}

/** The id of the only database. Components and the configuration refer to it. */
export const databaseId = "countersign-service"

function modelShown(model: ScriptedAgent["model"]): Record<string, string> {
  const { id, provider } = modelView(model)
  return { name: provider, model: id, provider }
}

/** An agent. */
function agentView(agent: ScriptedAgent): Record<string, unknown> {
  return {
    ...componentHead(agent),
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
    ...componentHead(team),
    mode: "coordinate",
    model: modelShown(null),
    tools: { tools: [...team.tools.map(toolView), delegate] },
    members: members.map(agentView),
  }
}

function stepView(step: ScriptedWorkflow["steps"][number], script: Script): Record<string, unknown> {
  const by = executorOf(step)
  if (by === null) return { name: step.name, type: "Step" }
  const { kind, id } = by
  const executor = componentView(script, kind, id)
  return { name: step.name, type: "Step", ...(executor === null ? {} : { [kind]: executor }) }
}

function componentHead(component: {
  readonly id: string
  readonly name: string
  readonly description: string | null
}): Record<string, unknown> {
  const { id, name, description } = component
  return { id, name, db_id: databaseId, ...(description === null ? {} : { description }) }
}

/** A tool, and what it needs of people. If a script names no parameters, we show those that people fill in. */
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
