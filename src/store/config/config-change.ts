// Writes another config into the record of the active one, with an entry that shows the difference (R16).
import { noOrders, type Orders } from "../../domain/order/orders.ts"
import {
  type ConfigPart,
  changedConfigParts,
  configRevisionOf,
  type SharedConfig,
} from "../../domain/policy/shared-config.ts"
import { noProposals, type Proposals, proposalWaiting, withEnded } from "../../domain/rule/proposal.ts"
import { ruleHash } from "../../domain/rule/rule.ts"
import type { Clock } from "../../flow/ports.ts"
import type { LedgerFreshness } from "../freshness/freshness.ts"
import type { RecordWriter } from "../ledger/chained-record.ts"
import type { IndexWrite } from "../ledger/commit.ts"
import type { ChainHead } from "../ledger/entry.ts"
import type { LedgerEvent } from "../ledger/ledger-event.ts"
import type { DataSchema } from "../redis/data-schema.ts"
import { type ConfigPlace, putConfig, type StoredConfig } from "./config-record.ts"

/** What the config revision needs. */
export interface ActivationOptions extends ConfigPlace, RecordWriter {
  readonly schema: DataSchema
  readonly freshness: Pick<LedgerFreshness, "head" | "judge" | "lostConfig" | "catchUp">
  /** The time that all replicas agree on, epoch ms. */
  readonly clock: () => Promise<Clock>
}

/** A config that is to become active. */
export interface ConfigWanted {
  readonly shared: SharedConfig
  readonly revision: string
  /** Other revisions that are known to have been active before. */
  readonly earlier: readonly string[]
  readonly at: number
}

/** A config that is to become active, with its revision. */
export function wantedOf(shared: SharedConfig, at: number): ConfigWanted {
  return { shared, revision: configRevisionOf(shared), earlier: [], at }
}

/** By what right a config becomes active, where the one before has `rules_change`. */
export interface ActivationRight {
  readonly proposal: string
  /** The id of the decision; absent: nobody approved. */
  readonly decision?: string
  /** True if an operator activated it without approval, and the operator's account; null: nobody knows it any more. */
  readonly unapproved?: true
  readonly name?: string | null
}

/** A config that replaces another. `again`: it was active earlier. */
export interface ConfigChange {
  readonly before: StoredConfig | null
  readonly wanted: ConfigWanted
  readonly rules: StoredConfig["rules"]
  readonly again: boolean
  readonly difference: Difference
  readonly besides: readonly ConfigPart[]
  /** The orders in force from then on. */
  readonly orders: Orders
  /** What is known of changes of the config from then on. */
  readonly proposals: Proposals
  /** What else the ledger says of it. */
  readonly events: readonly LedgerEvent[]
  readonly approval?: ActivationRight
  readonly writes?: readonly IndexWrite[]
}

/** Works out how a config replaces another. A proposal that waits is outdated then. */
export function changeTo(wanted: ConfigWanted, before: StoredConfig | null): ConfigChange {
  const { shared, at } = wanted
  const rules = shared.rules.map((rule) => ({ name: rule.name, hash: ruleHash(rule) }))
  const again = before?.earlier.includes(wanted.revision) ?? false
  const difference = differenceOf(before?.rules ?? [], rules)
  const besides = changedConfigParts(before?.shared ?? null, shared)
  const known = before?.proposals ?? noProposals
  const guarded = shared.rulesChange !== undefined
  const proposals = { ...withEnded(known, { how: "outdated", at, decision: null }), guarded }
  const waiting = proposalWaiting(known)
  const ended = waiting === null ? [] : [{ kind: "proposal-ended", at, proposal: waiting.id, how: "outdated" } as const]
  // No order gets lost: an activation carries them over.
  const orders = before?.orders ?? noOrders
  return { before, wanted, rules, again, difference, besides, orders, proposals, events: ended }
}

/** Writes a change. False: somebody was faster. `end`: the chain's end by the ledger, if the record does not say it. */
export async function writeChange(options: ActivationOptions, change: ConfigChange, end?: ChainHead): Promise<boolean> {
  const { before, wanted, rules, again, difference, besides, orders, proposals, events, approval, writes } = change
  const { revision, shared, at } = wanted
  const past = before === null ? [] : [...before.earlier, before.revision, ...wanted.earlier]
  const earlier = [...new Set(past)]
  const acts = before?.acts === undefined ? {} : { acts: before.acts }
  const next = { revision, rules, earlier, data: options.schema.version, at, shared, orders, proposals, ...acts }
  const replaced = before?.revision ?? null
  const event = {
    kind: "activated",
    at,
    revision,
    before: replaced,
    ...difference,
    besides,
    again,
    ...approval,
  } as const
  return putConfig(options, before, { next, events: [event, ...events], end, ...(writes && { writes }) })
}

/** A rule as the active config remembers it: its name, and the hash of everything in it. */
interface RuleName {
  readonly name: string
  readonly hash: string
}

/** The names of the rules that came, went and changed, in the order of the rules. */
export interface Difference {
  readonly added: readonly string[]
  readonly removed: readonly string[]
  readonly changed: readonly string[]
}

/** Compares rules by name and hash. If only their order changed, no rule is named: the revision tells that. */
function differenceOf(before: readonly RuleName[], after: readonly RuleName[]): Difference {
  const old = new Map(before.map((rule) => [rule.name, rule.hash]))
  const names = new Set(after.map((rule) => rule.name))
  return {
    added: after.filter((rule) => !old.has(rule.name)).map((rule) => rule.name),
    removed: before.filter((rule) => !names.has(rule.name)).map((rule) => rule.name),
    changed: after.filter((rule) => old.has(rule.name) && old.get(rule.name) !== rule.hash).map((rule) => rule.name),
  }
}
