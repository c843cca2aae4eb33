// Which scope each route needs, as data (specification 4.1 to 4.4).
import { a2aRoutes } from "./a2a-routes.ts"
import { approvalRoutes, serviceRoutes } from "./service-routes.ts"

/**
 * "METHOD /path" to the scopes that a caller needs, all of them; `*` is one segment. The keys have the form of scope mappings
 * (specification 5.5), so that a mapping is a spread over this table. An empty list: any authenticated caller.
 */
export type RouteTable = Readonly<Record<string, readonly string[]>>

/** Routes that answer without a credential. */
export const publicRoutes: readonly string[] = ["GET /health", "GET /info", "GET /docs", "GET /openapi.json"]

/**
 * Routes that the specification does not have. The first is this service's own: its scope asks for an approval and never implies
 * resolving one. The others read runs; the real service has them, and wants both scopes where two are named.
 */
export const ownRoutes: RouteTable = {
  "POST /approvals": ["approvals:create"],
  "GET /agents/*/runs": ["agents:read", "agents:run"],
  "GET /agents/*/runs/*": ["agents:read", "agents:run"],
  "GET /teams/*/runs": ["teams:read", "teams:run"],
  "GET /teams/*/runs/*": ["teams:read", "teams:run"],
  "GET /workflows/*/runs": ["workflows:read", "workflows:run"],
  "GET /workflows/*/runs/*": ["workflows:read", "workflows:run"],
  "GET /sessions/*/runs": ["sessions:read"],
  "GET /sessions/*/runs/*": ["sessions:read"],
}

/** Every route of the specification, the A2A ones under `a2aPrefix` (4.4; default `/a2a`), and the own ones. */
export function createRouteTable(a2aPrefix?: string): RouteTable {
  return { ...approvalRoutes, ...serviceRoutes, ...ownRoutes, ...a2aRoutes(a2aPrefix) }
}

/** All routes that need a credential, under the default A2A prefix. */
export const servedRoutes: RouteTable = createRouteTable()
