// Weighs one vote before we cast it: where it was made, whose it is, whether it counts as things stand. We weigh a
// press that opens a form in the same way, so nobody fills in a form in vain.
import { type Case, demandNow, isCounted } from "../../domain/case/case.ts"
import { heldBy, isUsed, noteRefusal } from "../../domain/case/steps.ts"
import type { Vote } from "../../domain/case/vote.ts"
import type { SumId } from "../../domain/limit/sum.ts"
import { personKey } from "../../domain/people/person.ts"
import type { Refusal } from "../../domain/policy/judge.ts"
import { isOver } from "../../domain/policy/timing.ts"
import { advance, freezeTampered, readCase, renewed } from "../case/commit.ts"
import { stopEndedSince, stopOf, stoppedBy } from "../case/orders.ts"
import { freshMs, type Judged, judgePerson } from "../people/eligibility.ts"
import { readingsOf, readSums } from "../people/limits-now.ts"
import { lockOut } from "../people/lock-out.ts"
import { readOpenReviews } from "../people/open-reviews.ts"
import { judgeVoter, type Rejudged, rejudge } from "../people/voters.ts"
import type { Interaction, Press, VoteInteraction } from "../ports/interaction.ts"
import type { Answer, Decided } from "../ports/reply.ts"
import { isPortError, type Ports, type TakenBefore } from "../ports.ts"
import { type Allowed, countedBefore, type Subject, sealVote, subjectFor } from "./ballot.ts"
import { type PlacedVote, placeOf, problemOf, rejectedBy, standing, surfaceOf } from "./checks.ts"

/** An interaction that is older than this, in ms, approves nothing: the person may have changed their mind (R11). */
export const lateMs = 120_000

/** A step that ends with its answer, or leads on with `T`. */
export type Or<T> = { readonly kind: "answered"; readonly decided: Decided } | ({ readonly kind: "on" } & T)

/** The end of a step: its answer. */
export function answered(
  answer: Answer,
  current: Case | null,
): { readonly kind: "answered"; readonly decided: Decided } {
  return { kind: "answered", decided: { answer, case: current } }
}

/**
 * The case of an interaction. After a lost second it begins anew, and nothing that was pressed before counts (R17).
 * What people wrote to each other decides nothing, so it goes on.
 */
export async function caseOf(
  ports: Ports,
  interaction: Press | Interaction,
  before: TakenBefore,
): Promise<Or<{ readonly case: Case }>> {
  if (interaction.target.installation !== ports.installation) return answered({ kind: "unknown-case" }, null)
  const seen = await ports.store.readFor(interaction, before)
  switch (seen.kind) {
    case "unknown-case":
    case "frozen":
      return answered(seen, null)
    case "tampered":
      return answered({ kind: await freezeTampered(ports, seen) }, null)
    case "case":
      return { kind: "on", case: seen.case }
    case "asked-anew": {
      const current = await renewed(ports, seen.case)
      const decides = interaction.verb !== "ask" && interaction.verb !== "answer"
      return decides && current.state === "open"
        ? answered({ kind: "asked-anew" }, current)
        : { kind: "on", case: current }
    }
  }
}

/** A vote with its place (R18), if people can still vote on the case. */
export async function placedVote(ports: Ports, current: Case, vote: Press): Promise<Or<{ readonly vote: PlacedVote }>> {
  if (isCounted(current, vote.interaction)) return answered(standing(current, vote), await goOn(ports, current))
  // Nobody judged the place where it was pressed, so we draw nothing there.
  if (ports.clock() - vote.at > lateMs) return answered({ kind: "late" }, null)
  if (isUsed(current, vote.interaction)) return { kind: "answered", decided: await duplicate(ports, current, vote) }
  const placed = await placeOf(ports, current, vote)
  if (!placed.ok) return answered(placed.answer, current)
  if (current.state !== "open") return answered(standing(current, vote), current)
  if (vote.verb === "approve" && ports.freshness.standing().kind === "rolled-back")
    return answered({ kind: "rolled-back" }, current)
  if (isOver(current.time, ports.clock())) return answered({ kind: "expired", rejected: false }, current)
  const stop = vote.verb === "approve" ? stopOf(ports, current) : null
  if (stop !== null) return answered(stoppedBy(stop), current)
  const ended = vote.verb === "approve" ? stopEndedSince(ports, current, vote.at) : null
  if (ended !== null) return answered({ kind: "stop-ended", at: ended }, current)
  const { view } = placed
  const surface = surfaceOf(vote, view)
  return { kind: "on", vote: { ...vote, surface, view, revealed: view?.revealed ?? false } }
}

/** If a crash left a verdict unsent, asks a job to go on with it. The caller only tells how things stand. */
async function goOn(ports: Ports, current: Case): Promise<Case> {
  if (current.state === "sending") await ports.jobs.resolve(current.id, 0)
  return current
}

/** The answer if we counted this delivery before: the case says how it ended. */
export async function duplicate(ports: Ports, current: Case, vote: Pick<Press, "interaction" | "verb">) {
  const now = (await readCase(ports, current.id)) ?? current
  if (now === "frozen") return { answer: { kind: "frozen" }, case: null } as const
  const isOpen = now.state === "open" && !isCounted(now, vote.interaction)
  return { answer: isOpen ? ({ kind: "changed", change: null } as const) : standing(now, vote), case: now }
}

/**
 * True for an interaction on a card that another company may have seen. If Slack does not say so, the interaction
 * counts: we judge the person in any case.
 */
export async function isOnExposed({ chat, log }: Ports, { on, target }: Press): Promise<boolean> {
  if (on?.kind !== "card") return false
  try {
    return await chat.exposed(target.route, freshMs)
  } catch (error) {
    if (!isPortError(error)) throw error
    log.warn("not-known-whether-exposed", { route: target.route, error })
    return false
  }
}

/** Judges the voter. Reads these sums first: limits decide who must agree. Null if the content is gone meanwhile. */
export async function judgeVote(
  ports: Ports,
  current: Case,
  vote: PlacedVote,
  limited: readonly SumId[],
): Promise<Judged | null> {
  const reviews = vote.glass === true ? await readOpenReviews(ports, demandNow(current, ports.policy).rules) : null
  if (limited.length === 0) return judgeVoter(ports, current, vote.person, { ...vote, reviews })
  const { approval, revision } = current
  if (approval === null) return null
  const sums = await readSums(ports, limited)
  const read = { at: ports.clock(), sums }
  const reading = (filled: VoteInteraction["values"]) =>
    readingsOf(approval, ports.policy, { ...revision, filled }, read)
  const limits = { ...read, all: reading(null), valued: reading(vote.values) }
  return judgePerson(ports, current, vote.person, { ...vote, limits, reviews })
}

/** A vote that counts, sealed, and the votes beside it that count no longer. */
export interface Weighed {
  readonly sealed: Vote
  readonly judged: Allowed
  readonly others: Rejudged
}

/** Seals the vote of somebody who may vote so, if it counts beside the votes that are there. */
export async function weigh(ports: Ports, current: Case, vote: PlacedVote, judged: Judged): Promise<Or<Weighed>> {
  if (!judged.ok) return refused(ports, current, vote, judged.refusal)
  const problem = problemOf(ports, current, vote, judged.demand)
  // Such an interaction never counts, even if its view shows everything after the answer (R4, R11).
  if (problem?.kind === "unseen") return answered(problem, await remembered(ports, current, vote, "unseen"))
  if (problem !== null) return answered(problem, current)
  const locked = vote.verb === "approve" ? await lockOut(ports, current) : null
  if (locked !== null) return answered({ kind: "locked-out", ...locked }, current)
  const named = await subjectFor(ports, current.instance, judged.person)
  if (!named.ok) return unnamed(ports, current, vote, named)
  const sealed = sealVote(ports, current, vote, { ...judged, subject: named.subject })
  const again = countedBefore(current, sealed, judged)
  if (again !== null) return answered(again, current)
  const others = await rejudge(ports, current, sealed)
  const rejection = heldBy(current)
  if (rejection !== null && !mayReplace(rejection, sealed, others)) return answered(rejectedBy(rejection), current)
  return { kind: "on", sealed, judged, others }
}

async function refused(ports: Ports, current: Case, vote: PlacedVote, refusal: Refusal) {
  return answered({ kind: "refused", refusal }, await remembered(ports, current, vote, refusal.code))
}

/** Notes in case and ledger that an interaction does not count. */
async function remembered(ports: Ports, current: Case, vote: PlacedVote, why: string): Promise<Case> {
  const { verb, interaction: id } = vote
  const note = { at: ports.clock(), person: personKey(vote.person), verb, why, interaction: id }
  const done = await advance(ports, current, (now) => noteRefusal(now, note), id)
  return done.kind === "duplicate" ? current : done.case
}

/** The answer to a person without a good name: nobody decides under one that could pass for somebody else's. */
async function unnamed(ports: Ports, current: Case, vote: PlacedVote, named: Extract<Subject, { ok: false }>) {
  if ("refusal" in named) return refused(ports, current, vote, named.refusal)
  return answered({ kind: "subject-too-long", length: named.length }, current)
}

/** True if a vote may end a held rejection: its voter votes again, or may no longer decide (R12). */
function mayReplace(rejection: Vote, fresh: Vote, { unfit }: Rejudged): boolean {
  return (
    personKey(rejection.person) === personKey(fresh.person) || unfit.some(({ vote: one }) => one.mac === rejection.mac)
  )
}
