// What a caller expects of a component or a config before it is changed, and what cannot be made current.
import { refuse, type ServiceReply } from "../wire/reply.ts"
import type { ConfigVersion, StoredComponent } from "./stored-components.ts"

/** What a request may expect: the change is made only if it is still so. */
export type Guard =
  | { readonly latest_version?: number | null | undefined; readonly current_version?: number | null | undefined }
  | null
  | undefined

/** The refusal of a change that was meant for another current version, or null. */
export function refuseCurrent(component: StoredComponent, guard: Guard): ServiceReply | null {
  const expected = guard?.current_version ?? null
  const { component_id: id, current_version: current } = component
  if (expected === null || expected === (current ?? 0)) return null
  return refuse(409, `Component ${id} current version is ${current ?? "none"}, expected ${expected}`)
}

/** The refusal of a change that was meant for another latest version, or null. */
export function refuseLatest({ component_id: id }: StoredComponent, latest: number, guard: Guard): ServiceReply | null {
  const expected = guard?.latest_version ?? null
  if (expected === null || expected === latest) return null
  return refuse(409, `Component ${id} latest version is ${latest}, expected ${expected}`)
}

/** The refusal to have a draft, or nothing, be the version that runs; null for a published one. */
export function refuseAsCurrent(
  { component_id: id }: StoredComponent,
  version: number,
  config: ConfigVersion | undefined,
): ServiceReply | null {
  if (config === undefined) return refuse(404, `Config ${id} v${version} not found`)
  if (config.stage === "published") return null
  return refuse(400, `Cannot set draft config ${id} v${version} as current. Only published configs can be current.`)
}
