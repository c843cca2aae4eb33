// The credential that an upstream gets from us: what is wrong with it before it is sent, and whether a 403 refuses it.
import type { Dispatcher } from "undici"
import { decodeToken } from "../../auth/token-claims.ts"

/** All that asking and deciding needs at an upstream. */
const needed = ["approvals:read", "approvals:write"]

/** How long before its end a token is spoken of. */
const soonMs = 7 * 86_400_000

/**
 * What an operator should know of a token that goes to an upstream with all routes; empty if it is a JWT that only
 * reads and resolves approvals, has no subject and lives on. `now` is epoch ms.
 */
export function remarksOnUpstream(token: string, now: number): readonly string[] {
  if (token.startsWith("agno_pat_")) return [ofAccount]
  const decoded = decodeToken(token)
  if (decoded === null) return []
  const { claims, scopes } = decoded
  const admin = scopes.find(isAdmin)
  const missing = needed.filter((scope) => !scopes.includes(scope))
  const run = scopes.includes("approvals:write") ? scopes.find((scope) => /^\w+(:[^:]+)?:run$/.test(scope)) : undefined
  return [
    ...(typeof claims.sub === "string" ? [`has the subject ${claims.sub}, ${ofSubject}`] : []),
    ...(admin === undefined ? missing.map((scope) => `claims no ${scope}: the upstream refuses what needs it`) : []),
    ...(admin === undefined ? [] : [`holds ${admin}, which is more than asking and deciding need`]),
    ...(run === undefined ? [] : [`holds approvals:write and ${run}: ${ofPair}`]),
    ...endOf(claims.exp, now),
  ]
}

function isAdmin(scope: string): boolean {
  return /^(agent_os|service):admin$/.test(scope)
}

const ofAccount = "is a service account of AgentOS: unless it is admin it sees only approvals of its own runs"
const ofPair = "to AgentOS whoever continues a run with both needs no approval"
const ofSubject = "which AgentOS writes into resolved_by in place of the human"

function endOf(exp: unknown, now: number): readonly string[] {
  if (typeof exp !== "number" || !Number.isFinite(exp)) return ["has no exp: whoever finds it can use it for ever"]
  const end = new Date(Math.min(exp * 1_000, 8.64e15)).toISOString()
  if (exp * 1_000 < now) return [`has expired at ${end}: the upstream refuses everything`]
  return exp * 1_000 - now < soonMs ? [`expires at ${end}: put another in its place before that`] : []
}

/** How an Agent Platform Service refuses a credential; its other 403s are about what was asked for. */
const credentialRefused =
  /^(Insufficient permissions|Authenticated request is missing a user identity|User is disabled)/

/** Above this many bytes an answer is no such refusal, and is passed on as it comes. */
const maxRefusalBytes = 16_384

/** True for an answer that says it is short enough to be read before it is passed on. */
export function isShort({ headers }: Pick<Dispatcher.ResponseData, "headers">): boolean {
  const length = headers["content-length"]
  return typeof length === "string" && Number(length) <= maxRefusalBytes
}

/** What to tell the caller, who passed our gate, if this 403 refuses the credential that went on; else null. */
export function refusalOf(token: string, text: string): string | null {
  const detail = detailIn(text)
  if (!credentialRefused.test(detail)) return null
  const told = `The upstream refused the credential of this service (403: ${detail}). Check upstream_token.`
  return isClaimed(token, detail) ? `${told} It claims that scope: where roles decide, its subject needs one.` : told
}

/** AgentOS since 3.1 names a scope that the token has, if it goes by roles (`docs/platform-facts.md` 1.3). */
function isClaimed(token: string, detail: string): boolean {
  const [, named] = /Required scope\(s\): (.+)$/.exec(detail) ?? []
  const held = decodeToken(token)?.scopes ?? []
  if (named === undefined) return false
  return held.some(isAdmin) || named.split(", ").every((scope) => held.includes(scope))
}

function detailIn(text: string): string {
  try {
    const body: unknown = JSON.parse(text)
    const detail = typeof body === "object" && body !== null && "detail" in body ? body.detail : undefined
    return typeof detail === "string" ? detail : ""
  } catch {
    return "" // a page, which is not the platform's
  }
}
