// Which scope each route needs, as data: specification 4.1 to 4.4, row by row, and our own routes beside them.
import { AuthSetupError } from "../../auth/errors.ts"
import { serviceRoutes } from "../all-routes.ts"
import type { ServiceRoute } from "../route.ts"

function tableOf(routes: readonly ServiceRoute[]): RouteTable {
  return Object.fromEntries(
    routes.flatMap(({ pattern, scopes }) => (scopes === "public" ? [] : [[pattern, scopes] as const])),
  )
}

/** What is the same for agents, teams and workflows in 4.3. */
function componentRoutes(family: string): RouteTable {
  return {
    [`GET /${family}`]: [`${family}:read`],
    [`GET /${family}/*`]: [`${family}:read`],
    [`POST /${family}`]: [`${family}:write`],
    [`PATCH /${family}/*`]: [`${family}:write`],
    [`DELETE /${family}/*`]: [`${family}:delete`],
    [`POST /${family}/*/runs`]: [`${family}:run`],
    [`POST /${family}/*/runs/*/continue`]: [`${family}:run`],
    [`POST /${family}/*/runs/*/cancel`]: [`${family}:run`],
  }
}

/** What the specification has beside A2A: approvals (4.1, 4.2) and everything else (4.3). */
export const specifiedRoutes: RouteTable = {
  ...tableOf(serviceRoutes.filter(({ isOwn }) => isOwn !== true)),
  "GET /config": ["config:read"],
  "GET /models": ["config:read"],
  "POST /databases/all/migrate": ["config:write"],
  "POST /databases/*/migrate": ["config:write"],
  "GET /registry": ["registry:read"],
  "GET /components": ["components:read"],
  "GET /components/*": ["components:read"],
  "GET /components/*/configs": ["components:read"],
  "GET /components/*/configs/*": ["components:read"],
  "GET /components/*/configs/current": ["components:read"],
  "POST /components": ["components:write"],
  "POST /components/*/configs": ["components:write"],
  "POST /components/*/configs/*/set-current": ["components:write"],
  "PATCH /components/*": ["components:write"],
  "PATCH /components/*/configs/*": ["components:write"],
  "DELETE /components/*": ["components:delete"],
  "DELETE /components/*/configs/*": ["components:delete"],
  ...componentRoutes("agents"),
  ...componentRoutes("teams"),
  ...componentRoutes("workflows"),
  "GET /sessions": ["sessions:read"],
  "GET /sessions/*": ["sessions:read"],
  "POST /sessions": ["sessions:write"],
  "POST /sessions/*/rename": ["sessions:write"],
  "PATCH /sessions/*": ["sessions:write"],
  "DELETE /sessions": ["sessions:delete"],
  "DELETE /sessions/*": ["sessions:delete"],
  "GET /memories": ["memories:read"],
  "GET /memories/*": ["memories:read"],
  "GET /memory_topics": ["memories:read"],
  "GET /user_memory_stats": ["memories:read"],
  "POST /memories": ["memories:write"],
  "PATCH /memories/*": ["memories:write"],
  "POST /optimize-memories": ["memories:write"],
  "DELETE /memories": ["memories:delete"],
  "DELETE /memories/*": ["memories:delete"],
  "GET /learnings": ["learnings:read"],
  "GET /learnings/*": ["learnings:read"],
  "POST /learnings": ["learnings:write"],
  "PATCH /learnings/*": ["learnings:write"],
  "DELETE /learnings/*": ["learnings:delete"],
  "GET /knowledge/content": ["knowledge:read"],
  "GET /knowledge/content/*": ["knowledge:read"],
  "GET /knowledge/config": ["knowledge:read"],
  "GET /knowledge/*/sources": ["knowledge:read"],
  "GET /knowledge/*/sources/*/files": ["knowledge:read"],
  "POST /knowledge/search": ["knowledge:read"],
  "POST /knowledge/content": ["knowledge:write"],
  "POST /knowledge/remote-content": ["knowledge:write"],
  "PATCH /knowledge/content/*": ["knowledge:write"],
  "DELETE /knowledge/content": ["knowledge:delete"],
  "DELETE /knowledge/content/*": ["knowledge:delete"],
  "GET /metrics": ["metrics:read"],
  "POST /metrics/refresh": ["metrics:write"],
  "GET /eval-runs": ["evals:read"],
  "GET /eval-runs/*": ["evals:read"],
  "POST /eval-runs": ["evals:write"],
  "PATCH /eval-runs/*": ["evals:write"],
  "DELETE /eval-runs": ["evals:delete"],
  "GET /traces": ["traces:read"],
  "GET /traces/*": ["traces:read"],
  "GET /trace_session_stats": ["traces:read"],
  "POST /traces/search": ["traces:read"],
  "GET /schedules": ["schedules:read"],
  "GET /schedules/*": ["schedules:read"],
  "GET /schedules/*/runs": ["schedules:read"],
  "GET /schedules/*/runs/*": ["schedules:read"],
  "POST /schedules": ["schedules:write"],
  "PATCH /schedules/*": ["schedules:write"],
  "POST /schedules/*/enable": ["schedules:write"],
  "POST /schedules/*/disable": ["schedules:write"],
  "POST /schedules/*/trigger": ["schedules:write"],
  "DELETE /schedules/*": ["schedules:delete"],
}

function messageRoutes(family: string): RouteTable {
  return {
    [`GET /${family}/*/.well-known/agent-card.json`]: [`${family}:read`],
    [`POST /${family}/*/v1/message:send`]: [`${family}:run`],
    [`POST /${family}/*/v1/message:stream`]: [`${family}:run`],
  }
}

function taskRoutes(family: string): RouteTable {
  return {
    [`POST /${family}/*/v1/tasks:get`]: [`${family}:read`],
    [`POST /${family}/*/v1/tasks:cancel`]: [`${family}:run`],
  }
}

const underPrefix: RouteTable = {
  ...messageRoutes("agents"),
  ...taskRoutes("agents"),
  ...messageRoutes("teams"),
  ...taskRoutes("teams"),
  ...messageRoutes("workflows"),
  "POST /message/send": ["agents:run"],
  "POST /message/stream": ["agents:run"],
}
/** Where the A2A routes stand unless the operator chooses another place. */
export const defaultA2aPrefix = "/a2a"

/** One or more plain segments: no star, no dots alone, nothing that needs encoding, no slash at the end. */
const prefixForm = /^(?:\/(?!\.{1,2}(?:\/|$))[A-Za-z0-9._~-]+)+$/

/** The A2A routes under a prefix of one or more plain segments. Throws `AuthSetupError` for any other text. */
export function a2aRoutes(prefix: string = defaultA2aPrefix): RouteTable {
  if (!prefixForm.test(prefix)) {
    throw new AuthSetupError(
      "prefix_invalid",
      `A2A prefix ${JSON.stringify(prefix)}: expected plain segments without a slash at the end, for example "/a2a"`,
    )
  }
  return Object.fromEntries(
    Object.entries(underPrefix).map(([pattern, scopes]) => [pattern.replace(" ", ` ${prefix}`), scopes]),
  )
}

/** True for the two deprecated dispatch routes (4.4), whose handlers check the run scope of the target once more. */
export function isDispatch(pattern: string, prefix: string = defaultA2aPrefix): boolean {
  return pattern === `POST ${prefix}/message/send` || pattern === `POST ${prefix}/message/stream`
}

/**
 * "METHOD /path" to the scopes that a caller needs, all of them; `*` is one segment. The keys have the form of scope
 * mappings (specification 5.5), so one can spread a mapping over this table. An empty list: any authenticated caller.
 */
export type RouteTable = Readonly<Record<string, readonly string[]>>

/** Routes that answer without a credential. */
export const publicRoutes: readonly string[] = ["GET /health", "GET /info", "GET /docs", "GET /openapi.json"]

/**
 * Routes that the specification does not have. The first is this service's own: its scope asks for an approval and
 * never includes resolving one. The real service has the others, which read; where two scopes are named, it wants
 * both.
 */
export const ownRoutes: RouteTable = {
  ...tableOf(serviceRoutes.filter(({ isOwn }) => isOwn === true)),
  "GET /knowledge/content/*/status": ["knowledge:read"],
  "GET /metrics/refresh/status": ["metrics:read"],
  "GET /sessions/*/run-previews": ["sessions:read"],
  ...readRuns("agents", "agents:read", "agents:run"),
  ...readRuns("teams", "teams:read", "teams:run"),
  ...readRuns("workflows", "workflows:read", "workflows:run"),
  ...readRuns("sessions", "sessions:read"),
}

function readRuns(family: string, ...scopes: readonly string[]): RouteTable {
  return { [`GET /${family}/*/runs`]: scopes, [`GET /${family}/*/runs/*`]: scopes }
}

/** Every route of the specification, the A2A ones under `a2aPrefix` (4.4; default `/a2a`), and the own ones. */
export function createRouteTable(a2aPrefix?: string): RouteTable {
  return { ...specifiedRoutes, ...ownRoutes, ...a2aRoutes(a2aPrefix) }
}

/** All routes that need a credential, under the default A2A prefix. */
export const servedRoutes: RouteTable = createRouteTable()
