// Reads the components that were made over the wire from SQLite, and puts them into the script.
import type { DatabaseSync } from "node:sqlite"
import { checkScript, type Script } from "../components/script.ts"
import { ServiceError } from "../errors.ts"
import { catalog, type componentRow, type configRow, configs } from "../resources/components.ts"
import type { RowOf } from "../resources/resource.ts"
import { selectRows } from "../storage/resource-store.ts"
import type { WireObject } from "../wire/exact-json.ts"

/** A component as it is kept. */
export type StoredComponent = RowOf<typeof componentRow>

/** A version of a config as it is kept. */
export type ConfigVersion = RowOf<typeof configRow>

/** All versions of a component's config, oldest first. */
export function configsOf(database: DatabaseSync, id: string): readonly ConfigVersion[] {
  return selectRows(database, configs, [{ sql: "component_id = ?", values: [id] }]).toSorted(
    (left, right) => left.version - right.version,
  )
}

/**
 * The keys of a config that make a component run; other keys are only kept. We send the key that a `model` names to its
 * address, so only the operator's script may have models.
 */
const understood = {
  agent: ["tools", "runs"],
  team: ["members", "tools", "runs"],
  workflow: ["steps"],
} as const

/** A component with a config, as a part of a script. */
interface Part {
  readonly component: Pick<StoredComponent, "component_id" | "component_type" | "name" | "description">
  readonly config: WireObject
}

/**
 * The script with a part added, in place of any component with the same id. If the part does not fit, throws
 * `ServiceError` that names the place and the fault.
 */
export function scriptWith(script: Script, { component, config }: Part): Script {
  return checkScript(addPart(script, { component, config }))
}

/** What would be wrong with the script if a component were gone: a team may need it. Null if nothing would. */
export function faultWithout(
  script: Script,
  { component_id: id, component_type: type }: Pick<StoredComponent, "component_id" | "component_type">,
): string | null {
  const family = `${type}s` as const
  try {
    checkScript({ ...script, [family]: script[family].filter((component) => component.id !== id) })
    return null
  } catch (error) {
    if (error instanceof ServiceError) return error.message.replace(/^script: /, "")
    throw error
  }
}

/** The input of `checkScript`: a script with a part that nobody has checked yet. */
type Unchecked = Readonly<Record<"agents" | "teams" | "workflows", readonly { readonly id: string }[]>>

function addPart(script: Unchecked, { component, config }: Part): Unchecked {
  const { component_id: id, component_type: type, name, description } = component
  const keys: readonly string[] = understood[type]
  const known = Object.fromEntries(Object.entries(config).filter(([key]) => keys.includes(key)))
  const family = `${type}s` as const
  return {
    ...script,
    [family]: [...script[family].filter((other) => other.id !== id), { ...known, id, name, description }],
  }
}

/** The operator's script with all stored components that have a current config. The operator's components win. */
export function readLiveScript(database: DatabaseSync, own: Script, warn: (text: string) => void): Script {
  const stored = selectRows(database, catalog, [{ sql: "current_version IS NOT NULL", values: [] }])
  const parts = (["agent", "team", "workflow"] as const).flatMap((type) =>
    stored
      .filter((component) => component.component_type === type && !isScripted(own, component))
      .flatMap((component) => {
        const current = configsOf(database, component.component_id).find(
          (one) => one.version === component.current_version,
        )
        return current === undefined ? [] : [{ component, config: current.config }]
      }),
  )
  try {
    return checkScript(parts.reduce(addPart, own))
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    return parts.reduce((script, part) => withPart(script, part, warn), own)
  }
}

/** Leaves a component out if it no longer fits, such as a team whose member is gone. The others stay. */
function withPart(script: Script, part: Part, warn: (text: string) => void): Script {
  try {
    return scriptWith(script, part)
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    warn(`component ${part.component.component_id} is left out: ${error.message}`)
    return script
  }
}

/** True for the id of a component that the operator's script defines. */
export function isScripted(
  own: Script,
  { component_id: id, component_type: type }: Pick<StoredComponent, "component_id" | "component_type">,
): boolean {
  return own[`${type}s`].some((component) => component.id === id)
}

/** Throws `ServiceError` if the script takes the id of a stored component: that component would be hidden. */
export function refuseTaken(database: DatabaseSync, own: Script): void {
  const taken = selectRows(database, catalog, []).find((component) => isScripted(own, component))
  if (taken === undefined) return
  const where = `script: ${taken.component_type} ${taken.component_id}`
  const todo = "Give this one another id, or start without it and delete that one"
  throw new ServiceError("script_invalid", `${where}: a component of this id was made over the wire. ${todo}`)
}

/** Gives the script as it is now: reads it again if this process or another one has changed the database. */
export function createLiveScript(
  database: DatabaseSync,
  own: Script,
  warn: (text: string) => void,
): { readonly now: () => Script; readonly changed: () => void } {
  let known: { readonly version: number; readonly script: Script } | null = null
  const pragma = database.prepare("PRAGMA data_version")
  return {
    changed: () => {
      known = null
    },
    now: () => {
      const version = Number(pragma.get()?.["data_version"])
      if (known?.version !== version) known = { version, script: readLiveScript(database, own, warn) }
      return known.script
    },
  }
}
