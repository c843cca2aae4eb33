// Finds the component that a route names, and checks the scope for it once more.
import type { ComponentKind } from "../engine/run.ts"
import type { Answering, HandlerRequest, ServiceParts } from "../handler.ts"
import { refuse } from "../wire/reply.ts"
import { type Component, familyOf, findComponent, titleOf } from "./component.ts"

/** Which kind of component a route is about, and what it does with it: `read`, `run`. */
interface Wanted {
  readonly kind: ComponentKind
  readonly actions: readonly string[]
}

/**
 * Goes on with the component of the route's first id, or answers 404. Checks the scopes of its native namespace here,
 * whatever scope mappings made of the route (specification 5.5, rule 4).
 */
export function withComponent(
  parts: ServiceParts,
  { ids: [id = ""], standing }: HandlerRequest,
  { kind, actions }: Wanted,
  then: (component: Component) => Answering,
): Answering {
  const required = actions.map((action) => `${familyOf(kind)}:${action}`)
  if (standing.enforced && !required.every((scope) => standing.scopes.covers(scope, id))) {
    return refuse(403, `Insufficient permissions. Required scope(s): ${required.join(", ")}`)
  }
  const component = findComponent(parts.script, kind, id)
  return component === null ? refuse(404, `${titleOf(kind)} not found`) : then(component)
}
