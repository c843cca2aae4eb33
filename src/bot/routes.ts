// What the bot serves besides health: what people need to verify our signatures and, if the config says so, `/metrics`
// and `/status`, the read API and its page.
import type { Hono } from "hono"
import { createTokenVerifier } from "../auth/verify-token.ts"
import { lacksMetricsToken } from "../config.ts"
import { noOrders, type Orders } from "../domain/order/orders.ts"
import type { Stop } from "../domain/order/stop.ts"
import { countUnder } from "../flow/order/under.ts"
import type { StopDone } from "../flow/ports.ts"
import { serveMetrics, serveStatus } from "../http/operators.ts"
import { serveStops, stopOperation } from "../http/orders/serve-stops.ts"
import { type PageOptions, servePage } from "../http/page/serve.ts"
import type { Probe } from "../http/probe.ts"
import { serveReading } from "../http/reading/api.ts"
import { serveEndedList, serveKeys } from "../http/server.ts"
import type { ProcessMeter } from "../measure/meter.ts"
import { createScrape } from "../measure/metrics.ts"
import { createEndedList, endedListPath } from "../proof/ended-list.ts"
import { type Closer, repeat } from "../repeat.ts"
import type { Store } from "../store/store.ts"
import { judgeReceipt } from "./kept-receipts.ts"
import type { Parts } from "./modules.ts"
import type { BotOptions } from "./options.ts"
import { createSlackWords, type SlackTold } from "./slack-words.ts"

/** What the operator's routes tell of. */
interface Told extends Pick<Parts, "store"> {
  readonly meter: ProcessMeter
  /** Why this replica decides nothing; null if it decides. */
  readonly obstacle: () => Promise<string | null>
  readonly probes: () => readonly Probe[]
}

/** Serves `/metrics` and `/status` if the config says so. If there is no token, the log says that both are missing. */
export function serveOperatorRoutes(app: Hono, { config, clock, log }: BotOptions, told: Told): void {
  if (lacksMetricsToken(config)) {
    log.warn("metrics-not-served", { todo: "in HTTP mode set http.metrics_token, or http.metrics: off" })
    return
  }
  const { meter, store, obstacle, probes } = told
  const { reading, probeWrites } = store
  const standing = () => store.caseFreshness.standing()
  const revision = () => store.config.active()?.revision ?? null
  const stops = () => store.config.active()?.orders.stops.length ?? 0
  const read = createScrape(meter.metrics, { reading, probeWrites, obstacle, standing, stops, revision, clock, log })
  serveMetrics(app, { read, ...config.http.metrics })
  serveStatus(app, { probes, ...config.http.metrics })
}

/** How often we look whether other orders are in force, in ms. */
const lookMs = 1_000

/**
 * Serves what others verify with: the public keys, and the signed list of decisions by which nothing may run. After a
 * stop it makes the list at once, because a gate waits two seconds for one, and reading many cases may take longer.
 */
export function serveProof(app: Hono, { config, signer, clock, log }: BotOptions, store: Store): Closer {
  serveKeys(app, { read: () => store.signingKeys.read(), log })
  const { installation, slack } = config
  const { sandbox } = slack
  const todo = "find out why so many verdicts are refused, or end stops that cover more than 10,000 approvals"
  const onCut = () => log.warn("ended-list-cut", { todo })
  const orders = () => store.config.active()?.orders ?? null
  const { read: ended } = store.ended
  const { read: stopped } = store.stopped
  const read = createEndedList({ installation, sandbox, signer, clock, orders, ended, stopped, onCut })
  serveEndedList(app, { path: endedListPath, read, log })
  let made: Orders = noOrders
  const makeAnew = async () => {
    const now = orders() ?? noOrders
    if (now === made) return
    if (now.stops.length > 0) await read()
    made = now
  }
  return repeat(lookMs, makeAnew, (error) => log.debug("ended-list-not-made", { error }))
}

/**
 * Serves read API and page on `app` if the config has `http.read`, and `POST /stops` if it has `http.stops`. Throws
 * `AuthSetupError` for unusable keys.
 */
export function serveReaders(
  app: Hono,
  { config, clock, log }: BotOptions,
  from: { readonly store: Store; readonly slack: SlackTold },
): void {
  const { read, stops } = config.http
  if (read === undefined) return
  const { store, slack } = from
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
    stops: () => store.config.active()?.orders.stops ?? [],
    verifyReceipt: (receipt, decision) => judgeReceipt(store, receipt, decision),
    ...createSlackWords(slack),
  }
  const { toldGates } = store
  const counting = { store: store.casesUnder(store.config), toldGates, clock }
  const under = (stop: Stop) => countUnder(counting, stop)
  if (stops !== undefined)
    serveStops(app, { verify, ...stops, stop: (wanted) => stopNow(store, wanted), under, clock, log })
  serveReading(app, { ...options, stopOperation: stops === undefined ? undefined : stopOperation })
  servePage(app, options)
}

/** Makes a stop. This process knows of it at once, and does not wait for its next look. */
async function stopNow({ config }: Store, wanted: Omit<Stop, "id">): Promise<StopDone> {
  const made = await config.orders.stop(wanted)
  // The stop holds already, whether this look succeeds or not.
  await config.obstacle().catch(() => undefined)
  return made
}
