// The doctor on callers who see and resolve only runs that they started themselves: service accounts of AgentOS, and
// under user isolation everybody (`docs/platform-facts.md` 2.4).
import { type Claims, claimsIn } from "../../../config/parts/credential.ts"
import type { ProbeAnswer } from "../../../platform/probe.ts"
import type { Finding, Notes } from "../finding.ts"
import { adminOnly, keyViaGate, roleOnly } from "../remedy.ts"
import { type InstanceTraits, isSince } from "./platform-info.ts"
import type { Resolver } from "./platform-token.ts"

/** The credentials that look and resolve, and the instance's traits. */
export interface Isolated {
  readonly traits: InstanceTraits
  readonly token: string | undefined
  readonly resolver: Resolver
}

/**
 * Says how isolation affects the credentials, if the instance tells of it. A service account of AgentOS sees only its
 * own rows even without isolation: `judgeAccount` is about those accounts.
 */
export function judgeIsolation(notes: Notes, { traits, token, resolver }: Isolated): readonly Finding[] {
  if (!traits.isolated || traits.selfScoped || traits.mode === "none" || traits.mode === "security_key") return []
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

/** Warns if AgentOS does not say whether it isolates users: an empty list may be the list of one subject. */
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

/**
 * Judges a service account of AgentOS, which sees only approvals of its own runs unless it is admin. An admin passes
 * everywhere. So if one of these calls was refused because a scope is missing, the account is no admin.
 */
export function judgeAccount(notes: Notes, asked: readonly ProbeAnswer[], traits: InstanceTraits): Finding {
  const refused = asked.some((one) => one.kind === "answer" && one.status === 403 && one.body !== undefined)
  return refused ? notes.fail({ ...ownRows, todo: insteadOf(traits) }) : notes.warn(perhapsAdmin)
}

const ownRows = {
  what:
    "the credential is a service account of AgentOS that is not admin: by AgentOS's own rule its list holds only " +
    "approvals of runs that it started itself",
  why:
    "an empty list means nothing there: nobody is asked about anybody else's runs, " +
    "and every resolve is answered 404",
}

const perhapsAdmin = {
  what: "the credential is a service account of AgentOS",
  why: "unless it is admin it sees only approvals of its own runs, and every resolve is answered 404",
  todo: "put Countersign's gate before the instance (docs/how-to/agentos-gate.md)",
}

/** Says what to use in place of a service account, without being admin. */
function insteadOf({ mode, isolated, roles }: InstanceTraits): string {
  if (mode === "none") return "leave the token out: the instance asks for none"
  if (mode === "security_key") return keyViaGate
  if (roles) return roleOnly
  return isolated ? adminOnly : viaGate
}

const viaGate =
  "put Countersign's gate before the instance, as docs/how-to/agentos-gate.md shows; or use a JWT without a subject, " +
  "with approvals:read and approvals:write"

/** Which rows a credential sees under isolation; null if it does not tell. Where roles decide, no admin sees all. */
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

/** True for the admin scope: an instance may give it another name. */
function mayBeAdmin(scope: string): boolean {
  return scope.endsWith(":admin")
}

const isolated = {
  what: "it isolates users from each other",
  why: "a credential with a subject sees only approvals of its own runs and can resolve none, unless it is admin",
  todo: adminOnly,
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
