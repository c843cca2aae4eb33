// A lasting rejection: for a while it also rejects the same call when it is asked again (R22). Its case keeps it, and
// does not close before it is over, so that an older record of it never counts. Pure.
import type { Case, Lasting, Looped, Repeat, Step } from "../case/case.ts"
import { asThen, demandState, stepTo, withRoutes, withUsed } from "../case/steps.ts"
import type { VotedDecision } from "../case/vote.ts"
import { type Approval, callsOf } from "../content/approval.ts"
import { isApprovable } from "../content/digest.ts"
import type { JsonObject } from "../content/json.ts"
import { smallest } from "../content/largest.ts"
import { personKey, type SlackId } from "../people/person.ts"
import { type Asked, askedOf } from "../policy/asked.ts"
import type { Policy } from "../policy/policy.ts"
import type { Seal } from "../proof/seal.ts"
import type { Rule } from "../rule/rule.ts"

/** So many calls of one run are rejected by themselves; the next one is left undecided, so that no loop goes on. */
export const maxInRun = 3
/** After so many repeats of one rejection people are asked again. */
export const maxRepeats = 50

/**
 * The key of an approval's calls: a MAC, so that it tells nobody the arguments. The digest cannot serve, because it
 * covers ids that are new each time. Of an unknown requester (`isKnown` false) only the same run asks for the same.
 * Null for content that programs may read in different ways, or that is too large.
 */
export function sameCall(seal: Seal, approval: Approval, isKnown: boolean): string | null {
  return isApprovable(approval) ? seal.mac("same-call", sameContent(approval, isKnown)) : null
}

function sameContent(approval: Approval, isKnown: boolean): JsonObject {
  const { instance, sourceType, agentId, teamId, workflowId, pauseType, toolName, toolArgs, userId, runId } = approval
  const calls = callsOf(approval).map(({ id: _new, others, ...call }) => {
    return { ...call, fields: [...call.fields], others: others.map(([name, value]) => [name, value]) }
  })
  const whose = isKnown ? { requester: userId } : { run: runId }
  const who = { source: sourceType, agent: agentId, team: teamId, workflow: workflowId }
  return { instance, ...who, pause: pauseType, tool: toolName, args: toolArgs, calls, ...whose }
}

/** For how long a rejection may last, in ms: the shortest time that its rules say. Null if one of them has none. */
export function lastingMs(rules: readonly Pick<Rule, "afterRejection">[]): number | null {
  const times = rules.map(({ afterRejection }) => afterRejection?.sameCallMs ?? 0)
  const shortest = smallest(Number.POSITIVE_INFINITY, times)
  return Number.isFinite(shortest) && shortest > 0 ? shortest : null
}

/** What a case says of a rejection that lasts, as it begins. */
export function lastingFrom(key: string, until: number): Lasting {
  return { key, until, repeats: [] }
}

/** A lasting rejection that counts, and the decision of people that it is. */
export interface LastingRejection {
  readonly lasting: Lasting
  readonly decision: VotedDecision
}

/** The lasting rejection of a case, if it counts now: people made it, through us, it is settled, and not over. */
export function lastingOf({ lasting, state, decision, outcome }: Case, now: number): LastingRejection | null {
  if (lasting === undefined || state !== "settled" || now >= lasting.until) return null
  if (decision === null || decision.by !== undefined || decision.verb !== "reject") return null
  const ours = outcome?.kind === "ours" && outcome.verb === "reject" && outcome.decisionId === decision.id
  return ours && decision.votes.at(-1)?.lasting === true ? { lasting, decision } : null
}

/** True if this run has asked so often that the next call of it is left undecided. */
export function isLoop({ repeats }: Lasting, run: string): boolean {
  return repeats.filter((one) => one.run === run).length >= maxInRun
}

/** Notes on the case of a lasting rejection that its call was asked again. */
export function noteRepeat(current: Case, repeat: Repeat): Step {
  demandState(current, "asked again", ["settled"])
  const { lasting } = current
  if (lasting === undefined) return stepTo(current, [])
  const { case: other, at, undecided } = repeat
  const kind = undecided === true ? "looping" : "repeated"
  return stepTo({ ...current, lasting: { ...lasting, repeats: [...lasting.repeats, repeat] } }, [
    { kind, at, case: other },
  ])
}

/** A case that was opened just now, without its cards: nobody is asked. */
export function withoutCards({ next, events }: Step): Step {
  const silent = events.map((event) => (event.kind === "opened" ? { ...event, asked: [] } : event))
  return stepTo({ ...next, cards: [], lines: [] }, silent)
}

/** Leaves a case undecided that was opened just now without cards: nobody is asked before somebody says so. */
export function leaveLooped(current: Case, looped: Looped, at: number): Step {
  demandState(current, "left undecided", ["open"])
  return stepTo({ ...current, looped }, [{ kind: "looping", at, case: looped.case }])
}

/** Ends a lasting rejection: because somebody said so, or (`by` null) because its time is over. */
export function endLasting(current: Case, by: Asker | null, at: number): Step {
  const { lasting: _over, ...next } = current
  const person = by === null ? null : personKey(by.person)
  const event = { kind: "asks-again", at, person } as const
  if (by === null) return stepTo(next, [event])
  const used = { person: personKey(by.person), interaction: by.interaction, at }
  return stepTo(withUsed(next, used), [{ ...event, interaction: by.interaction }])
}

/** Somebody who says that people are asked again, and the delivery that carried it. */
export interface Asker {
  readonly person: SlackId
  readonly interaction: string
}

/** Gives a case that was left undecided its cards: from now on people are asked. Null if they are asked already. */
export function askPeople(current: Case, policy: Policy, person: string | null, at: number): Step | null {
  if (current.looped === undefined || current.state !== "open") return null
  const { looped: _over, ...next } = current
  return stepTo(withRoutes(next, policy), [{ kind: "asks-again", at, person, asked: askedIn(current, policy) }])
}

function askedIn(current: Case, policy: Policy): readonly Asked[] {
  return current.approval === null ? [] : askedOf(current.approval, asThen(current, policy))
}
