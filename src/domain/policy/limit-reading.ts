// Reads the limits of an approval's rules: what its calls add to which sums, and which limits they pass.
import type { z } from "zod"
import { type Approval, ruledCalls } from "../content/approval.ts"
import { largest } from "../content/largest.ts"
import type { limitReadingSchema, limitSumSchema } from "../content/record/case-parts.ts"
import type { Frozen } from "../content/record/frozen.ts"
import { type Amount, amountAsText, amountOf, isMore, plus, zero } from "../limit/amount.ts"
import { type Charge, chargeOf, sumIdOf } from "../limit/limit.ts"
import { isBlind, type SumId, type SumState, sumName, totalOf } from "../limit/sum.ts"
import type { Rule, RuleLimit } from "../rule/rule.ts"
import { demandOfCall } from "./policy.ts"
import { callFacts, type RuleContext } from "./when.ts"

/**
 * How we read the limit of a rule. `passed` is true, too, if nobody can tell. Once the content of a case is erased, the
 * amounts are gone.
 */
export interface LimitReading extends Frozen<z.infer<typeof limitReadingSchema>> {}

/** One owner's part of a reading; amounts as decimal texts. */
export interface LimitSum extends Frozen<z.infer<typeof limitSumSchema>> {}

/** A sum as it is now; null: nobody knows it. */
export type SumsNow = ReadonlyMap<string, SumState | null>

/** What each call adds to the sums of the rules that it demands, each sum once for a call. */
export function chargesOf(approval: Approval, rules: readonly Rule[], known: RuleContext): readonly Charge[] {
  return ruledCalls(approval).flatMap((call) => {
    const facts = callFacts(approval, call, known)
    const { rules: demanded } = demandOfCall(approval, call, rules, known)
    const charges = demanded.flatMap(({ limit }) =>
      limit === undefined ? [] : [chargeOf(approval.instance, limit, facts)],
    )
    return [...new Map(charges.map((charge) => [sumName(charge.sum), charge])).values()]
  })
}

/** The sums that the limits of an approval's rules count, each once. */
export function sumsFor(approval: Approval, rules: readonly Rule[], known: RuleContext): readonly SumId[] {
  const charges = chargesOf(approval, rules, known)
  return [...new Map(charges.map(({ sum }) => [sumName(sum), sum])).values()]
}

/** The window of a sum. */
export function windowOf(id: SumId, rules: readonly Rule[]): number {
  const of = rules.flatMap(({ limit }) =>
    limit !== undefined && sumName(sumIdOf(id.instance, limit)) === sumName(id) ? [limit.windowMs] : [],
  )
  return largest(0, of)
}

/** What we need to read an approval's limits. */
interface LimitLook {
  readonly rules: readonly Rule[]
  readonly known: RuleContext
  readonly sums: SumsNow
  /** Epoch ms. */
  readonly now: number
}

/** Reads the limit of each demanded rule that has one, over all calls. */
export function readLimits(approval: Approval, look: LimitLook): readonly LimitReading[] {
  const charges = chargesOf(approval, look.rules, look.known)
  if (charges.length === 0) return []
  return look.rules.flatMap((rule) => readLimit(approval, rule, charges, look) ?? [])
}

function readLimit(
  approval: Approval,
  rule: Rule,
  charges: readonly Charge[],
  { rules, known, sums, now }: LimitLook,
): LimitReading | null {
  const { limit } = rule
  if (limit === undefined) return null
  const name = sumName(sumIdOf(approval.instance, limit))
  const own = ruledCalls(approval).flatMap((call, at) => {
    const demanded = demandOfCall(approval, call, rules, known).rules.includes(rule)
    return demanded ? [{ at, ...chargeOf(approval.instance, limit, callFacts(approval, call, known)) }] : []
  })
  if (own.length === 0) return null
  const state = sums.get(name) ?? null
  const owners = [...Map.groupBy(own, ({ whose }) => whose)]
  const added = owners.map(([whose, [first]]) => {
    const adds = amountsOf(charges.filter((one) => one.whose === whose && sumName(one.sum) === name))
    return { call: first?.at ?? 0, adds, before: state === null ? zero : totalOf(state, whose, now) }
  })
  const most = amountOf(limit.above) ?? zero
  const doubt = doubtIn(own, state, now)
  const passed = doubt !== null || added.some(({ before, adds }) => isMore(plus(before, adds), most))
  const texts = added.map(({ call, before, adds }) => ({
    call,
    before: amountAsText(before),
    adds: amountAsText(adds),
    at: now,
  }))
  return { rule: rule.name, limit: told(limit), passed, ...(doubt && { doubt }), sums: texts }
}

function told({ asks: _asks, ...limit }: RuleLimit): LimitReading["limit"] {
  return limit
}

function amountsOf(charges: readonly Charge[]): Amount {
  return charges.reduce((sum, { amount }) => plus(sum, amount ?? zero), zero)
}

function doubtIn(
  own: readonly Charge[],
  state: SumState | null,
  now: number,
): NonNullable<LimitReading["doubt"]> | null {
  if (own.some(({ open }) => open)) return "open"
  if (own.some(({ amount }) => amount === null)) return "amount"
  return state === null || isBlind(state, now) ? "unknown" : null
}

/** Says of every limit that it is not passed. For callers who ask about rules alone. */
export function noneIsPassed(rules: readonly Rule[]): readonly LimitReading[] {
  return rules.flatMap(({ name, limit }) =>
    limit === undefined ? [] : [{ rule: name, limit: told(limit), passed: false }],
  )
}
