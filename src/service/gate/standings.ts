// What a caller may do and see, made once for each credential.

import { createScopeSet } from "../../auth/scopes.ts"
import type { TokenClaims } from "../../auth/token-claims.ts"
import type { Standing } from "../parts.ts"
import { anonymous, type Caller } from "./caller.ts"

/** What decides about everybody's standing. */
export type StandingOptions = {
  readonly adminScope: string
  /** False: credentials are read, but scopes of JWTs are not enforced. Those of service accounts always are. */
  readonly authorization: boolean
  readonly userIsolation: boolean
}

/** Gives the standing of callers. The one of a JWT is kept as long as its claims are. */
export type Standings = {
  readonly anonymous: Standing
  ofToken(claims: TokenClaims): Standing
  ofAccount(name: string, scopes: readonly string[]): Standing
}

/** Prepares standings. */
export function createStandings(options: StandingOptions): Standings {
  const known = new WeakMap<TokenClaims, Standing>()
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

function toStanding(caller: Caller, options: StandingOptions): Standing {
  const scopes = createScopeSet(caller.scopes, options.adminScope)
  const enforced = caller.kind === "service_account" || (options.authorization && caller.kind === "jwt")
  return { caller, scopes, enforced, owner: options.userIsolation && !scopes.admin ? caller.subject : null }
}
