// What the bot serves besides health: what people need to verify our signatures and, if the config says so, `/metrics`
// and `/status`, the read API and its page.
import type { Hono } from "hono"
import { createTokenVerifier, type TokenVerifier } from "../auth/verify-token.ts"
import type { ReadConfig } from "../config/parts/http.ts"
import { lacksMetricsToken } from "../config.ts"
import type { Case } from "../domain/case/case.ts"
import { holdInWords, holdOn, holdsInForce } from "../domain/order/hold.ts"
import { noOrders, type Orders } from "../domain/order/orders.ts"
import type { Stop } from "../domain/order/stop.ts"
import { countUnder } from "../flow/order/under.ts"
import type { StopDone } from "../flow/ports.ts"
import { standingOf } from "../flow/webhook/standing.ts"
import { createAccessLog } from "../http/access-log.ts"
import { serveMetrics, serveStatus } from "../http/operators.ts"
import { serveStops, stopOperation } from "../http/orders/serve-stops.ts"
import { servePage } from "../http/page/serve.ts"
import { createTokenSessions } from "../http/page/session.ts"
import type { Probe } from "../http/probe.ts"
import { serveReading } from "../http/reading/api.ts"
import { serveEndedList, serveKeys } from "../http/server.ts"
import { createCompanySessions } from "../http/sign-in/company-sessions.ts"
import type { ProcessMeter } from "../measure/meter.ts"
import { createScrape } from "../measure/metrics.ts"
import { createEndedList, endedListPath } from "../proof/ended-list.ts"
import { type Closer, repeat } from "../repeat.ts"
import type { Store } from "../store/store.ts"
import { judgeReceipt } from "./kept-receipts.ts"
import { alarmIn, type Parts } from "./modules.ts"
import type { BotOptions } from "./options.ts"
import { openProvider } from "./sign-in.ts"
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
  const names = config.webhooks.map(({ name }) => name)
  const webhooks = () => Promise.all(names.map((name) => standingOf(store, name)))
  const gauges = { reading, probeWrites, obstacle, standing, stops, revision, webhooks, clock, log }
  const read = createScrape(meter.metrics, gauges)
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
 * Serves read API and page on `app` if the config has `http.read`, the page alone if it has `http.sign_in` alone, and
 * `POST /stops` if it has `http.stops`. Gives back what ends connections to the company's provider. Throws
 * `AuthSetupError` for unusable keys.
 */
export function serveReaders(
  app: Hono,
  { config, clock, log, random }: BotOptions,
  from: Pick<Parts, "store" | "seal"> & { readonly slack: SlackTold },
): Closer {
  const { installation, http } = config
  const { read, stops, signIn, accessLog: kept } = http
  const nothingToEnd = async () => {}
  const { store, seal, slack } = from
  const access = createAccessLog({ kept, replica: random(8).toString("hex"), clock, log, alarm: alarmIn(log) })
  const options = {
    installation,
    access,
    clock,
    log,
    reading: store.reading,
    stops: () => store.config.active()?.orders.stops ?? [],
    verifyReceipt: (receipt: string, decision: string) => judgeReceipt(store, receipt, decision),
    holdOf: (found: Case) => holdWordsOf(store, found),
    ...createSlackWords(slack),
  }
  if (read !== undefined) {
    const { reachable } = read
    const verify = readVerifier(read, { clock, log })
    const { toldGates } = store
    const counting = { store: store.casesUnder(store.config), toldGates, clock }
    const under = (stop: Stop) => countUnder(counting, stop)
    if (stops !== undefined)
      serveStops(app, { verify, ...stops, stop: (wanted) => stopNow(store, wanted), under, clock, log })
    const stopping = stops === undefined ? undefined : stopOperation
    serveReading(app, { ...options, verify, reachable, stopOperation: stopping })
    if (signIn === undefined)
      servePage(app, { ...options, reachable, sessions: createTokenSessions({ ...options, verify }) })
  }
  if (signIn === undefined) return nothingToEnd
  const { provider, close } = openProvider(signIn, { clock, log })
  const sessions = createCompanySessions({ ...options, ...signIn, provider, seal, random })
  servePage(app, { ...options, reachable: "anywhere", sessions })
  return close
}

/** Makes what verifies read tokens. Throws `AuthSetupError` for unusable keys. */
function readVerifier(read: ReadConfig, { clock, log }: Pick<BotOptions, "clock" | "log">): TokenVerifier {
  const { algorithm, verificationKeys, jwksFile, audience, issuer, requireExp } = read
  return createTokenVerifier({
    algorithm,
    verificationKeys,
    audience,
    requireExp,
    ...(jwksFile === undefined ? {} : { jwksFile }),
    ...(issuer === undefined ? {} : { issuer }),
    clock,
    onKeyProblem: (error) => log.error("read-keys-unusable", { error }),
  })
}

/** The hold that covers a case, by the config and the orders that are in force. */
function holdWordsOf({ config }: Store, found: Case): string | null {
  const active = config.active()
  const hold = active === null ? null : holdOn(found, holdsInForce(active.shared.hold ?? [], active.orders))
  return hold === null ? null : holdInWords(hold)
}

/** Makes a stop. This process knows of it at once, and does not wait for its next look. */
async function stopNow({ config }: Store, wanted: Omit<Stop, "id">): Promise<StopDone> {
  const made = await config.orders.stop(wanted)
  // The stop holds already, whether this look succeeds or not.
  await config.obstacle().catch(() => undefined)
  return made
}
