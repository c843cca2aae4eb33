// Finds the one route that a method and a path mean: exact before pattern, a literal before `*`. We wrote it ourselves,
// because `rou3` 1.0.0 matches paths that are still encoded: it takes `/approvals/%63ount`, `%2e%2e` and `a%2Fstatus`
// for ids. And with decoded paths it misses what an operator may map (`/é`, `/a/{b}`).
import { fits, type HttpRoute, isWithin, moreExactFirst } from "./route.ts"

/** A route, and what its path says. `ids`: the decoded segments for each `*` of the handler, in order. */
export interface FoundRoute {
  readonly kind: "route"
  readonly route: HttpRoute
  readonly segments: readonly string[]
  readonly ids: readonly string[]
  readonly resourceId: string | null
}

type RouteMatch =
  | FoundRoute
  | { readonly kind: "wrong_method"; readonly allow: readonly string[] }
  | { readonly kind: "unknown" }

/** Finds the route of a request. `path` is the path of the URL, still encoded, without the query. */
export type RouteMatcher = (method: string, path: string) => RouteMatch

/** The routes of a service: built-in ones, and those that an operator's mappings added. */
export interface Routes {
  readonly builtIn: readonly HttpRoute[]
  readonly added: readonly HttpRoute[]
}

const unknown: RouteMatch = { kind: "unknown" }

/**
 * Prepares the routes. If a path has a built-in route, that route answers. An added route within a built-in one changes
 * only which scopes are needed there. An added route that only overlaps a built-in one answers only those paths that
 * have no built-in route. HEAD and OPTIONS are treated as any method.
 */
export function createRouteMatcher({ builtIn, added }: Routes): RouteMatcher {
  const trees = new Map(
    [...Map.groupBy(builtIn, (route) => route.method)].map(([method, group]) => [method, toTree(group)]),
  )
  const exactFirst = added.toSorted(moreExactFirst)
  return (method, path) => {
    const segments = splitPath(path)
    if (segments === null) return unknown
    const tree = trees.get(method)
    const own = tree === undefined ? null : find(tree, segments, 0)
    const mapped =
      exactFirst.length === 0
        ? undefined
        : exactFirst.find(
            (route) => route.method === method && fits(route, segments) && (own === null || isWithin(route, own)),
          )
    if (mapped !== undefined) return found(own === null ? mapped : underOwn(mapped, own), own ?? mapped, segments)
    if (own !== null) return found(own, own, segments)
    return otherMethods([...builtIn, ...added], segments)
  }
}

function found(route: HttpRoute, shape: HttpRoute, segments: readonly string[]): FoundRoute {
  const ids = shape.stars.map((at) => segments[at] ?? "")
  const resourceId = route.resource === null ? null : (segments[route.resource.position] ?? null)
  return { kind: "route", route, segments, ids, resourceId }
}

/** An added route within a built-in one: it needs its own scopes, and else does what the built-in one does. */
function underOwn(mapped: HttpRoute, own: HttpRoute): HttpRoute {
  return { ...own, pattern: mapped.pattern, access: "credential", needs: mapped.needs }
}

/** The methods of the most exact path that fits: `DELETE /approvals/*` adds no method to `/approvals/count`. */
function otherMethods(routes: readonly HttpRoute[], segments: readonly string[]): RouteMatch {
  const fitting = routes.filter((route) => fits(route, segments)).sort(moreExactFirst)
  const [exact] = fitting
  if (exact === undefined) return unknown
  const same = fitting.filter((route) => moreExactFirst(route, exact) === 0)
  return { kind: "wrong_method", allow: [...new Set(same.map((route) => route.method))].sort() }
}

interface Tree {
  readonly literals: Map<string, Tree>
  star: Tree | null
  route: HttpRoute | null
}

function toTree(routes: readonly HttpRoute[]): Tree {
  const root = emptyTree()
  for (const route of routes) {
    const end = route.segments.reduce(
      (node, segment) => (segment === "*" ? starOf(node) : literalOf(node, segment)),
      root,
    )
    end.route = route
  }
  return root
}

function emptyTree(): Tree {
  return { literals: new Map(), star: null, route: null }
}

function starOf(node: Tree): Tree {
  node.star ??= emptyTree()
  return node.star
}

function literalOf(node: Tree, segment: string): Tree {
  const child = node.literals.get(segment) ?? emptyTree()
  node.literals.set(segment, child)
  return child
}

/** Walks the literal branch first. If that leads nowhere, walks the star. */
function find(node: Tree, segments: readonly string[], at: number): HttpRoute | null {
  const segment = segments[at]
  if (segment === undefined) return node.route
  const literal = node.literals.size === 0 ? undefined : node.literals.get(segment)
  const exact = literal === undefined ? null : find(literal, segments, at + 1)
  if (exact !== null) return exact
  return node.star === null || segment === "" ? null : find(node.star, segments, at + 1)
}

/** The form of nearly every path: nothing encoded, no empty segment, no segment that begins with a dot. */
const plain = /^(?:\/[\w:~-][\w:~.-]*)+\/?$/
/** Characters that another reader may take for the end of the segment, or drop. */
const misleading = /[/\\\p{Cc}]/u

/**
 * The segments of a URL's path, decoded once. Ignores one trailing slash. Null if the path does not begin with a slash
 * or cannot be decoded. Null also if another reader could take a segment for several or for none: it holds a slash, a
 * backslash or a control character, or is empty, "." or "..".
 */
export function splitPath(path: string): readonly string[] | null {
  if (!path.startsWith("/")) return null
  if (path === "/") return []
  const raw = cut(path, path.endsWith("/") ? path.length - 1 : path.length)
  if (plain.test(path)) return raw
  const segments = decode(raw)
  return segments?.every(isClear) === true ? segments : null
}

function isClear(segment: string): boolean {
  return segment !== "" && segment !== "." && segment !== ".." && !misleading.test(segment)
}

/** Like `split("/")` from the first character to `end`, in half the time: we do this for every request. */
function cut(path: string, end: number): readonly string[] {
  const segments: string[] = []
  let from = 1
  for (let at = path.indexOf("/", from); at !== -1 && at < end; at = path.indexOf("/", from)) {
    segments.push(path.slice(from, at))
    from = at + 1
  }
  segments.push(path.slice(from, end))
  return segments
}

function decode(raw: readonly string[]): readonly string[] | null {
  try {
    return raw.map(decodeURIComponent)
  } catch (error) {
    if (error instanceof URIError) return null
    throw error
  }
}
