// Health for whoever runs us: `/healthz` says that the process lives, `/readyz` that it can do its work, and if not, why.
import { Hono } from "hono"

/** One thing that has to be well. `null`: it is; else what is wrong, in words for the operator. */
export interface Probe {
  readonly name: string
  readonly problem: () => Promise<string | null>
}

/** How long one probe may take, in ms; a probe that hangs is a problem too. */
const probeMs = 2_000

/**
 * Serves `GET /healthz` (200 `{"status":"ok"}` while the process answers) and `GET /readyz` (200, or 503 with the problem of each probe
 * that failed). Neither asks for a credential, and neither tells a secret.
 */
export function createHealthApp(probes: readonly Probe[]): Hono {
  const app = new Hono()
  app.get("/healthz", (context) => context.json({ status: "ok" }))
  app.get("/readyz", async (context) => {
    const found = await Promise.all(probes.map(async (probe) => [probe.name, await ask(probe)] as const))
    const problems = Object.fromEntries(found.filter(([, problem]) => problem !== null))
    const ready = Object.keys(problems).length === 0
    return context.json(ready ? { status: "ready" } : { status: "not ready", problems }, ready ? 200 : 503)
  })
  return app
}

async function ask(probe: Probe): Promise<string | null> {
  const late = Promise.withResolvers<string>()
  const timer = setTimeout(() => late.resolve(`no answer within ${probeMs} ms`), probeMs)
  try {
    return await Promise.race([probe.problem(), late.promise])
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  } finally {
    clearTimeout(timer)
  }
}
