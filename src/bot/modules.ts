// Opens the modules that the bot joins: store, proof, Slack, platforms, queue.
import { type Config, sharedOf } from "../config.ts"
import { mayBeShared } from "../domain/policy/channels.ts"
import { createSeal } from "../domain/proof/seal.ts"
import type { Alarm, Meter, Platform, Ports, Runs } from "../flow/ports.ts"
import type { Log } from "../log.ts"
import { createPlatformClient, type PlatformClientOptions } from "../platform/client.ts"
import { createDelegate } from "../platform/delegate.ts"
import { createRunsClient } from "../platform/runs.ts"
import { createBounds } from "../proof/bounds.ts"
import { startCheckpoints } from "../proof/checkpointer.ts"
import { marksFolder, openMarks } from "../proof/marks.ts"
import { createQueue, type Queues } from "../queue/queue.ts"
import type { Closer } from "../repeat.ts"
import { createSlack, type Slack } from "../slack/app.ts"
import { callsAMinute } from "../slack/transport/rate-limits.ts"
import type { StoreConnection } from "../store/redis/connection.ts"
import { createStore, type Store } from "../store/store.ts"
import type { Current } from "./current.ts"
import { keepKey } from "./keep-key.ts"
import { nonces } from "./nonces.ts"
import type { BotOptions } from "./options.ts"
import { openTokenFile } from "./token-file.ts"

/** What is open before Slack is. */
export interface Parts {
  readonly store: Store
  readonly seal: Ports["seal"]
}

/** Joins the store and the seal. */
export function joinStore(options: BotOptions, connection: StoreConnection): Parts {
  const { config, key, log, random, sharedClock, aroundFreshness } = options
  const { installation, slack } = config
  const { sandbox, paceMs } = slack
  const seal = createSeal({ key, installation, nonce: nonces(random) })
  const limits = { paceMs, callsAMinute }
  const store = createStore({ connection, installation, seal, log, sandbox, ...limits, sharedClock, aroundFreshness })
  return { store, seal }
}

/** R16: this config becomes the active one, or the active one is taken over, as the log then says. */
export async function activate(
  { config, clock, activate: again, log }: BotOptions,
  { store }: Parts,
  current: Current,
): Promise<void> {
  const done = await store.config.activate({ shared: sharedOf(config), activate: again, at: clock() })
  if (done.kind !== "taken-over") log.info("config-active", { revision: store.config.active()?.revision, ...done })
  await current.look()
}

/** What an older Countersign left in Redis becomes like ours before any step meets it. */
export async function bringUpToDate({ clock, log }: BotOptions, { store }: Parts): Promise<void> {
  const done = await store.migrate(clock())
  if (done !== null) log.info("data-migrated", { ...done })
}

/** Starts the bound of freshness from marks and checkpoints (R14, R17). Nothing older counts from here on. */
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

/** What we sign is verified by the set of all keys that ever signed; checkpoints go to log, file and audit channel. */
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

/** Connects to nothing yet: `start` does. */
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
    mayBeShared: (channel) => mayBeShared((store.config.active()?.shared ?? config).rules, channel),
    pace,
    answers,
    sockets,
    instances,
    random: drawOf(options),
    alarm: alarmIn(log),
  })
}

/** One client an instance, by its name. */
export function openPlatforms(
  options: Pick<BotOptions, "config" | "clock" | "log">,
  closers: Closer[],
  meter: Meter,
): ReadonlyMap<string, Platform> {
  const { config, clock } = options
  const clients = config.instances.map(({ resolving, ...instance }) => {
    const token = tokenOf(instance, options)
    return createPlatformClient({ ...instance, ...resolvingWith(resolving, clock), token, clock, meter })
  })
  closers.push(async () => void (await Promise.all(clients.map((client) => client.close()))))
  return new Map(clients.map((client, index) => [config.instances[index]?.name ?? "", client]))
}

/** A credential as it stands in the config, or one that is looked up in its file for each exchange. */
function tokenOf(
  { name, token, tokenFile }: Pick<Config["instances"][number], "name" | "token" | "tokenFile">,
  { clock, log }: Pick<BotOptions, "clock" | "log">,
): PlatformClientOptions["token"] {
  if (token === undefined || tokenFile === undefined) return token
  return openTokenFile({ instance: name, file: tokenFile, token, clock, log, alarm: alarmIn(log) })
}

function resolvingWith(
  resolving: Config["instances"][number]["resolving"],
  clock: () => number,
): Pick<PlatformClientOptions, "resolving"> {
  switch (resolving.kind) {
    case "same":
      return {}
    case "token":
      return { resolving }
    case "delegated":
      return { resolving: { kind: "delegated", delegate: createDelegate({ ...resolving, clock }) } }
  }
}

/** One client of runs for each instance whose runs are continued, by its name. */
export function openRuns({ config }: Pick<BotOptions, "config">, closers: Closer[]): ReadonlyMap<string, Runs> {
  const resumed = config.instances.filter(({ resume }) => resume !== "off")
  const clients = resumed.map((one) => [one.name, createRunsClient({ ...one, token: one.resumeToken })] as const)
  closers.push(async () => void (await Promise.all(clients.map(([, client]) => client.close()))))
  return new Map(clients)
}

/** The queues; no worker runs before `startWorkers`. */
export function openQueue(options: BotOptions, { store, seal }: Parts, connection: StoreConnection): Queues {
  const { clock, log, config, timing } = options
  return createQueue({
    ...timing,
    promptly: 100,
    commands: connection.commands,
    workers: connection.workers,
    ready: connection.ready,
    prefix: store.keys.queue,
    instances: config.instances,
    seal,
    clock,
    era: () => store.freshness.era(),
    random: drawOf(options),
    log,
    alarm: alarmIn(log),
  })
}

/** Draws numbers from 0 to below 1. */
function drawOf({ random }: BotOptions): () => number {
  return () => random(4).readUInt32BE() / 2 ** 32
}

/** An alarm is a line that operators filter for: its event is always `alarm`. */
export function alarmIn(log: Log): (alarm: Alarm) => void {
  return (alarm) => log.error("alarm", alarm)
}
