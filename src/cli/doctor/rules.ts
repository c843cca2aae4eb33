// The doctor on the rules by themselves: which are never reached, and whether every call has one.
import type { Rule } from "../../domain/policy.ts"
import { type Finding, notesOn } from "./finding.ts"

/** Looks at the order of the rules. Asks nobody. */
export function lookAtOrder(rules: readonly Rule[]): readonly Finding[] {
  const notes = notesOn("rules")
  const first = rules.findIndex(catchesAll)
  const name = rules[first]?.name
  if (name === undefined) {
    const what = "the last rule does not match everything"
    const why = "a call that no rule matches can be approved by nobody: its run waits until somebody cancels it"
    return [notes.warn({ what, why, todo: "put a rule without match last, or know that this is what you want" })]
  }
  const covered = notes.ok(`every call has a rule: ${name} matches whatever the ones before it do not`)
  return [covered, ...rules.slice(first + 1).map((rule) => unreachable(rule, name))]
}

function unreachable(rule: Rule, before: string): Finding {
  return notesOn(`rule ${rule.name}`).fail({
    what: `it is never reached: ${before} stands before it and matches everything`,
    why: "the first rule that matches decides, so its approvers and its quorum never count",
    todo: `move it above ${before}, or delete it`,
  })
}

function catchesAll({ match }: Rule): boolean {
  return Object.keys(match).length === 0
}
