// Cases of the past for tests of simulations: opened under rules, decided by people, closed as the bot closes them.
import type { Case, Outcome } from "../../../src/domain/case/case.ts"
import { openCase } from "../../../src/domain/case/steps.ts"
import { close } from "../../../src/domain/case/verdict.ts"
import type { Vote } from "../../../src/domain/case/vote.ts"
import type { Approval } from "../../../src/domain/content/approval.ts"
import { withRaisedRules } from "../../../src/domain/limit/limit.ts"
import type { Verb } from "../../../src/domain/policy/judge.ts"
import type { Policy, PolicyNow } from "../../../src/domain/policy/policy.ts"
import type { Circumstances } from "../../../src/domain/policy/when.ts"
import { type Rule, ruleHash } from "../../../src/domain/rule/rule.ts"
import type { AskedRule } from "../../../src/domain/simulation/ask-counts.ts"
import { createLimitHistory } from "../../../src/domain/simulation/limit-history.ts"
import type { PastCase, SimulationOptions } from "../../../src/domain/simulation/simulation.ts"
import { anApproval, aPerson, aVote, installation as ours, team } from "../../support/builders.ts"
import { noon } from "../../support/clock.ts"

export const dayMs = 86_400_000

/** Who voted, after this many ms. */
export interface Pressed {
  readonly user: string
  readonly ms: number
  readonly verb?: Verb
}

/** How a case went. */
export interface Course {
  readonly approval?: Approval
  /** With how its limits were read, if it has some. */
  readonly policy: PolicyNow
  readonly circumstances?: Circumstances
  readonly at?: number
  readonly presses?: readonly Pressed[]
  /** False: the votes do not suffice, and it is still open. Default: decided if somebody voted. */
  readonly decided?: boolean
  /** How long arguments are kept once it is closed. Default: 90 days. Null: it is not closed. */
  readonly keptMs?: number | null
  /** Whose case it is, and the Slack team of its people. Default: those of the tests. */
  readonly installation?: string
  readonly home?: string
}

/** A case with its votes; decided ones are settled and closed. */
export function aPast(course: Course): Case {
  const { approval = anApproval(), policy, circumstances, at = noon, presses = [], keptMs = 90 * dayMs } = course
  const known = circumstances === undefined ? policy : { ...policy, circumstances }
  const { installation = ours, home = team } = course
  const opened = openCase({ installation, approval, policy: known, epoch: "epoch-1", at }).next
  const votes = presses.map((press) => voteOf(opened, press, home))
  const last = votes.at(-1)
  if (last === undefined || course.decided === false) return { ...opened, votes }
  const decision = { id: `decision-${opened.id}`, verb: last.verb, votes, at: last.at }
  const outcome: Outcome = {
    kind: "ours",
    verb: last.verb,
    decisionId: decision.id,
    resolvedBy: last.subject,
    at: last.at,
  }
  const settled: Case = { ...opened, state: "settled", votes, decision, outcome }
  return keptMs === null ? settled : close(settled, last.at, { blankAfterMs: null, retainArgumentsMs: keptMs }).next
}

function voteOf(opened: Case, { user, ms, verb = "approve" }: Pressed, home: string): Vote {
  const rules = opened.revision.quotas.map(({ name, hash }) => ({ name, hash }))
  const about = { installation: opened.installation, caseId: opened.id, digest: opened.revision.digest, rules }
  return aVote({ ...about, user, person: { team: home, user }, verb, at: opened.openedAt + ms })
}

/** Whom rules list by user id, as `personKey`s. */
export function listedUnder(rule: Rule): ReadonlySet<string> {
  return new Set(rule.approvers.flatMap((one) => (one.kind === "user" ? [`${one.team ?? team}:${one.id}`] : [])))
}

/** By `ruleHash`. */
export function peopleOf({ rules }: Policy): ReadonlyMap<string, ReadonlySet<string>> {
  return new Map(withRaisedRules(rules).map((rule) => [ruleHash(rule), listedUnder(rule)]))
}

/** How limits stood, by these cases alone. */
export function limitsOf(tried: Policy, inForce: Policy, cases: readonly PastCase[]): SimulationOptions["limits"] {
  const [triedOnes, inForceOnes] = [tried, inForce].map((policy) => createLimitHistory({ policy, keptSince: null }))
  if (triedOnes === undefined || inForceOnes === undefined) throw new Error("no history")
  for (const { current, circumstances } of cases) {
    triedOnes.take({ current, circumstances })
    inForceOnes.take({ current, circumstances }, current.revision.policy !== inForce.revision)
  }
  return { tried: triedOnes, inForce: inForceOnes }
}

/** A case as a simulation takes it, judged under this policy; everybody is a member still. */
export function past(current: Case, policy: Policy, changes: Partial<PastCase> = {}): PastCase {
  const asked = current.revision.quotas.flatMap(({ name, hash }): AskedRule[] => {
    const rule = withRaisedRules(policy.rules).find((one) => ruleHash(one) === hash)
    return rule === undefined ? [] : [{ name, hash, people: listedUnder(rule) }]
  })
  const voters = new Map(
    (current.decision?.votes ?? []).map(({ person }) => [`${person.team}:${person.user}`, aPerson(person)]),
  )
  const circumstances = current.revision.circumstances ?? { requester: null, at: current.openedAt }
  return { current, asked, voters, known: null, circumstances, ...changes }
}
