// Compares two lists of rules: which calls are decided otherwise, and which more easily.
import { routesIn } from "../policy/channels.ts"
import { approverAsText, type Demand, type Rule } from "../policy/policy.ts"
import { listedIn } from "../policy/timing.ts"
import { demandFor, type Sample } from "./sample.ts"
import { sampleSpace } from "./sample-space.ts"
import { expiryOf, hoursOf, isAsStrict, loosened } from "./strictness.ts"

/** What changes for a call. `coverage`: whether anybody may decide it at all. */
export type Aspect = "coverage" | "approvers" | "quorum" | "routes" | "self-approval" | "guests" | "expiry"

/** Calls for which something changes, all in the same way, and one of them. */
export interface DemandChange {
  readonly aspects: readonly Aspect[]
  /** The rules because of which they can be approved more easily now; empty: they cannot. */
  readonly looser: readonly string[]
  readonly example: Sample
  readonly before: Demand
  readonly now: Demand
}

/** All that was found, and why there may be more. */
export interface RuleComparison {
  readonly changes: readonly DemandChange[]
  /** With the names of the rules because of which nobody can tell. Empty: no other call changes. */
  readonly untold: readonly { readonly why: string; readonly rules: readonly string[] }[]
}

/** Tries two lists of rules with every call that counts. Each example comes out of the matching of both. */
export function compareRules(
  before: readonly Rule[],
  now: readonly Rule[],
  instances: readonly string[],
): RuleComparison {
  const { samples, untold } = sampleSpace([before, now], instances)
  const seen = new Map<string, DemandChange>()
  for (const example of samples) {
    const [old, fresh] = [demandFor(example, before), demandFor(example, now)]
    const key = keyOf([old, fresh])
    if (!seen.has(key)) seen.set(key, changeOf(example, old, fresh))
  }
  const limits = otherLimits(before, now)
  const isSame = before.length === now.length && before.every((rule, index) => isAlike(rule, now[index]))
  return {
    changes: [...seen.values()].filter(({ aspects, looser }) => aspects.length > 0 || looser.length > 0),
    untold: isSame ? [] : [...untold.map(({ why, rules }) => ({ why, rules: namesOf(rules) })), ...limits],
  }
}

function namesOf(rules: readonly Rule[]): readonly string[] {
  return [...new Set(rules.map(({ name }) => name))]
}

/** What sums come to nobody can make up, so a limit that is another one may let more through. */
function otherLimits(before: readonly Rule[], now: readonly Rule[]): RuleComparison["untold"] {
  const limitIn = (rules: readonly Rule[], name: string) =>
    JSON.stringify(rules.find((rule) => rule.name === name)?.limit ?? null)
  const rules = namesOf([...before, ...now]).filter((name) => limitIn(before, name) !== limitIn(now, name))
  return rules.length === 0 ? [] : [{ why: "limits were not tried: they go by what is approved in between", rules }]
}

function changeOf(example: Sample, before: Demand, now: Demand): DemandChange {
  const aspects = aspectsIn.filter(([, look]) => look(before) !== look(now)).map(([aspect]) => aspect)
  return { aspects, looser: loosened(before, now), example, before, now }
}

function keyOf(demands: readonly Demand[]): string {
  return JSON.stringify(demands.map(({ covered, rules }) => [covered, ...rules.map(({ name }) => name)]))
}

/** Each aspect as a text that differs if it does. */
const aspectsIn: readonly (readonly [Aspect, (demand: Demand) => string])[] = [
  ["coverage", ({ covered }) => `${covered}`],
  ["approvers", (demand) => listed(demand, (rule) => listedIn(rule).map(approverAsText).toSorted().join())],
  ["quorum", (demand) => listed(demand, ({ quorum }) => `${quorum}`)],
  ["routes", ({ rules }) => [...new Set(rules.flatMap(routesIn).map(({ id }) => id))].toSorted().join()],
  ["self-approval", selfApprovalOf],
  ["guests", (demand) => listed(demand, ({ allowGuests, allowExternal }) => `${allowGuests} ${allowExternal}`)],
  ["expiry", (demand) => `${expiryOf(demand)} ${expiryOf(demand) === null ? "" : hoursOf(demand)}`],
]

/** Of the rules that count: one that asks no more than another beside it changes nothing. */
function listed({ rules }: Demand, look: (rule: Rule) => string): string {
  const counting = rules.filter(
    (rule, index) =>
      !rules.some((other, at) => other !== rule && isAsStrict(other, rule) && (!isAsStrict(rule, other) || at < index)),
  )
  return counting.map(look).toSorted().join("; ")
}

function selfApprovalOf({ rules }: Demand): string {
  const forbidding = rules.filter(({ forbidSelfApproval }) => forbidSelfApproval)
  const unknown = new Set(forbidding.map(({ unknownRequester }) => unknownRequester))
  const strictest = (["refuse", "two", "allow"] as const).find((one) => unknown.has(one))
  return strictest ?? "may"
}

/** True if nothing of two rules differs that a comparison looks at. */
function isAlike(rule: Rule, other: Rule | undefined): boolean {
  if (other === undefined) return false
  const { name: _name, ...one } = rule
  const { name: _other, ...two } = other
  return JSON.stringify(one) === JSON.stringify(two)
}
