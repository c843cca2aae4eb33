// Builds the routes of one service, with its A2A prefix and its operator's scope mappings (specification 5.5).
import { z } from "zod"
import { AuthSetupError } from "../../auth/errors.ts"
import type { Routes } from "../../auth/match-route.ts"
import { type HttpRoute, parsePattern, toRoute } from "../../auth/route.ts"
import { perResourceFamilies, toNeed } from "../../auth/scopes.ts"
import { serviceRoutes } from "../all-routes.ts"
import type { ServiceRoute } from "../route.ts"
import { defaultA2aPrefix, type RouteTable, withPrefix } from "./route-table.ts"

/** What can differ from service to service. */
export interface RoutesOptions {
  /** Where the A2A routes stand; default `/a2a` (4.4). */
  readonly a2aPrefix?: string
  /** Required scopes by pattern (5.5). A pattern that equals a built-in route, public or not, replaces its scopes. */
  readonly scopeMappings?: RouteTable
  /** Default `filtered`: handlers filter the lists of agents, teams and workflows. `whole`: they do not. */
  readonly lists?: "filtered" | "whole"
}

/** The routes of a service. Throws `AuthSetupError` for an invalid prefix or pattern, or if routes clash. */
export function createRoutes({ a2aPrefix = defaultA2aPrefix, scopeMappings = {}, lists }: RoutesOptions = {}): Routes {
  const rows = serviceRoutes.map((route) => routeRow(route, a2aPrefix))
  const patterns = new Set(rows.map((row) => row.pattern))
  if (patterns.size < rows.length) {
    throw new AuthSetupError("prefix_invalid", `A2A prefix ${a2aPrefix}: its routes would hide others of the service`)
  }
  const added = Object.entries(scopeMappings).filter(([pattern]) => !patterns.has(pattern))
  return {
    builtIn: rows.map((row) => mapped(native(row, lists ?? "filtered"), scopeMappings)),
    added: added.map(([pattern, scopes]) => toRoute(pattern, scopes)),
  }
}

function routeRow({ pattern, scopes }: ServiceRoute, a2aPrefix: string): HttpRoute {
  const [needed, access] = scopes === "public" ? ([[], "public"] as const) : ([scopes, "credential"] as const)
  return { ...toRoute(withPrefix(a2aPrefix, pattern), needed, access), handler: pattern }
}

/** Makes routes of agents, teams and workflows check their own scopes, whatever a mapping says (5.5, rule 4). */
function native(row: HttpRoute, lists: "filtered" | "whole"): HttpRoute {
  if (!row.needs.some((need) => perResourceFamilies.has(need.resource))) return row
  const [, ...more] = row.segments
  return { ...row, native: row.needs, filtered: lists === "filtered" && row.method === "GET" && more.length === 0 }
}

function mapped(row: HttpRoute, mappings: RouteTable): HttpRoute {
  const scopes = Object.hasOwn(mappings, row.pattern) ? mappings[row.pattern] : undefined
  return scopes === undefined ? row : { ...row, access: "credential", needs: scopes.map(toNeed) }
}

const mappingsSchema = z.record(z.string(), z.array(z.string().min(1)))

/**
 * Checks mappings from a YAML or JSON file. Throws `AuthSetupError` that names the pattern, if a list is no list, or if
 * no request could match the pattern. Such a mapping would have no effect: its route would keep other scopes than
 * meant, and nobody would notice.
 */
export function readScopeMappings(input: unknown): RouteTable {
  const outcome = mappingsSchema.safeParse(input)
  if (!outcome.success) {
    const [issue] = outcome.error.issues
    const place = issue?.path.map(String).join(" → ") ?? ""
    throw new AuthSetupError(
      "mapping_invalid",
      `scope mappings: ${place}: ${issue?.message ?? "expected a list of scopes"}`,
    )
  }
  for (const pattern of Object.keys(outcome.data)) parsePattern(pattern)
  return outcome.data
}
