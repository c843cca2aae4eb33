// Erases a person: removes their texts and names from erasable records, cases, identity links and orders. The ledger
// says so.
import { caseIdOf } from "../../domain/case/case.ts"
import { type Erased, eraseFrom } from "../../domain/case/erasure.ts"
import { type HoldInForce, holdOn } from "../../domain/order/hold.ts"
import { eraseFromOrders } from "../../domain/order/orders.ts"
import { personKey } from "../../domain/people/person.ts"
import { builtInInstance } from "../../domain/rule/rules-change.ts"
import { type CaseCodec, openCase } from "../cases/case-codec.ts"
import { caseCommit } from "../cases/case-commit.ts"
import type { ActivationOptions } from "../config/config-change.ts"
import { readHolds } from "../config/hold-book.ts"
import { eraseResolutions } from "../config/kept-proposals.ts"
import { rewriteOrders } from "../config/orders-record.ts"
import type { LedgerFreshness } from "../freshness/freshness.ts"
import { changeLink, type StoredLink } from "../identity/identity-link.ts"
import type { Operator } from "../identity/identity-links.ts"
import type { RecordWriter } from "../ledger/chained-record.ts"
import type { IndexWrite } from "../ledger/commit.ts"
import { erasableErasure } from "../ledger/erasable-record.ts"
import type { LedgerEvent } from "../ledger/ledger-event.ts"
import { openedEntries } from "../ledger/opened-entries.ts"
import { receiptErasure } from "../ledger/receipts.ts"
import { chainOf, type Keys } from "../redis/keys.ts"
import { readRecord, type SealedPlace } from "../redis/sealed-record.ts"
import { findTraces, type PersonTrace } from "./traces.ts"

/** What erasing needs. */
export interface EraseOptions extends CaseCodec, SealedPlace, RecordWriter {
  readonly installation: string
  readonly freshness: LedgerFreshness
  /** Where the orders in force lie. */
  readonly config: ActivationOptions
}

/** The person to erase, and the operator who does it. */
export interface ErasureOrder extends Operator {
  /** `team:user`. */
  readonly person: string
  /** Other names and addresses of the person, besides those that the ledger has. */
  readonly names: readonly string[]
}

/** What an erasure did. */
export interface Erasure {
  readonly erasables: number
  readonly receipts: number
  readonly cases: number
  readonly links: number
  /** Cases that could not be erased, or only in part. If a case is not closed yet, erase the person again later. */
  readonly left: readonly Left[]
  /** How many entries of the ledger are gone or not ours: texts that they named may still be in Redis. */
  readonly unread: number
}

/**
 * `unreadable`: we cannot read text that may be the person's. `gone`: the record is lost, not its texts. `on-hold`:
 * this hold covers the case.
 */
export type Left = { readonly caseId: string } & (
  | { readonly why: "open" | "frozen" | "unreadable" | "gone" }
  | { readonly why: "on-hold"; readonly hold: HoldInForce }
)

type Done =
  | { readonly kind: "none" }
  | { readonly kind: "left"; readonly left: Left }
  | {
      readonly kind: "erased"
      readonly of: "case" | "link" | "orders"
      readonly erasables: number
      readonly receipts: number
    }

/**
 * Erases a person, with one commit and one entry for each chain; leaves cases on hold. Safe to run twice. Throws
 * `StoreError`. `names`: all names of the person that we know of.
 */
export async function erasePerson(
  options: EraseOptions,
  order: ErasureOrder,
): Promise<{ readonly erasure: Erasure; readonly names: readonly string[] }> {
  const { erased, chains, unread } = await findTraces(openedEntries(options, 0), order)
  const done: Done[] = []
  for (const trace of chains) done.push(await eraseChain(options, trace, { erased, order }))
  const left = done.flatMap((one) => (one.kind === "left" ? [one.left] : []))
  const onHold = new Set(left.flatMap(({ caseId, why }) => (why === "on-hold" ? [caseId] : [])))
  const isKept = (proposal: string) => onHold.has(caseIdOf(options.installation, builtInInstance, proposal))
  await eraseResolutions(options, erased, isKept)
  const named = new Set(left.map(({ caseId }) => caseId))
  const unreadable = chains.filter((trace) => trace.unreadable).map(({ chain }) => chainSubject(chain))
  const doubtful = unreadable
    .filter((caseId) => !named.has(caseId))
    .map((caseId) => ({ caseId, why: "unreadable" as const }))
  const counted = done.filter((one) => one.kind === "erased")
  const erasure = {
    erasables: counted.reduce((sum, { erasables }) => sum + erasables, 0),
    receipts: counted.reduce((sum, { receipts }) => sum + receipts, 0),
    cases: counted.filter((one) => one.of === "case").length,
    links: counted.filter((one) => one.of === "link").length,
    left: [...left, ...doubtful],
    unread,
  }
  return { erasure, names: [...erased.names] }
}

interface Who {
  readonly erased: Erased
  readonly order: ErasureOrder
}

/** The id of the case, or the name of the link, that a chain is about. */
function chainSubject(chain: string): string {
  return chain.slice(chain.indexOf(":") + 1)
}

function eraseChain(options: EraseOptions, trace: PersonTrace, who: Who): Promise<Done> {
  if (trace.chain === chainOf.config) return eraseOrders(options, trace, who)
  const name = chainSubject(trace.chain)
  return trace.chain === chainOf.identityLink(name)
    ? eraseLink(options, { name, trace, who })
    : eraseCase(options, { name, trace, who })
}

/** The traces of a person in a case or link. `name`: the id of the case, or the name of the link. */
interface Traced {
  readonly name: string
  readonly trace: PersonTrace
  readonly who: Who
}

async function eraseCase(options: EraseOptions, { name: caseId, trace, who }: Traced): Promise<Done> {
  const { redis, keys } = options
  const key = keys.case(caseId)
  const leave = (left: Left): Done => ({ kind: "left", left })
  const traced = trace.erasables.length + trace.receipts.length > 0
  const current = openCase(options, key, await readRecord(redis, key))
  if (current === "tampered") return traced ? leave({ caseId, why: "frozen" }) : { kind: "none" }
  if (current === null) return traced ? leave({ caseId, why: "gone" }) : { kind: "none" }
  const next = eraseFrom(current, who.erased)
  if (!traced && next === current) return { kind: "none" }
  if (current.state !== "closed") return leave({ caseId, why: current.state === "frozen" ? "frozen" : "open" })
  const { holds, proof } = await readHolds(options.config)
  const hold = holdOn(current, holds)
  if (hold !== null) return leave({ caseId, why: "on-hold", hold })
  const events = [eventOf(trace, who.order)]
  const { record } = caseCommit(options, { next, expectedVersion: current.version, events })
  const writes = [...(record.writes ?? []), ...eraseWrites(keys, trace)]
  // A hold that began meanwhile makes this commit fail.
  const done = await options.commit({ ...record, writes, config: proof })
  if (done.kind !== "committed") return eraseCase(options, { name: caseId, trace, who })
  return { kind: "erased", of: "case", erasables: trace.erasables.length, receipts: trace.receipts.length }
}

/** Empties a link of the person. If the link means somebody else now, removes only erasable records of the person. */
async function eraseLink(options: EraseOptions, { name, trace, who }: Traced): Promise<Done> {
  const done = { touched: false }
  await changeLink(options, name, (before) => {
    done.touched = before !== null && (trace.erasables.length > 0 || isTheirs(before, who.erased.person))
    if (before === null || !done.touched) return null
    const empty = { ...before, email: null, person: null, by: null, contested: null }
    const next = isTheirs(before, who.erased.person) ? empty : before
    return { next, event: eventOf(trace, who.order), writes: eraseWrites(options.keys, trace) }
  })
  return done.touched
    ? { kind: "erased", of: "link", erasables: trace.erasables.length, receipts: 0 }
    : { kind: "none" }
}

/** Writes the record of the active config anew, without what the person said in orders. What they ordered stays. */
async function eraseOrders(options: EraseOptions, trace: PersonTrace, { erased, order }: Who): Promise<Done> {
  if (trace.erasables.length === 0) return { kind: "none" }
  const besides = { event: eventOf(trace, order), writes: eraseWrites(options.keys, trace) }
  await rewriteOrders(options.config, (orders) => eraseFromOrders(orders, erased), besides)
  return { kind: "erased", of: "orders", erasables: trace.erasables.length, receipts: 0 }
}

function isTheirs({ person }: StoredLink, erased: string): boolean {
  return person !== null && personKey(person) === erased
}

function eventOf({ erasables, receipts }: PersonTrace, { person, by, at }: ErasureOrder): LedgerEvent {
  return { kind: "erased", at, person, by, erasables, receipts: receipts.map(({ hash }) => hash) }
}

/** The writes that remove erasable records and receipts. */
export function eraseWrites(
  keys: Keys,
  { chain, erasables, receipts }: Pick<PersonTrace, "chain" | "erasables" | "receipts">,
): readonly IndexWrite[] {
  return [
    ...erasables.flatMap((hash) => erasableErasure(keys, { chain, hash })),
    ...receipts.map(({ decision }) => receiptErasure(keys, decision)),
  ]
}
