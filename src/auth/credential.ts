// Reads the bearer credential of a request and tells its two kinds apart (specification 5.1).
import { isServiceAccountToken } from "./service-account-token.ts"

/** What stands in an Authorization header. */
export type Credential =
  | { readonly kind: "missing" }
  | { readonly kind: "jwt"; readonly token: string }
  | { readonly kind: "service_account"; readonly token: string }

/** Reads an Authorization header: `Bearer <token>` in any case, or the bare token. Says nothing about its worth. */
export function readCredential(header: string | undefined): Credential {
  if (header === undefined) return { kind: "missing" }
  const token = header.replace(/^bearer(\s+|$)/i, "").trim()
  return isServiceAccountToken(token) ? { kind: "service_account", token } : { kind: "jwt", token }
}
