// The doctor on credentials, offline: what a JWT says about itself (`docs/platform-facts.md` 7, probe 0).
import {
  type Claims,
  claimsIn,
  hasExpired,
  isServiceAccount,
  missingScopes,
  type Use,
} from "../../../config/parts/credential.ts"
import type { Config } from "../../../config.ts"
import { isReservedSubject } from "../../../domain/people/delegated.ts"
import { createDelegate } from "../../../platform/delegate.ts"
import type { ProbeAnswer } from "../../../platform/probe.ts"
import type { Finding, Notes } from "../finding.ts"
import { adminOnly } from "../remedy.ts"
import type { InstanceTraits } from "./platform-info.ts"

/** A credential, and what it is used for. */
export interface CheckedCredential {
  /** Undefined: we send none. */
  readonly token: string | undefined
  readonly uses: readonly Use[]
  /** The credential's key in the config. Default: `token`. */
  readonly key?: "token" | "resolve_token" | "resume_token"
}

/** What is wrong with a token, whatever the instance says about it. `now`: epoch ms by the instance's own clock. */
export function judgeToken(
  notes: Notes,
  { token, uses, key = "token" }: CheckedCredential,
  now: number,
): readonly Finding[] {
  const claims = token === undefined || isServiceAccount(token) ? null : claimsIn(token)
  if (claims === null) return []
  const findings = [...judgeTimes(notes, claims, { key, now }), ...judgeShape(notes, claims, key)]
  if (uses.length === 0 || missingScopes(claims, uses).length > 0 || findings.length > 0) return findings
  return [
    notes.ok(`its ${key} claims what it needs${claims.expiresAt === null ? "" : `, until ${day(claims.expiresAt)}`}`),
  ]
}

/** True for a token that no instance will ever take again. */
export function isSpent({ token }: CheckedCredential, now: number): boolean {
  const claims = token === undefined ? null : claimsIn(token)
  return claims !== null && hasExpired(claims, now)
}

/** How long before its end we mention a token, in ms. */
const soonMs = 7 * 86_400_000

type Key = NonNullable<CheckedCredential["key"]>

/** What stops when each credential ends. */
const ends: Readonly<Record<Key, string>> = {
  token: "when it ends nobody is asked any more, and no decision arrives",
  resolve_token: "when it ends no decision arrives",
  resume_token: "when it ends no decided run is continued",
}

const scopesOf: Readonly<Record<Key, string>> = {
  token: '"approvals:read", "approvals:write"',
  resolve_token: '"approvals:write"',
  resume_token: '"agents:run", "agents:read", "teams:run", "teams:read", "sessions:read"',
}

function judgeTimes(
  notes: Notes,
  claims: Claims,
  { key, now }: { readonly key: Key; readonly now: number },
): readonly Finding[] {
  const { expiresAt, issuedAt } = claims
  const why = ends[key]
  if (hasExpired(claims, now))
    return [notes.fail({ what: `its ${key} has expired at ${moment(expiresAt)}`, why, todo: "make a new one" })]
  const early = issuedAt !== null && issuedAt > now + 10_000
  return [
    ...(early
      ? [
          notes.fail({
            what: `its ${key} was issued at ${moment(issuedAt)}, which has not come yet`,
            why: "the platform refuses a token from the future",
            todo: "compare the clocks of the platform and of who made the token; date iat back by some seconds",
          }),
        ]
      : []),
    ...(expiresAt === null ? [notes.warn({ what: `its ${key} has no exp`, ...forever })] : []),
    ...(expiresAt !== null && expiresAt - now < soonMs
      ? [notes.warn({ what: `its ${key} expires at ${moment(expiresAt)}`, why, todo: "make a new one in time" })]
      : []),
  ]
}

const forever = { why: "whoever finds it can use it for ever: AgentOS revokes no JWT", todo: "make one with exp" }

function judgeShape(notes: Notes, { subject, scopesAreList }: Claims, key: Key): readonly Finding[] {
  const reserved = subject !== null && subject !== "" && isReservedSubject(subject)
  return [
    ...(scopesAreList
      ? []
      : [
          notes.fail({
            what: `its ${key}'s scopes are a text and no list`,
            why: "AgentOS takes a text as one single scope, which opens nothing",
            todo: `write "scopes": [${scopesOf[key]}]`,
          }),
        ]),
    ...(reserved
      ? [
          notes.fail({
            what: `its ${key}'s subject ${subject} is reserved`,
            why: "AgentOS keeps sa:…, __oauth__:… and __scheduler__ for itself and refuses them in a JWT",
            todo: "use another subject, or none",
          }),
        ]
      : []),
  ]
}

/**
 * Tells what Countersign's gate says about its own credential. If the gate stands before the instance, it sends that
 * credential in place of ours, and we never see it.
 */
export function judgeUpstream(
  notes: Notes,
  asked: ProbeAnswer,
  { isolated }: Pick<InstanceTraits, "isolated">,
): readonly Finding[] {
  const remarks = asked.kind === "answer" && asked.ofUpstream !== null ? remarksIn(asked.ofUpstream) : null
  if (remarks === null) return []
  if (remarks.length === 0)
    return [notes.ok("Countersign's gate stands before it, with a credential that is as it should be")]
  const isAdmin = remarks.some((remark) => remark.startsWith("holds") && remark.includes(":admin"))
  return remarks.map((remark) => {
    const found = { what: `Countersign's gate stands before it, and its upstream_token ${remark}`, ...ofGate }
    if (remark.startsWith("is a service account")) return notes.fail(found)
    // Under isolation, AgentOS shows only this subject's own rows.
    const isBlind = isolated && !isAdmin && remark.startsWith("has the subject")
    return isBlind ? notes.fail({ ...found, todo: adminOnly }) : notes.warn(found)
  })
}

const ofGate = {
  why: "the gate sends it in place of Countersign's own, so it decides what can be seen, resolved and recorded",
  todo: "sign another JWT without a subject, with exp, approvals:read and approvals:write: docs/how-to/agentos-gate.md",
}

/** True if Countersign's gate answered the count of approvals: it stands before the instance. */
export function isOurGate(asked: ProbeAnswer): boolean {
  return asked.kind === "answer" && asked.ofUpstream !== null && remarksIn(asked.ofUpstream) !== null
}

/** The remarks in a header of our gate; null if no gate of ours wrote it. */
function remarksIn(header: string): readonly string[] | null {
  try {
    const remarks: unknown = JSON.parse(decodeURIComponent(header))
    return Array.isArray(remarks) ? remarks.filter((remark) => typeof remark === "string") : null
  } catch {
    return null
  }
}

function moment(at: number | null): string {
  return at === null ? "an unknown time" : `${new Date(at).toISOString().slice(0, 19)}Z`
}

function day(at: number): string {
  return new Date(at).toISOString().slice(0, 10)
}

/** The credential that resolves, or why there is none. `own`: it differs from the one that reads. */
export type Resolver =
  | {
      readonly kind: "fixed" | "delegated"
      readonly token: string | undefined
      readonly own: boolean
      readonly findings: readonly Finding[]
    }
  | { readonly kind: "none"; readonly findings: readonly Finding[] }

/** Nobody has this subject, so the instance's answer about it concerns no person. */
const nobodysDecision = { subject: "countersign-doctor", decision: "countersign-doctor" }

/** Finds the credential for resolves. If it is a delegated one, we sign it now. */
export async function resolverOf(
  { token, resolving }: Pick<Config["instances"][number], "token" | "resolving">,
  { notes, clock }: { readonly notes: Notes; readonly clock: () => number },
): Promise<Resolver> {
  switch (resolving.kind) {
    case "same":
      return { kind: "fixed", token, own: false, findings: [] }
    case "token":
      return {
        kind: "fixed",
        token: resolving.token,
        own: true,
        findings: judgeToken(notes, { token: resolving.token, uses: ["resolve"], key: "resolve_token" }, clock()),
      }
    case "delegated": {
      const minted = await createDelegate({ ...resolving, clock }).mint(nobodysDecision)
      if (minted.ok) return { kind: "delegated", token: minted.token, own: true, findings: [] }
      const why = "no decision can be signed, so none arrives"
      const todo = "check delegated.key or delegated.key_file; a new file counts without a restart"
      return { kind: "none", findings: [notes.fail({ what: minted.why, why, todo })] }
    }
  }
}
