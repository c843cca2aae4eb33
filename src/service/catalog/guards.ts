// Refuses a change if the caller expects another version than there is, or if a config cannot become the current one.
import { refuse, type ServiceReply } from "../wire/reply.ts"
import type { ConfigVersion, StoredComponent } from "./stored-components.ts"

/** The versions that a request may expect. We make the change only if they are as expected. */
export type Guard =
  | { readonly latest_version?: number | null | undefined; readonly current_version?: number | null | undefined }
  | null
  | undefined

/** Refuses a change that expects another current version; else null. */
export function refuseCurrent(component: StoredComponent, guard: Guard): ServiceReply | null {
  const expected = guard?.current_version ?? null
  const { component_id: id, current_version: current } = component
  if (expected === null || expected === (current ?? 0)) return null
  return refuse(409, `Component ${id} current version is ${current ?? "none"}, expected ${expected}`)
}

/** Refuses a change that expects another latest version; else null. */
export function refuseLatest({ component_id: id }: StoredComponent, latest: number, guard: Guard): ServiceReply | null {
  const expected = guard?.latest_version ?? null
  if (expected === null || expected === latest) return null
  return refuse(409, `Component ${id} latest version is ${latest}, expected ${expected}`)
}

/** Refuses a draft, or a version that does not exist, as the current one. Null for a published version. */
export function refuseAsCurrent(
  { component_id: id }: StoredComponent,
  version: number,
  config: ConfigVersion | undefined,
): ServiceReply | null {
  if (config === undefined) return refuse(404, `Config ${id} v${version} not found`)
  if (config.stage === "published") return null
  return refuse(400, `Cannot set draft config ${id} v${version} as current. Only published configs can be current.`)
}
