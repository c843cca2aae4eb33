// The doctor on the rules by themselves: which are never reached, and whether every call has one.

import { matchesAll, type UnreachableRule, unreachableRules } from "../../domain/policy/explain.ts"
import type { Rule } from "../../domain/policy/policy.ts"
import { type Finding, notesOn } from "./finding.ts"

/** Looks at the order of the rules. Asks nobody. */
export function lookAtOrder(rules: readonly Rule[]): readonly Finding[] {
  const fallback = rules.find(matchesAll)?.name
  return [lookAtFallback(fallback), ...unreachableRules(rules).map((found) => unreachable(found, fallback))]
}

function lookAtFallback(fallback: string | undefined): Finding {
  const notes = notesOn("rules")
  if (fallback !== undefined)
    return notes.ok(`every call has a rule: ${fallback} matches whatever the ones before it do not`)
  const what = "the last rule does not match everything"
  const why = "nobody can approve a call that no rule matches: its run waits until somebody cancels it"
  return notes.warn({ what, why, todo: "put a rule without match last, unless you want it so" })
}

function unreachable({ rule, by, always }: UnreachableRule, fallback: string | undefined): Finding {
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
  const why = "it only counts beside the other, if the platform leaves empty a field that both name"
  return notes.warn({ what, why, todo })
}
