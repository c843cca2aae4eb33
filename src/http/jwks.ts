// The public keys that receipts and checkpoints are verified with, for whoever wants to (RFC 7517).
import type { Hono } from "hono"
import type { Log } from "../log.ts"

/** Serves `GET /.well-known/jwks.json` without a credential; 503 while the keys cannot be read. */
export function serveKeys(
  app: Hono,
  from: { readonly read: () => Promise<readonly object[]>; readonly log: Log },
): void {
  app.get("/.well-known/jwks.json", async (context) => {
    try {
      const keys = await from.read()
      const headers = { "content-type": "application/jwk-set+json", "cache-control": "public, max-age=300" }
      return context.body(JSON.stringify({ keys }), 200, headers)
    } catch (error) {
      from.log.warn("keys-unreadable", { error })
      return context.json({ error: "the keys cannot be read now" }, 503)
    }
  })
}
