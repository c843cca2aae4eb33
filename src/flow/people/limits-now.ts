// Reads the limits of an approval's rules as they are now, and begins sums that do not exist yet.

import type { Case } from "../../domain/case/case.ts"
import { approvedAt } from "../../domain/case/verdict.ts"
import type { Approval } from "../../domain/content/approval.ts"
import { once } from "../../domain/content/once.ts"
import type { Amount } from "../../domain/limit/amount.ts"
import { emptySum, type SumId, type SumState, sumName, withAdded } from "../../domain/limit/sum.ts"
import {
  chargesOf,
  type LimitReading,
  readLimits,
  type SumsNow,
  sumsFor,
  windowOf,
} from "../../domain/policy/limit-reading.ts"
import type { Policy } from "../../domain/policy/policy.ts"
import type { RuleContext } from "../../domain/policy/when.ts"
import { hasMask } from "../../domain/text/masker.ts"
import type { Ports, SumAsRead } from "../ports.ts"

export type LimitPorts = Pick<Ports, "store" | "policy" | "clock" | "alarm">

/** How we read limits, and from which sums. */
export interface LimitsNow {
  /** Epoch ms. */
  readonly at: number
  readonly sums: readonly SumAsRead[]
  readonly readings: readonly LimitReading[]
}

/** True if a rule of a policy has a limit. If none has, we read no sum. */
export const hasLimits = once(({ rules }: Pick<Policy, "rules">): boolean =>
  rules.some(({ limit }) => limit !== undefined),
)

/** Reads the limits of an approval's rules. Null if no limit applies. */
export async function limitsNow(ports: LimitPorts, approval: Approval, known: RuleContext): Promise<LimitsNow | null> {
  const { rules } = ports.policy
  const ids = hasLimits(ports.policy) ? sumsFor(approval, rules, known) : []
  if (ids.length === 0) return null
  const sums = await readSums(ports, ids)
  const at = ports.clock()
  return { at, sums, readings: readingsOf(approval, ports.policy, known, { at, sums }) }
}

/** Reads an approval's limits from sums that we have read already; also for other values that somebody filled in. */
export function readingsOf(
  approval: Approval,
  { rules }: Pick<Policy, "rules">,
  known: RuleContext,
  { at, sums }: Pick<LimitsNow, "at" | "sums">,
): readonly LimitReading[] {
  const states: SumsNow = new Map(sums.map(({ id, state, doubt }) => [sumName(id), doubt === null ? state : null]))
  return readLimits(approval, { rules, known, sums: states, now: at })
}

/** The sums to which we would add an approval of this case; empty if no limit applies. */
export function sumsAddedTo({ approval, revision }: Case, policy: Policy, known: RuleContext): readonly SumId[] {
  return approval === null || !hasLimits(policy) ? [] : sumsFor(approval, policy.rules, { ...revision, ...known })
}

/** Reads sums. If we never kept a sum, or only over a shorter window, we first fill it with earlier decisions. */
export async function readSums(ports: LimitPorts, ids: readonly SumId[]): Promise<readonly SumAsRead[]> {
  const read = await ports.store.sums(ids)
  for (const one of read) if (one.doubt === "behind") ports.alarm(sumBehindAlarm(one.id))
  const begun = await Promise.all(read.map((one) => fillIfNew(ports, one)))
  return begun.includes(true) ? ports.store.sums(ids) : read
}

function sumBehindAlarm({ instance, sum, per }: SumId) {
  const hint = "its limit asks more people for one window, since nobody knows what it came to"
  return { code: "sum-behind", instance, sum, per, hint }
}

async function fillIfNew(ports: LimitPorts, read: SumAsRead): Promise<boolean> {
  const windowMs = windowOf(read.id, ports.policy.rules)
  const isNew = read.doubt === "none" || (read.doubt === null && (read.state?.windowMs ?? 0) < windowMs)
  if (!isNew) return false
  const next = await filledSum(ports, read.id, windowMs)
  const { at, blindUntil } = next
  const why = read.doubt === "none" ? "none" : "longer"
  await ports.store.putSum({ read, next, events: [{ kind: "sum-begun", at, why, blindUntil }] })
  return true
}

/**
 * The sum of what was decided within the window, as the ledger says. If one of those cases is gone, wholly or in part,
 * then for the length of one window we do not know all of the sum.
 */
async function filledSum(ports: LimitPorts, id: SumId, windowMs: number): Promise<SumState> {
  const at = ports.clock()
  const decided = await ports.store.decidedSince(at - windowMs)
  const counted: Counted[] = []
  for (const caseId of decided?.cases ?? []) {
    const found = await ports.store.read(caseId)
    const one = found === null || "kind" in found ? "unreadable" : countedOf(found, id, ports.policy)
    if (one === "unreadable") return emptySum(windowMs, at, at + windowMs)
    for (const charge of one) counted.push(charge)
  }
  const sum = emptySum(windowMs, 0, decided === null ? at + windowMs : 0)
  const oldestFirst = counted.toSorted((a, b) => a.at - b.at)
  const full = oldestFirst.reduce((state, one) => withAdded(state, [one], one.at).state, sum)
  return { ...full, at }
}

interface Counted {
  readonly at: number
  readonly whose: string
  readonly amount: Amount
}

/** What a case has added to a sum (nothing if nobody approved it), or `unreadable` if nobody can tell. */
function countedOf(current: Case, id: SumId, { rules }: Policy): readonly Counted[] | "unreadable" {
  if (current.instance !== id.instance) return []
  // A decision ended without effect, and nobody knows any more what it was about.
  if (current.state === "open" || current.state === "frozen" || current.ended.length > 0) return "unreadable"
  const at = approvedAt(current)
  if (at === null) return []
  const content = keptApprovalOf(current)
  if (content === null) return "unreadable"
  const filled = current.decision?.votes.at(-1)?.values ?? null
  const charges = chargesOf(content, rules, { ...current.revision, filled })
  const own = charges.filter(({ sum }) => sumName(sum) === sumName(id))
  if (own.some(({ open }) => open)) return "unreadable"
  return own.flatMap(({ whose, amount }) => (amount === null ? [] : [{ at, whose, amount }]))
}

/** What we kept of a closed case. Null if it has a mask, which may hide amounts and names. */
function keptApprovalOf({ approval, kept }: Case): Approval | null {
  if (approval !== null || kept === undefined) return approval
  return hasMask(JSON.stringify(kept.approval)) ? null : kept.approval
}
