// Lists and views of agents, teams and workflows (specification 4.3); each shows what the caller may see.
import type { HandlerRequest, Handlers } from "../handler.ts"
import type { Parts } from "../parts.ts"
import { answer, type Reply, refuse } from "../wire/reply.ts"
import { agentView, teamView, workflowDetail, workflowRow } from "./component-view.ts"
import { withComponent } from "./guard-component.ts"

/** Handlers of the six routes. A list keeps what `<family>:read` covers; who may see nothing of a family is told so by 403. */
export function componentHandlers(parts: Parts): Handlers {
  const { script } = parts
  const view = (kind: "agent" | "team" | "workflow", show: (id: string) => Record<string, unknown> | null) => {
    return (request: HandlerRequest) =>
      withComponent(parts, request, { kind, actions: ["read"] }, ({ id }) => answer(show(id)))
  }
  return {
    "GET /agents": (request) => listed(request, "agents:read", script.agents, agentView),
    "GET /teams": (request) => listed(request, "teams:read", script.teams, (team) => teamView(team, script)),
    "GET /workflows": (request) => listed(request, "workflows:read", script.workflows, workflowRow),
    "GET /agents/*": view("agent", (id) => shown(script.agents, id, agentView)),
    "GET /teams/*": view("team", (id) => shown(script.teams, id, (team) => teamView(team, script))),
    "GET /workflows/*": view("workflow", (id) =>
      shown(script.workflows, id, (workflow) => workflowDetail(workflow, script)),
    ),
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
): Reply {
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
