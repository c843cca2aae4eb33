// The gate of the read API: who asks, and may they? `auth` decides, as for every request to the platform's own API.
import type { Context } from "hono"
import { authorize } from "../../auth/authorize.ts"
import { readCredential } from "../../auth/credential.ts"
import { createRouteMatcher, type FoundRoute } from "../../auth/match-route.ts"
import { toRoute } from "../../auth/route.ts"
import { createScopeSet } from "../../auth/scopes.ts"
import type { TokenVerifier } from "../../auth/verify-token.ts"
import { isLocal, type Reachable } from "../local.ts"
import { type HttpReply, refuse } from "../reply.ts"

/** The routes, and the scopes that open each. */
export const readScopes: Readonly<Record<string, readonly string[]>> = {
  "GET /cases": ["cases:read"],
  "GET /cases/*": ["cases:read"],
  "GET /cases/*/entries": ["cases:read"],
  "GET /receipts/*": ["cases:read"],
  "GET /ledger": ["ledger:read"],
}

/** The scope that opens all routes here. */
export const readAdminScope = "countersign:admin"

/** What the gate needs. */
export interface ReadGateOptions {
  readonly verify: TokenVerifier
  readonly reachable: Reachable
}

/** A request that may pass, with its route, or the refusal. */
type Passage = { readonly ok: true; readonly found: FoundRoute } | { readonly ok: false; readonly reply: HttpReply }

/** Makes the gate. It refuses in this order: 403 from another machine, 401, 404, 405, 403 if a scope is missing. */
export function createGate({ verify, reachable }: ReadGateOptions): (context: Context) => Promise<Passage> {
  const builtIn = Object.entries(readScopes).map(([pattern, scopes]) => toRoute(pattern, scopes))
  const match = createRouteMatcher({ builtIn, added: [] })
  return async (context) => {
    const { req } = context
    if (reachable === "loopback" && !isLocal(context)) return refused(elsewhere)
    const credential = readCredential({ authorization: req.header("authorization") })
    if (credential.kind === "missing") return refused(unknown(credential.reason))
    if (credential.kind === "service_account") return refused(unknown("Service accounts have nothing to read here"))
    const verdict = await verify(credential.token)
    if (!verdict.ok) return refused(unknown(verdict.reason))
    const found = match(req.method, new URL(req.url).pathname)
    if (found.kind === "unknown") return refused(refuse(404, "Not Found"))
    if (found.kind === "wrong_method")
      return refused(refuse(405, "Method Not Allowed", { allow: found.allow.join(", ") }))
    const passed = authorize(createScopeSet(verdict.claims.scopes, readAdminScope), found)
    return passed.ok ? { ok: true, found } : refused(insufficient(passed.required))
  }
}

/** The refusal of a request from another machine. */
const elsewhere = refuse(403, "Only programs on this machine may read here; http.read.reachable: anywhere opens it")

function unknown(reason: string): HttpReply {
  return refuse(401, reason, { "www-authenticate": "Bearer" })
}

function insufficient(required: readonly string[]): HttpReply {
  return refuse(403, `Insufficient permissions. Required scope(s): ${required.join(", ")}`)
}

function refused(reply: HttpReply): Passage {
  return { ok: false, reply }
}
