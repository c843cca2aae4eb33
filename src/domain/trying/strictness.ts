// Says whether one demand is at least as strict as another: whoever could not approve before still cannot.
import { smallest } from "../content/largest.ts"
import { quorumOf } from "../policy/judge.ts"
import type { Demand } from "../policy/policy.ts"
import { type Approver, approverAsText, type Rule } from "../rule/rule.ts"

/**
 * The names of the rules by which a demand became looser: votes that did not meet the old demand may meet the new one.
 * Empty: the new one is at least as strict. A group is not compared with the people in it: only Slack knows them.
 */
export function loosened(before: Demand, now: Demand): readonly string[] {
  if (!now.covered) return []
  if (!before.covered) return now.rules.slice(-1).map(({ name }) => name)
  const lost = before.rules.filter((rule) => !now.rules.some((other) => isAsStrict(other, rule)))
  return [...new Set([...lost, ...lostFlags(before, now), ...lostExpiry(before, now)].map(({ name }) => name))]
}

/** True if votes that meet the one rule meet the other, too. Looks only at what counts for each rule by itself. */
export function isAsStrict(rule: Rule, other: Rule): boolean {
  return (
    isWithin(rule.approvers, other.approvers) &&
    isWithin(rule.standIns ?? [], [...other.approvers, ...(other.standIns ?? [])]) &&
    rule.quorum >= other.quorum &&
    quorumOf(rule, "unknown") >= quorumOf(other, "unknown") &&
    (!rule.allowGuests || other.allowGuests) &&
    (!rule.allowExternal || other.allowExternal) &&
    escalatesNoWider(rule, other) &&
    isWithin(rule.breakGlass?.approvers ?? [], other.breakGlass?.approvers ?? [])
  )
}

/** True if everybody that `rule` adds later is an approver of `other` by that time. */
function escalatesNoWider(rule: Rule, other: Rule): boolean {
  const comparable = sameHours([rule, other])
  return (rule.timing?.escalate ?? []).every(({ after, approvers }) => {
    const earlier = (other.timing?.escalate ?? []).filter((one) => comparable && one.after <= after)
    return isWithin(approvers, [...other.approvers, ...earlier.flatMap((one) => one.approvers)])
  })
}

function isWithin(some: readonly Approver[], all: readonly Approver[]): boolean {
  const keys = new Set(all.map(approverAsText))
  return some.every((one) => keys.has(approverAsText(one)))
}

/** The rules that forbade what no rule forbids now. One rule is enough to forbid something for the case (R1, R6). */
function lostFlags(before: Demand, now: Demand): readonly Rule[] {
  const forbidding = ({ rules }: Demand) => rules.filter(({ forbidSelfApproval }) => forbidSelfApproval)
  const refusing = (demand: Demand) => forbidding(demand).filter((rule) => rule.unknownRequester === "refuse")
  return [
    ...(forbidding(now).length === 0 ? forbidding(before) : []),
    ...(refusing(now).length === 0 ? refusing(before) : []),
  ]
}

/** The rules that made a case expire sooner than it does now. If working hours differ, nobody can compare the times. */
function lostExpiry(before: Demand, now: Demand): readonly Rule[] {
  const [old, fresh] = [expiryUnder(before), expiryUnder(now)]
  const first = before.rules.filter(({ timing }) => timing?.expireAfter === old)
  if (old === null) return []
  const alike = sameHours(
    [...before.rules, ...now.rules].filter(({ timing }) => (timing?.expireAfter ?? null) !== null),
  )
  if (!alike && hoursOf(before) !== hoursOf(now)) return first
  return fresh === null || fresh > old ? first : []
}

/** After how long a case expires under a demand, ms; null: never. */
export function expiryUnder({ rules }: Demand): number | null {
  const all = rules.flatMap(({ timing }) => {
    const after = timing?.expireAfter ?? null
    return after === null ? [] : [after]
  })
  return all.length === 0 ? null : smallest(Number.POSITIVE_INFINITY, all)
}

/** The working hours of a demand's rules, but not of rules that never expire; as one text. */
export function hoursOf({ rules }: Demand): string {
  const expiring = rules.filter(({ timing }) => (timing?.expireAfter ?? null) !== null)
  return JSON.stringify(
    [...new Set(expiring.map(({ timing }) => JSON.stringify(timing?.workingHours ?? null)))].toSorted(),
  )
}

function sameHours(rules: readonly Rule[]): boolean {
  return new Set(rules.map(({ timing }) => JSON.stringify(timing?.workingHours ?? null))).size < 2
}
