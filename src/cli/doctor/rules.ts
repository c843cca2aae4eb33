// The doctor on the rules alone: which of them are never reached, and whether every call has a rule.

import {
  matchesAll,
  type UnreachableRule,
  unreachableRules,
  type WeakAddition,
  weakAdditions,
} from "../../domain/policy/explain.ts"
import type { Rule } from "../../domain/rule/rule.ts"
import { type Finding, notesOn } from "./finding.ts"

/** Looks at the order of the rules, as far as their text tells. Asks nobody. */
export function lookAtOrder(rules: readonly Rule[]): readonly Finding[] {
  return [...lookAtPlaces(rules), ...weakAdditions(rules).map(weakAddition)]
}

/** Looks at the places of the rules in their order, but not at rules that only add. */
export function lookAtPlaces(rules: readonly Rule[]): readonly Finding[] {
  const fallback = rules.find(matchesAll)?.name
  return [lookAtFallback(fallback), ...unreachableRules(rules).map((found) => unreachedRule(found, fallback))]
}

function lookAtFallback(fallback: string | undefined): Finding {
  const notes = notesOn("rules")
  if (fallback !== undefined)
    return notes.ok(`every call has a rule: ${fallback} matches whatever the ones before it do not`)
  const what = "the last rule does not match everything"
  const why = "nobody can approve a call that no rule matches: its run waits until somebody cancels it"
  return notes.warn({ what, why, todo: "put a rule without match and when last, the strictest, unless you want it so" })
}

function unreachedRule({ rule, by, always, withCondition }: UnreachableRule, fallback: string | undefined): Finding {
  const notes = notesOn(`rule ${rule}`)
  const todo = `move it above ${by}, or delete it`
  const takes = by === fallback ? "matches everything" : "matches all that it would"
  if (always)
    return notes.fail({
      what: `it is never reached: ${by} stands before it and ${takes}`,
      why: "the first rule that matches decides, so its approvers and its quorum never count",
      todo,
    })
  const what = `it is never the first to match: ${by} stands before it and ${takes}`
  const why = withCondition
    ? "it only counts beside the other, if nobody can tell whether the condition of both holds"
    : "it only counts beside the other, if the platform leaves empty a field that both name"
  return notes.warn({ what, why, todo })
}

/** Warns of a weak rule about requester or time: it replaces no rule, since claims may be false and time moves. */
export function weakAddition({ rule, to }: WeakAddition): Finding {
  return notesOn(`rule ${rule}`).warn({
    what: `it asks fewer people than ${to}, to which it is added`,
    why: "a condition on the requester or the time only adds its rule, and the one after it is asked all the same",
    todo: `ask more people in it, or leave it out; what must hold without it belongs into ${to}`,
  })
}
