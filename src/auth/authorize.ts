// Decides whether scopes open a route.
import type { Route } from "./match-route.ts"
import type { ScopeSet } from "./scopes.ts"

/** The verdict on one request; `required` names all scopes of the route, for the 403. */
export type Verdict = { readonly ok: true } | { readonly ok: false; readonly required: readonly string[] }

/**
 * Judges a route by the caller's scopes: all of the route's scopes must be held, for the id in the path where per-resource
 * scopes count. A list of agents, teams or workflows opens to whoever holds the scope for one of them; its handler filters.
 */
export function authorize(held: ScopeSet, route: Route, resourceId: string | null): Verdict {
  const opens = (scope: string): boolean => (route.filtered ? held.coversSome(scope) : held.covers(scope, resourceId))
  return route.scopes.every(opens) ? { ok: true } : { ok: false, required: route.scopes }
}
