// What a bot is made of.
import type { Config } from "../config.ts"
import type { Ports } from "../flow/ports.ts"
import type { Log } from "../log.ts"
import type { Signer } from "../proof/signed.ts"
import type { LedgerFreshness } from "../store/freshness/freshness.ts"

/** What a bot needs. */
export interface BotOptions {
  readonly config: Config
  /** The installation's key (R14). */
  readonly key: Buffer
  /** What receipts and checkpoints are signed with. */
  readonly signer: Signer
  /** An address as REDIS_URL has it, or the path of a Unix socket. */
  readonly redisUrl: string
  /** A CA in PEM that it trusts beside the usual ones. Default: none. */
  readonly redisCa?: string | null
  readonly log: Log
  /** Epoch ms. */
  readonly clock: () => number
  /** That many unpredictable bytes. */
  readonly random: (size: number) => Buffer
  /** True when an operator said `--activate` (R16). */
  readonly activate: boolean
  /** Other timings than the defaults of the modules, in ms. For tests. */
  readonly timing?: Partial<
    Record<
      | "ticketDelayMs"
      | "ticketLookMs"
      | "ticketHoldMs"
      | "sweepMs"
      | "lockMs"
      | "stalledMs"
      | "longestReadMs"
      | "slackTimeoutMs"
      | "channelMs"
      | "checkpointTickMs"
      | "unaskedMs",
      number
    >
  >
  /** The time that all replicas agree on, epoch ms. Default: the clock of Redis. For tests with a time of their own. */
  readonly sharedClock?: () => number
  /** Wraps what the flow gets, so that a test can cut and spoil every call to the outside. Default: no wrapper. */
  readonly around?: (ports: Ports) => Ports
  /** Wraps the bound of records' age, so that a test can break it. Default: no wrapper. */
  readonly aroundFreshness?: (freshness: LedgerFreshness) => LedgerFreshness
}
