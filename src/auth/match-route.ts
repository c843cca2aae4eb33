// Finds the one route that a method and a path mean: exact before pattern, a literal before `*`.
import { AuthSetupError } from "./errors.ts"
import type { RouteTable } from "./route-table.ts"
import { perResourceFamilies } from "./scopes.ts"

/** A row of the table, prepared for matching. */
export type Route = {
  /** "METHOD /path", the row's key. */
  readonly pattern: string
  readonly method: string
  readonly segments: readonly string[]
  readonly access: "public" | "credential"
  readonly scopes: readonly string[]
  /** Position of the segment that holds an agent's, team's or workflow's id, for per-resource scopes; null if there is none. */
  readonly idPosition: number | null
  /** True for the lists of agents, teams and workflows: whoever may see one of them may ask, and sees those. */
  readonly filtered: boolean
}

/** What a path means. `ids` are the decoded segments that stand for `*`, in order. */
export type RouteMatch =
  | {
      readonly kind: "route"
      readonly route: Route
      readonly ids: readonly string[]
      readonly resourceId: string | null
    }
  | { readonly kind: "wrong_method"; readonly allow: readonly string[] }
  | { readonly kind: "unknown" }

/** Tells the route of a request. `path` is the URL's path, still encoded, without the query. */
export type RouteMatcher = (method: string, path: string) => RouteMatch

/**
 * Prepares a table. `*` is exactly one non-empty segment; one trailing slash is ignored; segments are decoded once, so an encoded
 * slash stays inside its segment; a path that cannot be decoded is unknown. Throws `AuthSetupError` on a malformed key.
 */
export function createRouteMatcher(table: RouteTable, publicPatterns: readonly string[]): RouteMatcher {
  const open = publicPatterns.map((pattern) => toRoute(pattern, [], "public"))
  const guarded = Object.entries(table).map(([pattern, scopes]) => toRoute(pattern, scopes, "credential"))
  const byLength = Map.groupBy([...open, ...guarded], (route) => route.segments.length)
  for (const routes of byLength.values()) routes.sort(moreExactFirst)
  return (method, path) => {
    const segments = splitPath(path)
    if (segments === null) return { kind: "unknown" }
    const fitting = (byLength.get(segments.length) ?? []).filter((route) => fits(route, segments))
    const route = fitting.find((candidate) => candidate.method === method)
    if (route !== undefined) return matched(route, segments)
    if (fitting.length === 0) return { kind: "unknown" }
    return { kind: "wrong_method", allow: [...new Set(fitting.map((candidate) => candidate.method))].sort() }
  }
}

function toRoute(pattern: string, scopes: readonly string[], access: Route["access"]): Route {
  const parts = /^([A-Z]+) (\/\S*)$/.exec(pattern)
  const [, method, path] = parts ?? []
  if (method === undefined || path === undefined) {
    throw new AuthSetupError(
      "route_invalid",
      `route ${JSON.stringify(pattern)}: expected "METHOD /path", for example "GET /approvals/*"`,
    )
  }
  const segments = path === "/" ? [] : path.slice(1).split("/")
  const idPosition = segments.findIndex(
    (segment, at) => segment === "*" && perResourceFamilies.has(segments[at - 1] ?? ""),
  )
  const filtered = method === "GET" && perResourceFamilies.has(segments.at(-1) ?? "")
  return { pattern, method, segments, access, scopes, idPosition: idPosition === -1 ? null : idPosition, filtered }
}

function moreExactFirst(left: Route, right: Route): number {
  const at = left.segments.findIndex((segment, index) => (segment === "*") !== (right.segments[index] === "*"))
  if (at === -1) return 0
  return left.segments[at] === "*" ? 1 : -1
}

function splitPath(path: string): readonly string[] | null {
  if (!path.startsWith("/")) return null
  const trimmed = path.length > 1 && path.endsWith("/") ? path.slice(1, -1) : path.slice(1)
  if (trimmed === "") return []
  try {
    return trimmed.split("/").map(decodeURIComponent)
  } catch (error) {
    if (error instanceof URIError) return null
    throw error
  }
}

function fits(route: Route, segments: readonly string[]): boolean {
  return route.segments.every((segment, at) => (segment === "*" ? segments[at] !== "" : segment === segments[at]))
}

function matched(route: Route, segments: readonly string[]): RouteMatch {
  const ids = segments.filter((_, at) => route.segments[at] === "*")
  const resourceId = route.idPosition === null ? null : (segments[route.idPosition] ?? null)
  return { kind: "route", route, ids, resourceId }
}
