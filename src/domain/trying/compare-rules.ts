// Compares two lists of rules: which calls they decide differently, and which of these more easily.
import { exceedsToo, raisedRule } from "../limit/limit.ts"
import { routesIn } from "../policy/channels.ts"
import type { Demand } from "../policy/policy.ts"
import { listedIn } from "../policy/timing.ts"
import { approverAsText, type Rule, type RuleLimit } from "../rule/rule.ts"
import { demandFor, type Sample } from "./sample.ts"
import { type InQuestion, sampleSpace } from "./sample-space.ts"
import { expiryUnder, hoursOf, isAsStrict, loosened } from "./strictness.ts"

/** What changes for a call. `coverage`: whether anybody may decide it. */
export type Aspect =
  | "coverage"
  | "approvers"
  | "stand-ins"
  | "quorum"
  | "routes"
  | "self-approval"
  | "guests"
  | "expiry"

/** Calls for which the same things change, and one of these calls. */
export interface DemandChange {
  readonly aspects: readonly Aspect[]
  /** The rules that allow an easier approval of these calls now; empty: none does. */
  readonly looser: readonly string[]
  readonly example: Sample
  /** The limit that has to be exceeded for the change; null: none. */
  readonly above: RuleLimit | null
  readonly before: Demand
  readonly now: Demand
}

/** All changes that were found, and why there may be more. */
export interface RuleComparison {
  readonly changes: readonly DemandChange[]
  /** Why we cannot tell whether other calls change, and which rules are the cause. Empty: no other call changes. */
  readonly untold: readonly { readonly why: string; readonly rules: readonly string[] }[]
}

/**
 * Tries two lists of rules with every call that counts. An example is a call that we matched with both lists. A rule
 * that stands in both, with the same rules before it, changes nothing: so we do not try it, and doubts about it do not
 * count.
 */
export function compareRules(
  before: readonly Rule[],
  now: readonly Rule[],
  instances: readonly string[],
): RuleComparison {
  const { samples, untold } = sampleSpace([before, now], instances, inQuestion)
  const seen = new Map<string, DemandChange>()
  for (const example of samples) {
    for (const { above, old, fresh } of limitCases(demandFor(example, before), demandFor(example, now))) {
      const key = keyOfDemands([old, fresh])
      if (!seen.has(key)) seen.set(key, { ...changeOf(old, fresh), example, above, before: old, now: fresh })
    }
  }
  return {
    changes: [...seen.values()].filter(({ aspects, looser }) => aspects.length > 0 || looser.length > 0),
    untold: untold.map(({ why, rules }) => ({ why, rules: [...new Set(rules.map(({ name }) => name))] })),
  }
}

/**
 * The rules that may decide something differently: those that ask differently, came, went or moved, and all after a
 * rule that takes other calls.
 */
const inQuestion: InQuestion = ([before = [], now = []]) => {
  const moved = before.findIndex((rule, index) => !takesAlike(rule, now[index]))
  const same = moved < 0 ? before.length : moved
  const isOther = (rule: Rule, index: number, other: Rule | undefined) =>
    index >= same || other === undefined || !isAlike(rule, other)
  const rules = [
    ...before.filter((rule, index) => isOther(rule, index, now[index])),
    ...now.filter((rule, index) => isOther(rule, index, before[index])),
  ]
  return rules.length === 0 ? null : rules
}

/** Both demands: first with no limit exceeded, then once for each limit, with it and all that it implies exceeded. */
function limitCases(old: Demand, fresh: Demand) {
  const limits = [...old.rules, ...fresh.rules].flatMap(({ limit }) => (limit === undefined ? [] : [limit]))
  const different = [...new Map(limits.map((limit) => [JSON.stringify(limit), limit])).values()]
  return [null, ...different].map((above) => ({
    above,
    old: demandAbove(old, above),
    fresh: demandAbove(fresh, above),
  }))
}

function demandAbove(demand: Demand, above: RuleLimit | null): Demand {
  if (above === null) return demand
  const rules = demand.rules.flatMap((rule) => {
    const raised = rule.limit !== undefined && exceedsToo(above, rule.limit) ? raisedRule(rule) : null
    return raised === null ? [rule] : [rule, raised]
  })
  return { ...demand, rules }
}

/** What changes from one demand to another. A rule that a limit demands counts as the rule with the limit. */
function changeOf(before: Demand, now: Demand): Pick<DemandChange, "aspects" | "looser"> {
  const owners = new Map([...before.rules, ...now.rules].map((rule) => [raisedRule(rule)?.name, rule.name]))
  const looser = loosened(before, now).map((name) => owners.get(name) ?? name)
  const aspects = aspectsIn.filter(([, look]) => look(before) !== look(now)).map(([aspect]) => aspect)
  return { aspects, looser: [...new Set(looser)] }
}

function keyOfDemands(demands: readonly Demand[]): string {
  return JSON.stringify(demands.map(({ covered, rules }) => [covered, ...rules.map(({ name }) => name)]))
}

/** Each aspect as a text that differs if the aspect does. */
const aspectsIn: readonly (readonly [Aspect, (demand: Demand) => string])[] = [
  ["coverage", ({ covered }) => `${covered}`],
  ["approvers", (demand) => listed(demand, (rule) => listedIn(rule).map(approverAsText).toSorted().join())],
  ["stand-ins", (demand) => listed(demand, ({ standIns = [] }) => standIns.map(approverAsText).toSorted().join())],
  ["quorum", (demand) => listed(demand, ({ quorum }) => `${quorum}`)],
  ["routes", ({ rules }) => [...new Set(rules.flatMap(routesIn).map(({ id }) => id))].toSorted().join()],
  ["self-approval", selfApprovalOf],
  ["guests", ({ rules }) => [...new Set(rules.map(guestsIn))].toSorted().join("; ")],
  ["expiry", (demand) => `${expiryUnder(demand)} ${expiryUnder(demand) === null ? "" : hoursOf(demand)}`],
]

/** The rules that count. A rule that asks no more than another beside it changes nothing. */
function listed({ rules }: Demand, look: (rule: Rule) => string): string {
  const counting = rules.filter(
    (rule, index) =>
      !rules.some((other, at) => other !== rule && isAsStrict(other, rule) && (!isAsStrict(rule, other) || at < index)),
  )
  return counting.map(look).toSorted().join("; ")
}

function guestsIn({ allowGuests, allowExternal }: Rule): string {
  return `${allowGuests} ${allowExternal}`
}

function selfApprovalOf({ rules }: Demand): string {
  const forbidding = rules.filter(({ forbidSelfApproval }) => forbidSelfApproval)
  const unknown = new Set(forbidding.map(({ unknownRequester }) => unknownRequester))
  const strictest = (["refuse", "two", "allow"] as const).find((one) => unknown.has(one))
  return strictest ?? "may"
}

/** True if two rules take the same calls, whatever they then ask. */
function takesAlike({ match, matchUnknown, when, timeZone, classes }: Rule, other: Rule | undefined): boolean {
  if (other === undefined) return false
  const own = JSON.stringify([match, matchUnknown, when, timeZone, classes])
  return own === JSON.stringify([other.match, other.matchUnknown, other.when, other.timeZone, other.classes])
}

/** True if two rules differ only in their names, or not even in these. */
function isAlike({ name: _name, ...rule }: Rule, { name: _other, ...other }: Rule): boolean {
  return JSON.stringify(rule) === JSON.stringify(other)
}
