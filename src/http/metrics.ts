// Metrics for Prometheus.
import type { Hono } from "hono"
import { type OperatorAccess, serveOperators } from "./operators.ts"

/** What serving takes. */
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
