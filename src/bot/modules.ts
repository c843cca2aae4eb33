// Opens the modules that the bot joins: store, proof, Slack, queue, and the meter.
import { rulesSchema, sharedOf } from "../config.ts"
import { mayBeShared } from "../domain/policy/channels.ts"
import { configRevisionOf } from "../domain/policy/shared-config.ts"
import { createSeal } from "../domain/proof/seal.ts"
import { rulesInForce } from "../domain/rule/rules-change.ts"
import type { Alarm, DueTickets, Meter, Ports } from "../flow/ports.ts"
import { lateMs } from "../flow/vote/weigh.ts"
import type { Log } from "../log.ts"
import { createMeter, type ProcessMeter } from "../measure/meter.ts"
import { openTraces } from "../measure/traces.ts"
import { createBounds } from "../proof/bounds.ts"
import { startCheckpoints } from "../proof/checkpointer.ts"
import { marksFolder, openMarks } from "../proof/marks.ts"
import { createQueue, type Queues } from "../queue/queue.ts"
import { type Closer, repeat } from "../repeat.ts"
import { createSlack, type Slack } from "../slack/app.ts"
import { callsAMinute } from "../slack/transport/rate-limits.ts"
import type { StoredKey } from "../store/ledger/signing-keys.ts"
import type { StoreConnection } from "../store/redis/connection.ts"
import { chainOf } from "../store/redis/keys.ts"
import { createStore, type Store } from "../store/store.ts"
import type { Current } from "./current.ts"
import type { BotOptions } from "./options.ts"
import { proposeConfig, type Waiting } from "./propose.ts"

/** What is open before Slack is opened. */
export interface Parts {
  readonly store: Store
  readonly tickets: DueTickets
  readonly seal: Ports["seal"]
}

/** Opens the meter. The caller closes the meter's traces. */
export async function openMeter({ config, clock, log }: BotOptions): Promise<ProcessMeter> {
  const traces = await openTraces({ endpoint: config.tracesTo, installation: config.installation, log })
  return createMeter({ traces, clock })
}

/** Joins the store and the seal. */
export function joinStore(options: BotOptions, connection: StoreConnection): Parts {
  const { config, key, log, random, clock, sharedClock, aroundFreshness, timing } = options
  const { installation, slack } = config
  const { sandbox, paceMs } = slack
  const seal = createSeal({ key, installation, nonce: nonces(random) })
  const limits = { paceMs, callsAMinute }
  const common = { connection, installation, seal, rulesSchema, log, sandbox }
  const store = createStore({ ...common, ...limits, sharedClock, aroundFreshness })
  const tickets = store.tickets({ clock, delayMs: timing?.ticketDelayMs, holdMs: timing?.ticketHoldMs })
  return { store, seal, tickets }
}

/** We draw this many nonces of 12 bytes at once, because a draw costs more than its bytes. */
const nonceStock = 256

/** Makes a function that gives the seal 12 fresh random bytes at each call. */
function nonces(random: (size: number) => Buffer): () => Buffer {
  let stock: Buffer = Buffer.alloc(0)
  return () => {
    if (stock.length === 0) stock = random(12 * nonceStock)
    const nonce = stock.subarray(0, 12)
    stock = stock.subarray(12)
    return nonce
  }
}

/** R16: activates this config, proposes it, or takes over the active one. The log says which. */
export async function activate(
  options: BotOptions,
  { store }: Parts,
  { current, waiting }: { readonly current: Current; readonly waiting: Waiting },
): Promise<void> {
  const { config, clock, activate: again, log } = options
  const done = await store.config.activate({ shared: sharedOf(config), activate: again, at: clock() })
  if (done.kind === "needs-approval") {
    waiting.begin()
    await proposeAtStart(options, store)
  } else if (done.kind !== "taken-over")
    log.info("config-active", { revision: store.config.active()?.revision, ...done })
  await current.look()
}

/** Proposes the file's config, and says what becomes of it. The environment's config is proposed only by a command. */
async function proposeAtStart(options: BotOptions, store: Store): Promise<void> {
  const { config, log } = options
  const done =
    config.fileHash === null ? { kind: "from-environment" as const } : await proposeConfig(options, store, false)
  const hint = "replicas work under the active config until people approve; countersign activate proposes again"
  log.warn("config-needs-approval", { revision: configRevisionOf(sharedOf(config)), ...done, hint })
}

/** Brings data of an older Countersign up to date before any step reads them. */
export async function bringUpToDate({ clock, log }: BotOptions, { store }: Parts): Promise<void> {
  const done = await store.migrate(clock())
  if (done !== null) log.info("data-migrated", { ...done })
}

/** Judges freshness by marks and checkpoints (R14, R17). From here on, older records do not count. */
export async function watchLedger(options: BotOptions, { store, seal }: Parts, slack: Slack): Promise<Closer> {
  const { config, clock, log, random } = options
  const replica = random(8).toString("hex")
  const alarm = alarmIn(log)
  const { installation, dataFolder, ledger } = config
  const marks = openMarks({ folder: marksFolder(dataFolder), installation, replica, seal, alarm })
  const { checkpointFile, auditChannel } = ledger
  const audit = auditChannel === null ? null : slack.auditTo(auditChannel)
  const bounds = createBounds({ seal, installation, file: checkpointFile, audit, alarm })
  const now = () => performance.now()
  await store.freshness.start({
    replica,
    clock,
    now,
    alarm,
    bounds,
    marks,
    requireCheckpoint: ledger.requireCheckpoint,
  })
  return () => store.freshness.close()
}

/** Keeps our signing key in the set of all keys that verify, and starts checkpoints to log, file and audit channel. */
export async function keepProof(options: BotOptions, { store, seal }: Parts, slack: Slack): Promise<Closer> {
  const { config, signer, clock, log, timing } = options
  const keyKept = await keepKey({ store, key: signer.publicKey, clock, log })
  const { checkpointMs, checkpointEntries, checkpointFile, auditChannel } = config.ledger
  const checkpoints = startCheckpoints({
    installation: config.installation,
    feed: store.freshness.feed,
    seal,
    signer,
    file: checkpointFile,
    everyMs: checkpointMs,
    everyEntries: checkpointEntries,
    sinks: auditChannel === null ? [] : [slack.auditTo(auditChannel)],
    ...(timing?.checkpointTickMs === undefined ? {} : { tickMs: timing.checkpointTickMs }),
    clock,
    log,
    alarm: alarmIn(log),
  })
  return async () => {
    await keyKept()
    await checkpoints()
  }
}

/**
 * Keeps the key in the set that verifies receipts (R17): adds it, and looks for it again when the set has changed, as
 * after a lost second. Throws `StoreError` if it cannot add the key now; logs later failures, and tries again.
 */
export async function keepKey(options: {
  readonly store: Pick<Store, "freshness" | "signingKeys">
  /** The public part of the key. */
  readonly key: StoredKey
  /** Epoch ms. */
  readonly clock: () => number
  readonly log: Pick<Log, "warn">
  /** How often we look whether the set changed, in ms. Default 1,000. */
  readonly lookMs?: number
}): Promise<Closer> {
  const { store, key, clock, log, lookMs = 1_000 } = options
  const end = () => store.freshness.head(chainOf.signingKeys)?.mac ?? ""
  let lookedAt: string | null = null
  const look = async (): Promise<void> => {
    // If the chain's end moved during a look, even by our own commits, the key may be lost already. So only a look
    // during which the end did not move counts.
    for (let before = end(); before !== lookedAt; before = end()) {
      await store.signingKeys.add(key, clock())
      lookedAt = before
    }
  }
  await look()
  return repeat(lookMs, look, (error) => log.warn("signing-key-not-kept", { error }))
}

/** Opens Slack, without a connection: `start` connects. */
export function openSlack(options: BotOptions, { store }: Parts, meter: Meter): Promise<Slack> {
  const { config, clock, log, timing } = options
  const { slack, installation } = config
  const instances = () => (store.config.active()?.shared ?? config).instances.map(({ name }) => name)
  const mode =
    slack.mode === "socket"
      ? { kind: slack.mode, appToken: slack.appToken }
      : { kind: slack.mode, signingSecret: slack.signingSecret }
  const { botToken, apiUrl, sandbox, command, paceMs, way } = slack
  const common = { mode, botToken, apiUrl, sandbox, way, command, installation, paceMs, meter, clock, log }
  const { pace, answers, sockets } = store
  const limit = timing?.slackTimeoutMs === undefined ? {} : { timeoutMs: timing.slackTimeoutMs }
  const fresh = timing?.channelMs === undefined ? {} : { channelMs: timing.channelMs }
  return createSlack({
    ...common,
    ...limit,
    ...fresh,
    mayBeShared: (channel) => mayBeShared(rulesInForce(store.config.active()?.shared ?? config), channel),
    pace,
    answers,
    sockets,
    instances,
    random: drawOf(options),
    alarm: alarmIn(log),
  })
}

/** Opens the queues. No worker runs before `startWorkers`. */
export function openQueue(options: BotOptions, { store, tickets }: Parts, connection: StoreConnection): Queues {
  const { clock, log, config, timing } = options
  return createQueue({
    ...timing,
    promptly: 100,
    commands: connection.commands,
    workers: connection.workers,
    ready: connection.ready,
    prefix: store.keys.queue,
    instances: config.instances,
    webhooks: config.webhooks.map(({ name }) => name),
    tickets,
    lateMs,
    clock,
    random: drawOf(options),
    log,
    alarm: alarmIn(log),
  })
}

/** Makes a function that draws numbers from 0 to below 1. */
function drawOf({ random }: BotOptions): () => number {
  return () => random(4).readUInt32BE() / 2 ** 32
}

/** Makes the function that raises alarms: log lines whose event is always `alarm`, which operators filter for. */
export function alarmIn(log: Log): (alarm: Alarm) => void {
  return (alarm) => log.error("alarm", alarm)
}
