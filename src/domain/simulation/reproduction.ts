// Compares the people that cases asked with those that the rules in force would ask: how far can we trust a replay?
import type { Case } from "../case/case.ts"
import { demandHash, demandOf, type Policy } from "../policy/policy.ts"
import { type Rule, ruleHash } from "../rule/rule.ts"
import type { KeptContent } from "./kept-content.ts"
import type { LimitHistory } from "./limit-history.ts"
import { type LimitsThen, replay } from "./replay.ts"

/**
 * Why we do not compare a case: a field is masked or gone, nobody knows what a sum was, other rules judged it last, or
 * nobody can read its record.
 */
export interface NotCompared {
  readonly masked: number
  readonly notKept: number
  readonly limit: number
  readonly otherRules: number
  readonly unreadable: number
}

/** How often the rules in force ask the same people as the case did. */
export interface Reproduced {
  readonly same: number
  readonly different: number
  /** The ids of the first cases that asked other people. */
  readonly named: readonly string[]
  readonly notCompared: NotCompared
}

/** Takes cases, and counts. */
export interface Reproduction {
  take(current: Case, content: KeptContent): void
  unreadable(): void
  report(): Reproduced
}

/** We name this many of the cases that differ. */
const maxNamed = 1_000

/** Makes a reproduction for the rules in force. */
export function createReproduction(inForce: Policy, limits: LimitHistory): Reproduction {
  const counts = { same: 0, different: 0 }
  const named: string[] = []
  const notCompared = { masked: 0, notKept: 0, limit: 0, otherRules: 0, unreadable: 0 }
  return {
    take: (current, content) => {
      const cause = causeOf(current, content, inForce)
      const then = cause === null ? limitsThen(current, content, { inForce, limits }) : null
      if (then === null) {
        notCompared[cause ?? "limit"] += 1
        return
      }
      const same = asksTheSame(current, content, inForce, then)
      counts[same ? "same" : "different"] += 1
      if (!same && named.length < maxNamed) named.push(current.id)
    },
    unreadable: () => void (notCompared.unreadable += 1),
    report: () => ({ ...counts, named, notCompared }),
  }
}

function causeOf({ revision, state }: Case, { lacks }: KeptContent, inForce: Policy): keyof NotCompared | null {
  // If a record contradicts itself, nobody knows what was judged last.
  if (state === "frozen") return "unreadable"
  if (revision.policy !== inForce.revision) return "otherRules"
  switch (lacks) {
    case "masked":
      return "masked"
    case "not-kept":
      return "notKept"
    case null:
      return null
  }
}

/** Whether each limit of a case was passed. Null: of one of them nobody can tell now, or nobody could at that time. */
function limitsThen(
  current: Case,
  content: KeptContent,
  { inForce, limits }: { readonly inForce: Policy; readonly limits: LimitHistory },
): LimitsThen | null {
  const { circumstances = { requester: null, at: null }, limits: read = [] } = current.revision
  const own = replay(inForce.rules, { content, circumstances })
  const then = limits.limitsOf({ current, circumstances }, own)
  const limited = own.possible.filter(({ limit }) => limit !== undefined)
  const isTold = ({ name }: Rule) =>
    typeof then.get(name) === "boolean" && read.every(({ rule, doubt }) => rule !== name || doubt !== "unknown")
  return limited.every(isTold) ? then : null
}

/** True if the rules in force ask the same. The hash covers approvers and quorums; quotas also name limits' rules. */
function asksTheSame({ revision }: Case, { approval }: KeptContent, { rules }: Policy, then: LimitsThen): boolean {
  const limits = rules.flatMap(({ name: rule, limit }) =>
    limit === undefined ? [] : [{ rule, limit, passed: then.get(rule) !== false }],
  )
  const demand = demandOf(approval, rules, { ...revision, limits })
  const quotas = demand.rules.map((rule) => `${rule.name} ${ruleHash(rule)}`)
  const asked = revision.quotas.map(({ name, hash }) => `${name} ${hash}`)
  return demandHash(demand) === revision.demand && quotas.join("\n") === asked.join("\n")
}
