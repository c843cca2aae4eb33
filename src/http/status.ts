// Status for operators: everything that this replica cannot reach or may not do, in words.
import type { Hono } from "hono"
import { type OperatorAccess, serveOperators } from "./operators.ts"
import { type Probe, problemsOf } from "./probe.ts"

/** What serving takes. */
export interface StatusOptions extends OperatorAccess {
  /** What has to be well at the moment. */
  readonly probes: () => readonly Probe[]
}

/** Serves `GET /status` to those who may ask: 200 `{"status":"ok"}`, or 503 with the problem of each probe that failed. */
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
