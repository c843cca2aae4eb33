// The gate: every request passes it once, and the route that it judged is the one that answers.

import { authorize } from "../auth/authorize.ts"
import { anonymous, type Caller } from "../auth/caller.ts"
import type { RouteMatch, RouteMatcher } from "../auth/match-route.ts"
import { createScopeSet } from "../auth/scopes.ts"
import type { Identity } from "./authenticate.ts"
import type { Standing } from "./parts.ts"
import { type Reply, refuse } from "./reply.ts"

/** What the gate needs. */
export type GateOptions = {
  readonly match: RouteMatcher
  readonly authenticate: (header: string | undefined) => Promise<Identity>
  readonly adminScope: string
  /** False: credentials are read, but scopes of JWTs are not enforced. Those of service accounts always are. */
  readonly authorization: boolean
}

/** A request that may pass, with its route and its caller, or the refusal. */
type Passage =
  | { readonly ok: true; readonly pattern: string; readonly ids: readonly string[]; readonly standing: Standing }
  | { readonly ok: false; readonly reply: Reply }

/** Judges one request by method, encoded path and Authorization header: 401 first, then 404 and 405, then 403. */
export type Gate = (method: string, path: string, header: string | undefined) => Promise<Passage>

/** Makes the gate. */
export function createGate(options: GateOptions): Gate {
  return async (method, path, header) => {
    const match = options.match(method, path)
    if (match.kind === "route" && match.route.access === "public") return pass(match, toStanding(options, anonymous))
    const identity = await options.authenticate(header)
    if (!identity.ok) return { ok: false, reply: refuse(401, identity.reason) }
    if (match.kind === "unknown") return { ok: false, reply: refuse(404, "Not Found") }
    if (match.kind === "wrong_method") return { ok: false, reply: wrongMethod(match.allow) }
    const standing = toStanding(options, identity.caller)
    const verdict = standing.enforced
      ? authorize(standing.scopes, match.route, match.resourceId)
      : { ok: true as const }
    return verdict.ok ? pass(match, standing) : { ok: false, reply: insufficient(verdict.required) }
  }
}

/** The refusal of insufficient scopes; names those that the route needs. */
function insufficient(required: readonly string[]): Reply {
  return refuse(403, `Insufficient permissions. Required scope(s): ${required.join(", ")}`)
}

function toStanding(options: GateOptions, caller: Caller): Standing {
  const enforced = caller.kind === "service_account" || (options.authorization && caller.kind === "jwt")
  return { caller, scopes: createScopeSet(caller.scopes, options.adminScope), enforced }
}

function pass(match: Extract<RouteMatch, { kind: "route" }>, standing: Standing): Passage {
  return { ok: true, pattern: match.route.pattern, ids: match.ids, standing }
}

function wrongMethod(allow: readonly string[]): Reply {
  return { ...refuse(405, "Method Not Allowed"), headers: { allow: allow.join(", ") } }
}
