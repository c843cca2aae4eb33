// Finds out who sent a request (specification 5.1, 5.2).
import type { DatabaseSync } from "node:sqlite"
import { anonymous, type Caller } from "../auth/caller.ts"
import { readCredential } from "../auth/credential.ts"
import { hashServiceAccountToken } from "../auth/service-account-token.ts"
import type { TokenVerifier } from "../auth/verify-token.ts"
import { findAccountByHash, touchAccount } from "./service-account-store.ts"

/** Who it is, or the text of the 401. */
export type Identity = { readonly ok: true; readonly caller: Caller } | { readonly ok: false; readonly reason: string }

/** What is needed to tell. `authMode` `none` lets anybody in; a bad service account token is refused even then. */
export type AuthenticateOptions = {
  readonly database: DatabaseSync
  readonly verify: TokenVerifier
  readonly authMode: "jwt" | "none"
  /** Now, in epoch milliseconds. */
  readonly clock: () => number
}

/** Makes the function that reads an Authorization header. */
export function createAuthenticate(options: AuthenticateOptions): (header: string | undefined) => Promise<Identity> {
  return async (header) => {
    const credential = readCredential(header)
    switch (credential.kind) {
      case "service_account":
        return findServiceAccount(options, credential.token)
      case "missing":
        return options.authMode === "none" ? open : { ok: false, reason: "Authorization header missing" }
      case "jwt": {
        if (options.authMode === "none") return open
        const verdict = await options.verify(credential.token)
        return verdict.ok ? { ok: true, caller: { kind: "jwt", ...verdict.claims } } : verdict
      }
    }
  }
}

const open: Identity = { ok: true, caller: anonymous }

function findServiceAccount(options: AuthenticateOptions, token: string): Identity {
  const now = Math.floor(options.clock() / 1000)
  const account = findAccountByHash(options.database, hashServiceAccountToken(token), now)
  if (account === null) return { ok: false, reason: "Invalid or expired service account token" }
  touchAccount(options.database, account, now)
  return { ok: true, caller: { kind: "service_account", subject: `sa:${account.name}`, scopes: account.scopes } }
}
