// The bot: joins adapters and flow, and gives back what runs and how it ends. Production and tests use this wiring.
import { openBuiltIn } from "./bot/built-in.ts"
import { createCurrent } from "./bot/current.ts"
import { createEnding, type Ending } from "./bot/ending.ts"
import { joinPorts } from "./bot/join-ports.ts"
import {
  activate,
  alarmIn,
  bringUpToDate,
  joinStore,
  keepProof,
  openMeter,
  openQueue,
  openSlack,
  watchLedger,
} from "./bot/modules.ts"
import type { BotOptions } from "./bot/options.ts"
import { openCredentials, openPlatforms, openRuns } from "./bot/platforms.ts"
import { readinessOf, statusOf } from "./bot/probes.ts"
import { createWaiting } from "./bot/propose.ts"
import { createRefusedWrites } from "./bot/refused-writes.ts"
import { serveOperatorRoutes, serveProof, serveReaders } from "./bot/routes.ts"
import { measuredInbound, measuredSteps, stepsOf } from "./bot/steps.ts"
import { openWebhooks } from "./bot/webhooks/open-webhooks.ts"
import { sharedOf } from "./config.ts"
import { createAbsenceActs } from "./flow/order/absences.ts"
import { createOrderActs } from "./flow/order/acts.ts"
import { createInbound } from "./flow/vote/interactions.ts"
import { createHealthApp, startHttp } from "./http/server.ts"
import type { ActiveConfig } from "./store/config/config-revision.ts"
import { connectRedis } from "./store/redis/connection.ts"

export type { BotOptions } from "./bot/options.ts"

/** A running bot. */
export interface Bot {
  /** Where it serves health and, in HTTP mode, Slack; without a slash at the end. */
  readonly url: string
  /** Stops taking work, lets running work end, and leaves the rest as tickets. May be called twice. */
  close(): Promise<void>
}

/**
 * Starts a bot. Throws one clear error (config, Redis, key, Slack) if it cannot, and closes what it opened.
 *
 * @example
 * const given = { config, key, signer, redisUrl, log, clock: Date.now, random: randomBytes, activate: false }
 * const bot = await startBot(given)
 * // Cards are posted and pressed now; `bot.url` answers /healthz and /readyz.
 * await bot.close()
 */
export async function startBot(options: BotOptions): Promise<Bot> {
  const ending = createEnding(options.log)
  try {
    return { url: await open(options, ending), close: ending.close }
  } catch (error) {
    await ending.close()
    throw error
  }
}

/** Opens module after module, each with its closer, and returns the bot's address. */
async function open(given: BotOptions, ending: Ending): Promise<string> {
  const { closers, work } = ending
  const meter = await openMeter(given)
  closers.push(() => meter.traces.close())
  const counted = meter.watching(given.log)
  const refused = createRefusedWrites({ log: counted, alarm: alarmIn(counted), now: () => performance.now() })
  const options = { ...given, log: refused.log }
  const { config, log } = options
  const connection = await connectRedis({
    url: options.redisUrl,
    ca: options.redisCa ?? null,
    installation: config.installation,
    log,
  })
  closers.push(() => connection.close())
  const parts = joinStore(options, connection)
  closers.push(refused.watch(() => parts.store.probeWrites()))
  await parts.store.check()
  const slack = await openSlack(options, parts, meter)
  closers.push(() => slack.disconnect())
  work(await watchLedger(options, parts, slack))
  await parts.store.claim(options.clock())
  work(await keepProof(options, parts, slack))
  const credentials = openCredentials(options)
  const platforms = openPlatforms(options, credentials, { closers, meter })
  const runs = openRuns(options, credentials, closers)
  const webhooks = openWebhooks(options, { ...parts, slack, meter })
  const queue = openQueue(options, parts, connection)
  work(() => queue.close())
  work(() => webhooks.close())
  const builtIn = openBuiltIn(parts.store.config.proposals, options.clock)
  const joined = { ...parts, slack, platforms, runs, queue, meter, builtIn }
  const { around = (ports) => ports } = options
  const make = (active: ActiveConfig) => around(joinPorts(options, joined, active))
  const told = { alarm: alarmIn(log), retire: ending.retire, log }
  const current = createCurrent({ file: sharedOf(config), config: parts.store.config, make, ...told })
  // Until this replica may decide, it shows cases by the active config.
  await parts.store.config.obstacle()
  const inbound = {
    ...createInbound(current.ports),
    ...createOrderActs(current.ports),
    ...createAbsenceActs(current.ports),
    demandNewest: current.demandNewest,
  }
  slack.listen(measuredInbound(inbound, meter))
  const waiting = createWaiting(config, parts.store)
  const leaving = () => ending.leaving() ?? waiting.problem()
  const readiness = readinessOf({ store: parts.store, slack, leaving })
  const app = createHealthApp(readiness)
  work(serveProof(app, options, parts.store))
  // Before the workers run, no poll counts as missed.
  let startedAt = Number.POSITIVE_INFINITY
  const { store } = parts
  const obstacle = async () => ending.retired() ?? store.config.obstacle()
  const probes = () =>
    statusOf({ readiness, store, obstacle, file: sharedOf(config), ports: current.ports(), startedAt })
  serveOperatorRoutes(app, options, { ...parts, meter, obstacle, probes })
  closers.push(serveReaders(app, options, { ...parts, slack }))
  const server = await startHttp({ app, slack: slack.listener, port: config.http.port, host: config.http.host })
  closers.push(() => server.close())
  work(() => slack.close())
  await slack.start()
  closers.push(async () => ending.stopping())
  // Only a bot that can start in every other respect activates its config: then all replicas work under that config.
  await activate(options, parts, { current, waiting })
  await bringUpToDate(options, parts)
  startedAt = options.clock()
  const { retentionMs, installation } = config
  const unaskedMs = options.timing?.unaskedMs
  const { send } = webhooks
  const steps = stepsOf({ current, store, retentionMs, meter, startedAt, unaskedMs, send })
  await queue.startWorkers(measuredSteps(steps, meter))
  work(current.watch())
  ending.begun()
  const instances = config.instances.map(({ name }) => name)
  log.info("started", { url: server.url, installation, instances })
  return server.url
}
