// Changes sums: adds an approval in the commit that makes it, and takes it away at most once.
import type { Case } from "../../domain/case/case.ts"
import type { Charge } from "../../domain/limit/limit.ts"
import {
  blinded,
  emptySum,
  type Reservation,
  type ReservedSum,
  type SumState,
  sumName,
  underWindow,
  withAdded,
  withFreed,
} from "../../domain/limit/sum.ts"
import { chargesOf, windowOf } from "../../domain/policy/limit-reading.ts"
import type { Policy } from "../../domain/policy/policy.ts"
import type { RuleContext } from "../../domain/policy/when.ts"
import type { SumAsRead, SumChange, SumEvent } from "../ports.ts"

/** `reserved`: what a decision adds to sums, so that we can take it away again. `changes`: the sums with that added. */
export interface Additions {
  readonly reserved: Reservation
  readonly changes: readonly SumChange[]
}

/** The sums, and what decides how much is added to them. */
interface Adding {
  readonly policy: Policy
  readonly known: RuleContext
  readonly sums: readonly SumAsRead[]
  readonly at: number
  /** The decision's id; the case's id if it was decided elsewhere. */
  readonly decision: string
}

/** Adds the calls of a case to the sums that we read. A sum that we cannot trust begins anew with these calls. */
export function additionsOf(current: Case, { policy, known, sums, at, decision }: Adding): Additions {
  const { approval, revision, id } = current
  const charges = approval === null ? [] : chargesOf(approval, policy.rules, { ...revision, ...known })
  const made = sums.flatMap((read) => {
    const own = charges.filter(({ sum }) => sumName(sum) === sumName(read.id))
    const windowMs = windowOf(read.id, policy.rules)
    return addedTo(read, own, { windowMs, at, told: { at, case: id, decision } }) ?? []
  })
  return {
    reserved: { decision, sums: made.map(({ part }) => part) },
    changes: made.map(({ change }) => change),
  }
}

interface AddingTo {
  readonly windowMs: number
  readonly at: number
  readonly told: { readonly at: number; readonly case: string; readonly decision: string }
}

/** How a sum changes by these calls; null if we have nothing to add to it, and need not begin it anew. */
function addedTo(read: SumAsRead, own: readonly Charge[], { windowMs, at, told }: AddingTo) {
  const { state, begun } = ready(read, windowMs, at)
  const additions = own.flatMap(({ whose, amount }) => (amount === null ? [] : [{ whose, amount }]))
  const open = own.some((charge) => charge.open)
  if (begun === null && additions.length === 0 && !open) return null
  const done = withAdded(open ? blinded(state, at) : state, additions, at)
  const events: SumEvent[] = [...(begun === null ? [] : [begun]), { kind: "sum-added", ...told }]
  const part: ReservedSum = { id: read.id, windowMs, added: done.added }
  return { part, change: { read, next: done.state, events } }
}

/** The sum before the addition, over the window in force. If some of it may be lost, it is blind for one window. */
function ready(read: SumAsRead, windowMs: number, at: number) {
  const { state, doubt } = read
  if (state !== null && doubt === null) {
    const moved = underWindow(state, windowMs, at)
    const longer = windowMs > state.windowMs
    return { state: moved, begun: longer ? begunBy("longer", moved, at) : null }
  }
  const begun = blinded(underWindow(state ?? emptySum(windowMs, at), windowMs, at), at)
  return { state: begun, begun: begunBy(doubt ?? "none", begun, at) }
}

function begunBy(why: Extract<SumEvent, { kind: "sum-begun" }>["why"], { blindUntil }: SumState, at: number): SumEvent {
  return { kind: "sum-begun", at, why, blindUntil }
}

/** Takes away what a decision reserved. A sum that we cannot trust stays as it is: nobody knows what is in it. */
export function freedFrom(
  current: Case,
  { decision, sums: parts }: Reservation,
  { sums, at }: Pick<Adding, "sums" | "at">,
): readonly SumChange[] {
  return parts.flatMap((part) => {
    const read = sums.find(({ id }) => sumName(id) === sumName(part.id))
    if (read === undefined || read.state === null || read.doubt !== null || part.added.length === 0) return []
    const next = withFreed(read.state, part, at)
    return [{ read, next, events: [{ kind: "sum-freed", at, case: current.id, decision }] }]
  })
}
