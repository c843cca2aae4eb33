// The options of a bot.
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
  /** The key that signs receipts and checkpoints. */
  readonly signer: Signer
  /** An address as in REDIS_URL, or the path of a Unix socket. */
  readonly redisUrl: string
  /** A CA in PEM that the bot trusts besides the usual CAs. Default: none. */
  readonly redisCa?: string | null
  readonly log: Log
  /** Epoch ms. */
  readonly clock: () => number
  /** Returns this many unpredictable bytes. */
  readonly random: (size: number) => Buffer
  /** True if an operator said `--activate` (R16). */
  readonly activate: boolean
  /** Timings that replace the defaults of the modules, in ms. For tests. */
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
      | "unaskedMs"
      | "webhookMs",
      number
    >
  >
  /** The time that all replicas share, epoch ms. Default: the clock of Redis. For tests with a time of their own. */
  readonly sharedClock?: () => number
  /** Wraps the flow's ports, so that a test can cut or spoil every call to the outside. Default: no wrapper. */
  readonly around?: (ports: Ports) => Ports
  /** Wraps freshness, so that a test can break it. Default: no wrapper. */
  readonly aroundFreshness?: (freshness: LedgerFreshness) => LedgerFreshness
}
