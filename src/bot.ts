// The bot: joins the adapters to the flow, and gives back what is running and how it ends. Production and tests use this same wiring.

import type { Config } from "./config.ts"
import { policyOf, ruleHash } from "./domain/policy.ts"
import { createSeal } from "./domain/seal.ts"
import { refreshHomes } from "./flow/home.ts"
import { carryOut, createInbound } from "./flow/intake.ts"
import { poll } from "./flow/poll.ts"
import type { Alarm, Platform, Ports } from "./flow/ports.ts"
import { present } from "./flow/present.ts"
import { reconcile, sweep } from "./flow/reconcile.ts"
import { resolve } from "./flow/resolve.ts"
import { createWatch } from "./flow/watch.ts"
import { createHealthApp, type Probe } from "./http/health.ts"
import { serveKeys } from "./http/jwks.ts"
import { startHttp } from "./http/server.ts"
import type { Log } from "./log.ts"
import { createPlatformClient } from "./platform/client.ts"
import { readKeySet, type Signer } from "./proof/signed.ts"
import { startCheckpoints } from "./proof/start-checkpoints.ts"
import { createQueue, type Queues } from "./queue/queue.ts"
import type { StepResult, Steps } from "./queue/steps.ts"
import { createSlack, type Slack } from "./slack/app.ts"
import { connectRedis, type StoreConnection } from "./store/connection.ts"
import { createStore, type Store } from "./store/store.ts"

/** What a bot is made of. */
export interface BotOptions {
  readonly config: Config
  /** The installation's key (R14). */
  readonly key: Buffer
  /** What receipts and checkpoints are signed with. */
  readonly signer: Signer
  /** What ioredis connects to. */
  readonly redisUrl: string
  readonly log: Log
  /** Epoch ms. */
  readonly clock: () => number
  /** That many unpredictable bytes. */
  readonly random: (size: number) => Buffer
  /** True when an operator said `--activate` (R16). */
  readonly activate: boolean
  /** Other timings than the defaults of the houses, in ms. For tests. */
  readonly timing?: Partial<
    Record<"ticketDelayMs" | "sweepMs" | "lockMs" | "stalledMs" | "slackTimeoutMs" | "checkpointTickMs", number>
  >
}

/** A running bot. */
export interface Bot {
  /** Where health, and in HTTP mode Slack, is served; without a slash at the end. */
  readonly url: string
  /** Stops taking work, lets what runs end, and leaves the rest as tickets. May be called twice. */
  close(): Promise<void>
}

type Closer = () => Promise<void>

/** Starts a bot. Throws one clear error (config, Redis, key, Slack) if it cannot; what was opened until then is closed again. */
export async function startBot(options: BotOptions): Promise<Bot> {
  const closers: Closer[] = []
  const closeAll = once(async () => {
    for (const close of closers.toReversed()) await close()
  })
  try {
    return { url: await open(options, closers), close: closeAll }
  } catch (error) {
    await closeAll()
    throw error
  }
}

function once(run: Closer): Closer {
  let ran: Promise<void> | null = null
  return () => {
    ran ??= run()
    return ran
  }
}

/** Opens house after house, each with its closer, and returns the bot's address. */
async function open(options: BotOptions, closers: Closer[]): Promise<string> {
  const { config, log } = options
  const connection = await connectRedis({ url: options.redisUrl, log })
  closers.push(() => connection.close())
  const parts = joinStore(options, connection)
  await parts.store.claim(options.clock())
  closers.push(await keepProof(options, parts))
  const slack = await openSlack(options)
  const platforms = openPlatforms(config, closers)
  const queue = openQueue(options, parts, connection)
  closers.push(() => queue.close())
  const ports = joinPorts(options, { ...parts, slack, platforms, queue })
  slack.listen(createInbound(ports))
  const probes = probesOf({ connection, store: parts.store, slack, revision: parts.policy.revision })
  const app = createHealthApp(probes)
  serveKeys(app, { read: () => parts.store.signingKeys.read(), log })
  const server = await startHttp({ app, slack: slack.listener, ...config.http })
  closers.push(() => server.close())
  closers.push(() => slack.close())
  await slack.start()
  // Only a bot that could start otherwise takes over: activating its config stops every replica that has another.
  await activate(options, parts)
  await queue.startWorkers(stepsOf(ports, parts.store))
  log.info("started", {
    url: server.url,
    installation: config.installation,
    instances: config.instances.map(({ name }) => name),
  })
  return server.url
}

interface Parts {
  readonly store: Store
  readonly seal: Ports["seal"]
  readonly policy: Ports["policy"]
}

function joinStore({ config, key, log, random }: BotOptions, connection: StoreConnection): Parts {
  const { installation, slack, rules, identities } = config
  const seal = createSeal({ key, installation, nonce: () => random(12) })
  const store = createStore({ connection, installation, seal, log, sandbox: slack.sandbox, paceMs: slack.paceMs })
  return { store, seal, policy: policyOf(rules, identities) }
}

/** R16: this config becomes the active one. */
async function activate({ clock, activate: again, log }: BotOptions, { store, policy }: Parts): Promise<void> {
  const rules = policy.rules.map((rule) => ({ name: rule.name, hash: ruleHash(rule) }))
  const done = await store.config.activate({ revision: policy.revision, rules, activate: again, at: clock() })
  log.info("config-active", { revision: policy.revision, ...done })
}

/** What we sign can be verified by the set of all keys that ever signed; the ledger's checkpoints go to log and file. */
async function keepProof(options: BotOptions, { store }: Parts): Promise<Closer> {
  const { config, signer, clock, log, timing } = options
  await store.signingKeys.add(signer.publicKey, clock())
  const { checkpointMs, checkpointEntries, checkpointFile } = config.ledger
  return startCheckpoints({
    installation: config.installation,
    feed: store.feed,
    signer,
    keys: readKeySet(JSON.stringify({ keys: await store.signingKeys.read() }), "the key set in Redis"),
    file: checkpointFile,
    everyMs: checkpointMs,
    everyEntries: checkpointEntries,
    ...(timing?.checkpointTickMs === undefined ? {} : { tickMs: timing.checkpointTickMs }),
    clock,
    log,
    alarm: alarmIn(log),
  })
}

function openSlack({ config, clock, log, timing }: BotOptions): Promise<Slack> {
  const { slack, installation, instances } = config
  const mode =
    slack.mode === "socket"
      ? { kind: slack.mode, appToken: slack.appToken }
      : { kind: slack.mode, signingSecret: slack.signingSecret }
  const { botToken, apiUrl, sandbox, command } = slack
  const common = { mode, botToken, apiUrl, sandbox, command, installation, clock, log }
  const limit = timing?.slackTimeoutMs === undefined ? {} : { timeoutMs: timing.slackTimeoutMs }
  return createSlack({ ...common, ...limit, instances: instances.map(({ name }) => name) })
}

function openPlatforms(config: Config, closers: Closer[]): ReadonlyMap<string, Platform> {
  const clients = config.instances.map((instance) => createPlatformClient(instance))
  closers.push(async () => void (await Promise.all(clients.map((client) => client.close()))))
  return new Map(clients.map((client, index) => [config.instances[index]?.name ?? "", client]))
}

function openQueue(options: BotOptions, { store, seal }: Parts, connection: StoreConnection): Queues {
  const { clock, log, random, config, timing } = options
  return createQueue({
    ...timing,
    commands: connection.commands,
    workers: connection.workers,
    ready: connection.ready,
    prefix: store.keys.queue,
    instances: config.instances,
    seal,
    clock,
    random: () => random(4).readUInt32BE() / 2 ** 32,
    log,
    alarm: alarmIn(log),
  })
}

/** An alarm is a line that operators filter for: its event is always `alarm`. */
function alarmIn(log: Log): (alarm: Alarm) => void {
  return (alarm) => log.error("alarm", alarm)
}

interface Joined extends Parts {
  readonly slack: Slack
  readonly platforms: ReadonlyMap<string, Platform>
  readonly queue: Queues
}

function joinPorts({ config, signer, clock, log, random }: BotOptions, joined: Joined): Ports {
  const { store, seal, policy, slack, platforms, queue } = joined
  return {
    installation: config.installation,
    sandbox: config.slack.sandbox,
    store: store.cases,
    pins: store.pins,
    views: store.views,
    homes: store.homes,
    pace: store.pace,
    platforms,
    chat: slack.chat,
    people: slack.people,
    jobs: queue.jobs,
    tickets: queue.tickets,
    policy,
    resolvedBy: config.resolvedBy,
    seal,
    receipts: signer,
    clock,
    log,
    alarm: alarmIn(log),
    newId: () => random(12).toString("hex"),
  }
}

/** How soon a job that an outdated replica met is offered again, in ms; it decides nothing, so another has to take it. */
const otherReplicaMs = 250

/** Which step carries out which job. A replica whose config is not the active one leaves them to others (R16). */
function stepsOf(ports: Ports, store: Store): Steps {
  const watch = createWatch(ports)
  const outdated = async () => (await store.config.activeRevision()) !== ports.policy.revision
  const ifActive = async (step: () => Promise<StepResult>): Promise<StepResult> =>
    (await outdated()) ? { againInMs: otherReplicaMs } : step()
  return {
    poll: async (instance) => ((await outdated()) ? undefined : poll(ports, instance)),
    sweep: async () => {
      if (await outdated()) return
      await Promise.all([sweep(ports), watch()])
      await refreshHomes(ports)
    },
    present: (caseId) =>
      ifActive(async () => {
        const wait = await present(ports, caseId)
        return wait === null ? undefined : { againInMs: wait }
      }),
    resolve: (caseId) => ifActive(() => resolve(ports, caseId)),
    reconcile: (caseId) => ifActive(() => reconcile(ports, caseId)),
    ticket: (ticket) => ifActive(() => carryOut(ports, ticket)),
  }
}

/** Readiness: Redis answers, Slack can deliver, and this replica's config is the active one. */
function probesOf(parts: {
  readonly connection: StoreConnection
  readonly store: Store
  readonly slack: Slack
  readonly revision: string
}): readonly Probe[] {
  const { connection, store, slack, revision } = parts
  return [
    { name: "redis", problem: () => connection.commands.ping().then(() => null) },
    { name: "slack", problem: async () => (slack.connected() ? null : "Slack cannot deliver: the connection is down") },
    {
      name: "config",
      problem: async () => {
        const active = await store.config.activeRevision()
        return active === revision
          ? null
          : `another config revision is active (${active?.slice(0, 12)}): this replica decides nothing`
      },
    },
  ]
}
