// The policy: which rules an approval's calls demand (R1). Who may vote under a rule is in `judge.ts`.
import { type Approval, type Call, ruledCalls } from "../content/approval.ts"
import { hashOf } from "../content/canonical.ts"
import { once } from "../content/once.ts"
import type { News } from "../fingerprint/news.ts"
import { type RuleLimit, raisedRule } from "../limit/limit.ts"
import type { Identity } from "../people/human.ts"
import { whatIsSaid } from "../rule/said.ts"
import { globMatches } from "../text/glob.ts"
import type { DataClass } from "./classes.ts"
import type { Risk } from "./look.ts"
import type { Timing } from "./timing.ts"
import { onlyAdds, type RuleContext, truthOfWhen } from "./when.ts"

/** Where cards of a rule go: a channel, or a person by direct message. */
export type Route = { readonly kind: "channel"; readonly id: string } | { readonly kind: "person"; readonly id: string }

/** Who may decide: a Slack user id (of our workspace, or of `team`), an e-mail linked to one (R7), or a user group. */
export type Approver =
  | { readonly kind: "user"; readonly id: string; readonly team?: string }
  | { readonly kind: "email"; readonly email: string }
  | { readonly kind: "group"; readonly id: string }

/** What a rule is about. One word of a list is enough; an absent field matches all. `tool` takes `*` and `?`. */
export interface Match {
  readonly instance?: readonly string[]
  readonly agent?: readonly string[]
  readonly team?: readonly string[]
  readonly workflow?: readonly string[]
  readonly tool?: readonly string[]
  readonly pause?: readonly string[]
  readonly source?: readonly string[]
}

/**
 * One rule of `countersign.yaml`, with every default filled in. A key that may be absent says nothing by default
 * (`whatIsSaid`); give a new one that form, so that rules without it keep their hash.
 */
export interface Rule {
  readonly name: string
  readonly match: Match
  /** True: if the platform leaves a field null, the rule is possible, and so it is demanded (R1). */
  readonly matchUnknown: boolean
  readonly routes: readonly Route[]
  readonly approvers: readonly Approver[]
  readonly quorum: number
  readonly forbidSelfApproval: boolean
  /** Who may approve when nobody knows who asked (R6). */
  readonly unknownRequester: "refuse" | "two" | "allow"
  readonly requireReason: "never" | "reject" | "approve" | "always"
  /** Reasons that the form offers. */
  readonly reasons: readonly string[]
  /** Names of keys and `/patterns/` whose values are masked where they are shown. */
  readonly mask: readonly string[]
  readonly risk: Risk | null
  /** True: approving itself destroys something. */
  readonly danger: boolean
  /** Arguments that a card shows first. */
  readonly showFirst?: readonly string[]
  /** A sentence about a call (`sentence.ts`). */
  readonly say?: string | undefined
  /** True: arguments stand in Details alone. */
  readonly argumentsInDetails?: boolean
  /** True: Details quotes what the requester wrote to start the run. */
  readonly requestInDetails?: boolean
  /** True: whoever asked is sent the answer of the run that was resumed. */
  readonly resultToRequester?: boolean
  /** True: its calls are not compared with those that were approved before, and nothing is remembered of them. */
  readonly withoutNews?: boolean
  readonly allowGuests: boolean
  readonly allowExternal: boolean
  /** True: another company may share its channels, and reads every call. */
  readonly allowSharedChannel?: boolean
  /** What must be true of a call besides: a condition that was read and found good (`when.ts`). */
  readonly when?: string | undefined
  /** Where the clock is that `when` looks at: a name of the IANA time zone database. */
  readonly timeZone?: string | undefined
  /** The classes of data that `when` asks for. */
  readonly classes?: readonly DataClass[] | undefined
  /** The last day, as 2027-06-30, by which somebody has to look at the rule again. */
  readonly reviewBy?: string | undefined
  /** By when it wants a decision; undefined: it can wait for ever. */
  readonly timing?: Timing | undefined
  /** Above which sum of many calls it asks more people. */
  readonly limit?: RuleLimit | undefined
}

/** The rules in force, and their hash; a case notes under which hash it was compared (R5). */
export interface Policy {
  readonly rules: readonly Rule[]
  readonly identities: readonly Identity[]
  /** SHA-256 over rules and identities. */
  readonly revision: string
}

/** The rules in force, with what is known of who asks and when, for a revision that is made now. */
export interface PolicyNow extends Policy, Pick<RuleContext, "circumstances" | "limits"> {
  /** What is new of its calls; absent where nothing is. */
  readonly news?: News
}

/** What a case demands: each rule with its own quorum. `covered` is false if some call has no certain rule. */
export interface Demand {
  readonly rules: readonly Rule[]
  readonly covered: boolean
  /** Names of the rules that are escalated: their further approvers and routes count too. Absent: none. */
  readonly escalated?: readonly string[]
}

/** An approver as the config lists them. */
export function approverAsText(approver: Approver): string {
  switch (approver.kind) {
    case "email":
      return approver.email
    case "group":
      return approver.id
    case "user":
      return approver.team === undefined ? approver.id : `${approver.team}:${approver.id}`
  }
}

/** Joins rules and identities to a policy with its revision. */
export function policyOf(rules: readonly Rule[], identities: readonly Identity[]): Policy {
  return {
    rules,
    identities,
    revision: hashOf(whatIsSaid({ rules, identities })),
  }
}

/** The hash of one rule: a vote is bound to it, and a changed rule is a new revision (R5). */
export const ruleHash = once((rule: Rule): string => hashOf(whatIsSaid(rule)))

/**
 * The hash of a demand, to notice that other rules apply now than the card showed. Limits are passed and fall again
 * without that: what a rule then demands follows from the rule.
 */
export function demandHash({ covered, rules }: Demand): string {
  const raised = new Set(rules.map(raisedRule))
  const own = rules.filter((rule) => !raised.has(rule))
  return hashOf({ covered, rules: own.map((rule) => ({ name: rule.name, hash: ruleHash(rule) })) })
}

/**
 * The rules that an approval demands: for each open gated call the first rule that certainly matches, and each rule
 * before it that might, because the platform left a field null or nobody can tell what a condition comes to (R1). After
 * a rule whose limit is passed comes the one that this demands. If no rule matches for certain, the demand is not
 * covered and nobody may decide.
 */
export function demandOf(approval: Approval, rules: readonly Rule[], known: RuleContext = {}): Demand {
  const perCall = ruledCalls(approval).map((call) => demandOfCall(approval, call, rules, known))
  const demanded = new Set(perCall.flatMap((demand) => demand.rules))
  const own = rules.filter((rule) => demanded.has(rule))
  return { rules: own.flatMap((rule) => withRaised(rule, known)), covered: perCall.every(({ covered }) => covered) }
}

/** A rule, and the one that its limit demands besides unless we know that the limit is not passed. */
function withRaised(rule: Rule, { limits = [] }: RuleContext): readonly Rule[] {
  const raised = rule.limit === undefined ? null : raisedRule(rule)
  const low = limits.some((one) => one.rule === rule.name && !one.passed)
  return raised === null || low ? [rule] : [rule, raised]
}

/** The rules that limits of demanded rules would demand, and do not now: a vote may come to count under them. */
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
 * How a rule stands to one call: `possible` if only a field that the platform leaves null speaks against certainty, or
 * a condition of which nobody knows what it comes to, or one that only adds its rule.
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

/** The same by `match` alone. */
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
  /** What the platform says, or null if it says nothing. */
  readonly has: string | null
  readonly verdict: "yes" | "no" | "possible"
}

/** Each field that a rule's match names, against one call. */
export function matchFields({ match }: Rule, approval: Approval, call: Call): readonly FieldMatch[] {
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
