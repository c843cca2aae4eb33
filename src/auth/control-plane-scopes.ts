// The scopes that the control plane enforces (specification 5.4).

/** Known names that a token may carry and that open nothing here. */
export const controlPlaneScopes: ReadonlySet<string> = new Set([
  "os:read",
  "os:write",
  "os:delete",
  "org:read",
  "org:write",
  "org:delete",
  "org:members:read",
  "org:members:write",
  "org:roles:read",
  "org:roles:write",
  "org:roles:delete",
  "billing:read",
  "billing:write",
])
