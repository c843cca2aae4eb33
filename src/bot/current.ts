// The config that this replica works under (R16), and ports made for it. They commit under no other config.
import { noOrders } from "../domain/order/orders.ts"
import { configRevisionOf, type Elsewhere, elsewhereFor, type SharedConfig } from "../domain/policy/shared-config.ts"
import { noProposals } from "../domain/rule/proposal.ts"
import { type Alarm, isPortError, type Log, type Ports } from "../flow/ports.ts"
import { type Closer, repeat } from "../repeat.ts"
import { configBehind, configTampered } from "../store/config/config-record.ts"
import { type ActiveConfig, type ConfigRevision, tookOver } from "../store/config/config-revision.ts"
import { StoreError } from "../store/errors.ts"

/** How often an idle replica looks which config is active, in ms. */
const lookMs = 1_000

/** What a replica works under at a moment. */
export interface Current {
  /** The ports for the active config as we last saw it. A step takes them once and uses no others. */
  readonly ports: () => Ports
  /**
   * Looks which config is active. Returns in words why this replica may not decide; null if it may. Throws
   * `StoreError`.
   */
  readonly look: () => Promise<string | null>
  /** Throws `StoreError` (`newer-data`) if a newer Countersign took over; not if Redis is silent. */
  readonly demandNewest: () => Promise<void>
  /** From now on looks every second. */
  readonly watch: () => Closer
}

/** What `createCurrent` needs. */
export interface CurrentOptions {
  /** What this replica's file says. */
  readonly file: SharedConfig
  readonly config: ConfigRevision
  /** Makes the ports for a config. */
  readonly make: (active: ActiveConfig) => Ports
  readonly alarm: (alarm: Alarm) => void
  /** Called when a newer Countersign took over: this replica has nothing more to do. May be called again. */
  readonly retire: () => void
  readonly log: Log
}

/** Makes `Current`. Until we see an active config, the ports are for the file's own config, and can commit nothing. */
export function createCurrent(options: CurrentOptions): Current {
  const { file, config, make, log } = options
  const under: ActiveConfig["under"] = async () => ({ kind: "config" })
  const none: ActiveConfig = {
    revision: configRevisionOf(file),
    shared: file,
    orders: noOrders,
    proposals: noProposals,
    under,
  }
  const tell = createConfigTeller(options)
  let made: { readonly of: ActiveConfig; readonly ports: Ports } | undefined
  const look = async () => {
    const obstacle = await config.obstacle()
    tell(config.active() ?? none, obstacle)
    return obstacle
  }
  return {
    look,
    ports: () => {
      const active = config.active() ?? none
      if (made?.of !== active) made = { of: active, ports: make(active) }
      return made.ports
    },
    demandNewest: async () => {
      try {
        await config.demandNewest()
      } catch (error) {
        if (!(error instanceof StoreError) || error.code !== "newer-data") return notLooked(log, error)
        await look()
        throw error
      }
    },
    watch: () => repeat(lookMs, look, (error) => notLooked(log, error)),
  }
}

/** Logs a failed look. While Redis is away, other lines say so. If a record is not ours, this one says so each time. */
function notLooked(log: Log, error: unknown): void {
  if (isPortError(error) && error.retryable) log.debug("config-not-looked-at", { error })
  else log.error("config-not-looked-at", { error })
}

/** The alarm's code if we cannot trust what Redis holds. Any other obstacle is about this replica. */
const codes: ReadonlyMap<string, string> = new Map([
  [configBehind, "config-behind"],
  [configTampered, "config-tampered"],
])

/** Tells the operator what changed: the active config, why this replica may not decide, instances left to others. */
function createConfigTeller({ file, alarm, retire, log }: CurrentOptions) {
  const own = configRevisionOf(file)
  let told = { revision: own, obstacle: null as string | null, elsewhere: [] as readonly Elsewhere[] }
  return ({ revision, shared }: ActiveConfig, obstacle: string | null): void => {
    const before = told
    told = { revision, obstacle, elsewhere: elsewhereFor(file, shared) }
    if (revision !== before.revision)
      log.warn(revision === own ? "config-active" : "config-taken-over", { revision, file: own })
    if (obstacle === tookOver) return retire()
    if (obstacle !== null && obstacle !== before.obstacle)
      alarm({ code: codes.get(obstacle) ?? "decides-nothing", why: obstacle })
    for (const { instance, why } of told.elsewhere)
      if (before.elsewhere.every((one) => one.instance !== instance))
        alarm({ code: "instance-elsewhere", instance, why })
  }
}
