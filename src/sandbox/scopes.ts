// The scopes that the app's bot token has.

/** All scopes that Countersign's manifest asks for, the optional ones included. */
export const DEFAULT_SCOPES: readonly string[] = [
  "chat:write",
  "commands",
  "users:read",
  "users:read.email",
  "usergroups:read",
  "channels:read",
  "groups:read",
  "im:read",
  "channels:history",
  "groups:history",
  "im:history",
  "im:write",
]
