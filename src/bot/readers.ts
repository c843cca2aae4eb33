// Lets programs and people read cases and ledger: the read API and its page, where the config has keys for them.
import type { Hono } from "hono"
import { createTokenVerifier } from "../auth/verify-token.ts"
import type { Place } from "../domain/case/case.ts"
import type { JsonObject } from "../domain/content/json.ts"
import { type PageOptions, servePage } from "../http/page/serve.ts"
import { type ReceiptVerdict, serveReading } from "../http/reading/api.ts"
import { ProofError } from "../proof/errors.ts"
import { verifyReceipt } from "../proof/receipt.ts"
import { readKeySet } from "../proof/signed.ts"
import type { Store } from "../store/store.ts"
import type { BotOptions } from "./options.ts"

/** Serves both on `app`; nothing without `http.read` in the config. Throws `AuthSetupError` for unusable keys. */
export function serveReaders(
  app: Hono,
  { config, clock, log }: BotOptions,
  from: { readonly store: Store; readonly workspaceUrl: string | null },
): void {
  const { read } = config.http
  if (read === undefined) return
  const { store, workspaceUrl } = from
  const { algorithm, verificationKeys, jwksFile, audience, issuer, requireExp, reachable } = read
  const verify = createTokenVerifier({
    algorithm,
    verificationKeys,
    audience,
    requireExp,
    ...(jwksFile === undefined ? {} : { jwksFile }),
    ...(issuer === undefined ? {} : { issuer }),
    clock,
    onKeyProblem: (error) => log.error("read-keys-unusable", { error }),
  })
  const options: PageOptions = {
    installation: config.installation,
    verify,
    reachable,
    clock,
    log,
    reading: store.reading,
    verifyReceipt: (receipt, decision) => judgeReceipt(store, receipt, decision),
    cardLink: (place) => linkTo(workspaceUrl, place),
  }
  serveReading(app, options)
  servePage(app, options)
}

/** A receipt that holds, but for another decision, proves nothing about this one. */
async function judgeReceipt(store: Store, receipt: string, decision: string): Promise<ReceiptVerdict> {
  const keys = readKeySet(JSON.stringify({ keys: await store.signingKeys.read() }), "the key set in Redis")
  try {
    const { kid, claims } = await verifyReceipt(receipt, keys)
    const told: JsonObject = claims
    if (claims.decision !== decision) return { ok: false, why: "this is the receipt of another decision" }
    return { ok: true, kid, claims: told }
  } catch (error) {
    if (!(error instanceof ProofError)) throw error
    return { ok: false, why: error.message }
  }
}

/** Slack's own form of a link to a message (chat.getPermalink), made without asking. */
function linkTo(workspaceUrl: string | null, { channel, ts }: Place): string | null {
  if (workspaceUrl === null) return null
  const path = `archives/${encodeURIComponent(channel)}/p${ts.replace(".", "")}`
  return URL.parse(path, workspaceUrl)?.href ?? null
}
