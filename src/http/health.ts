// Health for whoever runs us: `/healthz` says that the process lives, `/readyz` that it can take and keep what people press.
import { Hono } from "hono"
import { type Probe, problemsOf } from "./probe.ts"

/**
 * Serves `GET /healthz` (200 `{"status":"ok"}` while the process answers) and `GET /readyz` (200, or 503 with the problem of each probe
 * that failed). Neither asks for a credential, and neither tells a secret.
 */
export function createHealthApp(probes: readonly Probe[]): Hono {
  const app = new Hono()
  app.get("/healthz", (context) => context.json({ status: "ok" }))
  app.get("/readyz", async (context) => {
    const problems = await problemsOf(probes)
    const ready = Object.keys(problems).length === 0
    return context.json(ready ? { status: "ready" } : { status: "not ready", problems }, ready ? 200 : 503)
  })
  return app
}
