// Limits: what a rule says about many calls together. If their sum is above an amount, the limit demands a second rule.
import { carelessly, isLegible, withPlainDigits } from "../condition/careless.ts"
import { goodPath } from "../condition/condition.ts"
import { decimalOf } from "../condition/decimal.ts"
import { type CallFacts, isToBeFilled, valueIn } from "../condition/evaluate.ts"
import { pathAsText, type ValuePath } from "../condition/tree.ts"
import { sha256 } from "../content/canonical.ts"
import { isWireNumber, type Json } from "../content/json.ts"
import { once } from "../content/once.ts"
import type { Rule, RuleLimit } from "../rule/rule.ts"
import { type Amount, amountIn, amountOf, isMore, zero } from "./amount.ts"
import { type SumId, sumName } from "./sum.ts"

/** The name of the rule that another rule's limit demands. */
export function raisedName(rule: string): string {
  return `${rule}, above its limit`
}

/**
 * The rule that a rule's limit demands once it is passed; null for a rule without a limit. Nobody stands in under
 * it: it is there to ask these very people.
 */
export const raisedRule = once((rule: Rule): Rule | null => {
  const { limit, breakGlass: _glass, timing: _timing, when: _when, timeZone: _zone, classes: _classes, ...own } = rule
  if (limit === undefined) return null
  const { reviewBy: _review, standIns: _standIns, ...rest } = own
  return { ...rest, ...limit.asks, name: raisedName(rule.name), match: {} }
})

/** Rules, each followed by the rule that its limit may demand. */
export function withRaisedRules(rules: readonly Rule[]): readonly Rule[] {
  return rules.flatMap((rule) => [rule, ...[raisedRule(rule)].filter((raised) => raised !== null)])
}

/** The sum that a rule's limit counts at an instance. Two spellings of one path give the same sum. */
export function sumIdOf(instance: string, limit: RuleLimit): SumId {
  const { sum, per } = pathsOf(limit)
  return { instance, sum: pathAsText(sum), per: per === null ? null : pathAsText(per) }
}

/** True if what exceeds `limit` exceeds `other`: the same sum, over at least as long a window, with no higher bound. */
export function exceedsToo(limit: RuleLimit, other: RuleLimit): boolean {
  const [sum, otherSum] = [limit, other].map((one) => sumName(sumIdOf("", one)))
  const [above, otherAbove] = [limit, other].map((one) => amountOf(one.above) ?? zero)
  if (sum !== otherSum || above === undefined || otherAbove === undefined) return false
  return other.windowMs >= limit.windowMs && !isMore(otherAbove, above)
}

/** True if a limit has a sum for each value of an argument. The agent chooses that value. */
export function isByArgument(limit: RuleLimit): boolean {
  return pathsOf(limit).per?.root === "args"
}

/** True if `limit` has one sum for everybody, and `other` has sums of the same amounts, perhaps by owner. */
export function addsUpAll(limit: RuleLimit | undefined, other: RuleLimit): boolean {
  return limit !== undefined && limit.per === undefined && sumIdOf("", limit).sum === sumIdOf("", other).sum
}

const pathsOf = once((limit: RuleLimit) => ({
  sum: goodPath(limit.sum),
  per: limit.per === undefined ? null : goodPath(limit.per),
}))

/** The paths that the limit of a rule reads; none for a rule without one. */
export function limitPaths({ limit }: Rule): readonly ValuePath[] {
  if (limit === undefined) return []
  const { sum, per } = pathsOf(limit)
  return per === null ? [sum] : [sum, per]
}

/** What a call adds to a sum. */
export interface Charge {
  readonly sum: SumId
  readonly whose: string
  /** Null if the call names no amount that we can add, so that it adds nothing. */
  readonly amount: Amount | null
  /** True while the amount or the owner is still to be filled in. */
  readonly open: boolean
}

/** What a call adds to the sum of a limit. */
export function chargeOf(instance: string, limit: RuleLimit, facts: CallFacts): Charge {
  const { sum, per } = pathsOf(limit)
  const open = isToBeFilled(facts, sum) || (per !== null && isToBeFilled(facts, per))
  const whose = per === null ? everybody : whoseSum(valueIn(facts, per))
  return { sum: sumIdOf(instance, limit), whose, amount: amountIn(valueIn(facts, sum)), open }
}

/** The name of the one sum of a limit without `per`: all calls share it. */
export const everybody = "all"
/** The name of the sum of all calls whose owner nobody can tell. */
export const nobodyKnown = "missing"

/**
 * The name of an owner's sum: a hash, so that no record holds the owner. "Bob " and "bob" are one owner, and so are 42,
 * 42.0 and "42"; an account is the same however it is grouped. A value counts as missing if it is no number or text, or
 * has a character that nobody sees.
 */
export function whoseSum(value: Json | undefined): string {
  const text = typeof value === "number" ? String(value) : isWireNumber(value) ? value.rawJSON : value
  if (typeof text !== "string" || !isLegible(text)) return nobodyKnown
  const read = carelessly(text)
  return sha256(JSON.stringify([numberIn(read) ?? ungrouped(read)])).slice(0, 32)
}

/** A text without the signs that only group it. If it has a digit, "DE89 3704-00" and "de893704/00" are the same. */
function ungrouped(text: string): string {
  const plain = withPlainDigits(text)
  if (!/\d/.test(plain)) return text
  const joined = plain.replaceAll(/[^\p{L}\p{M}\p{N}]/gu, "")
  return (/^\d+$/.test(joined) ? numberIn(joined) : null) ?? joined
}

/** A number in one spelling; null for other texts. */
function numberIn(text: string): string | null {
  const decimal = decimalOf(text)
  if (decimal === null) return null
  const { negative, digits, exponent } = decimal
  return `${negative ? "-" : ""}0.${digits}e${exponent}`
}
