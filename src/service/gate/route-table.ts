// Lists by pattern which scopes each route needs. The routes themselves say it (specification 4.1 to 4.4).
import { AuthSetupError } from "../../auth/errors.ts"
import { serviceRoutes } from "../all-routes.ts"
import type { ServiceRoute } from "../route.ts"

/**
 * Gives for "METHOD /path" all scopes that a caller needs; `*` is one segment. The keys have the form of scope mappings
 * (specification 5.5), so one can spread a mapping over this table. An empty list: any authenticated caller.
 */
export type RouteTable = Readonly<Record<string, readonly string[]>>

/** Where the A2A routes stand unless the operator chooses another place. */
export const defaultA2aPrefix = "/a2a"

/** True for an A2A route; its pattern is under the default prefix. */
function isA2a({ pattern }: ServiceRoute): boolean {
  return pattern.includes(` ${defaultA2aPrefix}/`)
}

function tableOf(fits: (route: ServiceRoute) => boolean): RouteTable {
  return Object.fromEntries(
    serviceRoutes
      .filter(fits)
      .flatMap(({ pattern, scopes }) => (scopes === "public" ? [] : [[pattern, scopes] as const])),
  )
}

/** The routes of the specification without A2A: approvals (4.1, 4.2) and everything else (4.3). */
export const specifiedRoutes: RouteTable = tableOf((route) => route.isOwn !== true && !isA2a(route))

/**
 * Routes that the specification does not have. Only this service has one of them: its scope lets a caller ask for an
 * approval, never resolve one. The real service has the others. They only read. If one names two scopes, it needs both.
 */
export const ownRoutes: RouteTable = tableOf(({ isOwn }) => isOwn === true)

/** Routes that answer without a credential. */
export const publicRoutes: readonly string[] = patternsOf(({ scopes }) => scopes === "public")

/** The routes that show no rows of users: the only ones for callers without an identity under user isolation. */
export const routesForAnybody: ReadonlySet<string> = new Set(patternsOf(({ forAnybody }) => forAnybody === true))

function patternsOf(fits: (route: ServiceRoute) => boolean): readonly string[] {
  return serviceRoutes.filter(fits).map(({ pattern }) => pattern)
}

/** One or more plain segments: no star, no segment of dots alone, nothing that needs encoding, no slash at the end. */
const prefixForm = /^(?:\/(?!\.{1,2}(?:\/|$))[A-Za-z0-9._~-]+)+$/

/** A pattern with its A2A part under a prefix of plain segments. Throws `AuthSetupError` for any other prefix. */
export function withPrefix(prefix: string, pattern: string): string {
  if (!prefixForm.test(prefix)) {
    throw new AuthSetupError(
      "prefix_invalid",
      `A2A prefix ${JSON.stringify(prefix)}: expected plain segments without a slash at the end, for example "/a2a"`,
    )
  }
  return pattern.replace(` ${defaultA2aPrefix}/`, ` ${prefix}/`)
}

/** The A2A routes (4.4) under a prefix. Throws `AuthSetupError` for a prefix that `withPrefix` refuses. */
export function a2aRoutes(prefix: string = defaultA2aPrefix): RouteTable {
  const table = Object.entries(tableOf(isA2a))
  return Object.fromEntries(table.map(([pattern, scopes]) => [withPrefix(prefix, pattern), scopes]))
}

/** Every route of the specification, the A2A routes under `a2aPrefix` (4.4; default `/a2a`), and our own routes. */
export function createRouteTable(a2aPrefix?: string): RouteTable {
  return { ...specifiedRoutes, ...ownRoutes, ...a2aRoutes(a2aPrefix) }
}

/** All routes that need a credential, under the default A2A prefix. */
export const servedRoutes: RouteTable = createRouteTable()
