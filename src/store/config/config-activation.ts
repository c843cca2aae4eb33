// Makes a config the active one (R16), in one step with a ledger entry that shows the difference.

import { isSameOrders, joinedOrders, noOrders } from "../../domain/order/orders.ts"
import type { ConfigPart, SharedConfig } from "../../domain/policy/shared-config.ts"
import { isSameProposals, joinedProposals, type Proposals } from "../../domain/rule/proposal.ts"
import { StoreError } from "../errors.ts"
import { type ChainHead, noEntries } from "../ledger/entry.ts"
import { demandKnown } from "../redis/data-schema.ts"
import { chainOf } from "../redis/keys.ts"
import {
  type ActivationOptions,
  type ActivationRight,
  type ConfigChange,
  changeTo,
  type Difference,
  wantedOf,
  writeChange,
} from "./config-change.ts"
import {
  configBehind,
  configTampered,
  notRead,
  otherVersion,
  putConfig,
  readAnyConfig,
  readConfig,
  type StoredConfig,
  takeAnyConfig,
} from "./config-record.ts"
import type { LostConfig } from "./seen-versions.ts"
import { everythingStopped, lastActivated } from "./unknown-orders.ts"

/** The config that a process starts with. */
export interface Activation {
  readonly shared: SharedConfig
  /** True if an operator said `--activate`: a revision that was active earlier may come back. */
  readonly activate: boolean
  /** Epoch ms. */
  readonly at: number
}

/**
 * `unchanged`: the config is active already. `taken-over`: the process works under the config that replaced it.
 * `needs-approval`: the active config has `rules_change`, so this one may only be proposed; the process works under the
 * active one.
 */
export type Activated =
  | { readonly kind: "unchanged" }
  | { readonly kind: "taken-over" | "needs-approval"; readonly active: string }
  | { readonly kind: "activated"; readonly difference: Difference; readonly besides: readonly ConfigPart[] }

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
  const instead = before === null ? null : insteadOf(change, before, activation)
  if (before !== null && instead !== null) {
    if (before.shared === null) throw unreadable(wanted.revision, before)
    return (await raiseData(options, before, before.shared)) ? instead : await activate(options, activation)
  }
  return (await written(options, change)) ?? (await activate(options, activation))
}

/** What happens in place of an activation; null: nothing, the config becomes the active one. */
function insteadOf(change: ConfigChange, before: StoredConfig, { activate: said }: Activation): Activated | null {
  const { again, wanted } = change
  const { revision: active } = before
  if (active === wanted.revision) return { kind: "unchanged" }
  if (again && !said) return { kind: "taken-over", active }
  return before.proposals.guarded ? { kind: "needs-approval", active } : null
}

async function written(options: ActivationOptions, change: ConfigChange, end?: ChainHead): Promise<Activated | null> {
  const { difference, besides } = change
  return (await writeChange(options, change, end)) ? { kind: "activated", difference, besides } : null
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
  const proposals = follows ? seen.proposals : joinedProposals(found.proposals, seen.proposals)
  const at = Math.max(seen.at, found.at)
  const away = (orders.absences ?? []).map(({ id }) => id)
  const holds = (orders.holds ?? []).map(({ id }) => id)
  const told = {
    stops: orders.stops.map(({ id }) => id),
    ...(away.length === 0 ? {} : { absences: away }),
    ...(holds.length === 0 ? {} : { holds }),
  }
  const restored = { kind: "orders-restored", at, ...told } as const
  const same = isSameOrders(orders, found.orders) && isSameProposals(proposals, found.proposals)
  const events = named || !same ? [restored] : []
  const newer = seen.version > found.version && seen.revision !== found.revision ? seen : null
  if (newer !== null && newer.shared !== null) {
    const wanted = { ...wantedOf(newer.shared, newer.at), earlier: newer.earlier }
    const known = { ...proposals, guarded: newer.proposals.guarded }
    const approval = approvalIn(known, newer.revision)
    await written(options, {
      ...changeTo(wanted, found),
      orders,
      proposals: known,
      events,
      ...(approval && { approval }),
    })
    return true
  }
  if (found.shared === null || events.length === 0) return false
  await putConfig(options, found, { next: { ...found, shared: found.shared, orders, proposals }, events })
  return true
}

/** By what right a revision became active; null if nobody had to approve it. */
function approvalIn({ list }: Proposals, revision: string): ActivationRight | null {
  const made = list.findLast(({ to, end }) => to === revision && (end?.how === "approved" || end?.how === "unapproved"))
  if (made === undefined || made.end === null) return null
  const { id: proposal, end } = made
  if (end.how === "unapproved") return { proposal, unapproved: true, name: null }
  return end.decision === null ? { proposal } : { proposal, decision: end.decision }
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
 * no other revision than the one that was activated last, and leaves everything stopped: nobody knows the orders. If
 * that one has `rules_change` and the record still holds it, another file may then be proposed.
 */
async function repair(options: ActivationOptions, activation: Activation, why: Unbelieved): Promise<Activated> {
  if (!activation.activate) throw new StoreError(why, unbelieved[why])
  const { shared, at } = activation
  const last = await lastActivated(options)
  const own = wantedOf(shared, at)
  const kept = last === own.revision ? null : await guardedConfig(options, last)
  const wanted = kept === null ? own : wantedOf(kept, at)
  if (last !== wanted.revision) throw new StoreError(why, `${unbelieved[why]}. ${otherFile(own.revision, last)}`)
  const end = options.freshness.head(chainOf.config) ?? noEntries
  const { stop, orders } = everythingStopped(noOrders, end, at)
  const events = [{ kind: "orders-unknown", at, stop: stop.id, why: "repaired" } as const]
  const change = changeTo(wanted, await takeAnyConfig(options))
  const done = await written(options, { ...change, orders, events: [...change.events, ...events] }, end)
  return done === null || wanted !== own ? await activate(options, activation) : done
}

/** The config of a revision, if the record still holds it and it has `rules_change`, whatever the record's age. */
async function guardedConfig(options: ActivationOptions, revision: string | null): Promise<SharedConfig | null> {
  const found = await readAnyConfig(options)
  return found !== "tampered" && found?.revision === revision && found.proposals.guarded ? found.shared : null
}

function otherFile(own: string, last: string | null): string {
  if (last === null) return "The ledger does not say which config was active: countersign ledger verify says why"
  const [file, active] = [own, last].map((revision) => revision.slice(0, 12))
  return `The file of this replica makes revision ${file}; start it with the file of ${active}, which was active last`
}

/** Raises a config's data version: replicas that do not know the version decide nothing. False: somebody was faster. */
async function raiseData(options: ActivationOptions, before: StoredConfig, shared: SharedConfig): Promise<boolean> {
  const data = options.schema.version
  if (before.data === data) return true
  return putConfig(options, before, { next: { ...before, data, shared }, events: [] })
}

/** The error: a replica cannot take over a config that it cannot read. Only `--activate` brings an old file back. */
function unreadable(revision: string, before: StoredConfig): StoreError {
  const { revision: active, unread = "", proposals } = before
  const [old, now] = [revision.slice(0, 12), active.slice(0, 12)]
  const back = `. To put config revision ${old} of this file in its place, start it once with --activate`
  const advice = `${otherVersion}${revision === active || proposals.guarded ? "" : back}`
  return new StoreError("config-unreadable", `${notRead(unread)} (revision ${now}): ${advice}`)
}
