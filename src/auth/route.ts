// One route: its name, what it needs, and where the id of its resource is.
import { AuthSetupError } from "./errors.ts"
import { type Need, perResourceFamilies, toNeed } from "./scopes.ts"

/** A row of the route table, prepared for matching and judging. */
export interface HttpRoute {
  /** "METHOD /path" as it is served. */
  readonly pattern: string
  /** The key of the handler: a built-in route's pattern with the default prefix, or an added route's own pattern. */
  readonly handler: string
  readonly method: string
  readonly segments: readonly string[]
  /** The positions of the segments that are `*`. */
  readonly stars: readonly number[]
  readonly access: "public" | "credential"
  /** All that the caller has to hold. Empty: any credential is enough. */
  readonly needs: readonly Need[]
  /** What built-in routes of agents, teams and workflows check as well, whatever a mapping says (5.5, rule 4). */
  readonly native: readonly Need[]
  /** The resource whose id is in the path, for per-resource scopes. */
  readonly resource: { readonly family: string; readonly position: number } | null
  /** True for the lists of agents, teams and workflows: a caller who may see some items gets a list of these. */
  readonly filtered: boolean
}

interface Pattern {
  readonly method: string
  readonly segments: readonly string[]
}

const form = /^(GET|POST|PUT|PATCH|DELETE) (\/\S*)$/
const plainSegment = /^[^/\\%?#*]+$/

/** Takes "METHOD /path" apart. Throws `AuthSetupError` if no request could ever match it. */
export function parsePattern(pattern: string): Pattern {
  const [, method, path] = form.exec(pattern) ?? []
  if (method === undefined || path === undefined) throw invalid(pattern, 'expected "METHOD /path"')
  const segments = path === "/" ? [] : path.slice(1).split("/")
  const odd = segments.find((segment) => segment !== "*" && (!plainSegment.test(segment) || /^\.{1,2}$/.test(segment)))
  if (odd !== undefined) throw invalid(pattern, "each part between slashes is a plain name, or * for any one")
  return { method, segments }
}

/** Makes a route that needs `scopes`, with nothing native yet. Throws `AuthSetupError` for a malformed pattern. */
export function toRoute(
  pattern: string,
  scopes: readonly string[],
  access: HttpRoute["access"] = "credential",
): HttpRoute {
  const parsed = parsePattern(pattern)
  return {
    ...parsed,
    pattern,
    handler: pattern,
    stars: parsed.segments.flatMap((segment, at) => (segment === "*" ? [at] : [])),
    access,
    needs: scopes.map(toNeed),
    native: [],
    resource: resourceIn(parsed.segments),
    filtered: false,
  }
}

/** True if the route has this path, given as decoded segments. */
export function fits(route: Pattern, segments: readonly string[]): boolean {
  return (
    route.segments.length === segments.length &&
    route.segments.every((segment, at) => (segment === "*" ? segments[at] !== "" : segment === segments[at]))
  )
}

/** True if `outer` has every path of `inner`. */
export function isWithin(inner: Pattern, outer: Pattern): boolean {
  return (
    inner.method === outer.method &&
    inner.segments.length === outer.segments.length &&
    outer.segments.every((segment, at) => segment === "*" || segment === inner.segments[at])
  )
}

/** Compares two patterns for sorting: a literal comes before a star, from left to right. */
export function moreExactFirst(left: Pattern, right: Pattern): number {
  const at = left.segments.findIndex((segment, index) => (segment === "*") !== (right.segments[index] === "*"))
  if (at === -1) return 0
  return left.segments[at] === "*" ? 1 : -1
}

function resourceIn(segments: readonly string[]): HttpRoute["resource"] {
  const position = segments.findIndex(
    (segment, at) => segment === "*" && perResourceFamilies.has(segments[at - 1] ?? ""),
  )
  const family = segments[position - 1]
  return position === -1 || family === undefined ? null : { family, position }
}

function invalid(pattern: string, rule: string): AuthSetupError {
  return new AuthSetupError(
    "route_invalid",
    `route ${JSON.stringify(pattern)}: ${rule}, for example "GET /approvals/*"`,
  )
}
