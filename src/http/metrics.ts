// Metrics for Prometheus: for programs on this machine, or for whoever has the token.
import { createHash, timingSafeEqual } from "node:crypto"
import type { Hono } from "hono"
import { isLocal } from "./local.ts"

/** What serving takes. */
export interface MetricsOptions {
  /** The text, in Prometheus' format. */
  readonly read: () => Promise<string>
  readonly reachable: "loopback" | "anywhere" | "off"
  /** Whoever asks must bear it; undefined: nobody needs to. */
  readonly token: string | undefined
}

/** https://prometheus.io/docs/instrumenting/exposition_formats/ */
const contentType = "text/plain; version=0.0.4; charset=utf-8"

/** Serves `GET /metrics`: 401 without the token if there is one, 403 from another machine unless `anywhere`; nothing when `off`. */
export function serveMetrics(app: Hono, { read, reachable, token }: MetricsOptions): void {
  if (reachable === "off") return
  app.get("/metrics", async (context) => {
    if (reachable === "loopback" && !isLocal(context))
      return context.json({ detail: "Only programs on this machine may ask; http.metrics: anywhere opens it" }, 403)
    if (token !== undefined && !bears(context.req.header("authorization"), token))
      return context.json({ detail: "The metrics token is missing or wrong" }, 401, { "www-authenticate": "Bearer" })
    return context.body(await read(), 200, { "content-type": contentType, "cache-control": "no-store" })
  })
}

/** Compared by their hashes, so that time tells nothing of the token. */
function bears(header: string | undefined, token: string): boolean {
  const hash = (text: string) => createHash("sha256").update(text).digest()
  return timingSafeEqual(hash(header ?? ""), hash(`Bearer ${token}`))
}
