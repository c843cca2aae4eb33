// Serves what operators and their programs ask: `/metrics` and `/status`, where the config lets them be reached.
import type { Hono } from "hono"
import { lacksMetricsToken } from "../config.ts"
import { serveMetrics, serveStatus } from "../http/operators.ts"
import type { Probe } from "../http/probe.ts"
import type { ProcessMeter } from "../measure/meter.ts"
import { createScrape } from "../measure/metrics.ts"
import type { Parts } from "./modules.ts"
import type { BotOptions } from "./options.ts"

/** What is told. */
interface Told extends Pick<Parts, "store"> {
  readonly meter: ProcessMeter
  readonly probes: () => readonly Probe[]
}

/** Serves both, as the config says; the log says where it does not for want of a token. */
export function serveOperatorRoutes(app: Hono, { config, clock, log }: BotOptions, told: Told): void {
  if (lacksMetricsToken(config)) {
    log.warn("metrics-not-served", { todo: "in HTTP mode set http.metrics_token, or http.metrics: off" })
    return
  }
  const { meter, store, probes } = told
  const { reading } = store
  const obstacle = () => store.config.obstacle()
  const standing = () => store.caseFreshness.standing()
  const revision = () => store.config.active()?.revision ?? null
  const read = createScrape(meter.metrics, { reading, obstacle, standing, revision, clock, log })
  serveMetrics(app, { read, ...config.http.metrics })
  serveStatus(app, { probes, ...config.http.metrics })
}
