// The policy: which rules an approval's calls demand (R1). Who may vote under a rule is in `judge.ts`.

import { type Approval, type Call, ruledCalls } from "../content/approval.ts"
import { hashOf } from "../content/canonical.ts"
import type { News } from "../fingerprint/news.ts"
import { raisedRule } from "../limit/limit.ts"
import type { Identity } from "../people/human.ts"
import { type Match, type Rule, ruleHash } from "../rule/rule.ts"
import { whatIsSaid } from "../rule/said.ts"
import { globMatches } from "../text/glob.ts"
import { type TakenStep } from "./timing.ts"
import { onlyAdds, type RuleContext, truthOfWhen } from "./when.ts"

/** The rules in force, and their hash. A case notes under which hash we compared it (R5). */
export interface Policy {
  readonly rules: readonly Rule[]
  readonly identities: readonly Identity[]
  /** SHA-256 over rules and identities. */
  readonly revision: string
}

/** The rules in force, who asks and when, as far as anybody knows: a revision that we make now rests on all this. */
export interface PolicyNow extends Policy, Pick<RuleContext, "circumstances" | "limits"> {
  /** What is new about the calls; absent if nothing is. */
  readonly news?: News
}

/** What a case demands: each rule with its own quorum. `covered` is false if some call has no certain rule. */
export interface Demand {
  readonly rules: readonly Rule[]
  readonly covered: boolean
  /** The steps of escalation that were taken: their further approvers and routes count, too. Absent: none. */
  readonly escalated?: readonly TakenStep[]
}

/** Joins rules and identities to a policy with its revision. */
export function policyOf(rules: readonly Rule[], identities: readonly Identity[]): Policy {
  return {
    rules,
    identities,
    revision: hashOf(whatIsSaid({ rules, identities })),
  }
}

/**
 * The hash of a demand. It differs if other rules apply than the card showed. Whether a limit is passed does not change
 * it: what the rule then demands follows from the rule.
 */
export function demandHash({ covered, rules }: Demand): string {
  const raised = new Set(rules.map(raisedRule))
  const own = rules.filter((rule) => !raised.has(rule))
  return hashOf({ covered, rules: own.map((rule) => ({ name: rule.name, hash: ruleHash(rule) })) })
}

/**
 * The rules that an approval demands. For each open gated call: the first rule that certainly matches, and each
 * possible rule before it (R1). A rule is possible if the platform left a field null, if nobody can tell what its
 * condition comes to, or if it only adds. If a rule's limit is passed, the rule that the limit demands comes next. If
 * no rule matches for certain, the demand is not covered and nobody may decide.
 */
export function demandOf(approval: Approval, rules: readonly Rule[], known: RuleContext = {}): Demand {
  const perCall = ruledCalls(approval).map((call) => demandOfCall(approval, call, rules, known))
  const demanded = new Set(perCall.flatMap((demand) => demand.rules))
  const own = rules.filter((rule) => demanded.has(rule))
  return { rules: own.flatMap((rule) => withRaised(rule, known)), covered: perCall.every(({ covered }) => covered) }
}

/** A rule, and the rule that its limit demands, unless we know that the limit is not passed. */
function withRaised(rule: Rule, { limits = [] }: RuleContext): readonly Rule[] {
  const raised = rule.limit === undefined ? null : raisedRule(rule)
  const low = limits.some((one) => one.rule === rule.name && !one.passed)
  return raised === null || low ? [rule] : [rule, raised]
}

/** The rules that limits may still add to a demand: a vote may later count under them. */
export function standbyOf({ rules }: Demand): readonly Rule[] {
  return rules.flatMap((rule) => {
    const raised = raisedRule(rule)
    return raised === null || rules.includes(raised) ? [] : [raised]
  })
}

/** What one call demands: the rule that matches it for certain comes last (R1). */
export function demandOfCall(approval: Approval, call: Call, rules: readonly Rule[], known: RuleContext = {}): Demand {
  const demanded: Rule[] = []
  for (const rule of rules) {
    const verdict = matchOf(rule, approval, call, known)
    if (verdict !== "no") demanded.push(rule)
    if (verdict === "yes") return { rules: demanded, covered: true }
  }
  return { rules: demanded, covered: false }
}

/**
 * How a rule stands to one call. `possible` if the platform leaves a field null, if nobody knows what the condition
 * comes to, or if the condition only adds its rule.
 */
export function matchOf(
  rule: Rule,
  approval: Approval,
  call: Call,
  known: RuleContext = {},
): "yes" | "no" | "possible" {
  const byNames = matchOfNames(rule, approval, call)
  if (byNames === "no") return "no"
  switch (truthOfWhen(rule, approval, call, known)) {
    case "false":
      return "no"
    case "unknown":
      return "possible"
    case "true":
      return onlyAdds(rule) ? "possible" : byNames
    case null:
      return byNames
  }
}

/** Like `matchOf`, but looks only at the names in `match`. */
export function matchOfNames(rule: Rule, approval: Approval, call: Call): "yes" | "no" | "possible" {
  const verdicts = matchFields(rule, approval, call).map(({ verdict }) => verdict)
  if (verdicts.includes("no")) return "no"
  if (!verdicts.includes("possible")) return "yes"
  return rule.matchUnknown ? "possible" : "no"
}

/** How one field of a rule's match compares with one call. */
export interface FieldMatch {
  readonly field: keyof Match
  readonly wants: readonly string[]
  /** What the platform says; null if it says nothing. */
  readonly has: string | null
  readonly verdict: "yes" | "no" | "possible"
}

/** Each field that a match names, of a rule or of a stop, compared with one call. */
export function matchFields({ match }: Pick<Rule, "match">, approval: Approval, call: Call): readonly FieldMatch[] {
  const has: Readonly<Record<keyof Match, string | null>> = {
    instance: approval.instance,
    agent: call.agentId,
    team: approval.teamId,
    workflow: approval.workflowId,
    pause: call.pauseType,
    source: approval.sourceType,
    tool: call.tool,
  }
  return matchKeys.flatMap((field) => {
    const wants = match[field]
    if (wants === undefined) return []
    const verdict = field === "tool" ? matchGlob(wants, has.tool) : matchWord(wants, has[field])
    return [{ field, wants, has: has[field], verdict }]
  })
}

/** Every field of a match. */
export const matchKeys = ["instance", "agent", "team", "workflow", "pause", "source", "tool"] as const

function matchWord(words: readonly string[], value: string | null): "yes" | "no" | "possible" {
  if (value === null) return "possible"
  return words.includes(value) ? "yes" : "no"
}

function matchGlob(globs: readonly string[], value: string | null): "yes" | "no" | "possible" {
  if (value === null) return "possible"
  return globs.some((glob) => globMatches(glob, value)) ? "yes" : "no"
}
