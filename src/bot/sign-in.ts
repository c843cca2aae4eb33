// Opens the company's provider for the page's sign-in, as the config names it.
import { readFileSync } from "node:fs"
import { clientSecretIn, type SignInConfig } from "../config/parts/http.ts"
import { callbackPath } from "../http/sign-in/company-sessions.ts"
import { createProvider, type Provider } from "../http/sign-in/provider.ts"
import type { Log } from "../log.ts"
import { openFetchThrough } from "../outgoing/dispatcher.ts"
import type { Closer } from "../repeat.ts"

/** Opens the provider, and gives back what ends its connections. Nothing is asked before it is needed. */
export function openProvider(
  signIn: SignInConfig,
  { clock, log }: { readonly clock: () => number; readonly log: Pick<Log, "hide"> },
): { readonly provider: Provider; readonly close: Closer } {
  const { fetch, close } = openFetchThrough(signIn.way)
  const { issuer, clientId, scopes, groupsClaim } = signIn
  const provider = createProvider({
    issuer,
    clientId,
    clientSecret: () => presentSecret(signIn.clientSecret, log),
    callback: `${signIn.publicUrl}${callbackPath}`,
    scopes,
    groupsClaim,
    fetch,
    clock,
  })
  return { provider, close }
}

/** The client's secret as it is now. Throws if its file holds none any more. */
function presentSecret(from: SignInConfig["clientSecret"], log: Pick<Log, "hide">): string {
  if (from.kind === "given") return from.value
  const read = clientSecretIn(readFileSync(from.path, "utf8"))
  if (!read.ok) throw new Error(`http.sign_in.client_secret_file ${from.path} ${read.why}`)
  log.hide(read.secret)
  return read.secret
}
