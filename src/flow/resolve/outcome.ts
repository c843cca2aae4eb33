// Once a case has ended: a decision that somebody made elsewhere is held against the rules, and whoever asked is told, once.
import type { Case, Outcome } from "../../domain/case/case.ts"
import { hasDecided, inform, isUninformed, notice } from "../../domain/case/notice.ts"
import { isSound, tally, type Vote } from "../../domain/case/vote.ts"
import type { SlackId } from "../../domain/people/person.ts"
import type { Verb } from "../../domain/policy/judge.ts"
import { advance, advanceCase, readCase } from "../case/commit.ts"
import { findRequester, freshMs, type JudgePorts, judgePerson, rejudge } from "../people/eligibility.ts"
import { maySee } from "../people/visibility.ts"
import { isPortError, type Ports } from "../ports.ts"

export type JudgeOutsidePorts = JudgePorts & Pick<Ports, "store" | "seal">

type Elsewhere = Extract<Outcome, { kind: "elsewhere" }>

/** What the platform calls a decision of somebody; whatever else it says, nobody decided. */
const verbs: ReadonlyMap<string, Verb> = new Map([
  ["approved", "approve"],
  ["rejected", "reject"],
])

/**
 * Tells thread, ledger and operator of a decision made elsewhere by somebody whom the rules would not admit. `resolved_by` is the platform's word: it
 * is taken for the person that it names. True if the case changed. Throws if Slack does not say now who that is: then it is asked again.
 */
export async function judgeOutside(ports: JudgeOutsidePorts, caseId: string): Promise<boolean> {
  const current = await readCase(ports, caseId)
  if (current === null || current === "frozen" || !isUninformed(current)) return false
  const { outcome, instance, approvalId: approval } = current
  if (outcome?.kind !== "elsewhere") return false
  const why = await objectionTo(ports, current, outcome)
  if (why === null) return false
  const done = await advance(ports, current, (now) =>
    isUninformed(now) ? notice(now, { kind: "decided-outside-rules", at: ports.clock(), why }) : null,
  )
  if (done.kind !== "committed") return false
  const { status, resolvedBy } = outcome
  ports.alarm({ code: "decided-outside-rules", caseId, instance, approval, status, resolvedBy, why })
  return true
}

/** Why the rules would not admit it; null if they would, or nobody decided. */
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
  if (id === null) return "the name that the platform gives is nobody's whom a rule could list"
  const judged = await judgePerson(ports, current, id, verb)
  if (!judged.ok) return `the rules do not let them ${verb} this: ${judged.refusal.code}`
  const vote = voteOf(current, named, {
    person: id,
    name: judged.person.name,
    rules: judged.quotas.filter(({ name }) => judged.rules.includes(name)).map(({ name, hash }) => ({ name, hash })),
  })
  const { unfit } = await rejudge(ports, current, vote)
  const beside = current.votes.filter(
    (one) => isSound(ports.seal, current, one) && !unfit.some((it) => it.vote === one),
  )
  return tally([...beside, vote], judged.quotas).verdict === null ? "the rules want more votes than there are" : null
}

/** The decision as if it had been a vote here: it counts beside those that were cast, as long as nothing was filled in. Never kept. */
function voteOf(current: Case, { resolvedBy, verb, at }: Named, voter: Pick<Vote, "person" | "name" | "rules">): Vote {
  const { installation, id: caseId, revision } = current
  const about = { installation, caseId, revision: revision.number, digest: revision.digest }
  const unsaid = { reason: null, values: null, revealed: false, surface: "command", interaction: "", mac: "" } as const
  return { ...about, ...voter, ...unsaid, subject: resolvedBy, verb, at }
}

export type InformPorts = JudgePorts & Pick<Ports, "store">

/**
 * Notes who has to be told: the card it adds is posted, found again and settled like any other. Who decided knows already; who may not see
 * the case (R8) is not told. True if the case changed. Throws if Slack does not say who they are: then it is asked again.
 */
export async function informRequester(ports: InformPorts, caseId: string): Promise<boolean> {
  const current = await readCase(ports, caseId)
  if (current === null || current === "frozen" || !isUninformed(current)) return false
  const requester = await toTell(ports, current)
  const after = await advanceCase(ports, current, (now) => (isUninformed(now) ? inform(now, requester) : null))
  return after.version !== current.version
}

async function toTell(ports: InformPorts, current: Case): Promise<SlackId | null> {
  const id = await findRequester(ports, current.summary.requester, ports.policy.identities)
  if (id === null || hasDecided(current, id)) return null
  const person = await ports.people.look(id, freshMs)
  return (await maySee(ports, current, person)) ? id : null
}
