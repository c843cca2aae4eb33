// Makes a component with its first config, for `POST /components` and for the routes of agents, teams and workflows.
import type { z } from "zod"
import { makerOf } from "../collections/collection-handlers.ts"
import type { HandlerRequest, ServiceParts } from "../handler.ts"
import { catalog, type ownBody } from "../resources/components.ts"
import { transact } from "../storage/database.ts"
import { findRow, insertRow } from "../storage/resource-store.ts"
import { refuse } from "../wire/reply.ts"
import type { Checked } from "../wire/validation.ts"
import type { ConfigVersion, StoredComponent } from "./stored-components.ts"
import { addConfig, refuseConfig, refuseNew } from "./write-components.ts"

/** What is made: its kind, and whether it can be run at once. */
interface Order {
  readonly type: StoredComponent["component_type"]
  readonly wish: z.output<typeof ownBody>
  readonly stage: ConfigVersion["stage"]
  readonly becomes: "current" | "kept"
}

/** Makes a component and its config in one transaction, or says why it cannot. */
export function createComponent(
  parts: ServiceParts,
  request: HandlerRequest,
  { type, wish, stage, becomes }: Order,
): Checked<StoredComponent> {
  const { owner, subject, now } = makerOf(parts, request)
  const component: StoredComponent = {
    component_id: wish.component_id ?? idOf(wish.name),
    component_type: type,
    name: wish.name,
    user_id: owner ?? subject,
    description: wish.description ?? null,
    current_version: null,
    metadata: wish.metadata ?? null,
    created_at: now,
    updated_at: null,
  }
  const config = wish.config ?? {}
  return transact(parts.database, () => {
    const refusal = refuseNew(parts, component) ?? refuseConfig(parts, component, config)
    if (refusal !== null) return { ok: false, reply: refusal }
    const { component_id: id } = component
    if (!insertRow(parts.database, catalog, component)) {
      return { ok: false, reply: refuse(409, `Component ${id} already exists`) }
    }
    const more = { label: wish.label ?? null, notes: wish.notes ?? null }
    addConfig(parts, component, { config, stage, ...more }, becomes)
    return { ok: true, value: findRow(parts.database, catalog, id) ?? component }
  })
}

/** A name as an id: `Month end (EU)` is `month-end-eu`. */
function idOf(name: string): string {
  const words = name.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
  return words.join("-") || "component"
}
