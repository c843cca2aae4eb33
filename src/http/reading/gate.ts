// The gate of the read API: who asks, and may they? `auth` decides, as for every request to the platform's own API.
import type { Context } from "hono"
import { authorize } from "../../auth/authorize.ts"
import { readCredential } from "../../auth/credential.ts"
import { createRouteMatcher, type FoundRoute } from "../../auth/match-route.ts"
import { toRoute } from "../../auth/route.ts"
import { createScopeSet } from "../../auth/scopes.ts"
import type { TokenClaims } from "../../auth/token-claims.ts"
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
  "GET /stops": ["cases:read"],
}

/** The scope that opens all routes here. */
export const readAdminScope = "countersign:admin"

/** What the gate needs. */
export interface ReadGateOptions {
  readonly verify: TokenVerifier
  readonly reachable: Reachable
}

/** A request that may pass, with its route, or the refusal. */
type Passage =
  | { readonly ok: true; readonly found: FoundRoute; readonly claims: TokenClaims }
  | { readonly ok: false; readonly reply: HttpReply }

/** Who asks, by a token that we believe; or the refusal. */
type Caller = { readonly ok: true; readonly claims: TokenClaims } | { readonly ok: false; readonly reply: HttpReply }

/** Makes the look at who asks. `elsewhere`: what a request from another machine hears: 403; then comes the 401. */
export function createCallerLook({ verify, reachable, elsewhere }: ReadGateOptions & { readonly elsewhere: string }) {
  return async (context: Context): Promise<Caller> => {
    if (reachable === "loopback" && !isLocal(context)) return refused(refuse(403, elsewhere))
    const credential = readCredential({ authorization: context.req.header("authorization") })
    if (credential.kind === "missing") return refused(unknown(credential.reason))
    if (credential.kind === "service_account") return refused(unknown("Service accounts open nothing here"))
    const verdict = await verify(credential.token)
    return verdict.ok ? verdict : refused(unknown(verdict.reason))
  }
}

/** Makes the gate. It refuses in this order: 403 from another machine, 401, 404, 405, 403 if a scope is missing. */
export function createGate(options: ReadGateOptions): (context: Context) => Promise<Passage> {
  const callerOf = createCallerLook({ ...options, elsewhere })
  const builtIn = Object.entries(readScopes).map(([pattern, scopes]) => toRoute(pattern, scopes))
  const match = createRouteMatcher({ builtIn, added: [] })
  return async (context) => {
    const { req } = context
    const caller = await callerOf(context)
    if (!caller.ok) return caller
    const found = match(req.method, new URL(req.url).pathname)
    if (found.kind === "unknown") return refused(refuse(404, "Not Found"))
    if (found.kind === "wrong_method")
      return refused(refuse(405, "Method Not Allowed", { allow: found.allow.join(", ") }))
    const passed = authorize(createScopeSet(caller.claims.scopes, readAdminScope), found)
    return passed.ok ? { ok: true, found, claims: caller.claims } : refused(insufficient(passed.required))
  }
}

/** The refusal of a request from another machine. */
const elsewhere = "Only programs on this machine may read here; http.read.reachable: anywhere opens it"

function unknown(reason: string): HttpReply {
  return refuse(401, reason, { "www-authenticate": "Bearer" })
}

/** The refusal of a token that lacks a scope. */
export function insufficient(required: readonly string[]): HttpReply {
  return refuse(403, `Insufficient permissions. Required scope(s): ${required.join(", ")}`)
}

function refused(reply: HttpReply): { readonly ok: false; readonly reply: HttpReply } {
  return { ok: false, reply }
}
