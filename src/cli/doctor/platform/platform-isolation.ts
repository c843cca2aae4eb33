// User isolation: who sees and resolves only what they started themselves (`docs/platform-facts.md` 2.4).
import { type Claims, claimsIn } from "../../../config/parts/credential.ts"
import { isJsonObject } from "../../../domain/content/json.ts"
import type { ProbeAnswer } from "../../../platform/probe.ts"
import type { Finding, Notes } from "../finding.ts"
import { type InstanceTraits, isSince } from "./platform-info.ts"
import type { Resolver } from "./platform-token.ts"

/** Who would look and resolve under isolation. */
export interface Isolated {
  readonly traits: InstanceTraits
  readonly token: string | undefined
  readonly resolver: Resolver
}

/** Says how isolation affects the credentials, if the instance tells of it (AgentOS does since 3.1.0). */
export function judgeIsolation(
  notes: Notes,
  info: ProbeAnswer,
  { traits, token, resolver }: Isolated,
): readonly Finding[] {
  if (!tellsIsolation(info) || traits.mode === "none" || traits.mode === "security_key") return []
  const reader = visibility(token, traits)
  const findings = [
    ...(reader === "own"
      ? [notes.fail(blind("the credential", "sees only approvals of runs of its own subject"))]
      : []),
    ...(resolver.kind === "delegated" ? [notes.fail(delegated)] : []),
    ...(resolver.kind === "fixed" && resolver.own && visibility(resolver.token, traits) === "own"
      ? [notes.fail(blind("the credential that resolves", "can resolve none, and is answered 404"))]
      : []),
  ]
  if (findings.length > 0) return findings
  return [
    reader === "all"
      ? notes.ok("it isolates users from each other, and the credential is admin")
      : notes.warn(isolated),
  ]
}

/** If AgentOS does not tell whether it isolates users, an empty list may be a subject's own. */
export function judgeUntold(
  notes: Notes,
  token: string | undefined,
  { version, roles }: InstanceTraits,
): readonly Finding[] {
  const silent = version !== null && !isSince(version, "3.1.0")
  if (!silent || visibility(token, { roles }) !== "own") return []
  const what = "it does not tell whether it isolates users, and the list is empty"
  const why = "if it does, a credential with a subject sees only approvals of its own runs and can resolve none"
  const todo = "use a JWT without a subject, or make sure that user isolation is off there"
  return [notes.warn({ what, why, todo })]
}

function tellsIsolation(info: ProbeAnswer): boolean {
  const { body = null } = info.kind === "answer" ? info : {}
  return isJsonObject(body) && body["user_isolation"] === true
}

/** What a credential sees under isolation; null if it does not tell. If roles decide, not even an admin sees all. */
function visibility(token: string | undefined, { roles }: Pick<InstanceTraits, "roles">): "all" | "own" | null {
  const claims = token === undefined ? null : claimsIn(token)
  if (claims === null || claims.scopes === null) return null
  if (!roles && claims.scopes.some(isAdmin)) return "all"
  return hasSubject(claims) && (roles || !claims.scopes.some(mayBeAdmin)) ? "own" : null
}

function hasSubject({ subject }: Claims): boolean {
  return subject !== null && subject !== ""
}

function isAdmin(scope: string): boolean {
  return scope === "agent_os:admin"
}

/** An instance may call its admin scope otherwise. */
function mayBeAdmin(scope: string): boolean {
  return scope.endsWith(":admin")
}

const isolated = {
  what: "it isolates users from each other",
  why: "a credential with a subject sees only approvals of its own runs and can resolve none, unless it is admin",
  todo: "give Countersign a credential that sees every approval, or switch user isolation off",
}

const delegated = {
  what: "it isolates users, and tokens that are signed for a decision have a human as their subject",
  why: "such a token can resolve none but that human's own approvals: every decision is answered 404",
  todo: "switch user isolation off there, or let decisions go out with a token that is admin (resolve_token)",
}

function blind(who: string, what: string) {
  return {
    what: `it isolates users, and ${who} has a subject and is not admin: it ${what}`,
    why: "everybody else's approvals are never asked about, or never decided",
    todo: "use a token with the admin scope (docs/agentos.md says what that means), or switch user isolation off there",
  }
}
