// Creates, changes and deletes agents, teams and workflows. The specification has these routes (4.3), but no AgentOS
// does. They take what the routes of components take, and answer like the view of an agent, team or workflow.

import { rowToChange } from "../collections/collection-handlers.ts"
import { componentModel, familyOf, titleOf, withArticle } from "../components/component.ts"
import { componentView } from "../components/component-handlers.ts"
import { type ComponentKind, componentKinds } from "../engine/run.ts"
import { holds, insufficient } from "../gate/standings.ts"
import type { HandlerRequest, ServiceParts } from "../handler.ts"
import { catalog, ownBody, ownChangeBody } from "../resources/components.ts"
import { routesOf, type ServiceRoute, type WithBody } from "../route.ts"
import { transact } from "../storage/database.ts"
import { updateRow } from "../storage/resource-store.ts"
import { jsonBody } from "../wire/read-request.ts"
import { answer, noContent, refuse, type ServiceReply } from "../wire/reply.ts"
import type { Checked } from "../wire/validation.ts"
import { createComponent } from "./create-component.ts"
import { configsOf, isScripted, type StoredComponent } from "./stored-components.ts"
import { addConfig, deleteComponent, refuseConfig } from "./write-components.ts"

/** The nine routes. */
export const ownComponentRoutes: readonly ServiceRoute[] = componentKinds.flatMap(ownRoutesOf)

function ownRoutesOf(kind: ComponentKind): readonly ServiceRoute[] {
  const route = routesOf(`${titleOf(kind)}s`)
  const family = familyOf(kind)
  const a = withArticle(kind)
  const write = `${family}:write`
  return [
    route(`POST /${family}`, write, {
      id: `create_${kind}`,
      summary: `Create ${a}`,
      body: jsonBody(ownBody),
      status: 201,
      reply: componentModel,
      refusals: [400, 409],
      before: (_parts, { standing }) =>
        holds(standing, write, null) ? { ok: true, value: null } : { ok: false, reply: insufficient([write]) },
      handler: (parts, { body: wish, ...request }) => {
        const made = createComponent(parts, request, { type: kind, wish, stage: "published", becomes: "current" })
        return made.ok ? answer(componentView(parts.script, kind, made.value.component_id), 201) : made.reply
      },
    }),
    route(`PATCH /${family}/*`, write, {
      id: `update_${kind}`,
      summary: `Update ${a}`,
      body: jsonBody(ownChangeBody),
      reply: componentModel,
      refusals: [400, 409],
      handler: (parts, request) => changeOwnComponent(parts, request, kind),
    }),
    route(`DELETE /${family}/*`, `${family}:delete`, {
      id: `delete_${kind}`,
      summary: `Delete ${a}`,
      refusals: [409],
      handler: (parts, request) =>
        transact(parts.database, () => {
          const found = ownToChange(parts, request, kind, "delete")
          return found.ok ? (deleteComponent(parts, found.value) ?? noContent) : found.reply
        }),
    }),
  ]
}

type Changing = WithBody<typeof ownChangeBody>

function changeOwnComponent(parts: ServiceParts, request: Changing, kind: ComponentKind): ServiceReply {
  const { name, description, metadata, config, label = null, notes = null } = request.body
  return transact(parts.database, () => {
    const found = ownToChange(parts, request, kind, "write")
    if (!found.ok) return found.reply
    const { component_id: id, ...before } = found.value
    const change = {
      name: name ?? before.name,
      description: description ?? before.description,
      metadata: metadata ?? before.metadata,
      updated_at: parts.clock(),
    }
    const component = { ...found.value, ...change }
    const next = config ?? currentOf(parts, found.value)
    const refusal = refuseConfig(parts, component, next)
    if (refusal !== null) return refusal
    updateRow(parts.database, catalog, id, change)
    if (config) addConfig(parts, component, { config, label, notes, stage: "published" })
    parts.scriptChanged()
    return answer(componentView(parts.script, kind, id))
  })
}

function currentOf({ database }: ServiceParts, { component_id: id, current_version: current }: StoredComponent) {
  return configsOf(database, id).find(({ version }) => version === current)?.config ?? {}
}

/** The stored component of a kind that a route names, if the caller may change it. */
function ownToChange(
  parts: ServiceParts,
  request: HandlerRequest,
  kind: ComponentKind,
  action: "write" | "delete",
): Checked<StoredComponent> {
  const [id = ""] = request.ids
  const scope = `${familyOf(kind)}:${action}`
  if (!holds(request.standing, scope, id)) return { ok: false, reply: insufficient([scope]) }
  if (isScripted(parts.ownScript, { component_id: id, component_type: kind })) {
    return { ok: false, reply: refuse(409, `${titleOf(kind)} ${id} stands in the script, and is changed there`) }
  }
  const found = rowToChange(parts, catalog, request)
  const isOfKind = found.ok && found.value.component_type === kind && found.value.current_version !== null
  if (isOfKind || (!found.ok && found.reply.status !== 404)) return found
  return { ok: false, reply: refuse(404, `${titleOf(kind)} not found`) }
}
