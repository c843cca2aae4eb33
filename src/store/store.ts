// The whole store of one installation, joined from its parts.
import type { Seal } from "../domain/proof/seal.ts"
import type { Freshness as CaseFreshness, Log } from "../flow/ports.ts"
import type { ErasureOrder } from "./admin/erase.ts"
import { migrate } from "./admin/migrate.ts"
import { probeWrites } from "./admin/probe.ts"
import { createRetention } from "./admin/retention.ts"
import { type DatedAnchor, verifyLedger, verifyWhile } from "./admin/verify-ledger.ts"
import { createWaitingErasures, eraseOrWait } from "./admin/waiting-erasures.ts"
import { createCases } from "./cases/cases.ts"
import { createEndedDecisions } from "./cases/ended-decisions.ts"
import { createReading } from "./cases/reading.ts"
import { createStoppedDecisions, createToldGates } from "./cases/stopped-decisions.ts"
import { type ActiveToken, createConfigRevision, restingOnNone } from "./config/config-revision.ts"
import type { RulesSchema } from "./config/shared-config-schema.ts"
import { createFreshness, type LedgerFreshness, unbounded } from "./freshness/freshness.ts"
import { createIdentityLinks } from "./identity/identity-links.ts"
import { createCommitter } from "./ledger/commit.ts"
import { checkInstallation, claimInstallation } from "./ledger/installation.ts"
import type { EntryLook } from "./ledger/ledger-walk.ts"
import { openedEntries } from "./ledger/opened-entries.ts"
import { readReceipt } from "./ledger/receipts.ts"
import { createSigningKeys } from "./ledger/signing-keys.ts"
import { createBacklog, createSummaries } from "./pace/backlog.ts"
import { createAuditTrail, createPauses, createPolls } from "./pace/instances.ts"
import { createOutboxes } from "./pace/outboxes.ts"
import { createPace } from "./pace/pace.ts"
import { createAnswers, createHomes, createSockets, createViews } from "./pace/slack-state.ts"
import { createToldOrders } from "./pace/told-orders.ts"
import { createContinues, createTurns } from "./pace/turns.ts"
import type { StoreConnection } from "./redis/connection.ts"
import { type DataSchema, ourSchema } from "./redis/data-schema.ts"
import { chainOf, createKeys } from "./redis/keys.ts"
import { createTickets, type TicketsOptions } from "./tickets.ts"

/** What a store needs. */
export interface StoreOptions {
  readonly connection: StoreConnection
  readonly installation: string
  readonly seal: Seal
  /** Reads the rules of the active config, just as it reads those of a file. */
  readonly rulesSchema: RulesSchema
  readonly log: Log
  /** True marks every entry as made in the sandbox (R19). */
  readonly sandbox: boolean
  /** The version of the data that is written. Default: this Countersign's. */
  readonly schema?: DataSchema
  /** At least this many ms between two messages of a channel. */
  readonly paceMs: number
  /** How many calls a minute Slack allows, by method. Default: no method has a limit. */
  readonly callsAMinute?: Readonly<Record<string, number>>
  /** The time that all replicas agree on, epoch ms. Default: the clock of Redis. */
  readonly sharedClock?: (() => number) | undefined
  /** Wraps the freshness, so that a test can break it. Default: no wrapper. */
  readonly aroundFreshness?: ((freshness: LedgerFreshness) => LedgerFreshness) | undefined
}

/** Joins the store. It opens nothing, so only the connection has to be closed. */
export function createStore(options: StoreOptions) {
  const { connection, installation, seal, rulesSchema, log, sandbox, paceMs, sharedClock } = options
  const { schema = ourSchema, callsAMinute = {}, aroundFreshness = (own) => own } = options
  const keys = createKeys(installation)
  const redis = connection.commands
  const base = { redis, keys, seal, schema, sandbox, installation }
  const epoch = () => connection.epoch()
  const freshness: LedgerFreshness = aroundFreshness(
    createFreshness({ ...base, commit: createCommitter(redis, keys, unbounded), epoch, log }),
  )
  const shared = { ...base, freshness, commit: createCommitter(redis, keys, freshness) }
  const clock = async () => sharedClock ?? connection.clock()
  const ofCase = { ...shared, epoch, upForMs: () => connection.upForMs(), sharedClock: clock }
  const place = { ...shared, rulesSchema, clock }
  const config = createConfigRevision(place, createCases({ ...ofCase, config: restingOnNone }))
  return {
    keys,
    config,
    signingKeys: createSigningKeys(shared),
    /** Tells how new each record must be. Start this before you grant anything. */
    freshness,
    /** The freshness for the flow, which asks by cases, not by chains. */
    caseFreshness: ofCases(freshness),
    reading: createReading(shared),
    /** The ledger's entries after a sequence number. */
    entries: (after: number) => openedEntries(shared, after),
    /** The receipt of a decision as Redis has it, or null. */
    receipt: (decisionId: string) => readReceipt(shared, decisionId),
    /** The decisions that ended without effect, while their receipts could still be taken. */
    ended: createEndedDecisions(shared),
    /** The approvals that stops hold up, while their receipts could still be taken. */
    stopped: createStoppedDecisions(shared),
    toldGates: createToldGates(shared),
    /** The cases as one config judges them: each commit is made under its token (R16). */
    casesUnder: (active: ActiveToken) => createCases({ ...ofCase, config: active }),
    identityLinks: createIdentityLinks(shared),
    views: createViews({ redis, keys, seal, log }),
    answers: createAnswers({ redis, keys, seal, log }),
    homes: createHomes({ redis, keys }),
    turns: createTurns({ redis, keys }),
    sockets: createSockets({ redis, keys, clock }),
    /** The tickets of a process. */
    tickets: (own: Pick<TicketsOptions, "clock" | "delayMs" | "holdMs">) =>
      createTickets({ ...own, redis, keys, seal, sharedClock, era: () => freshness.era() }),
    continues: createContinues({ redis, keys, seal }),
    polls: createPolls({ redis, keys, seal }),
    pauses: createPauses({ redis, keys, seal }),
    audits: createAuditTrail(shared),
    pace: createPace({ redis, keys, paceMs, callsAMinute, clock: sharedClock }),
    /** What `retention` removes. */
    retention: createRetention({ ...shared, config: place }),
    /** Erases a person's text and names, but what is on hold. Safe to run again if it was cut off. */
    erase: (order: ErasureOrder) => eraseOrWait({ ...shared, config: place }, order),
    /** The erasures that holds kept us from. */
    waitingErasures: createWaitingErasures({ ...shared, config: place }),
    /** Says whose the installation is, without making one. Throws as `claim` does. */
    check: () => checkInstallation(shared),
    backlog: createBacklog({ redis, keys }),
    toldOrders: createToldOrders({ redis, keys, seal }),
    summaries: createSummaries({ redis, keys, seal, log }),
    outboxes: createOutboxes({ redis, keys, seal }),
    /** Makes the installation ours or checks it (R14); `at`: epoch ms. Throws `StoreError`: `other-key`, `tampered`. */
    claim: (at: number) => claimInstallation(shared, at),
    /**
     * Brings an older Countersign's data up to date. Call it when the config is active, before any step. `at` is epoch
     * ms. Null if there was nothing to do. Throws `StoreError`.
     */
    migrate: (at: number) => migrate({ ...shared, config }, at),
    /** Writes and reads a key of our own. Throws `StoreError` while Redis does not answer, or takes no writes. */
    probeWrites: () => probeWrites(shared),
    /** Verifies the ledger; up to the last anchor also its order and length. */
    verifyLedger: (anchors: readonly DatedAnchor[] = []) => verifyLedger({ ...shared, anchors }),
    /** Hands every entry to `look`, and verifies MACs, numbers and chains on the way. */
    verifyWhile: (look: EntryLook) => verifyWhile(shared, look),
  }
}

/** Freshness as the flow asks for it: by cases, not by chains. */
function ofCases(freshness: LedgerFreshness): CaseFreshness {
  return {
    isTouched: (caseId) => freshness.isTouched(chainOf.case(caseId)),
    touched: (limit) => freshness.touched(limit).map((chain) => chain.slice(chainOf.case("").length)),
    standing: () => freshness.standing(),
    isShaken: (sums, since) => sums.some((name) => isShaken(freshness, chainOf.sum(name), since)),
  }
}

/** True if an era after `since` touched a sum, even if the sum has begun anew. */
function isShaken(freshness: LedgerFreshness, chain: string, since: number): boolean {
  if ((freshness.head(chain)?.era ?? 0) > since) return true
  return freshness.era() > since && freshness.isTouched(chain)
}

/** The store of one installation. Cases can be committed once `claim` and `config.activate` succeeded. */
export type Store = Readonly<ReturnType<typeof createStore>>
