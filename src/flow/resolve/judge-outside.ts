// Judge outside: compares a decision that somebody made elsewhere with the rules. If the rules would not admit it, we
// tell people once, before the case closes.
import type { Case, Outcome } from "../../domain/case/case.ts"
import { isUninformed, notice } from "../../domain/case/notice.ts"
import { isSound, tally, type Vote } from "../../domain/case/vote.ts"
import type { Verb } from "../../domain/policy/judge.ts"
import { advance } from "../case/commit.ts"
import { findRequester, type JudgePorts, judgePerson } from "../people/eligibility.ts"
import { rejudge } from "../people/voters.ts"
import { isPortError, type Ports } from "../ports.ts"

export type JudgeOutsidePorts = JudgePorts & Pick<Ports, "store" | "seal">

type Elsewhere = Extract<Outcome, { kind: "elsewhere" }>

/** The platform's words for a decision that somebody made. With any other word, nobody decided. */
const verbs: ReadonlyMap<string, Verb> = new Map([
  ["approved", "approve"],
  ["rejected", "reject"],
])

/**
 * Tells thread, ledger and operator if somebody whom the rules would not admit decided elsewhere. We take `resolved_by`
 * for the person that it names. Throws if Slack does not say now who that is: then we ask again. Returns the newest
 * case.
 */
export async function judgeOutside(ports: JudgeOutsidePorts, current: Case, outcome: Elsewhere): Promise<Case> {
  const { instance, id: caseId, approvalId: approval } = current
  const why = await objectionTo(ports, current, outcome)
  if (why === null) return current
  const done = await advance(ports, current, (now) =>
    isUninformed(now) ? notice(now, { kind: "decided-outside-rules", at: ports.clock(), why }) : null,
  )
  if (done.kind === "duplicate") return current
  if (done.kind === "unchanged") return done.case
  const { status, resolvedBy } = outcome
  ports.alarm({ code: "decided-outside-rules", caseId, instance, approval, status, resolvedBy, why })
  return done.case
}

/** Why the rules would not admit the decision; null if they would, or if nobody decided. */
async function objectionTo(ports: JudgeOutsidePorts, current: Case, outcome: Elsewhere): Promise<string | null> {
  const verb = verbs.get(outcome.status)
  if (verb === undefined) return null
  if (outcome.resolvedBy === null) return "the platform names nobody who decided it"
  try {
    return await objectionToPerson(ports, current, { ...outcome, resolvedBy: outcome.resolvedBy, verb })
  } catch (error) {
    if (!isPortError(error) || error.retryable) throw error
    return "Slack does not say who decided it"
  }
}

interface Named extends Elsewhere {
  readonly resolvedBy: string
  readonly verb: Verb
}

async function objectionToPerson(ports: JudgeOutsidePorts, current: Case, named: Named): Promise<string | null> {
  const { resolvedBy, verb } = named
  const id = await findRequester(ports, resolvedBy, ports.policy.identities)
  if (id === null) return "the platform gives a name that no rule could list"
  const judged = await judgePerson(ports, current, id, { verb })
  if (!judged.ok) return `the rules do not let them ${verb} this: ${judged.refusal.code}`
  // Nobody stands in elsewhere: there no vote says for whom.
  const own = judged.rules.filter((name) => judged.lent?.has(name) !== true)
  if (own.length === 0) return `the rules do not let them ${verb} this: not-approver`
  const vote = voteOf(current, named, {
    person: id,
    name: judged.person.name,
    rules: judged.quotas.filter(({ name }) => own.includes(name)).map(({ name, hash }) => ({ name, hash })),
  })
  const { unfit } = await rejudge(ports, current, vote)
  const beside = current.votes.filter(
    (one) => isSound(ports.seal, current, one) && !unfit.some((it) => it.vote === one),
  )
  return tally([...beside, vote], { quotas: judged.quotas }).verdict === null
    ? "the rules want more votes than there are"
    : null
}

/** The decision as a vote here, with nothing filled in, beside the votes that people cast. We never keep it. */
function voteOf(current: Case, { resolvedBy, verb, at }: Named, voter: Pick<Vote, "person" | "name" | "rules">): Vote {
  const { installation, id: caseId, revision } = current
  const about = { installation, caseId, revision: revision.number, digest: revision.digest }
  const unsaid = { reason: null, values: null, revealed: false, surface: "command", interaction: "", mac: "" } as const
  return { ...about, ...voter, ...unsaid, subject: resolvedBy, verb, at }
}
