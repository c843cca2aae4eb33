// Decides whether scopes open a route.
import type { FoundRoute } from "./match-route.ts"
import type { Need, ScopeSet } from "./scopes.ts"

/** The verdict on one request. `required`: all scopes that were demanded, for the 403. */
export type Verdict = { readonly ok: true } | { readonly ok: false; readonly required: readonly string[] }

const passed: Verdict = { ok: true }

/**
 * Judges a route by the caller's scopes. The caller must hold all scopes that the route needs, and all that are native
 * to it. Where per-resource scopes count, scopes for the id in the path are enough. A list of agents, teams or
 * workflows needs the scope for at least one of them; its handler filters.
 */
export function authorize(held: ScopeSet, { route, resourceId }: FoundRoute): Verdict {
  const opens = (need: Need): boolean => {
    if (route.filtered && need.id === null) return held.coversSome(need.scope)
    const inPath = need.resource === route.resource?.family ? resourceId : null
    return held.covers(need.scope, need.id ?? inPath)
  }
  if (!route.needs.every(opens)) return { ok: false, required: route.needs.map((need) => need.text) }
  if (!route.native.every(opens)) return { ok: false, required: route.native.map((need) => need.text) }
  return passed
}
