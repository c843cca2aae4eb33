// Knows which config is active (R16): one for all replicas, whatever their files say. Commits compare its token.
import { isSameOrders, noOrders, type Orders } from "../../domain/order/orders.ts"
import type { SharedConfig } from "../../domain/policy/shared-config.ts"
import type { Proposals } from "../../domain/rule/proposal.ts"
import { attempt, StoreError } from "../errors.ts"
import type { ConfigProof, RecordCommitted } from "../ledger/commit.ts"
import {
  type Activated,
  type Activation,
  activate,
  restoreConfig,
  stopEverything,
  unbelieved,
  unbelievedOrThrow,
} from "./config-activation.ts"
import type { ActivationOptions } from "./config-change.ts"
import {
  createConfigReader,
  notRead,
  ordersAwaited,
  otherVersion,
  type StoredConfig,
  tokenOf,
} from "./config-record.ts"
import { type AllOrders, createOrderBook, type SentCases } from "./order-book.ts"
import { createProposalBook, type ProposalBook } from "./proposal-book.ts"
import { createSeenVersions, type SeenVersions } from "./seen-versions.ts"

/** Why a replica decides nothing any more, whatever its file says: it cannot know what newer data mean. */
export const tookOver = "a newer Countersign took over: this replica decides nothing, upgrade it"

/** Lends the proof that a config is active. */
export interface ActiveToken {
  /** Runs a commit with the token; `config` if another config is active, or if this process may not decide. */
  under(run: (proof: ConfigProof | null) => Promise<RecordCommitted>): Promise<RecordCommitted>
}

/** For commits that only take something away and rest on no config: they count whatever is active. */
export const restingOnNone: ActiveToken = { under: (run) => run(null) }

/** A config that is active, or was at the last look. Judgements under it are committed only with its token. */
export interface ActiveConfig extends ActiveToken {
  readonly revision: string
  readonly shared: SharedConfig
  /** What is in force beside the rules. */
  readonly orders: Orders
  /** What is known of changes of the config. */
  readonly proposals: Proposals
}

/** The active config as this process sees it. `under` takes the newest one: use it only if you judged nothing. */
export interface ConfigRevision extends ActiveToken {
  /**
   * Makes a config the active one, with a ledger entry that shows the difference. If it was active earlier, takes over
   * the active config. From then on this process may decide, and replicas that know only older data may not. Throws
   * `StoreError`: `newer-data`, `tampered`, or `config-unreadable` if it cannot work under the active config.
   */
  activate(activation: Activation): Promise<Activated>
  /** The acts that change orders, and their list. */
  readonly orders: AllOrders
  /** The proposals of another config, while the active one has `rules_change`. */
  readonly proposals: ProposalBook
  /** Looks which config is active. Says why this process may not decide; null if it may. Throws `StoreError`. */
  obstacle(): Promise<string | null>
  /**
   * Throws `StoreError` (`newer-data`) if a newer Countersign took over: we must not read what that version shows in
   * Slack. Reads a few bytes, and the record only if these bytes changed. Also throws as `obstacle` does.
   */
  demandNewest(): Promise<void>
  /** The config as last seen; the same object until it or its orders change. Null before the first look. */
  active(): ActiveConfig | null
}

/** What a process knows: the file that it started with, the record that it saw last, and the config it works under. */
interface Knowledge {
  own: SharedConfig | null
  seen: StoredConfig | null
  active: Bound | null
  readonly versions: SeenVersions
}

/** A config, with the proof for its commits. The proof is null while this process may not decide. */
interface Bound extends ActiveConfig {
  readonly proof: ConfigProof | null
}

/** Makes the config revision of an installation. `cases`: those that the end of a stop looks at. */
export function createConfigRevision(options: ActivationOptions, cases: SentCases): ConfigRevision {
  const known: Knowledge = { own: null, seen: null, active: null, versions: createSeenVersions(options) }
  const look = createLook(options, known)
  return {
    activate: async (activation) => {
      const done = await activate(options, activation)
      known.own = activation.shared
      await look()
      return done
    },
    proposals: createProposalBook(options),
    orders: createOrderBook(options, cases, () => known.active?.orders ?? noOrders),
    obstacle: look,
    demandNewest: async () => {
      const token = await attempt("read which config is active", () => options.redis.hget(options.keys.config, "token"))
      const { seen } = known
      if (seen === null || token !== tokenOf(options.seal, seen)) await look()
      if ((known.seen?.data ?? 0) > options.schema.version) throw new StoreError("newer-data", tookOver)
    },
    active: () => known.active,
    under: async (run) => {
      if (known.active === null) await look()
      const before = known.active
      if (before === null) return { kind: "config" }
      const result = await before.under(run)
      const now = known.active
      return result.kind === "config" && now !== null && now !== before ? now.under(run) : result
    },
  }
}

/** Makes the look at the record. Each look remembers what it saw, and says why this process may not decide. */
function createLook(options: ActivationOptions, known: Knowledge): () => Promise<string | null> {
  const read = createConfigReader(options)
  const mayNot = (why: string): string => {
    if (known.active !== null && known.active.proof !== null)
      known.active = bound(known, look, { ...known.active, proof: null })
    return why
  }
  const look = async (): Promise<string | null> => {
    // An era may say that the end of the config's chain is lost, and its entries that somebody has put it back.
    if (options.freshness.lostConfig() !== null) await options.freshness.catchUp()
    const found = await read().catch(unbelievedOrThrow)
    if (found === "behind" || found === "tampered") return mayNot(unbelieved[found])
    if (found === null) return noneYet
    const mended = await mend(options, known, found)
    if (mended === "awaited") return mayNot(ordersAwaited)
    // Somebody may have been faster than we were.
    if (mended === "mended") return look()
    known.seen = found
    known.versions.see(found)
    const why = obstacleOf(options, found, known.own)
    const proof = why === null ? { token: tokenOf(options.seal, found), mac: found.chain.mac } : null
    const { revision, shared, orders, proposals } = found
    const next = shared === null ? known.active : { revision, shared, orders, proposals }
    if (next !== null && !isSame(known.active, { ...next, proof }))
      known.active = bound(known, look, { ...next, proof })
    return why
  }
  return look
}

function isSame(active: Bound | null, next: Omit<Bound, "under">): boolean {
  if (active === null || active.revision !== next.revision || active.proof?.token !== next.proof?.token) return false
  return isSameOrders(active.orders, next.orders)
}

/**
 * A config with its token. The token changes with each version of the record: if Redis forgot the config, or if another
 * was active in between. Under a new one we repeat a commit only if revision and orders are the same: else it has to be
 * judged anew.
 */
function bound(known: Knowledge, look: () => Promise<unknown>, config: Omit<Bound, "under">): Bound {
  const { revision, orders, proof } = config
  return {
    ...config,
    under: async (run) => {
      const result: RecordCommitted = proof === null ? { kind: "config" } : await run(proof)
      if (result.kind !== "config") return result
      await look()
      const now = known.active
      if (now === null || now.proof === null || now.revision !== revision) return result
      return isSameOrders(now.orders, orders) ? run(now.proof) : result
    },
  }
}

/**
 * Puts back what Redis lost of the config. `sound`: it lost nothing that this process knows. `awaited`: nobody may
 * decide, until a replica that knows the newest version has put it back, or everything is stopped.
 */
async function mend(
  options: ActivationOptions,
  { seen, own, versions }: Knowledge,
  found: StoredConfig,
): Promise<"sound" | "mended" | "awaited"> {
  if (found.shared === null) return "sound"
  const may = seen !== null && obstacleOf(options, seen, own) === null
  const loss = await versions.lossOf(found, may ? seen : null)
  switch (loss.kind) {
    case "none":
      return "sound"
    case "awaited":
      return "awaited"
    case "known":
      return (await restoreConfig(options, loss, found)) ? "mended" : "sound"
    case "unknown":
      if (obstacleOf(options, found, own) !== null) return "awaited"
      await stopEverything(options, found, loss.at)
      return "mended"
  }
}

const noneYet = "no config revision is active here yet"

function obstacleOf({ schema }: ActivationOptions, active: StoredConfig, own: SharedConfig | null): string | null {
  if (own === null) return noneYet
  const nothing = "this replica decides nothing"
  if (active.data > schema.version) return tookOver
  if (active.shared === null) return `${notRead(active.unread)}; ${nothing}, ${otherVersion}`
  const { apiUrl, sandbox } = active.shared.slack
  if (apiUrl === own.slack.apiUrl && sandbox === own.slack.sandbox) return null
  return `the active config has its Slack at ${apiUrl}, and the file of this replica at ${own.slack.apiUrl}: ${nothing}`
}
