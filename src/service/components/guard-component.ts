// Finds the component that a route names, and checks the scope for it once more.
import type { ComponentKind } from "../engine/run.ts"
import { holds, insufficient } from "../gate/standings.ts"
import type { HandlerRequest, ServiceParts } from "../handler.ts"
import { refuse } from "../wire/reply.ts"
import type { Checked } from "../wire/validation.ts"
import { type Component, familyOf, findComponent, titleOf } from "./component.ts"

/** The kind of component that a route is about, and what the route does with it: `read`, `run`. */
interface Wanted {
  readonly kind: ComponentKind
  readonly actions: readonly string[]
}

/**
 * The component of the route's first id, or 404. Checks the caller's scopes for it by their native names, even if scope
 * mappings demand something else for the route (specification 5.5, rule 4).
 */
export function componentIn(
  parts: ServiceParts,
  { ids: [id = ""], standing }: Pick<HandlerRequest, "ids" | "standing">,
  { kind, actions }: Wanted,
): Checked<Component> {
  const required = actions.map((action) => `${familyOf(kind)}:${action}`)
  if (!required.every((scope) => holds(standing, scope, id))) return { ok: false, reply: insufficient(required) }
  const component = findComponent(parts.script, kind, id)
  if (component !== null) return { ok: true, value: component }
  return { ok: false, reply: refuse(404, `${titleOf(kind)} not found`) }
}
