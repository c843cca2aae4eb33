// The whole store of one installation, joined from its parts.
import type { Anchored } from "../domain/anchor-check.ts"
import type { Seal } from "../domain/seal.ts"
import type { CaseStore, Homes, LedgerFeed, Log, Pace, Pins, Views } from "../flow/ports.ts"
import { createCases } from "./cases.ts"
import { createCommitter } from "./commit.ts"
import { type ConfigRevision, createConfigRevision } from "./config-revision.ts"
import type { StoreConnection } from "./connection.ts"
import { createHomes } from "./homes.ts"
import { claimInstallation } from "./installation.ts"
import { createKeys, type Keys } from "./keys.ts"
import { createLedgerFeed } from "./ledger-feed.ts"
import { type OpenedEntry, openedEntries } from "./opened-entries.ts"
import { createPace } from "./pace.ts"
import { createPins } from "./pins.ts"
import { readReceipt } from "./receipts.ts"
import { createSigningKeys, type SigningKeys } from "./signing-keys.ts"
import { type Verification, verifyLedger } from "./verify-ledger.ts"
import { createViews } from "./views.ts"

/** What a store is made of. */
export interface StoreOptions {
  readonly connection: StoreConnection
  readonly installation: string
  readonly seal: Seal
  readonly log: Log
  /** True marks every entry as made in the sandbox (R19). */
  readonly sandbox: boolean
  /** At least so many ms between two messages of a channel. */
  readonly paceMs: number
}

/** The store of one installation. Cases can be committed once `claim` and `config.activate` succeeded. */
export interface Store {
  readonly keys: Keys
  readonly cases: CaseStore
  readonly pins: Pins
  readonly views: Views
  readonly pace: Pace
  readonly homes: Homes
  readonly config: ConfigRevision
  readonly signingKeys: SigningKeys
  readonly feed: LedgerFeed
  /** The ledger's entries after a sequence number. */
  entries(after: number): AsyncIterable<OpenedEntry>
  /** The receipt of a decision as Redis has it, or null. */
  receipt(decisionId: string): Promise<string | null>
  /** Makes the installation ours or checks that it is (R14). Throws `StoreError`: `other-key`, `tampered`. `at` is epoch ms. */
  claim(at: number): Promise<"new" | "ours">
  /** Proves the ledger; its order and length by the anchors, as far as they go. */
  verifyLedger(anchors?: readonly Anchored[]): Promise<Verification>
}

/** Joins the store; opens nothing, so there is nothing to close but the connection. */
export function createStore(options: StoreOptions): Store {
  const { connection, installation, seal, log, sandbox, paceMs } = options
  const keys = createKeys(installation)
  const redis = connection.commands
  const shared = { redis, keys, seal, sandbox, commit: createCommitter(redis, keys) }
  const config = createConfigRevision(shared)
  return {
    keys,
    config,
    signingKeys: createSigningKeys(shared),
    feed: createLedgerFeed(shared),
    entries: (after) => openedEntries(shared, after),
    receipt: (decisionId) => readReceipt(redis, keys, decisionId),
    cases: createCases({ ...shared, config, epoch: () => connection.epoch() }),
    pins: createPins(shared),
    views: createViews({ redis, keys, seal, log }),
    homes: createHomes({ redis, keys }),
    pace: createPace({ redis, keys, paceMs }),
    claim: (at) => claimInstallation({ ...shared, installation }, at),
    verifyLedger: (anchors = []) => verifyLedger({ redis, keys, seal, installation, anchors }),
  }
}
