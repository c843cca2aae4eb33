// The versions of a component's config: list, view, add, change, delete, make current.

import { z } from "zod"
import { rowToChange, rowView, seenBy } from "../collections/collection-handlers.ts"
import type { HandlerRequest, ServiceParts } from "../handler.ts"
import {
  catalog,
  configBody,
  configChangeBody,
  configRow,
  configs,
  configsQuery,
  setCurrentBody,
} from "../resources/components.ts"
import { sparseModel } from "../resources/row-columns.ts"
import { routesOf, type ServiceRoute, type WithBody } from "../route.ts"
import { transact } from "../storage/database.ts"
import { findRow } from "../storage/resource-store.ts"
import { withoutNulls } from "../wire/exact-json.ts"
import { named } from "../wire/named-model.ts"
import { jsonBody } from "../wire/read-request.ts"
import { answer, noContent, refuse, refuseInput, type ServiceReply } from "../wire/reply.ts"
import type { Checked } from "../wire/validation.ts"
import { refuseAsCurrent, refuseCurrent, refuseLatest } from "./guards.ts"
import { componentShown } from "./shown.ts"
import { type ConfigVersion, configsOf, type StoredComponent } from "./stored-components.ts"
import { addConfig, changeConfig, deleteConfig, latestOf, refuseConfig, setCurrent } from "./write-components.ts"

const route = routesOf(configs.tag)
const [read, write] = ["components:read", "components:write"]

/** The routes for the versions. */
export const configVersionRoutes: readonly ServiceRoute[] = [
  route("GET /components/*/configs", read, {
    id: "list_configs",
    summary: "List a component's configs",
    query: configsQuery,
    reply: named("ComponentConfigs", z.array(sparseModel(configRow).partial({ config: true }))),
    handler: (parts, request) => {
      const found = seenVersions(parts, request)
      if (!found.ok) return found.reply
      const shown = found.value.versions.map(configShown)
      return answer(request.query.include_config ? shown : shown.map(({ config: _config, ...rest }) => rest))
    },
  }),
  route("GET /components/*/configs/current", read, {
    id: "get_current_config",
    summary: "View the current config",
    reply: configs.model,
    before: seenVersions,
    handler: (_parts, { found: { component, versions } }) => {
      const current = versions.find(({ version }) => version === component.current_version)
      return current === undefined
        ? refuse(404, `No current config for ${component.component_id}`)
        : answer(configShown(current))
    },
  }),
  route("GET /components/*/configs/*", read, {
    id: "get_component_config",
    summary: "View a config",
    reply: configs.model,
    before: seenVersions,
    handler: (_parts, request) => {
      const version = versionIn(request.found, request)
      return version.ok ? answer(configShown(version.value)) : version.reply
    },
  }),
  route("POST /components/*/configs", write, {
    id: "create_config",
    summary: "Create a config",
    body: jsonBody(configBody),
    status: 201,
    reply: configs.model,
    refusals: [400, 409],
    handler: addVersion,
  }),
  route("PATCH /components/*/configs/*", write, {
    id: "update_config",
    summary: "Update a config that is a draft",
    body: jsonBody(configChangeBody),
    reply: configs.model,
    refusals: [400, 409],
    handler: changeVersion,
  }),
  route("DELETE /components/*/configs/*", "components:delete", {
    id: "delete_config",
    summary: "Delete a config that is a draft",
    refusals: [400],
    handler: (parts, request) =>
      transact(parts.database, () => {
        const draft = draftOf(parts, request, "delete")
        if (!draft.ok) return draft.reply
        deleteConfig(parts.database, draft.value.row)
        return noContent
      }),
  }),
  route("POST /components/*/configs/*/set-current", write, {
    id: "set_current_config",
    summary: "Mark a config as current",
    body: jsonBody(setCurrentBody, "optional"),
    reply: catalog.model,
    refusals: [400, 409],
    handler: makeCurrent,
  }),
]

/** A component with all versions of its config. */
interface Versioned {
  readonly component: StoredComponent
  readonly versions: readonly ConfigVersion[]
}

function seenVersions({ database }: ServiceParts, { ids: [id = ""], standing }: HandlerRequest): Checked<Versioned> {
  const component = findRow(database, catalog, id, seenBy(catalog, standing.owner))
  if (component === null) return { ok: false, reply: refuse(404, catalog.notFound(id)) }
  return { ok: true, value: { component, versions: configsOf(database, id) } }
}

/** The component that a path names, with all versions of its config, if the caller may change it. */
function toChange(parts: ServiceParts, request: HandlerRequest): Checked<Versioned> {
  const [id = ""] = request.ids
  const found = rowToChange(parts, catalog, { ...request, ids: [id] })
  if (!found.ok) return found
  return { ok: true, value: { component: found.value, versions: configsOf(parts.database, id) } }
}

/** The version that a path names. */
function versionIn({ component, versions }: Versioned, { ids: [, text = ""] }: HandlerRequest): Checked<ConfigVersion> {
  if (!/^\d{1,9}$/.test(text)) {
    const msg = "Input should be a valid integer, unable to parse string as an integer"
    return { ok: false, reply: refuseInput([{ type: "int_parsing", loc: ["path", "version"], msg, input: text }]) }
  }
  const found = versions.find(({ version }) => version === Number(text))
  if (found !== undefined) return { ok: true, value: found }
  return { ok: false, reply: refuse(404, `Config ${component.component_id} v${text} not found`) }
}

function addVersion(parts: ServiceParts, request: WithBody<typeof configBody>): ServiceReply {
  const { config, label = null, notes = null, stage, set_current: current, guard } = request.body
  return transact(parts.database, () => {
    const found = toChange(parts, request)
    if (!found.ok) return found.reply
    const { component } = found.value
    const latest = latestOf(parts.database, component.component_id)
    const refusal = refuseLatest(component, latest, guard) ?? refuseConfig(parts, component, config)
    if (refusal !== null) return refusal
    const row = addConfig(parts, component, { config, label, notes, stage }, current ? "current" : "kept")
    return answer(configShown(row), 201)
  })
}

function changeVersion(parts: ServiceParts, request: WithBody<typeof configChangeBody>): ServiceReply {
  const wish = request.body
  return transact(parts.database, () => {
    const draft = draftOf(parts, request, "update")
    if (!draft.ok) return draft.reply
    const { component, row } = draft.value
    const latest = latestOf(parts.database, component.component_id)
    const config = wish.config ?? row.config
    const refusal = refuseLatest(component, latest, wish.guard) ?? refuseConfig(parts, component, config)
    if (refusal !== null) return refusal
    const { label = row.label, notes = row.notes } = wish
    const changed = changeConfig(parts, component, row, { config, label, notes, stage: wish.stage ?? row.stage })
    return answer(configShown(changed))
  })
}

/** The draft that a path names. A published version cannot be changed: somebody may have run it. */
function draftOf(
  parts: ServiceParts,
  request: HandlerRequest,
  verb: "update" | "delete",
): Checked<{ readonly component: StoredComponent; readonly row: ConfigVersion }> {
  const found = toChange(parts, request)
  if (!found.ok) return found
  const { component } = found.value
  const version = versionIn(found.value, request)
  if (!version.ok) return version
  if (version.value.stage === "draft") return { ok: true, value: { component, row: version.value } }
  const what = `published config ${component.component_id} v${version.value.version}`
  return { ok: false, reply: refuse(400, `Cannot ${verb} ${what}. Create a new version instead.`) }
}

function makeCurrent(parts: ServiceParts, request: WithBody<typeof setCurrentBody>): ServiceReply {
  return transact(parts.database, () => {
    const found = toChange(parts, request)
    if (!found.ok) return found.reply
    const version = versionIn(found.value, request)
    if (!version.ok) return version.reply
    const { component } = found.value
    const refusal =
      refuseCurrent(component, request.body.guard) ?? refuseAsCurrent(component, version.value.version, version.value)
    if (refusal !== null) return refusal
    setCurrent(parts, component, version.value.version)
    return answer(componentShown(findRow(parts.database, catalog, component.component_id) ?? component))
  })
}

function configShown(config: ConfigVersion): Readonly<Record<string, unknown>> {
  return withoutNulls(rowView(configs, config))
}
