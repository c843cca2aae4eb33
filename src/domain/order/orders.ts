// The orders in force: what people ordered beside the rules, and each legal change of that. Pure.
import type { Case, StandInNote, Step, StopNote } from "../case/case.ts"
import { type Erased, isOrderOf, withoutStopper } from "../case/erasure.ts"
import { stepTo } from "../case/steps.ts"
import { hashOf } from "../content/canonical.ts"
import { largest } from "../content/largest.ts"
import { withoutName } from "../people/orderer.ts"
import { type Absence, maxAbsences } from "./absence.ts"
import { type Hold, holdWords, maxHolds } from "./hold.ts"
import {
  coverOf,
  type EndedStop,
  endedKnownMs,
  isSameMatch,
  maxStops,
  type Stop,
  type StopCover,
  type Stoppable,
} from "./stop.ts"

/** All orders in force. */
export interface Orders {
  /** Oldest first. */
  readonly stops: readonly Stop[]
  /** Oldest first, one for each person; absent if there is none. */
  readonly absences?: readonly Absence[]
  /** The stops that ended a short while ago; absent if there is none. */
  readonly ended?: readonly EndedStop[]
  /** Oldest first; absent if there is none. */
  readonly holds?: readonly Hold[]
  /** The erasures that wait for the end of a hold, one for each person; absent if there is none. */
  readonly erasures?: readonly WaitingErasure[]
}

/** A person who is to be erased where a hold kept us from it. */
export interface WaitingErasure {
  /** As `team:user`. */
  readonly person: string
  /** All their other names and addresses that we knew of. */
  readonly names: readonly string[]
  /** The account of the operator who ordered it. */
  readonly by: string
  /** When, epoch ms. */
  readonly at: number
  /** What the holds covered when we last tried (`holdsHash`). */
  readonly holds: string
}

/** The most erasures that wait at once. */
export const maxErasures = 500

/** No order is in force. */
export const noOrders: Orders = { stops: [] }

/** Names what the orders say; null if there are none, so that what holds none stays as it was. */
export function ordersHash({ stops, absences = [], ended = [], holds = [], erasures = [] }: Orders): string | null {
  if (stops.length + absences.length + ended.length + holds.length + erasures.length === 0) return null
  const away = absences.length === 0 ? {} : { absences: absences.map((one) => ({ ...one, by: { ...one.by } })) }
  const over = ended.length === 0 ? {} : { ended: ended.map((one) => ({ ...one, match: { ...one.match } })) }
  const kept =
    holds.length === 0 ? {} : { holds: holds.map((one) => ({ ...one, of: { ...one.of }, by: { ...one.by } })) }
  const waiting = erasures.length === 0 ? {} : { erasures: erasures.map((one) => ({ ...one })) }
  return hashOf({
    stops: stops.map((stop) => ({ ...stop, by: { ...stop.by } })),
    ...away,
    ...over,
    ...kept,
    ...waiting,
  })
}

/** True if both say the same. */
export function isSameOrders(one: Orders, other: Orders): boolean {
  return one === other || ordersHash(one) === ordersHash(other)
}

/** What a new stop comes to. `again`: this older one stops the same for at least as long. */
export type StopChange =
  | { readonly kind: "stopped"; readonly orders: Orders }
  | { readonly kind: "again"; readonly stop: Stop }
  | { readonly kind: "too-many" }

/** Adds a stop. */
export function withStop(orders: Orders, stop: Stop): StopChange {
  const same = orders.stops.find((one) => isSameMatch(one.match, stop.match) && lastsUntil(one) >= lastsUntil(stop))
  if (same !== undefined) return { kind: "again", stop: same }
  if (orders.stops.length >= maxStops) return { kind: "too-many" }
  return { kind: "stopped", orders: { ...orders, stops: [...orders.stops, stop] } }
}

function lastsUntil({ until }: Stop): number {
  return until ?? Number.POSITIVE_INFINITY
}

/** The orders once a stop has ended, at `at` (epoch ms). */
export function withoutStop(orders: Orders, id: string, at: number): Orders {
  const over = orders.stops.filter((stop) => stop.id === id).map(({ match }) => ({ id, match, endedAt: at }))
  const known = (orders.ended ?? []).filter(({ endedAt }) => endedAt > at - endedKnownMs)
  return { ...orders, stops: orders.stops.filter((stop) => stop.id !== id), ended: [...known, ...over] }
}

/** When a stop that covered a case ended, if that was at `since` (epoch ms) or later; null if none did. */
export function endSince({ ended = [] }: Orders, subject: Stoppable, since: number): number | null {
  const covering = ended.filter((one) => one.endedAt >= since && coverOf(one, subject) !== null)
  return covering.length === 0
    ? null
    : largest(
        since,
        covering.map(({ endedAt }) => endedAt),
      )
}

/** What a new absence comes to. `away`: this person is away already, by this absence. */
export type AbsenceChange =
  | { readonly kind: "begun"; readonly orders: Orders }
  | { readonly kind: "away"; readonly absence: Absence }
  | { readonly kind: "too-many" }

/** Adds an absence. A person has one at a time. */
export function withAbsence(orders: Orders, absence: Absence): AbsenceChange {
  const { absences = [] } = orders
  const older = absences.find(({ person }) => person === absence.person)
  if (older !== undefined) return { kind: "away", absence: older }
  if (absences.length >= maxAbsences) return { kind: "too-many" }
  return { kind: "begun", orders: { ...orders, absences: [...absences, absence] } }
}

/** The orders without one absence. */
export function withoutAbsence(orders: Orders, id: string): Orders {
  return withAbsences(
    orders,
    (orders.absences ?? []).filter((one) => one.id !== id),
  )
}

/** The orders with these absences alone. */
export function withAbsences({ absences: _former, ...rest }: Orders, absences: readonly Absence[]): Orders {
  return absences.length === 0 ? rest : { ...rest, absences }
}

/** What a new hold comes to. `again`: this older one covers the same. */
export type HoldChange =
  | { readonly kind: "begun"; readonly orders: Orders }
  | { readonly kind: "again"; readonly hold: Hold }
  | { readonly kind: "too-many" }

/** Adds a hold. */
export function withHold(orders: Orders, hold: Hold): HoldChange {
  const { holds = [] } = orders
  const same = holds.find(({ of }) => holdWords(of) === holdWords(hold.of))
  if (same !== undefined) return { kind: "again", hold: same }
  if (holds.length >= maxHolds) return { kind: "too-many" }
  return { kind: "begun", orders: { ...orders, holds: [...holds, hold] } }
}

/** The orders without one hold. */
export function withoutHold({ holds = [], ...rest }: Orders, id: string): Orders {
  const left = holds.filter((one) => one.id !== id)
  return left.length === 0 ? rest : { ...rest, holds: left }
}

/** The orders with an erasure that waits, in place of an older one of the same person; null if too many wait. */
export function withErasure(orders: Orders, erasure: WaitingErasure): Orders | null {
  const others = (orders.erasures ?? []).filter(({ person }) => person !== erasure.person)
  return others.length >= maxErasures ? null : { ...orders, erasures: [...others, erasure] }
}

/** The orders without the erasure of a person. */
export function withoutErasure({ erasures = [], ...rest }: Orders, person: string): Orders {
  const left = erasures.filter((one) => one.person !== person)
  return left.length === 0 ? rest : { ...rest, erasures: left }
}

/**
 * The orders if nobody knows which of two is the newer: every stop and hold of either, every erasure that waits, and
 * the absences that stand in both. A stop or hold that is too many only waits for its end; an absence that somebody
 * ended lets nobody vote.
 */
export function joinedOrders(one: Orders, other: Orders): Orders {
  const added = other.stops.filter(({ id }) => one.stops.every((stop) => stop.id !== id))
  const known = new Set((other.absences ?? []).map(({ id }) => id))
  const away = (one.absences ?? []).filter(({ id }) => known.has(id))
  const over = [...(one.ended ?? []), ...(other.ended ?? []).filter(({ id }) => !isEndedIn(one, id))]
  const stops = { stops: [...one.stops, ...added], ...(over.length === 0 ? {} : { ended: over }) }
  return withAbsences({ ...stops, ...joinedHolds(one, other) }, away)
}

function joinedHolds(one: Orders, other: Orders): Pick<Orders, "holds" | "erasures"> {
  const both = [...(one.holds ?? []), ...(other.holds ?? [])]
  const holds = [...new Map(both.map((hold) => [hold.id, hold])).values()]
  const waiting = [...(other.erasures ?? []), ...(one.erasures ?? [])]
  const erasures = [...new Map(waiting.map((erasure) => [erasure.person, erasure])).values()]
  return { ...(holds.length === 0 ? {} : { holds }), ...(erasures.length === 0 ? {} : { erasures }) }
}

function isEndedIn({ ended = [] }: Orders, id: string): boolean {
  return ended.some((one) => one.id === id)
}

/** The orders without a person's names and reasons. What is in force stays in force. */
export function eraseFromOrders(orders: Orders, erased: Erased): Orders {
  const { stops, absences = [], holds } = orders
  const away = absences.map((one) => (isOrderOf(one.by, erased) ? { ...one, by: withoutName(one.by) } : one))
  const kept = holds === undefined ? {} : { holds: holds.map((hold) => withoutStopper(hold, erased)) }
  return withAbsences({ ...orders, stops: stops.map((stop) => withoutStopper(stop, erased)), ...kept }, away)
}

/** A stop that covers a case, and how. */
export interface CoveringStop {
  readonly stop: Stop
  readonly cover: StopCover
}

/** The stop that covers a case: the oldest that does for certain, else the oldest that may. Null if none does. */
export function stopOn({ stops }: Orders, subject: Stoppable): CoveringStop | null {
  const covering = stops.flatMap((stop) => {
    const cover = coverOf(stop, subject)
    return cover === null ? [] : [{ stop, cover }]
  })
  return covering.find(({ cover }) => cover === "certain") ?? covering[0] ?? null
}

/** Notes which stop covers an open case, for its cards; null: none does. Returns null if the case says so already. */
export function noteStop(current: Case, covering: CoveringStop | null): Step | null {
  const note = covering === null || current.state !== "open" ? null : noteOf(covering)
  const { stopped, ...rest } = current
  if (JSON.stringify(note) === JSON.stringify(stopped ?? null)) return null
  return stepTo(note === null ? rest : { ...rest, stopped: note }, [])
}

/** Notes which stop keeps a waiting run from going on. Null if the case says so already, or if no run waits. */
export function noteHeldRun(current: Case, covering: CoveringStop): Step | null {
  const { resumption } = current
  if (resumption?.kind !== "waiting") return null
  const stopped = noteOf(covering)
  if (JSON.stringify(stopped) === JSON.stringify(resumption.stopped ?? null)) return null
  return stepTo({ ...current, resumption: { ...resumption, stopped } }, [])
}

function noteOf({ stop: { id, by, reason, at }, cover }: CoveringStop): StopNote {
  return { stop: id, by, reason, at, ...(cover === "perhaps" ? { perhaps: true } : {}) }
}

/** Notes who may stand in on an open case, for its cards. Returns null if the case says so already. */
export function noteStandIns(current: Case, now: readonly StandInNote[]): Step | null {
  const notes = current.state === "open" ? now : []
  const { standIns = [], ...rest } = current
  if (JSON.stringify(notes) === JSON.stringify(standIns)) return null
  return stepTo(notes.length === 0 ? rest : { ...rest, standIns: notes }, [])
}
