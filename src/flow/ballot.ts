// A ballot: one judged press as a sealed vote, and the one step that counts it and freezes the verdict it reaches (R3, R9).
import type { Case, Step } from "../domain/case/case.ts"
import { andThen, castVote, isUsed, noteHeld, voidVote } from "../domain/case/steps.ts"
import { isOver } from "../domain/policy/timing.ts"
import { decide as decideStep } from "../domain/case/verdict.ts"
import { type Quota, tally, type UnsealedVote, type Vote, type VotedRule, voteContent } from "../domain/case/vote.ts"
import { decisionOf, freezeVerdict, type SigningPorts } from "./body.ts"
import type { Judged } from "./judgement.ts"
import type { Ports } from "./ports.ts"
import type { VotePress } from "./press.ts"

/** Somebody who may vote as they want. */
export type Allowed = Extract<Judged, { ok: true }>

/** R3: the vote is bound to all that it is about, and sealed. */
export function sealVote(
  ports: Pick<Ports, "seal">,
  current: Case,
  press: VotePress & { readonly revealed: boolean },
  judged: Allowed & { readonly subject: string },
): Vote {
  const { verb, reason, values, revealed, surface, interaction, at } = press
  const rules = current.revision.quotas
    .filter((quota) => judged.rules.includes(quota.name))
    .map((quota) => votedRule(current, quota))
  const { team, user, name } = judged.person
  const content: UnsealedVote = {
    installation: current.installation,
    caseId: current.id,
    revision: current.revision.number,
    digest: current.revision.digest,
    rules,
    person: { team, user },
    name,
    subject: judged.subject,
    verb,
    reason,
    values,
    revealed,
    surface,
    interaction,
    at,
  }
  return { ...content, mac: ports.seal.mac("vote", voteContent(content)) }
}

function votedRule({ time }: Case, { name, hash }: Quota): VotedRule {
  return time.escalated.some(({ rule }) => rule === name) ? { name, hash, escalated: true } : { name, hash }
}

/** A sealed vote with the judgement it rests on, and the older votes that do not count any more. */
export interface Ballot {
  readonly sealed: Vote
  readonly judged: Allowed
  /** True if the platform would not enforce a rejection (R12). */
  readonly held: boolean
  readonly voided: { readonly at: number; readonly unfit: readonly { readonly vote: Vote; readonly why: string }[] }
}

/** The vote, the votes that no longer count, and the frozen verdict if it is reached and not held: one step. Null if the case moved on. */
export async function voteStep(
  ports: SigningPorts & Pick<Ports, "clock">,
  current: Case,
  ballot: Ballot,
): Promise<Step | null> {
  const { sealed, judged, voided } = ballot
  if (
    current.state !== "open" ||
    isOver(current.time, ports.clock()) ||
    current.revision.number !== sealed.revision ||
    current.revision.digest !== sealed.digest ||
    isUsed(current, sealed.interaction)
  )
    return null
  // Another vote than those that were judged: also that of somebody who voted otherwise meanwhile, whose rejection may have to be held.
  if (current.votes.some(({ mac }) => !judged.beside.includes(mac))) return null
  const start: Step = castVote(current, sealed, judged.quotas)
  const cleaned = voided.unfit.reduce(
    (step, one) => andThen(step, (now) => voidVote(now, one.vote.person, one.why, voided.at)),
    start,
  )
  const result = tally(cleaned.next.votes, cleaned.next.revision.quotas)
  if (result.verdict === null) return cleaned
  if (result.verdict === "reject" && ballot.held) {
    return andThen(cleaned, (now) => noteHeld(now, sealed.person, ports.clock()))
  }
  const votes = [
    ...result.votes.filter((one) => one.mac !== sealed.mac),
    ...result.votes.filter((one) => one.mac === sealed.mac),
  ]
  const decision = decisionOf(cleaned.next, result.verdict, votes, ports.clock())
  const { body, receipt } = await freezeVerdict(ports, cleaned.next, decision)
  return andThen(cleaned, (now) => decideStep(now, decision, body, receipt))
}
