// Components: list, view, create, change, delete.
import { collectionHandlers, rowToChange } from "../collections/collection-handlers.ts"
import type { HandlerRequest, Handlers, ServiceParts } from "../handler.ts"
import { catalog, componentBody, componentChangeBody, deleteQuery, setCurrentBody } from "../resources/components.ts"
import { transact } from "../storage/database.ts"
import { findRow, updateRow } from "../storage/resource-store.ts"
import { readJson, readOptionalJson, readQuery } from "../wire/read-request.ts"
import { answer, noContent, refuse, type ServiceReply } from "../wire/reply.ts"
import { configHandlers } from "./config-version-handlers.ts"
import { createComponent } from "./create-component.ts"
import { refuseAsCurrent, refuseCurrent } from "./guards.ts"
import { componentShown } from "./shown.ts"
import { configsOf, type StoredComponent } from "./stored-components.ts"
import { deleteComponent, setCurrent } from "./write-components.ts"

/** Handlers of components and their configs. */
export function catalogHandlers(parts: ServiceParts): Handlers {
  return {
    ...collectionHandlers(parts, catalog, { show: componentShown }),
    ...configHandlers(parts),
    "POST /components": (request) => create(parts, request),
    "PATCH /components/*": (request) => change(parts, request),
    "DELETE /components/*": (request) => remove(parts, request),
  }
}

async function create(parts: ServiceParts, request: HandlerRequest): Promise<ServiceReply> {
  const checked = await readJson(componentBody, request.context, parts.settings)
  if (!checked.ok) return checked.reply
  const { component_type: type, stage, set_current: current, ...wish } = checked.value
  const made = createComponent(parts, request, { type, wish, stage, becomes: current ? "current" : "kept" })
  return made.ok ? answer(componentShown(made.value), 201) : made.reply
}

async function change(parts: ServiceParts, request: HandlerRequest): Promise<ServiceReply> {
  const checked = await readJson(componentChangeBody, request.context, parts.settings)
  if (!checked.ok) return checked.reply
  const wish = checked.value
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

async function remove(parts: ServiceParts, request: HandlerRequest): Promise<ServiceReply> {
  const query = readQuery(deleteQuery, request.context)
  if (!query.ok) return query.reply
  const body = await readOptionalJson(setCurrentBody, request.context, parts.settings)
  if (!body.ok) return body.reply
  const guard = { current_version: query.value.expected_current_version ?? body.value.guard?.current_version }
  return transact(parts.database, () => {
    const found = rowToChange(parts, catalog, request)
    if (!found.ok) return found.reply
    return refuseCurrent(found.value, guard) ?? deleteComponent(parts, found.value) ?? noContent
  })
}
