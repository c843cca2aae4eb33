// The credential that an upstream gets from us: what is wrong with it, and whether a 403 refuses it.
import type { Dispatcher } from "undici"
import { decodeToken } from "../../auth/token-claims.ts"

/** All scopes that asking and deciding need at an upstream. */
const needed = ["approvals:read", "approvals:write"]

/** How long before its end we warn that a token expires. */
const soonMs = 7 * 86_400_000

/**
 * What an operator should know of a token that goes to an upstream with all routes. Nothing if it is a JWT that only
 * reads and resolves approvals, has no subject and does not end soon. `now` is epoch ms.
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

/** How an Agent Platform Service refuses a credential. Its other 403s are about what was asked for. */
const credentialRefused =
  /^(Insufficient permissions|Authenticated request is missing a user identity|User is disabled)/

/** An answer with more bytes than this is no such refusal: we pass it on as it comes. */
const maxRefusalBytes = 16_384

/** True if an answer says that it is short enough to be read before we pass it on. */
export function isShort({ headers }: Pick<Dispatcher.ResponseData, "headers">): boolean {
  const length = headers["content-length"]
  return typeof length === "string" && Number(length) <= maxRefusalBytes
}

/** The words for the caller, who passed our gate, if this 403 refuses the credential that we sent. Else null. */
export function refusalOf(token: string, text: string): string | null {
  const detail = detailIn(text)
  if (!credentialRefused.test(detail)) return null
  const told = `The upstream refused the credential of this service (403: ${detail}). Check upstream_token.`
  return isClaimed(token, detail) ? `${told} It claims that scope: where roles decide, its subject needs one.` : told
}

/** True if AgentOS names scopes that the token has: from 3.1 on, if roles decide (`docs/platform-facts.md` 1.3). */
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
    return "" // a page that the platform did not make
  }
}
