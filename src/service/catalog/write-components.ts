// Makes, changes and deletes components and the versions of their configs. Each is part of the caller's transaction.
import type { DatabaseSync } from "node:sqlite"
import { titleOf } from "../components/component.ts"
import { ServiceError } from "../errors.ts"
import type { ServiceParts } from "../handler.ts"
import { catalog, componentId, configs } from "../resources/components.ts"
import { textOf } from "../storage/columns.ts"
import { deleteRows, insertRow, updateRow } from "../storage/resource-store.ts"
import type { WireObject } from "../wire/exact-json.ts"
import { refuse, type ServiceReply } from "../wire/reply.ts"
import {
  type ConfigVersion,
  configsOf,
  faultWithout,
  isScripted,
  type StoredComponent,
  scriptWith,
} from "./stored-components.ts"

/** A new version of a config. */
export type NewConfig = Pick<ConfigVersion, "config" | "label" | "stage" | "notes">

/** Says why a component cannot have this id, or null. */
export function refuseNew(parts: ServiceParts, component: StoredComponent): ServiceReply | null {
  const { component_id: id, component_type: type } = component
  if (!componentId.test(id)) {
    return refuse(400, `component_id ${JSON.stringify(id)}: expected a text without spaces, slashes, colons and stars`)
  }
  return isScripted(parts.ownScript, component) ? refuse(409, `${titleOf(type)} ${id} stands in the script`) : null
}

/** Says why a component cannot run a config, or null. We ask this for drafts, too: a published config must run. */
export function refuseConfig(parts: ServiceParts, component: StoredComponent, config: WireObject): ServiceReply | null {
  try {
    scriptWith(parts.script, { component, config })
    return null
  } catch (error) {
    if (error instanceof ServiceError) return refuse(400, `config: ${error.message.replace(/^script: /, "")}`)
    throw error
  }
}

/** Adds a version. If it is published, it becomes the current one, unless the caller says otherwise. */
export function addConfig(
  parts: ServiceParts,
  component: StoredComponent,
  wish: NewConfig,
  becomes: "current" | "kept" = "current",
): ConfigVersion {
  const { database } = parts
  const now = parts.clock()
  const version = latestOf(database, component.component_id) + 1
  const row = { component_id: component.component_id, version, ...wish, created_at: now, updated_at: null }
  insertRow(database, configs, row)
  if (row.stage === "published" && becomes === "current") setCurrent(parts, component, version)
  return row
}

/** The number of the newest version; 0 if there is none. */
export function latestOf(database: DatabaseSync, id: string): number {
  return configsOf(database, id).reduce((last, { version }) => Math.max(last, version), 0)
}

/** Changes a draft. If that publishes it, it becomes the current version. */
export function changeConfig(
  parts: ServiceParts,
  component: StoredComponent,
  row: ConfigVersion,
  change: NewConfig,
): ConfigVersion {
  const changed = { ...row, ...change, updated_at: parts.clock() }
  deleteConfig(parts.database, row)
  insertRow(parts.database, configs, changed)
  if (change.stage === "published") setCurrent(parts, component, row.version)
  return changed
}

/** Deletes one version. */
export function deleteConfig(database: DatabaseSync, { component_id: id, version }: ConfigVersion): void {
  deleteRows(database, configs, [{ sql: "component_id = ? AND version = ?", values: [id, version] }])
}

/** Makes a published version the current one. */
export function setCurrent(parts: ServiceParts, { component_id: id }: StoredComponent, version: number): void {
  updateRow(parts.database, catalog, id, { current_version: version, updated_at: parts.clock() })
  parts.scriptChanged()
}

/**
 * Deletes a component with its configs, and disables the schedules that start it. Refused while the component has runs
 * that are not over: the refusal names them, and cancels none.
 */
export function deleteComponent(parts: ServiceParts, component: StoredComponent): ServiceReply | null {
  const { database } = parts
  const { component_id: id, component_type: type } = component
  const waiting = waitingRuns(database, component)
  if (waiting.length > 0) {
    const runs = `${waiting.slice(0, 20).join(", ")}${waiting.length > 20 ? ` and ${waiting.length - 20} more` : ""}`
    return refuse(
      409,
      `${titleOf(type)} ${id} has runs that are not over: ${runs}. Decide and continue, or cancel them.`,
    )
  }
  const needed = faultWithout(parts.script, component)
  if (needed !== null) return refuse(409, `${titleOf(type)} ${id} is needed: ${needed}`)
  deleteRows(database, catalog, [{ sql: "component_id = ?", values: [id] }])
  database
    .prepare(
      `UPDATE schedules SET enabled = 0, retry_at = NULL, disabled_reason = ?, updated_at = ?
       WHERE target_type = ? AND target_id = ?`,
    )
    .run(`target_deleted:${type}:${id}`, parts.clock(), type, id)
  parts.scriptChanged()
  return null
}

function waitingRuns(database: DatabaseSync, component: StoredComponent): readonly string[] {
  return database
    .prepare(
      `SELECT id FROM runs WHERE kind = ? AND component_id = ? AND status IN ('PENDING', 'RUNNING', 'PAUSED')
       ORDER BY rowid`,
    )
    .all(component.component_type, component.component_id)
    .map((row) => textOf(row, "id"))
}
