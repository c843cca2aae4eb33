// The whole store of one installation, joined from its parts.
import type { Seal } from "../domain/proof/seal.ts"
import type {
  AuditTrail,
  Backlog,
  Freshness as CaseFreshness,
  CaseStore,
  Continues,
  Homes,
  Log,
  Pace,
  PauseMemory,
  Polls,
  Reading,
  Retention,
  SharedAnswers,
  Sockets,
  Summaries,
  Turns,
  Views,
} from "../flow/ports.ts"
import { type Erasure, type ErasureOrder, erasePerson } from "./admin/erase.ts"
import { type Migrated, migrate } from "./admin/migrate.ts"
import { createRetention } from "./admin/retention.ts"
import { type DatedAnchor, type Verification, verifyLedger } from "./admin/verify-ledger.ts"
import { createCases } from "./cases/cases.ts"
import { createReading } from "./cases/reading.ts"
import { type ActiveToken, type ConfigRevision, createConfigRevision } from "./config/config-revision.ts"
import { createFreshness, type LedgerFreshness, unbounded } from "./freshness/freshness.ts"
import { createIdentityLinks, type OperatedLinks } from "./identity/identity-links.ts"
import { createHomes, createViews } from "./identity/views.ts"
import { createCommitter } from "./ledger/commit.ts"
import { checkInstallation, claimInstallation } from "./ledger/installation.ts"
import { type OpenedEntry, openedEntries } from "./ledger/opened-entries.ts"
import { readReceipt } from "./ledger/receipts.ts"
import { createSigningKeys, type SigningKeys } from "./ledger/signing-keys.ts"
import { createBacklog, createSummaries } from "./pace/backlog.ts"
import { createAuditTrail, createPauses, createPolls } from "./pace/instances.ts"
import { createPace } from "./pace/pace.ts"
import { createAnswers, createSockets } from "./pace/slack-state.ts"
import { createContinues, createTurns } from "./pace/turns.ts"
import type { StoreConnection } from "./redis/connection.ts"
import { type DataSchema, ourSchema } from "./redis/data-schema.ts"
import { chainOf, createKeys, type Keys } from "./redis/keys.ts"

/** What a store is made of. */
export interface StoreOptions {
  readonly connection: StoreConnection
  readonly installation: string
  readonly seal: Seal
  readonly log: Log
  /** True marks every entry as made in the sandbox (R19). */
  readonly sandbox: boolean
  /** The version of the data that is written. Default: this Countersign's. */
  readonly schema?: DataSchema
  /** At least so many ms between two messages of a channel. */
  readonly paceMs: number
  /** Calls a minute that Slack takes of each of its methods. Default: no limit of a method is kept. */
  readonly callsAMinute?: Readonly<Record<string, number>>
  /** The time that all replicas agree on, epoch ms. Default: the clock of Redis. */
  readonly sharedClock?: (() => number) | undefined
  /** Wraps what bounds the age of records, so that a test can spoil it. Default: nothing is wrapped. */
  readonly aroundFreshness?: ((freshness: LedgerFreshness) => LedgerFreshness) | undefined
}

/** The store of one installation. Cases can be committed once `claim` and `config.activate` succeeded. */
export interface Store {
  readonly keys: Keys
  /** The cases as one config judges them: each commit is made under its token (R16). */
  casesUnder(config: ActiveToken): CaseStore
  readonly identityLinks: OperatedLinks
  readonly views: Views
  readonly answers: SharedAnswers
  readonly pace: Pace
  readonly backlog: Backlog
  readonly summaries: Summaries
  readonly homes: Homes
  readonly turns: Turns
  readonly sockets: Sockets
  readonly continues: Continues
  readonly polls: Polls
  readonly pauses: PauseMemory
  readonly audits: AuditTrail
  readonly config: ConfigRevision
  readonly signingKeys: SigningKeys
  /** The bound below which nothing counts; to be started before anything is granted. */
  readonly freshness: LedgerFreshness
  /** The same as the flow asks for it, by cases. */
  readonly caseFreshness: CaseFreshness
  readonly reading: Reading
  /** The ledger's entries after a sequence number. */
  entries(after: number): AsyncIterable<OpenedEntry>
  /** The receipt of a decision as Redis has it, or null. */
  receipt(decisionId: string): Promise<string | null>
  /** What `retention` removes. */
  readonly retention: Retention
  /** Erases a person's text and names. Safe to run again after a cut. */
  erase(order: ErasureOrder): Promise<Erasure>
  /** Makes the installation ours or checks it (R14), at epoch ms `at`. Throws `StoreError`: `other-key`, `tampered`. */
  claim(at: number): Promise<"new" | "ours">
  /** Says whose the installation is, and makes none. Throws as `claim` does. */
  check(): Promise<"absent" | "ours">
  /**
   * Updates an older Countersign's data, once, when the config is active and before any step. `at` is epoch ms. Null if
   * there was nothing to do. Throws `StoreError`.
   */
  migrate(at: number): Promise<Migrated | null>
  /** Proves the ledger; its order and length by the anchors, as far as they go. */
  verifyLedger(anchors?: readonly DatedAnchor[]): Promise<Verification>
}

/** Joins the store; opens nothing, so there is nothing to close but the connection. */
export function createStore(options: StoreOptions): Store {
  const {
    connection,
    installation,
    seal,
    log,
    sandbox,
    paceMs,
    sharedClock,
    schema = ourSchema,
    callsAMinute = {},
  } = options
  const keys = createKeys(installation)
  const redis = connection.commands
  const base = { redis, keys, seal, schema, sandbox, installation }
  const epoch = () => connection.epoch()
  const { aroundFreshness = (own) => own } = options
  const freshness = aroundFreshness(
    createFreshness({ ...base, commit: createCommitter(redis, keys, unbounded), epoch, log }),
  )
  const shared = { ...base, freshness, commit: createCommitter(redis, keys, freshness) }
  const config = createConfigRevision(shared)
  const clock = async () => sharedClock ?? connection.clock()
  return {
    keys,
    config,
    signingKeys: createSigningKeys(shared),
    freshness,
    caseFreshness: {
      isTouched: (caseId) => freshness.isTouched(chainOf.case(caseId)),
      touched: (limit) => freshness.touched(limit).map((chain) => chain.slice(chainOf.case("").length)),
      era: () => freshness.era(),
      standing: () => freshness.standing(),
      settle: () => freshness.settle(),
    },
    reading: createReading(shared),
    entries: (after) => openedEntries(shared, after),
    receipt: (decisionId) => readReceipt(shared, decisionId),
    casesUnder: (active) =>
      createCases({
        ...shared,
        config: active,
        epoch,
        upForMs: () => connection.upForMs(),
        sharedClock: clock,
      }),
    identityLinks: createIdentityLinks(shared),
    views: createViews({ redis, keys, seal, log }),
    answers: createAnswers({ redis, keys, seal, log }),
    homes: createHomes({ redis, keys }),
    turns: createTurns({ redis, keys }),
    sockets: createSockets({ redis, keys, clock }),
    continues: createContinues({ redis, keys, seal }),
    polls: createPolls({ redis, keys, seal }),
    pauses: createPauses({ redis, keys, seal }),
    audits: createAuditTrail(shared),
    pace: createPace({ redis, keys, paceMs, callsAMinute, clock: sharedClock }),
    retention: createRetention(shared),
    erase: (order) => erasePerson(shared, order),
    check: () => checkInstallation(shared),
    backlog: createBacklog({ redis, keys }),
    summaries: createSummaries({ redis, keys, seal, log }),
    claim: (at) => claimInstallation(shared, at),
    migrate: (at) => migrate({ ...shared, config }, at),
    verifyLedger: (anchors = []) => verifyLedger({ ...shared, anchors }),
  }
}
