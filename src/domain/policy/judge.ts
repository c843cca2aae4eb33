// Judges one person and one case: may they vote, and under which of the demanded rules (R1, R5, R6).
import { type Barrier, type Person, personKey, type SlackId, unfitness } from "../people/person.ts"
import type { RequesterMatch } from "../people/requester.ts"
import type { Rule } from "../rule/rule.ts"
import type { Demand } from "./policy.ts"

/** What a person wants. */
export type Verb = "approve" | "reject"

/** Why a person may not vote as they want. Each surface has its own words for it. */
export type Refusal =
  | { readonly code: "bot" | "deactivated" | "not-covered" | "no-approvers" | "not-approver" | "guest" | "external" }
  | { readonly code: "no-subject" | "not-requester" }
  /** `proposer`: they proposed a value that the call has now. */
  | { readonly code: "requester" | "proposer" | "unknown-requester"; readonly rule: string }
  /** This rule does not let them break the glass, or has too many reviews open. */
  | { readonly code: "no-glass" | "open-reviews"; readonly rule: string }
  | { readonly code: "conflicting-email"; readonly email: string }

/** For whom somebody may vote under a rule, by its name: people who are away, as `team:user`. */
export type Lent = ReadonlyMap<string, readonly string[]>

/**
 * The rules (by name) under which a vote counts; none for somebody who calls their own request back. `lent`: for whom
 * it counts under those of them that do not list the voter; absent if they all do.
 */
export type Judgement =
  | { readonly ok: true; readonly rules: readonly string[]; readonly lent?: Lent }
  | { readonly ok: false; readonly refusal: Refusal }

/** Who the approvers of the demanded rules are at this moment, as `personKey`s. */
export interface Approvers {
  /** By rule name. If nobody may decide under a rule, its set is empty. */
  readonly byRule: ReadonlyMap<string, ReadonlySet<string>>
  /**
   * E-mails in the rules that now belong to another person than the one that they are linked to (R7). The keys are the
   * `personKey`s of both persons.
   */
  readonly conflicts: ReadonlyMap<string, string>
}

/** The quorum of a rule for this requester. `two` means at least two if nobody knows who asked (R6). */
export function quorumOf(rule: Rule, requester: RequesterMatch): number {
  const doubled = rule.forbidSelfApproval && rule.unknownRequester === "two" && requester === "unknown"
  return doubled ? Math.max(2, rule.quorum) : rule.quorum
}

/**
 * Judges a person as we have just read them. Every approver may reject. To approve, they must not be the requester if a
 * demanded rule forbids that. If one rule refuses, the whole case does (R1).
 */
export function judge(options: {
  readonly person: Person
  readonly verb: Verb
  readonly demand: Demand
  /** Rules that may be demanded later. Whoever votes now votes under them, too. Default: none. */
  readonly standby?: readonly Rule[]
  readonly approvers: Approvers
  /** For whom they may vote under rules that do not list them. Default: for nobody. */
  readonly lent?: Lent
  readonly requester: RequesterMatch
  /** True if they proposed a value that a call has now (`isProposedBy`). Default: false. */
  readonly proposer?: boolean
}): Judgement {
  const { person, verb, demand, standby = [], approvers, lent = nobodyAway, requester, proposer = false } = options
  const unfit = unfitness(person)
  if (unfit !== null) return refusedJudgement({ code: unfit })
  if (!demand.covered) return refusedJudgement({ code: "not-covered" })
  const conflict = approvers.conflicts.get(personKey(person))
  if (conflict !== undefined) return refusedJudgement({ code: "conflicting-email", email: conflict })
  if (lacksApprovers(verb, demand, approvers)) return refusedJudgement({ code: "no-approvers" })
  const under = (rule: Rule) => approvers.byRule.get(rule.name)?.has(personKey(person)) === true
  const listed = demand.rules.filter((rule) => under(rule) || lent.has(rule.name))
  const kept = listed.filter((rule) => admits(rule, person))
  if (kept.length === 0) return refusedJudgement({ code: outsider(person) ?? "not-approver" })
  const barred = verb === "approve" ? selfApproval(demand, requester, proposer) : null
  if (barred !== null) return refusedJudgement(barred)
  const ready = standby.filter((rule) => under(rule) && admits(rule, person))
  const rules = [...kept, ...ready].map((rule) => rule.name)
  const borrowed = [...lent].filter(
    ([name]) => rules.includes(name) && !kept.some((one) => one.name === name && under(one)),
  )
  return { ok: true, rules, ...(borrowed.length === 0 ? {} : { lent: new Map(borrowed) }) }
}

/**
 * Judges somebody who breaks the glass: each demanded rule must list them for that (R1). It is not for the requester,
 * nor where nobody knows who asked and a demanded rule says `refuse` or `two` (R6). `breakers`: whom the rules list for
 * that. `full`: the names of rules with too many reviews open.
 */
export function judgeBreaker(options: {
  readonly person: Person
  readonly demand: Demand
  readonly breakers: Approvers
  readonly requester: RequesterMatch
  readonly proposer: boolean
  readonly full: readonly string[]
}): Judgement {
  const { person, demand, breakers, requester, proposer, full } = options
  const { rules } = demand
  const unfit = unfitness(person)
  if (unfit !== null) return refusedJudgement({ code: unfit })
  if (!demand.covered) return refusedJudgement({ code: "not-covered" })
  const conflict = breakers.conflicts.get(personKey(person))
  if (conflict !== undefined) return refusedJudgement({ code: "conflicting-email", email: conflict })
  const shut = rules.find(({ name }) => breakers.byRule.get(name)?.has(personKey(person)) !== true)
  if (shut !== undefined) return refusedJudgement({ code: "no-glass", rule: shut.name })
  if (!rules.every((rule) => admits(rule, person)))
    return refusedJudgement({ code: outsider(person) ?? "not-approver" })
  if (requester === "same") return refusedJudgement({ code: "requester", rule: rules[0]?.name ?? "" })
  const own = proposer ? rules.find(forbidsProposer) : undefined
  if (own !== undefined) return refusedJudgement({ code: "proposer", rule: own.name })
  const strict = rules.find(({ unknownRequester }) => unknownRequester !== "allow")
  if (requester === "unknown" && strict !== undefined)
    return refusedJudgement({ code: "unknown-requester", rule: strict.name })
  const waiting = rules.find(({ name }) => full.includes(name))
  if (waiting !== undefined) return refusedJudgement({ code: "open-reviews", rule: waiting.name })
  return { ok: true, rules: rules.map(({ name }) => name) }
}

/**
 * Judges somebody who calls a request back (R1): they must be the one account that the claim means, and allowed to see
 * the case. No rule has to list them. `barrier`: why they may not see the case (R8), or null.
 */
export function judgeCallBack(options: {
  readonly person: Person
  readonly demand: Demand
  readonly barrier: Barrier | null
  readonly requester: SlackId | null
}): Judgement {
  const { person, demand, barrier, requester } = options
  const unfit = unfitness(person)
  if (unfit !== null) return refusedJudgement({ code: unfit })
  if (requester === null || personKey(requester) !== personKey(person))
    return refusedJudgement({ code: "not-requester" })
  if (barrier !== null) return refusedJudgement({ code: barrier === "stranger" ? "not-requester" : barrier })
  return demand.covered ? { ok: true, rules: [] } : refusedJudgement({ code: "not-covered" })
}

const nobodyAway: Lent = new Map()

/** True if too few rules have approvers. An approval needs approvers under every rule, a rejection under one (R1). */
function lacksApprovers(verb: Verb, { rules }: Demand, { byRule }: Approvers): boolean {
  const empty = rules.filter(({ name }) => (byRule.get(name)?.size ?? 0) === 0)
  return empty.length > 0 && (verb === "approve" || empty.length === rules.length)
}

function admits(rule: Rule, person: Person): boolean {
  return (!person.guest || rule.allowGuests) && (!person.external || rule.allowExternal)
}

/** True if a person may decide under a rule that lists them. */
export function mayDecideUnder(rule: Rule, person: Person): boolean {
  return unfitness(person) === null && admits(rule, person)
}

function outsider(person: Person): "external" | "guest" | null {
  if (person.external) return "external"
  return person.guest ? "guest" : null
}

/** True if whoever proposed a value of the call counts under this rule as one who asks for it (R6). */
export function forbidsProposer({ forbidSelfApproval, proposerMayApprove }: Rule): boolean {
  return forbidSelfApproval && proposerMayApprove !== true
}

function selfApproval(demand: Demand, requester: RequesterMatch, proposer: boolean): Refusal | null {
  const strict = demand.rules.filter((rule) => rule.forbidSelfApproval)
  const own = strict[0]
  if (requester === "same" && own !== undefined) return { code: "requester", rule: own.name }
  const forbidding = proposer ? strict.find(forbidsProposer) : undefined
  if (forbidding !== undefined) return { code: "proposer", rule: forbidding.name }
  const refusing = strict.find((rule) => rule.unknownRequester === "refuse")
  return requester === "unknown" && refusing !== undefined ? { code: "unknown-requester", rule: refusing.name } : null
}

function refusedJudgement(refusal: Refusal): Judgement {
  return { ok: false, refusal }
}

/** True if a demanded rule wants a reason for this verb: one such rule is enough (R1). */
export function wantsReason(rules: readonly Pick<Rule, "requireReason">[], verb: Verb): boolean {
  return rules.some((rule) => rule.requireReason === "always" || rule.requireReason === verb)
}
