// One route: what it is called, what it needs, and where its resource's id stands.
import { AuthSetupError } from "./errors.ts"
import { type Need, perResourceFamilies, toNeed } from "./scopes.ts"

/** A row of the route table, prepared for matching and judging. */
export interface HttpRoute {
  /** "METHOD /path" as it is served. */
  readonly pattern: string
  /** Key of the handler: the built-in row, under its default name; for a route that an operator added, its pattern. */
  readonly handler: string
  readonly method: string
  readonly segments: readonly string[]
  /** Where the segments that are `*` stand. */
  readonly stars: readonly number[]
  readonly access: "public" | "credential"
  /** What the caller has to hold, all of it; none: any caller with a credential. */
  readonly needs: readonly Need[]
  /** What built-in routes of agents, teams and workflows check again, whatever a mapping says (5.5, rule 4). */
  readonly native: readonly Need[]
  /** The resource whose id is in the path, for per-resource scopes. */
  readonly resource: { readonly family: string; readonly position: number } | null
  /** True for the lists of agents, teams and workflows: whoever may see one of them may ask, and sees those. */
  readonly filtered: boolean
}

/** What a pattern says. */
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

/** Makes a route that needs `scopes` and has nothing native yet. Throws `AuthSetupError` on a malformed pattern. */
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

/** True if a path, as decoded segments, is one of the route's. */
export function fits(route: Pattern, segments: readonly string[]): boolean {
  return (
    route.segments.length === segments.length &&
    route.segments.every((segment, at) => (segment === "*" ? segments[at] !== "" : segment === segments[at]))
  )
}

/** True if every path of `inner` is one of `outer` too. */
export function isWithin(inner: Pattern, outer: Pattern): boolean {
  return (
    inner.method === outer.method &&
    inner.segments.length === outer.segments.length &&
    outer.segments.every((segment, at) => segment === "*" || segment === inner.segments[at])
  )
}

/** Order of patterns: a literal before a star, from left to right. */
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
