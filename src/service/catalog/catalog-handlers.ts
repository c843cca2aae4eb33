// Components: list, view, create, change, delete.

import { collectionRoutes, rowToChange } from "../collections/collection-handlers.ts"
import type { ServiceParts } from "../handler.ts"
import { catalog, componentBody, componentChangeBody, deleteQuery, setCurrentBody } from "../resources/components.ts"
import { routesOf, type ServiceRoute, type WithBody } from "../route.ts"
import { transact } from "../storage/database.ts"
import { findRow, updateRow } from "../storage/resource-store.ts"
import { jsonBody } from "../wire/read-request.ts"
import { answer, noContent, refuse, type ServiceReply } from "../wire/reply.ts"
import { configVersionRoutes } from "./config-version-handlers.ts"
import { createComponent } from "./create-component.ts"
import { refuseAsCurrent, refuseCurrent } from "./guards.ts"
import { componentShown } from "./shown.ts"
import { configsOf, type StoredComponent } from "./stored-components.ts"
import { deleteComponent, setCurrent } from "./write-components.ts"

const route = routesOf(catalog.tag)

/** Components and their configs. */
export const catalogRoutes: readonly ServiceRoute[] = [
  ...collectionRoutes(catalog, { show: componentShown }),
  ...configVersionRoutes,
  route("POST /components", "components:write", {
    id: "create_component",
    summary: "Create a component",
    body: jsonBody(componentBody),
    status: 201,
    reply: catalog.model,
    refusals: [400, 409],
    handler: (parts, { body, ...request }) => {
      const { component_type: type, stage, set_current: current, ...wish } = body
      const made = createComponent(parts, request, { type, wish, stage, becomes: current ? "current" : "kept" })
      return made.ok ? answer(componentShown(made.value), 201) : made.reply
    },
  }),
  route("PATCH /components/*", "components:write", {
    id: "update_component",
    summary: "Update a component",
    body: jsonBody(componentChangeBody),
    reply: catalog.model,
    refusals: [400, 409],
    handler: changeComponent,
  }),
  route("DELETE /components/*", "components:delete", {
    id: "delete_component",
    summary: "Delete a component",
    query: deleteQuery,
    body: jsonBody(setCurrentBody, "optional"),
    refusals: [409],
    handler: (parts, request) => {
      const { query, body } = request
      const guard = { current_version: query.expected_current_version ?? body.guard?.current_version }
      return transact(parts.database, () => {
        const found = rowToChange(parts, catalog, request)
        if (!found.ok) return found.reply
        return refuseCurrent(found.value, guard) ?? deleteComponent(parts, found.value) ?? noContent
      })
    },
  }),
]

function changeComponent(parts: ServiceParts, request: WithBody<typeof componentChangeBody>): ServiceReply {
  const wish = request.body
  return transact(parts.database, () => {
    const found = rowToChange(parts, catalog, request)
    if (!found.ok) return found.reply
    const component = found.value
    const { component_id: id, component_type: type } = component
    const refusal = refuseCurrent(component, wish.guard) ?? refuseMove(parts, component, wish.current_version ?? null)
    if (refusal !== null) return refusal
    if ((wish.component_type ?? type) !== type) return refuse(400, `Component ${id} is of type ${type} for good`)
    updateRow(parts.database, catalog, id, {
      name: wish.name ?? component.name,
      description: wish.description ?? component.description,
      metadata: wish.metadata ?? component.metadata,
      updated_at: parts.clock(),
    })
    if (wish.current_version) setCurrent(parts, component, wish.current_version)
    parts.scriptChanged()
    return answer(componentShown(findRow(parts.database, catalog, id) ?? component))
  })
}

function refuseMove({ database }: ServiceParts, component: StoredComponent, version: number | null) {
  if (version === null) return null
  const config = configsOf(database, component.component_id).find((one) => one.version === version)
  return refuseAsCurrent(component, version, config)
}
