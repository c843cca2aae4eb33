// Reads what a credential says about itself before we send it, unverified: a service account's token, a JWT's claims.
import { isReservedSubject } from "../../domain/people/delegated.ts"
import { isRecord } from "../reading/environment.ts"

/** What a credential is for. If it has both uses, it needs both scopes. */
export type Use = "read" | "resolve"

/** The claims of a JWT that decide anything here; a claim that is missing is null. */
export interface Claims {
  readonly subject: string | null
  /** Null if there is no such claim; one text counts as one scope. */
  readonly scopes: readonly string[] | null
  readonly scopesAreList: boolean
  readonly audience: string | null
  readonly issuer: string | null
  /** Epoch ms. */
  readonly issuedAt: number | null
  readonly expiresAt: number | null
}

/** What the operator says to one credential that could resolve and run. `never`: `resume_url` keeps the two apart. */
export type PowerRisk = "accepted" | "acceptable" | "never"

/** What the keys of an instance say to that. */
export function powerRiskOf(instance: {
  readonly accept_run_scope: boolean
  readonly resume_url?: string | undefined
}): PowerRisk {
  if (instance.resume_url !== undefined) return "never"
  return instance.accept_run_scope ? "accepted" : "acceptable"
}

/** Why we must not read or resolve approvals with a credential, and what to do; null if we may. */
export function flawOfDecider(token: string, risk: PowerRisk): string | null {
  const found = risk === "accepted" ? null : riskOf(token)
  return found === null ? null : `${found}. Use one without${unlessNamed(risk)}`
}

/** Why we must not continue runs with a credential, and what to do; null if we may (`docs/platform-facts.md` 5.8). */
export function flawOfRunner(token: string, risk: PowerRisk): string | null {
  // Under an identity, runs of others fail or are lost (`docs/platform-facts.md` 5.2).
  if (/^(agno_pat|cs_sa)_/.test(token))
    return "is a service account's: continued under that identity, runs fail or are lost. Use a JWT without sub"
  if ((claimsIn(token)?.subject ?? null) !== null)
    return (
      "has a subject (sub): continued under another identity than their own, runs fail or are lost. " +
      "Use a JWT without sub"
    )
  const power = (scopesIn(token) ?? []).find((scope) => scope === "approvals:write" || isAdmin(scope))
  return risk === "accepted" || power === undefined ? null : `holds ${power}: ${bothPowers(risk)}`
}

/** Why the credential that resolves must not continue runs, and what to do. */
export function bothPowers(risk: PowerRisk): string {
  return `who resolves and runs could push a paused run past its approval. Use a separate one${unlessNamed(risk)}`
}

function unlessNamed(risk: PowerRisk): string {
  return risk === "acceptable" ? ", or set accept_run_scope: true" : ""
}

/** A credential that resolves and runs could push a run past its gate (`docs/platform-facts.md` 2.4). */
function riskOf(token: string): string | null {
  const scopes = scopesIn(token) ?? []
  const admin = scopes.find(isAdmin)
  if (admin !== undefined)
    return `holds ${admin}: it may resolve and run, so it could push a paused run past its approval`
  const run = scopes.find((scope) => /^(agents|teams|workflows)(:[^:]+)?:run$/.test(scope))
  if (run === undefined || !scopes.includes("approvals:write")) return null
  return `holds approvals:write and ${run}: together they could push a paused run past its approval`
}

/** Something that the operator should know: what it is, why it matters, what to do. */
export interface Remark {
  readonly what: string
  readonly why: string
  readonly todo: string
}

/** What an operator should know about a credential. `now` is epoch ms. */
export function remarksOn(token: string, uses: readonly Use[], now: number): readonly Remark[] {
  if (isServiceAccount(token)) return [serviceAccount]
  const claims = claimsIn(token)
  if (claims === null) return []
  const missing = missingScopes(claims, uses)
  return [
    ...(claims.expiresAt === null ? [forever] : []),
    ...(hasExpired(claims, now) ? [expired] : []),
    ...(claims.scopesAreList ? [] : [noList]),
    ...(missing.length === 0 ? [] : [lacking(missing)]),
    ...(claims.subject !== null && isReservedSubject(claims.subject) && claims.subject !== ""
      ? [reserved(claims.subject)]
      : []),
  ]
}

const serviceAccount: Remark = {
  what: "its token is a service account of AgentOS",
  why:
    "unless it is admin it sees only approvals of its own runs, so an empty list says nothing, " +
    "and every resolve is answered 404",
  todo:
    "put Countersign's gate before the instance (docs/how-to/agentos-gate.md), " +
    "or use a JWT with approvals:read and approvals:write (docs/agentos.md)",
}

const forever: Remark = {
  what: "its token has no exp",
  why: "it works for ever if somebody finds it: AgentOS revokes no JWT",
  todo: "make one with exp",
}

const expired: Remark = {
  what: "its token has expired",
  why: "every call is refused: nobody is asked, and no decision arrives",
  todo: "make a new one",
}

const noList: Remark = {
  what: "its token's scopes are no list",
  why: "AgentOS takes them as one scope, which opens nothing",
  todo: 'write "scopes": ["approvals:read", "approvals:write"]',
}

function lacking(missing: readonly string[]): Remark {
  return {
    what: `its token claims no ${missing.join(" and no ")}`,
    why: "an instance that decides by roles does not need it; any other refuses these calls",
    todo: `make one with ${missing.join(" and ")}`,
  }
}

function reserved(subject: string): Remark {
  return {
    what: `its token's subject ${subject} is reserved`,
    why: "AgentOS keeps such subjects for itself and refuses the token",
    todo: "use another subject, or none",
  }
}

/** True for the token of a service account of AgentOS. */
export function isServiceAccount(token: string): boolean {
  return token.startsWith("agno_pat_")
}

/** True if a credential has expired. AgentOS lets clocks differ by 10 s. */
export function hasExpired({ expiresAt }: Claims, now: number): boolean {
  return expiresAt !== null && expiresAt + 10_000 < now
}

/** The scopes that these uses need and the token does not claim. If it claims no scopes at all: none. */
export function missingScopes({ scopes }: Claims, uses: readonly Use[]): readonly string[] {
  if (scopes === null || scopes.some(isAdmin)) return []
  return uses.map((use) => needed[use]).filter((scope) => !scopes.includes(scope))
}

const needed: Readonly<Record<Use, string>> = { read: "approvals:read", resolve: "approvals:write" }

function isAdmin(scope: string): boolean {
  return /^(agent_os|service):admin$/.test(scope)
}

/** The scopes that a JWT claims; null for any other token. */
export function scopesIn(token: string): readonly string[] | null {
  const claims = claimsIn(token)
  return claims === null ? null : (claims.scopes ?? [])
}

/** The claims of a JWT; null for any other token. */
export function claimsIn(token: string): Claims | null {
  const payload = payloadOf(token)
  if (payload === null) return null
  const { sub, scopes, iat, exp, aud, iss } = payload
  const list = Array.isArray(scopes) ? scopes : [scopes]
  return {
    subject: typeof sub === "string" ? sub : null,
    scopes: scopes === undefined ? null : list.filter((scope) => typeof scope === "string"),
    scopesAreList: scopes === undefined || Array.isArray(scopes),
    audience: aud === undefined ? null : [aud].flat().map(String).join(", "),
    issuer: typeof iss === "string" ? iss : null,
    issuedAt: timeIn(iat),
    expiresAt: timeIn(exp),
  }
}

/** Epoch ms of a claim in seconds; null if it is no time, or missing. */
function timeIn(claim: unknown): number | null {
  return typeof claim === "number" && Number.isFinite(claim) ? claim * 1_000 : null
}

function payloadOf(token: string): Readonly<Record<string, unknown>> | null {
  const [, payload, signature] = token.split(".")
  if (payload === undefined || signature === undefined) return null
  try {
    const claims: unknown = JSON.parse(Buffer.from(payload, "base64url").toString("utf8"))
    return isRecord(claims) ? claims : null
  } catch {
    return null // three parts, but no JWT
  }
}
