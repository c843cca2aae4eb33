// Replays rules on what we keep of a case. Says which rules ask for certain, and which may ask if a value is unknown.

import { looksAt } from "../condition/condition.ts"
import { pathsIn } from "../condition/tree.ts"
import { type Call, ruledCalls } from "../content/approval.ts"
import { once } from "../content/once.ts"
import { raisedRule } from "../limit/limit.ts"
import { matchOf, matchOfNames } from "../policy/policy.ts"
import { type Circumstances, conditionOf, onlyAdds, truthOfWhen } from "../policy/when.ts"
import type { Rule } from "../rule/rule.ts"
import type { KeptContent } from "./kept-content.ts"

/** Which rules ask about a case, in the rules' order. */
export interface Replay {
  /** Those that ask in any case, whatever the unknown fields say. */
  readonly certain: readonly Rule[]
  /** The certain rules, and those that ask only for some values of the unknown fields. */
  readonly possible: readonly Rule[]
  /** Whether each call has a rule that matches it for certain; null: that depends on something unknown. */
  readonly covered: boolean | null
}

/** What the rules are replayed on. */
export interface Replayed {
  readonly content: KeptContent
  /** Who asked and when. If a moment is null, nobody knows it. */
  readonly circumstances: Circumstances
  /** True: what people filled in may choose other rules, and nobody knows any more what that was. */
  readonly filled?: boolean
}

/** By the name of a rule: whether its limit was passed at that time; null or absent: nobody knows. */
export type LimitsThen = ReadonlyMap<string, boolean | null>

/** Adds the rules that limits demand: for certain if a limit was passed, perhaps if nobody knows. */
export function withLimits({ certain, possible, covered }: Replay, limits: LimitsThen): Replay {
  const raised = (rules: readonly Rule[], passed: readonly unknown[]) =>
    rules.flatMap((rule) => {
      const more = passed.includes(limits.get(rule.name) ?? null) ? raisedRule(rule) : null
      return more === null ? [rule] : [rule, more]
    })
  return { certain: raised(certain, [true]), possible: raised(possible, [true, null]), covered }
}

/** Replays the rules without their limits. If we can read everything, both lists are what `demandOf` says. */
export function replay(rules: readonly Rule[], replayed: Replayed): Replay {
  const calls = ruledCalls(replayed.content.approval).map((call) => replayCall(rules, replayed, call))
  const among = (part: "certain" | "possible") => {
    const found = new Set(calls.flatMap((call) => call[part]))
    return rules.filter((rule) => found.has(rule))
  }
  return { certain: among("certain"), possible: among("possible"), covered: joinedAnswers(calls) }
}

/** True if the rules ask the same people, whatever the unknown values are. */
export function isExact({ certain, possible, covered }: Replay): boolean {
  return covered !== null && certain.length === possible.length
}

function joinedAnswers(calls: readonly Replay[]): boolean | null {
  if (calls.some(({ covered }) => covered === false)) return false
  return calls.every(({ covered }) => covered === true) ? true : null
}

function replayCall(rules: readonly Rule[], replayed: Replayed, call: Call): Replay {
  const certain: Rule[] = []
  const possible: Rule[] = []
  // False once a rule may have taken the call: from then on nobody knows whether later rules see it.
  let reached = true
  for (const rule of rules) {
    const { asks, takes } = verdictOn(rule, replayed, call)
    if (asks === "no") continue
    possible.push(rule)
    if (asks === "yes" && reached) certain.push(rule)
    if (takes === "yes") return { certain, possible, covered: true }
    if (takes === "maybe") reached = false
  }
  return { certain, possible, covered: reached ? false : null }
}

type Maybe = "yes" | "no" | "maybe"

/** Whether a rule asks about a call that no rule before it took, and whether it takes the call. */
function verdictOn(rule: Rule, replayed: Replayed, call: Call): { readonly asks: Maybe; readonly takes: Maybe } {
  if (isUnclassed(rule, replayed, call)) return { asks: "maybe", takes: onlyAdds(rule) ? "no" : "maybe" }
  switch (matchKept(rule, replayed, call)) {
    case "no":
      return { asks: "no", takes: "no" }
    case "yes":
      return { asks: "yes", takes: "yes" }
    case "possible": {
      const doubted = dependsOnUnknown(rule, replayed, call)
      if (onlyAdds(rule)) return { asks: doubted ? "maybe" : "yes", takes: "no" }
      return doubted ? { asks: "maybe", takes: "maybe" } : { asks: "yes", takes: "no" }
    }
  }
}

function matchKept(rule: Rule, { content, circumstances }: Replayed, call: Call): "yes" | "no" | "possible" {
  const { approval, named } = content
  if (named) return matchOf(rule, approval, call, { circumstances })
  const verdict = matchOf(loosened(rule), approval, call, { circumstances })
  return verdict === "yes" && rule.match.source !== undefined ? "possible" : verdict
}

/** True if a rule asks for a call's classes and nobody knows them, because some of what the call says is gone. */
function isUnclassed(rule: Rule, { content }: Replayed, call: Call): boolean {
  const { lacks, approval, named } = content
  return lacks !== null && looksAtClasses(rule) && matchOfNames(named ? rule : loosened(rule), approval, call) !== "no"
}

const looksAtClasses = once((rule: Rule): boolean => {
  const when = conditionOf(rule)
  if (when === null) return false
  return pathsIn(when.expression).some(({ root, names }) => root === "call" && names[0] === "classes")
})

/** A rule for calls whose names are gone: `match_unknown: false` does not exclude it. The source is always gone. */
const loosened = once((rule: Rule): Rule => {
  const { source: _gone, ...match } = rule.match
  return { ...rule, match, matchUnknown: true }
})

/** True if a rule may be possible only because something is unknown: it may then not ask, or it may take the call. */
function dependsOnUnknown(rule: Rule, { content, circumstances, filled = false }: Replayed, call: Call): boolean {
  const { approval, lacks } = content
  const timeless = circumstances.at === null && looksAtTime(rule)
  if (lacks === null && !timeless && !(filled && rule.when !== undefined)) return false
  const holds = truthOfWhen(rule, approval, call, { circumstances }) === "true"
  return !(onlyAdds(rule) && holds && matchOfNames(rule, approval, call) === "yes")
}

const looksAtTime = once((rule: Rule): boolean => {
  const when = conditionOf(rule)
  return when !== null && looksAt(when, "time")
})
