// Says which scopes a service account may get, and who may give them.
import { controlPlaneScopes, isAdminScope, parseScope, type ScopeSet } from "../../auth/scopes.ts"
import { refuse, type ServiceReply } from "../wire/reply.ts"

/** The scopes of a new account if the request names none. */
export const defaultScopes: readonly string[] = [
  "agents:run",
  "teams:run",
  "workflows:run",
  "sessions:read",
  "config:read",
]

/** Who mints. `ownScopes` are the scopes that only this service's mappings name (specification 5.5). */
interface Minter {
  readonly scopes: ScopeSet
  readonly adminScope: string
  readonly ownScopes: ReadonlySet<string>
}

/**
 * Judges the scopes that an account should get; null if it may get them. If `privileged` is `refused`, no scope may
 * change, delete, administer or touch service accounts (specification 5.3, rule 5). The minter must have every scope.
 */
export function judgeScopes(
  scopes: readonly string[],
  privileged: "allowed" | "refused",
  minter: Minter,
): ServiceReply | null {
  const senseless = scopes.filter((scope) => !isKnown(scope, minter))
  if (senseless.length > 0) return refuse(400, `Invalid scope(s): ${senseless.join(", ")}`)
  const strong = privileged === "allowed" ? [] : scopes.filter((scope) => isPrivileged(scope, minter.adminScope))
  if (strong.length > 0) {
    const why = "Privileged tokens must be deliberate, never accidental."
    return refuse(400, `Privileged scope(s) require allow_privileged_scopes=true: ${strong.join(", ")}. ${why}`)
  }
  const foreign = scopes.filter((scope) => !minterHolds(minter.scopes, scope))
  return foreign.length === 0 ? null : refuse(403, `Cannot grant scope(s) you do not hold: ${foreign.join(", ")}`)
}

/**
 * True for a well-formed scope, and for a name that is known. The control plane's names are known, but open nothing
 * here (5.4).
 */
export function isKnown(scope: string, { adminScope, ownScopes }: Omit<Minter, "scopes">): boolean {
  return scope === adminScope || ownScopes.has(scope) || controlPlaneScopes.has(scope) || parseScope(scope) !== null
}

function isPrivileged(text: string, adminScope: string): boolean {
  const scope = parseScope(text)
  if (scope === null || isAdminScope(text, adminScope)) return true
  return scope.resource === "service_accounts" || ["write", "delete"].includes(scope.action)
}

function minterHolds(minter: ScopeSet, text: string): boolean {
  const scope = parseScope(text)
  return scope === null ? minter.covers(text, null) : minter.covers(`${scope.resource}:${scope.action}`, scope.id)
}
