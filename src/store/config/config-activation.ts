// Makes a config the active one (R16), in one step with a ledger entry that shows the difference.

import { isSameOrders, joinedOrders, noOrders, type Orders } from "../../domain/order/orders.ts"
import {
  type ConfigPart,
  changedConfigParts,
  configRevisionOf,
  type SharedConfig,
} from "../../domain/policy/shared-config.ts"
import { ruleHash } from "../../domain/rule/rule.ts"
import type { Clock } from "../../flow/ports.ts"
import { StoreError } from "../errors.ts"
import type { LedgerFreshness } from "../freshness/freshness.ts"
import type { RecordWriter } from "../ledger/chained-record.ts"
import { type ChainHead, noEntries } from "../ledger/entry.ts"
import type { LedgerEvent } from "../ledger/ledger-event.ts"
import { type DataSchema, demandKnown } from "../redis/data-schema.ts"
import { chainOf } from "../redis/keys.ts"
import {
  type ConfigPlace,
  configBehind,
  configTampered,
  notRead,
  otherVersion,
  putConfig,
  readConfig,
  type StoredConfig,
  takeAnyConfig,
} from "./config-record.ts"
import type { LostConfig } from "./seen-versions.ts"
import { everythingStopped, lastActivated } from "./unknown-orders.ts"

/** What the config revision needs. */
export interface ActivationOptions extends ConfigPlace, RecordWriter {
  readonly schema: DataSchema
  readonly freshness: Pick<LedgerFreshness, "head" | "judge" | "lostConfig" | "catchUp">
  /** The time that all replicas agree on, epoch ms. */
  readonly clock: () => Promise<Clock>
}

/** The config that a process starts with. */
export interface Activation {
  readonly shared: SharedConfig
  /** True if an operator said `--activate`: a revision that was active earlier may come back. */
  readonly activate: boolean
  /** Epoch ms. */
  readonly at: number
}

/** `unchanged`: the config is active already. `taken-over`: the process works under the config that replaced it. */
export type Activated =
  | { readonly kind: "unchanged" }
  | { readonly kind: "taken-over"; readonly active: string }
  | { readonly kind: "activated"; readonly difference: Difference; readonly besides: readonly ConfigPart[] }

/** A config that is to become active. */
interface Wanted {
  readonly shared: SharedConfig
  readonly revision: string
  /** Other revisions that are known to have been active before. */
  readonly earlier: readonly string[]
  readonly at: number
}

function wantedOf(shared: SharedConfig, at: number): Wanted {
  return { shared, revision: configRevisionOf(shared), earlier: [], at }
}

/**
 * Makes a config the active one. If it was active earlier, takes over the present config. Throws `StoreError`:
 * `newer-data`, `tampered`, `behind`; `config-unreadable` if this Countersign cannot work under the active config.
 */
export async function activate(options: ActivationOptions, activation: Activation): Promise<Activated> {
  const before = await readConfig(options).catch(unbelievedOrThrow)
  if (before === "behind" || before === "tampered") return await repair(options, activation, before)
  if (before !== null) demandKnown(options.schema, "the data of this installation", before.data)
  const wanted = wantedOf(activation.shared, activation.at)
  const change = changeTo(wanted, before)
  const own = before?.revision === wanted.revision
  if (before !== null && (own || (change.again && !activation.activate))) {
    if (before.shared === null) throw unreadable(wanted.revision, before.revision, before.unread)
    const done: Activated = own ? { kind: "unchanged" } : { kind: "taken-over", active: before.revision }
    return (await raiseData(options, before, before.shared)) ? done : await activate(options, activation)
  }
  return (await written(options, change)) ?? (await activate(options, activation))
}

/**
 * Commits again what this process saw and Redis forgot (R17): the config, unless somebody activates another one, and
 * the orders. If others changed the record meanwhile, everything that was ordered there stands, too. False: there was
 * nothing to put back.
 */
export async function restoreConfig(
  options: ActivationOptions,
  lost: LostConfig,
  found: StoredConfig,
): Promise<boolean> {
  const { seen, follows, named } = lost
  const orders = follows ? seen.orders : joinedOrders(found.orders, seen.orders)
  const at = Math.max(seen.at, found.at)
  const away = (orders.absences ?? []).map(({ id }) => id)
  const told = { stops: orders.stops.map(({ id }) => id), ...(away.length === 0 ? {} : { absences: away }) }
  const restored = { kind: "orders-restored", at, ...told } as const
  const events = named || !isSameOrders(orders, found.orders) ? [restored] : []
  const newer = seen.version > found.version && seen.revision !== found.revision ? seen : null
  if (newer !== null && newer.shared !== null) {
    const wanted = { ...wantedOf(newer.shared, newer.at), earlier: newer.earlier }
    await written(options, { ...changeTo(wanted, found), orders, events })
    return true
  }
  if (found.shared === null || events.length === 0) return false
  await putConfig(options, found, { next: { ...found, shared: found.shared, orders }, events })
  return true
}

/** Stops everything, because nobody knows which orders are in force. What is known to be in force stays. */
export async function stopEverything(options: ActivationOptions, found: StoredConfig, at: number): Promise<void> {
  if (found.shared === null) return
  const { stop, orders } = everythingStopped(found.orders, found.chain, at)
  const event = { kind: "orders-unknown", at, stop: stop.id, why: "lost" } as const
  await putConfig(options, found, { next: { ...found, shared: found.shared, orders }, events: [event] })
}

/** Why a record is not believed: it is older than the ledger, or not ours. */
export type Unbelieved = "behind" | "tampered"

/** The words for each. */
export const unbelieved: Readonly<Record<Unbelieved, string>> = { behind: configBehind, tampered: configTampered }

/** Reads from an error why we do not believe a record. Throws any other error again. */
export function unbelievedOrThrow(error: unknown): Unbelieved {
  if (error instanceof StoreError && (error.code === "behind" || error.code === "tampered")) return error.code
  throw error
}

/**
 * Replaces a record that is not believed, at the end of its chain, if an operator said `--activate`. Else throws. Takes
 * no other revision than the one that was activated last, and leaves everything stopped: nobody knows the orders.
 */
async function repair(options: ActivationOptions, activation: Activation, why: Unbelieved): Promise<Activated> {
  if (!activation.activate) throw new StoreError(why, unbelieved[why])
  const { shared, at } = activation
  const wanted = wantedOf(shared, at)
  const last = await lastActivated(options)
  if (last !== wanted.revision) throw new StoreError(why, `${unbelieved[why]}. ${otherFile(wanted.revision, last)}`)
  const end = options.freshness.head(chainOf.config) ?? noEntries
  const { stop, orders } = everythingStopped(noOrders, end, at)
  const events = [{ kind: "orders-unknown", at, stop: stop.id, why: "repaired" } as const]
  const change = { ...changeTo(wanted, await takeAnyConfig(options)), orders, events }
  return (await written(options, change, end)) ?? (await activate(options, activation))
}

function otherFile(own: string, last: string | null): string {
  if (last === null) return "The ledger does not say which config was active: countersign ledger verify says why"
  const [file, active] = [own, last].map((revision) => revision.slice(0, 12))
  return `The file of this replica makes revision ${file}; start it with the file of ${active}, which was active last`
}

/** A config that replaces another. `again`: it was active earlier. */
interface Change {
  readonly before: StoredConfig | null
  readonly wanted: Wanted
  readonly rules: StoredConfig["rules"]
  readonly again: boolean
  readonly difference: Difference
  readonly besides: readonly ConfigPart[]
  /** The orders in force from then on. */
  readonly orders: Orders
  /** What else the ledger says of it. */
  readonly events: readonly LedgerEvent[]
}

function changeTo(wanted: Wanted, before: StoredConfig | null): Change {
  const { shared } = wanted
  const rules = shared.rules.map((rule) => ({ name: rule.name, hash: ruleHash(rule) }))
  const again = before?.earlier.includes(wanted.revision) ?? false
  const difference = differenceOf(before?.rules ?? [], rules)
  const besides = changedConfigParts(before?.shared ?? null, shared)
  // No order gets lost: an activation carries them over.
  return { before, wanted, rules, again, difference, besides, orders: before?.orders ?? noOrders, events: [] }
}

/** Raises a config's data version: replicas that do not know the version decide nothing. False: somebody was faster. */
async function raiseData(options: ActivationOptions, before: StoredConfig, shared: SharedConfig): Promise<boolean> {
  const data = options.schema.version
  if (before.data === data) return true
  return putConfig(options, before, { next: { ...before, data, shared }, events: [] })
}

/** The error: a replica cannot take over a config that it cannot read. Only `--activate` brings an old file back. */
function unreadable(revision: string, active: string, unread: string): StoreError {
  const [old, now] = [revision.slice(0, 12), active.slice(0, 12)]
  const back = `. To put config revision ${old} of this file in its place, start it once with --activate`
  const advice = `${otherVersion}${revision === active ? "" : back}`
  return new StoreError("config-unreadable", `${notRead(unread)} (revision ${now}): ${advice}`)
}

/** Writes a change; null: somebody was faster. `end`: the chain's end by the ledger, if the record does not say it. */
async function written(options: ActivationOptions, change: Change, end?: ChainHead): Promise<Activated | null> {
  const { before, wanted, rules, again, difference, besides, orders, events } = change
  const { revision, shared, at } = wanted
  const past = before === null ? [] : [...before.earlier, before.revision, ...wanted.earlier]
  const earlier = [...new Set(past)]
  const next = { revision, rules, earlier, data: options.schema.version, at, shared, orders }
  const replaced = before?.revision ?? null
  const event = { kind: "activated", at, revision, before: replaced, ...difference, besides, again } as const
  return (await putConfig(options, before, { next, events: [event, ...events], end }))
    ? { kind: "activated", difference, besides }
    : null
}

/** A rule as the active config remembers it: its name, and the hash of everything in it. */
interface RuleName {
  readonly name: string
  readonly hash: string
}

/** The names of the rules that came, went and changed, in the order of the rules. */
interface Difference {
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
