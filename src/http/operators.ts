// Serves `/metrics` and `/status` to operators and their programs: those on this machine, and whoever has the token.
import { createHash, timingSafeEqual } from "node:crypto"
import type { Context, Hono } from "hono"
import { isLocal } from "./local.ts"
import { type Probe, problemsOf } from "./probe.ts"

interface OperatorAccess {
  readonly reachable: "loopback" | "anywhere" | "off"
  /** The token that a request must carry; undefined: it needs none. */
  readonly token: string | undefined
}

interface OperatorRoute extends OperatorAccess {
  readonly path: string
  readonly answer: (context: Context) => Promise<Response>
}

/** Serves `GET path`: 401 without the token, 403 from another machine unless `anywhere`; nothing if `off`. */
function serveOperators(app: Hono, { path, reachable, token, answer }: OperatorRoute): void {
  if (reachable === "off") return
  app.get(path, async (context) => {
    if (reachable === "loopback" && !isLocal(context))
      return context.json({ detail: "Only programs on this machine may ask; http.metrics: anywhere opens it" }, 403)
    if (token !== undefined && !bears(context.req.header("authorization"), token))
      return context.json({ detail: "The metrics token is missing or wrong" }, 401, { "www-authenticate": "Bearer" })
    return answer(context)
  })
}

/** Compares hashes, so that the time that it takes reveals nothing of the token. */
function bears(header: string | undefined, token: string): boolean {
  const hash = (text: string) => createHash("sha256").update(text).digest()
  return timingSafeEqual(hash(header ?? ""), hash(`Bearer ${token}`))
}

/** What `serveMetrics` needs. */
export interface MetricsOptions extends OperatorAccess {
  /** The text, in Prometheus' format. */
  readonly read: () => Promise<string>
}

/** https://prometheus.io/docs/instrumenting/exposition_formats/ */
const contentType = "text/plain; version=0.0.4; charset=utf-8"

/** Serves `GET /metrics` to those who may ask. */
export function serveMetrics(app: Hono, { read, ...access }: MetricsOptions): void {
  serveOperators(app, {
    ...access,
    path: "/metrics",
    answer: async (context) =>
      context.body(await read(), 200, { "content-type": contentType, "cache-control": "no-store" }),
  })
}

/** What `serveStatus` needs. */
export interface StatusOptions extends OperatorAccess {
  /** The probes that have to be well now. */
  readonly probes: () => readonly Probe[]
}

/** Serves `GET /status` to those who may ask: 200 `{"status":"ok"}`, or 503 with the problem of each failed probe. */
export function serveStatus(app: Hono, { probes, ...access }: StatusOptions): void {
  serveOperators(app, {
    ...access,
    path: "/status",
    answer: async (context) => {
      const problems = await problemsOf(probes())
      const well = Object.keys(problems).length === 0
      return context.json(well ? { status: "ok" } : { status: "not ok", problems }, well ? 200 : 503, {
        "cache-control": "no-store",
      })
    },
  })
}
