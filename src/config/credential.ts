// What a credential says of itself before it is ever sent: a service account's token, or the claims of a JWT. Nothing is verified here.

/** Why a credential must not be used, or null: who may resolve and run can push a paused run past its gate (`facts/agentos.md` 2.4). */
export function riskOf(token: string): string | null {
  const scopes = scopesIn(token) ?? []
  const admin = scopes.find((scope) => /^(agent_os|service):admin$/.test(scope))
  if (admin !== undefined)
    return `holds ${admin}: it may resolve and run, so it could push a paused run past its approval`
  const run = scopes.find((scope) => /^(agents|teams|workflows)(:[^:]+)?:run$/.test(scope))
  if (run === undefined || !scopes.includes("approvals:write")) return null
  return `holds approvals:write and ${run}: together they could push a paused run past its approval`
}

/** What of a credential works but deserves a word, in words. */
export function remarksOn(token: string): readonly string[] {
  if (token.startsWith("agno_pat_")) {
    return [
      "its token is a service account of AgentOS: unless it is admin it sees only approvals of its own runs, so an empty list says nothing, and every resolve is answered 404. Use a JWT with approvals:read and approvals:write (docs/agentos.md)",
    ]
  }
  const claims = claimsIn(token)
  if (claims === null) return []
  return [
    ...("exp" in claims ? [] : ["its token has no exp, so it works for ever if somebody finds it"]),
    ...("scopes" in claims && !Array.isArray(claims["scopes"])
      ? ["its token's scopes are no list: AgentOS takes them as one scope"]
      : []),
  ]
}

/** The scopes that a JWT claims; null for any other token. */
export function scopesIn(token: string): readonly string[] | null {
  const claims = claimsIn(token)
  if (claims === null) return null
  const { scopes = [] } = claims
  return (Array.isArray(scopes) ? scopes : [scopes]).filter((scope) => typeof scope === "string")
}

/** The payload of a JWT; null for any other token. */
function claimsIn(token: string): Readonly<Record<string, unknown>> | null {
  const [, payload, signature] = token.split(".")
  if (payload === undefined || signature === undefined) return null
  try {
    const claims: unknown = JSON.parse(Buffer.from(payload, "base64url").toString("utf8"))
    return isRecord(claims) ? claims : null
  } catch {
    return null // three parts, but no JWT
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}
