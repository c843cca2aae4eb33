// Which scope each served route needs, as data (specification 4.1 to 4.3).

/**
 * "METHOD /path" to the scopes that a caller needs, all of them; `*` is one segment. The keys have the form of scope mappings
 * (specification 5.5), so that a mapping is a spread over this table. An empty list: any authenticated caller.
 */
export type RouteTable = Readonly<Record<string, readonly string[]>>

/** Routes that answer without a credential. */
export const publicRoutes: readonly string[] = ["GET /health", "GET /info"]

/** Approvals: 4.1, 4.2, and the operator's own route that asks for one; its scope never implies resolving. */
const approvalRoutes: RouteTable = {
  "GET /approvals": ["approvals:read"],
  "GET /approvals/count": ["approvals:read"],
  "GET /approvals/*": ["approvals:read"],
  "GET /approvals/*/status": ["approvals:read"],
  "POST /approvals": ["approvals:create"],
  "POST /approvals/*/resolve": ["approvals:write"],
  "DELETE /approvals/*": ["approvals:delete"],
}

/** Service accounts: 4.3. */
const serviceAccountRoutes: RouteTable = {
  "GET /service-accounts": ["service_accounts:read"],
  "POST /service-accounts": ["service_accounts:write"],
  "DELETE /service-accounts/*": ["service_accounts:delete"],
}

/** Agents and their runs: 4.3. Reading a run is not in the specification; the real service wants both scopes for it. */
const agentRoutes: RouteTable = {
  "GET /agents": ["agents:read"],
  "GET /agents/*": ["agents:read"],
  "POST /agents/*/runs": ["agents:run"],
  "GET /agents/*/runs/*": ["agents:read", "agents:run"],
  "POST /agents/*/runs/*/continue": ["agents:run"],
  "POST /agents/*/runs/*/cancel": ["agents:run"],
}

/** Every route that is served and needs a credential. */
export const servedRoutes: RouteTable = { ...approvalRoutes, ...serviceAccountRoutes, ...agentRoutes }
