// Checks an interaction before we judge anybody: its place (R18), what its surface showed (R4), whether it is complete,
// and the state of its case.

import { cardModelOf } from "../../domain/case/card-model.ts"
import { isSamePlace } from "../../domain/case/card-steps.ts"
import { type Case, cardOn, ownPlace, type Place } from "../../domain/case/case.ts"
import { heldBy } from "../../domain/case/steps.ts"
import { isBarred } from "../../domain/case/verdict.ts"
import { isCallBack, isCalledBack, type Surface, tally, type Vote } from "../../domain/case/vote.ts"
import { inputsOf, missingIn } from "../../domain/content/inputs.ts"
import { hasVisibleText } from "../../domain/content/visible-text.ts"
import { humanKey } from "../../domain/people/human.ts"
import { personKey, type SlackId, slackIdOf } from "../../domain/people/person.ts"
import { type Verb, wantsReason } from "../../domain/policy/judge.ts"
import type { Demand } from "../../domain/policy/policy.ts"
import { counterproposalIn } from "../../domain/send-back/counterproposal.ts"
import { fitsCase } from "../../domain/send-back/editable.ts"
import type { Interaction, Manner, Press, VoteInteraction, WithdrawInteraction } from "../ports/interaction.ts"
import type { Answer } from "../ports/reply.ts"
import { FlowError, type OpenedView, type Ports, type Shown } from "../ports.ts"
import { type FormPorts, isVote, needsForm } from "./forms.ts"

/** The result for an interaction's place: its view, if it was made in one; or why it does not count. */
export type Placed =
  | { readonly ok: true; readonly view: OpenedView | null }
  | { readonly ok: false; readonly answer: Answer }

/**
 * Checks a place. A card has to be the message on record, a view one that we opened for this person. A Home is not on
 * record, so for a press on a Home we check no place; a view that is opened from a Home we check like any other.
 */
export async function placeOf(
  ports: Pick<Ports, "views">,
  current: Case,
  interaction: Interaction | Press,
): Promise<Placed> {
  const { target, on } = interaction
  const view = on?.kind === "view" ? await ports.views.read(on.viewId) : null
  const wrong =
    on?.kind === "view"
      ? isForeign(current, interaction, view)
      : on !== null && isElsewhere(current, interaction, on.place)
  if (wrong) return refusedPlace({ kind: "replaced" })
  if (current.state !== "open") return { ok: true, view }
  const same = target.revision === current.revision.number && current.revision.digest.slice(0, 16) === target.digest
  return same ? { ok: true, view } : refusedPlace({ kind: "changed", change: null })
}

/** True if the view on record is somebody else's, or may not send this. Slack itself only sends back a copy of it. */
export function isForeign(current: Case, interaction: Interaction | Press, view: OpenedView | null): boolean {
  const { target, person } = interaction
  if (view?.caseId !== current.id || personKey(view.person) !== personKey(person)) return true
  if (!isSentFrom(view, interaction)) return true
  const { route, revision, digest } = view
  return digest.slice(0, 16) !== target.digest || revision !== target.revision || route !== target.route
}

/** True if such a view can send this. We open a form for one verb; Details have a button for each verb. */
function isSentFrom(view: OpenedView, interaction: Interaction | Press): boolean {
  const { purpose } = view
  if (interaction.verb === "review") return purpose === "glass-review"
  if (interaction.verb === "ask-again") return false
  if (interaction.surface !== "form") return purpose === "details"
  if (interaction.verb === "ask" || interaction.verb === "answer") return purpose === interaction.verb
  return purpose === "form" && isSameManner(view, interaction)
}

type VoteOrWithdrawal = Press | VoteInteraction | WithdrawInteraction

/** True if a form was opened for just what was sent. */
function isSameManner(view: OpenedView, interaction: VoteOrWithdrawal): boolean {
  const said: Manner = interaction.verb === "withdraw" ? {} : interaction
  const { calledBack, glass, sendBack } = view
  return (
    view.verb === interaction.verb &&
    calledBack === said.calledBack &&
    glass === said.glass &&
    (sendBack === said.sendBack || isAskedInstead(interaction))
  )
}

/** True for a press of "Send Back…" in the form of a plain rejection; after the first press it is the other form. */
function isAskedInstead(interaction: VoteOrWithdrawal): boolean {
  return "forForm" in interaction && interaction.sendBack === true
}

/** The surface of an interaction, by the view on record. */
export function surfaceOf({ surface }: Pick<Press, "surface">, view: OpenedView | null): Surface {
  if (view?.purpose !== "details") return surface
  return view.reviewed ? "summary" : "details"
}

function isElsewhere(current: Case, { target }: Pick<Press, "target">, on: Place): boolean {
  const card = cardOn(current, target.route)
  if (isSamePlace(ownPlace(card), on)) return false
  // Somebody pressed before we noted the post, or a process died in between: the next presenter finds the card.
  if (card !== undefined && card.lease !== null) throw new FlowError("card-unknown", current.id)
  return true
}

function refusedPlace(answer: Answer): Placed {
  return { ok: false, answer }
}

/** True if somebody approves on a surface that did not show all of the content. A rejection is never unseen. */
function isUnseen(
  ports: Pick<Ports, "surfaces">,
  current: Case,
  interaction: Press & { readonly view: OpenedView | null },
): boolean {
  if (interaction.verb === "reject") return false
  // The glass is broken in Details only: a card never showed what that needs, and no press is enough.
  if (interaction.glass === true && (interaction.view?.pagesOpened ?? null) === null) return true
  const shown = shownBy(interaction.view)
  return shown === null || !ports.surfaces.carries(cardModelOf(current, interaction.target.route), shown)
}

/** What the person saw; null if the form was opened for another purpose. */
function shownBy(view: OpenedView | null): Shown | null {
  if (view === null) return { kind: "card" }
  if (view.purpose === "form" && view.verb !== "approve") return null
  const { pagesOpened: pages, pageSize, revealed } = view
  return pages === null ? { kind: "card" } : { kind: "details", pages, pageSize, revealed }
}

/** What to tell a person if the case of their interaction is not open, or has their vote already. */
export function standing(current: Case, interaction: Pick<Interaction, "interaction" | "verb">): Answer {
  const { outcome, decision } = current
  if (current.state === "frozen") return { kind: "frozen" }
  if (outcome?.kind === "elsewhere" || outcome?.kind === "vanished") return { kind: "elsewhere", outcome }
  if (decision?.by === "expiry") return { kind: "expired", rejected: true }
  if (outcome === null && decision === null && current.time.expired !== null)
    return { kind: "expired", rejected: false }
  const own = decision?.votes.find((vote) => vote.interaction === interaction.interaction)
  const back = isCalledBack(decision) ? { calledBack: true as const } : {}
  if (outcome !== null && own !== undefined) {
    const { verb, resolvedBy } = outcome
    return {
      kind: "resolved",
      verb,
      ...back,
      ...(own.values?.["result"] === undefined ? {} : { result: true }),
      resolvedBy,
    }
  }
  if (decision !== null && own !== undefined)
    return { kind: "unknown-outcome", verb: decision.verb, barred: isBarred(current) }
  if (decision !== null) {
    const users = decision.votes.map((vote) => vote.person.user)
    return { kind: "already", verb: decision.verb, ...back, users, pending: outcome === null }
  }
  if (outcome !== null) return { kind: "already", verb: outcome.verb, users: [], pending: false }
  return counted(current, interaction)
}

/** The answer if somebody else's rejection is held (R12): no other vote counts beside it. */
export function rejectedBy(rejection: Vote): Answer {
  const back = isCallBack(rejection) ? { calledBack: true as const } : {}
  return { kind: "already", verb: "reject", ...back, users: [rejection.person.user], pending: false }
}

/** How far the votes are. */
function counted(current: Case, interaction: Pick<Interaction, "verb">): Answer {
  if (!isVote(interaction.verb)) return { kind: "no-vote" }
  if (heldBy(current) !== null) return { kind: "held" }
  const result = tally(current.votes, current.revision)
  return { kind: "counted", verb: interaction.verb, progress: result.verdict === null ? result.progress : [] }
}

/** True if an approval is older than the same human's last act on the case: their last wish counts (R11, R12). */
function isOvertaken(
  { policy }: Pick<Ports, "policy">,
  { votes, used }: Case,
  interaction: { readonly person: SlackId; readonly verb: Verb; readonly at: number },
): boolean {
  const human = humanKey(interaction.person, policy.identities)
  const theirs = votes.filter((vote) => humanKey(vote.person, policy.identities) === human)
  const acts = used.filter(({ person }) => humanKey(slackIdOf(person), policy.identities) === human)
  return interaction.verb === "approve" && [...theirs, ...acts].some(({ at }) => at > interaction.at)
}

/** A vote with its view, if it was made in one, and whether the person had revealed there what is masked. */
export interface PlacedVote extends Press {
  readonly view: OpenedView | null
  readonly revealed: boolean
}

/** Why a vote does not count although the person may vote; null if it does (R4, R11). */
export function problemOf(
  ports: FormPorts & Pick<Ports, "surfaces">,
  current: Case,
  interaction: PlacedVote,
  demand: Demand,
): Answer | null {
  const { verb, forForm = false } = interaction
  if (verb === "approve" && !current.revision.approvable) return { kind: "unapprovable" }
  const incomplete = forForm ? null : incompleteIn(current, interaction, demand)
  if (incomplete !== null) return incomplete
  if (isUnseen(ports, current, interaction)) return { kind: "unseen" }
  const isLate = (!forForm && isUnasked(ports, current, interaction)) || isOvertaken(ports, current, interaction)
  return isLate ? { kind: "late" } : null
}

/** R11: true if the press only asked for a form, but its process died. Nobody saw the form, so it casts no vote. */
function isUnasked(ports: FormPorts, current: Case, interaction: PlacedVote): boolean {
  const { reason, values } = interaction
  return reason === null && values === null && needsForm(ports, interaction, current)
}

function incompleteIn(current: Case, interaction: Press, demand: Demand): Answer | null {
  const { verb, calledBack, glass } = interaction
  const wants = glass === true || (calledBack === undefined && wantsReason(demand.rules, verb))
  if (wants && !hasVisibleText(interaction.reason ?? "")) return { kind: "reason-missing", verb }
  if (interaction.sendBack === true && !isProposed(current, interaction)) return { kind: "unseen" }
  // Only the form asks for the name of the tool.
  if (glass === true && interaction.surface !== "form") return { kind: "unseen" }
  const missing =
    verb === "approve" && current.approval !== null ? missingIn(inputsOf(current.approval), interaction.values) : []
  return missing.length > 0 ? { kind: "input-missing", names: missing } : null
}

/** True if what sends a case back is about its calls. Only the form makes it. */
function isProposed({ approval, revision }: Case, { values }: Press): boolean {
  const proposal = counterproposalIn(values)
  return approval !== null && proposal !== null && fitsCase(proposal, approval, revision.look.mask)
}

/** What to tell a person after we committed their vote and sent the verdict, if the vote made one. */
export function answerAfter(committed: Case, after: Case, interaction: Press): Answer {
  if (committed.state === "open") return counted(committed, interaction)
  if (after.state === "frozen") return { kind: "frozen" }
  if (after.state === "open")
    return { kind: "reopened", why: after.lines.findLast((line) => line.kind === "reopened")?.why ?? "" }
  return standing(after, interaction)
}
