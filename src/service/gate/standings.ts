// Says who asks, once we believe their credential, and what they may do and see.
import { createScopeSet, type ScopeSet } from "../../auth/scopes.ts"
import type { TokenClaims } from "../../auth/token-claims.ts"
import { refuse, type ServiceReply } from "../wire/reply.ts"

/**
 * The caller of one request. `subject` is the name by which a platform knows the caller: a JWT's `sub`, or `sa:<name>`.
 * A caller is anonymous only if authentication is off.
 */
type Caller =
  | { readonly kind: "anonymous"; readonly subject: null; readonly scopes: readonly string[] }
  | { readonly kind: "jwt"; readonly subject: string | null; readonly scopes: readonly string[] }
  | { readonly kind: "service_account"; readonly subject: string; readonly scopes: readonly string[] }

/** The caller of an instance that asks for no credential. */
export const anonymous: Caller = { kind: "anonymous", subject: null, scopes: [] }

/**
 * Who asks and what they may do. `enforced` false: scopes are not checked. `owner` null: the caller sees all rows.
 * Else, under user isolation, the caller sees only rows with this user_id.
 */
export interface CallerStanding {
  readonly caller: Caller
  readonly scopes: ScopeSet
  readonly enforced: boolean
  readonly owner: string | null
}

/** What decides the standing of all callers. */
interface StandingOptions {
  readonly adminScope: string
  /** False: credentials are read, but scopes of JWTs are not enforced. Those of service accounts always are. */
  readonly authorization: boolean
  readonly userIsolation: boolean
}

/** Returns the standing of callers. A JWT's standing is kept as long as its claims are kept. */
export interface Standings {
  readonly anonymous: CallerStanding
  ofToken(claims: TokenClaims): CallerStanding
  ofAccount(name: string, scopes: readonly string[]): CallerStanding
}

/** Makes `Standings`. */
export function createStandings(options: StandingOptions): Standings {
  const known = new WeakMap<TokenClaims, CallerStanding>()
  return {
    anonymous: toStanding(anonymous, options),
    ofToken: (claims) => {
      const kept = known.get(claims)
      if (kept !== undefined) return kept
      const made = toStanding({ kind: "jwt", subject: claims.subject, scopes: claims.scopes }, options)
      known.set(claims, made)
      return made
    },
    ofAccount: (name, scopes) => toStanding({ kind: "service_account", subject: `sa:${name}`, scopes }, options),
  }
}

function toStanding(caller: Caller, options: StandingOptions): CallerStanding {
  const scopes = createScopeSet(caller.scopes, options.adminScope)
  const enforced = caller.kind === "service_account" || (options.authorization && caller.kind === "jwt")
  return { caller, scopes, enforced, owner: options.userIsolation && !scopes.admin ? caller.subject : null }
}

/** True if the caller has the scope, for this id or for all; always true if scopes are not enforced. */
export function holds({ enforced, scopes }: CallerStanding, scope: string, id: string | null): boolean {
  return !enforced || scopes.covers(scope, id)
}

/** The refusal for missing scopes. It names the scopes that the route needs. */
export function insufficient(required: readonly string[]): ServiceReply {
  return refuse(403, `Insufficient permissions. Required scope(s): ${required.join(", ")}`)
}
