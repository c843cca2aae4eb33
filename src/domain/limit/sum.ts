// A sum: what people approved within a window, by owner and time. An amount never leaves the sum early, and at most a
// hundredth of the window late.
import type { z } from "zod"
import { sha256 } from "../content/canonical.ts"
import type { reservedSchema, reservedSumSchema } from "../content/record/case-parts.ts"
import type { Frozen } from "../content/record/frozen.ts"
import { type Amount, amountAsText, minus, plus, writtenAmount, zero } from "./amount.ts"

/** Which sum: an instance, and the paths in its calls to amounts and their owners. */
export interface SumId {
  readonly instance: string
  /** As a rule writes it, such as `args.amount`. */
  readonly sum: string
  /** Null: there is one sum for all calls. */
  readonly per: string | null
}

/** What is kept of a sum. Times are epoch ms. */
export interface SumState {
  readonly windowMs: number
  /** The latest moment at which somebody added anything. A clock that is behind adds nothing before this moment. */
  readonly at: number
  /** Until then nobody knows all of the sum, so even a small sum makes its limit ask more people. 0: not blind. */
  readonly blindUntil: number
  /** Amounts as decimal texts, by owner (`whoseSum`), then by the hundredth of a window from which they count. */
  readonly amounts: Readonly<Record<string, Readonly<Record<string, string>>>>
}

/** What one call adds, and to whose sum. */
export interface Addition {
  readonly whose: string
  readonly amount: Amount
}

/** What a decision added to sums, in the commit that made the decision. */
export interface Reservation extends Frozen<z.infer<typeof reservedSchema>> {}

/** What we added to one sum, and the window of the sum at that time. */
export interface ReservedSum extends Frozen<z.infer<typeof reservedSumSchema>> {}

/** A window has this many slots for each owner, and one that is being filled. */
const slots = 100

/** How `whoseSum` reads a sum's owner. A new reading makes a new sum, filled again with what was decided. */
const reading = "ungrouped"

/** The name of a sum in keys and chains: 32 hex characters. */
export function sumName({ instance, sum, per }: SumId): string {
  return sha256(JSON.stringify(per === null ? [instance, sum, per] : [instance, sum, per, reading])).slice(0, 32)
}

/** An empty sum. */
export function emptySum(windowMs: number, at: number, blindUntil = 0): SumState {
  return { windowMs, at, blindUntil, amounts: {} }
}

/** What a sum comes to for one owner. */
export function totalOf({ windowMs, amounts }: SumState, whose: string, now: number): Amount {
  const kept = Object.entries(ownIn(amounts, whose)).filter(([slot]) => counts(Number(slot), windowMs, now))
  return kept.reduce((sum, [, amount]) => plus(sum, writtenAmount(amount)), zero)
}

/** True while not all of a sum is known. */
export function isBlind({ blindUntil }: SumState, now: number): boolean {
  return now < blindUntil
}

/** Adds amounts, and drops those that left the window. */
export function withAdded(
  before: SumState,
  additions: readonly Addition[],
  now: number,
): { readonly state: SumState; readonly added: ReservedSum["added"] } {
  const at = Math.max(before.at, now)
  const slot = slotAt(at, before.windowMs)
  const state = additions.reduce((sum, one) => put(sum, { ...one, slot }), { ...pruned(before, now), at })
  const added = additions.map(({ whose, amount }) => ({ whose, amount: amountAsText(amount), slot }))
  return { state, added }
}

/** Takes away what was added, unless it has left already. A slot that has less was filled by others, so it stays. */
export function withFreed(
  before: SumState,
  { added, windowMs }: Pick<ReservedSum, "added" | "windowMs">,
  now: number,
): SumState {
  return added.reduce(
    (sum, { whose, amount, slot: then }) => {
      const slot = slotUnder(sum.windowMs, then, windowMs)
      const left = minus(inSlot(sum, whose, slot), writtenAmount(amount))
      return left === null ? sum : setSlot(sum, { whose, slot, amount: left })
    },
    pruned(before, now),
  )
}

/** The same sum over a new window. Nothing leaves earlier than before. Over a longer window it is blind at first. */
export function underWindow(before: SumState, windowMs: number, now: number): SumState {
  if (before.windowMs === windowMs) return before
  const longer = windowMs > before.windowMs
  const blindUntil = longer ? now + windowMs : before.blindUntil
  const moved = Object.entries(before.amounts).flatMap(([whose, own]) =>
    Object.entries(own).map(([slot, amount]) => ({
      whose,
      amount: writtenAmount(amount),
      slot: slotUnder(windowMs, Number(slot), before.windowMs),
    })),
  )
  return moved.reduce(put, { ...before, windowMs, blindUntil, amounts: {} })
}

/** Marks a sum that may have lost something: nobody knows all of it until everything in it now has left. */
export function blinded(before: SumState, now: number): SumState {
  return { ...before, blindUntil: Math.max(before.blindUntil, now + before.windowMs) }
}

/** True if the sum has no amounts. */
export function isEmpty({ amounts }: SumState): boolean {
  return Object.keys(amounts).length === 0
}

function slotMs(windowMs: number): number {
  return Math.ceil(windowMs / slots)
}

/** The hundredth of a window from which an amount counts: the next to begin, so that it leaves late and never early. */
function slotAt(at: number, windowMs: number): number {
  return Math.ceil(at / slotMs(windowMs))
}

/** A slot of the window `before`, as a slot of this window. */
function slotUnder(windowMs: number, slot: number, before: number): number {
  return windowMs === before ? slot : slotAt(slot * slotMs(before), windowMs)
}

function counts(slot: number, windowMs: number, now: number): boolean {
  return slot * slotMs(windowMs) + windowMs > now
}

/** When an amount that was added at this moment leaves the sum. */
export function leavesAt(at: number, windowMs: number): number {
  return slotAt(at, windowMs) * slotMs(windowMs) + windowMs
}

function pruned(state: SumState, now: number): SumState {
  const amounts = Object.entries(state.amounts).flatMap(([whose, own]) => {
    const kept = Object.entries(own).filter(([slot]) => counts(Number(slot), state.windowMs, now))
    return kept.length === 0 ? [] : [[whose, Object.fromEntries(kept)] as const]
  })
  return { ...state, amounts: Object.fromEntries(amounts) }
}

interface Slot {
  readonly whose: string
  readonly slot: number
  readonly amount: Amount
}

function put(state: SumState, { whose, slot, amount }: Slot): SumState {
  return amount.units === 0n ? state : setSlot(state, { whose, slot, amount: plus(inSlot(state, whose, slot), amount) })
}

function setSlot(state: SumState, { whose, slot, amount }: Slot): SumState {
  const { [slot]: _before, ...others } = ownIn(state.amounts, whose)
  const own = amount.units === 0n ? others : { ...others, [slot]: amountAsText(amount) }
  const { [whose]: _own, ...rest } = state.amounts
  return { ...state, amounts: Object.keys(own).length === 0 ? rest : { ...rest, [whose]: own } }
}

function inSlot({ amounts }: SumState, whose: string, slot: number): Amount {
  return writtenAmount(ownIn(amounts, whose)[slot] ?? "0")
}

function ownIn(amounts: SumState["amounts"], whose: string): Readonly<Record<string, string>> {
  return Object.hasOwn(amounts, whose) ? (amounts[whose] ?? {}) : {}
}
