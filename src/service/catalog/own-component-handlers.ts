// Creating, changing and deleting agents, teams and workflows. The specification has these routes (4.3), no AgentOS has
// them: they take what components take, and answer what the view of one answers.

import { rowToChange } from "../collections/collection-handlers.ts"
import { familyOf, titleOf } from "../components/component.ts"
import { componentView } from "../components/component-handlers.ts"
import { type ComponentKind, componentKinds } from "../engine/run.ts"
import { holds, insufficient } from "../gate/standings.ts"
import type { HandlerRequest, Handlers, ServiceParts } from "../handler.ts"
import { catalog, ownBody, ownChangeBody } from "../resources/components.ts"
import { transact } from "../storage/database.ts"
import { updateRow } from "../storage/resource-store.ts"
import { readJson } from "../wire/read-request.ts"
import { answer, noContent, refuse, type ServiceReply } from "../wire/reply.ts"
import type { Checked } from "../wire/validation.ts"
import { createComponent } from "./create-component.ts"
import { configsOf, isScripted, type StoredComponent } from "./stored-components.ts"
import { addConfig, deleteComponent, refuseConfig } from "./write-components.ts"

/** Handlers of the nine routes. */
export function ownComponentHandlers(parts: ServiceParts): Handlers {
  return Object.fromEntries(
    componentKinds.flatMap((kind) => [
      [`POST /${familyOf(kind)}`, (request: HandlerRequest) => create(parts, request, kind)],
      [`PATCH /${familyOf(kind)}/*`, (request: HandlerRequest) => change(parts, request, kind)],
      [`DELETE /${familyOf(kind)}/*`, (request: HandlerRequest) => remove(parts, request, kind)],
    ]),
  )
}

async function create(parts: ServiceParts, request: HandlerRequest, kind: ComponentKind): Promise<ServiceReply> {
  const scope = `${familyOf(kind)}:write`
  if (!holds(request.standing, scope, null)) return insufficient([scope])
  const checked = await readJson(ownBody, request.context, parts.settings)
  if (!checked.ok) return checked.reply
  const order = { type: kind, wish: checked.value, stage: "published", becomes: "current" } as const
  const made = createComponent(parts, request, order)
  return made.ok ? answer(componentView(parts.script, kind, made.value.component_id), 201) : made.reply
}

async function change(parts: ServiceParts, request: HandlerRequest, kind: ComponentKind): Promise<ServiceReply> {
  const checked = await readJson(ownChangeBody, request.context, parts.settings)
  if (!checked.ok) return checked.reply
  const { name, description, metadata, config, label = null, notes = null } = checked.value
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

function remove(parts: ServiceParts, request: HandlerRequest, kind: ComponentKind): ServiceReply {
  return transact(parts.database, () => {
    const found = ownToChange(parts, request, kind, "delete")
    return found.ok ? (deleteComponent(parts, found.value) ?? noContent) : found.reply
  })
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
