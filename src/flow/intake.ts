// Intake: what the surfaces may ask of the flow. A press becomes a ticket, is carried out, answered, and its ticket removed.

import { cardShows } from "../domain/card-steps.ts"
import { type Case, cardOn, ownPlace, type Step } from "../domain/case.ts"
import { type Face, faceHash, faceOf, orphanFace } from "../domain/face.ts"
import { advanceCase, FlowError } from "./access.ts"
import { againFor } from "./again.ts"
import type { Answer, Decided } from "./answer.ts"
import { cardDeleted } from "./check-cards.ts"
import { type DecidePorts, decide } from "./decide.ts"
import { formFor, rejectionFor } from "./form.ts"
import { openHome } from "./home.ts"
import type { Inbound, Ticket } from "./inbound.ts"
import { details, history, list, why } from "./looking.ts"
import { isPortError, type Ports } from "./ports.ts"
import type { Press } from "./press.ts"
import { reveal } from "./reveal.ts"
import { showReceipt } from "./show-receipt.ts"
import { walk } from "./walk.ts"

export type IntakePorts = DecidePorts &
  Pick<Ports, "tickets" | "chat" | "homes" | "keptReceipts" | "summaries" | "pace">

/** The door for Slack's listeners. */
export function createInbound(ports: IntakePorts): Inbound {
  return {
    take: (press) => ports.tickets.write(press),
    carryOut: (ticket) => carryOutNow(ports, ticket),
    details: (caseId, person, route) => details(ports, caseId, person, route),
    rejection: (caseId, route) => rejectionFor(ports, caseId, route),
    openedHome: (person) => openHome(ports, person),
    form: (caseId, verb, route) => formFor(ports, caseId, verb, route),
    deleted: (caseId, place) => cardDeleted(ports, caseId, place),
    reveal: (viewId, person) => reveal(ports, viewId, person),
    opened: (view) => ports.views.remember(view),
    view: (viewId) => ports.views.read(viewId),
    list: (person, ask) => list(ports, person, ask),
    history: (person, ask) => history(ports, person, ask),
    receipt: (ask) => showReceipt(ports, ask),
    why: (caseId, person) => why(ports, caseId, person),
    walk: (route, person, after) => walk(ports, { route, person, after }),
  }
}

/** Carries out a press in the process that took it. What fails stays a ticket, and the person is told so. */
async function carryOutNow(ports: IntakePorts, ticket: Ticket): Promise<void> {
  try {
    await carryOut(ports, ticket)
  } catch (error) {
    ports.log.warn("press-failed", { caseId: ticket.press.target.caseId, error })
    await tell(ports, ticket.press, answerToFailure(error))
  }
}

/**
 * Carries out a press, answers it and removes its ticket. Safe to call again after a cut. Throws what may pass (a `PortError` with
 * `retryable`), so that the ticket is tried again; a failure that will not pass is answered, and the ticket is removed.
 */
export async function carryOut(ports: IntakePorts, ticket: Ticket): Promise<void> {
  const { press } = ticket
  const decided = withChange(
    await decide(ports, press).catch((error: unknown) => afterFailure(ports, press, error)),
    press,
  )
  const shown = await showOnClicked(ports, press, decided)
  if (!shown || !isShownByCard(decided.answer)) await tell(ports, press, decided.answer)
  await removeTicket(ports, ticket)
}

/** Where the content moved under a press: what it was about, and what is there now. */
function withChange(decided: Decided, press: Press): Decided {
  const { answer, case: current } = decided
  if (answer.kind !== "changed" || current === null || current.approval === null) return decided
  const seen = current.before?.revision === press.target.revision ? current.before.approval : null
  return { ...decided, answer: { kind: "changed", change: { before: seen, now: faceOf(current, press.target.route) } } }
}

/** A ticket that stays fires once more, and finds that its press was counted and answered. */
async function removeTicket(ports: IntakePorts, ticket: Ticket): Promise<void> {
  try {
    await ports.tickets.remove(ticket.id)
  } catch (error) {
    if (!isPortError(error)) throw error
    ports.log.warn("ticket-not-removed", { ticket: ticket.id, error })
  }
}

function afterFailure(ports: IntakePorts, press: Press, error: unknown): Decided {
  if (isPortError(error) && error.retryable) throw error
  ports.log.error("press-failed-for-good", { caseId: press.target.caseId, error })
  ports.alarm({ code: "press-failed", caseId: press.target.caseId })
  return { answer: { kind: "failed", retrying: false }, case: null }
}

function answerToFailure(error: unknown): Answer {
  if (error instanceof FlowError && error.code === "other-config") return { kind: "other-config" }
  if (error instanceof FlowError && error.code === "card-unknown") return { kind: "early" }
  if (error instanceof Error && "slackCode" in error) return { kind: "slack-down" }
  if (error instanceof Error && error.name === "PlatformError") return { kind: "platform-down", retrying: true }
  return { kind: "failed", retrying: true }
}

/** What the settled card says by itself needs no second message. */
function isShownByCard(answer: Answer): boolean {
  return (
    answer.kind === "counted" ||
    answer.kind === "resolved" ||
    answer.kind === "held" ||
    answer.kind === "unknown-outcome" ||
    answer.kind === "decided"
  )
}

/** The message that was clicked shows the case at once, by the click's own response_url; the other cards follow by a job. */
async function showOnClicked(ports: IntakePorts, press: Press, decided: Decided): Promise<boolean> {
  const current = decided.case
  if (current === null || press.on.kind !== "card" || press.replyTo.kind !== "response") return false
  const { route } = press.target
  if (decided.answer.kind === "replaced") {
    // A click can be faster than our note of where the card hangs: then nobody knows yet that it is an orphan.
    const known = ownPlace(cardOn(current, route)) !== null
    return known && settle(ports, press.replyTo.responseUrl, orphanFace(current, route))
  }
  if (current.approval === null) return false
  const face = faceOf(current, route)
  if (cardOn(current, route)?.face === faceHash(face)) return decided.answer.kind === "counted"
  if (!(await settle(ports, press.replyTo.responseUrl, face))) return false
  const after = await advanceCase(ports, current, (now) => shownStep(current, now, face))
  await ports.jobs.present(after.id)
  return true
}

/**
 * Remembers what the clicked card shows now, unless a presenter was at work on it meanwhile: then nobody knows who drew last, the card
 * counts as lagging, and is drawn once more.
 */
function shownStep(before: Case, now: Case, face: Face): Step | null {
  const [old, card] = [cardOn(before, face.route), cardOn(now, face.route)]
  const undisturbed = old?.claim === null && card?.claim === null && old.face === card.face && old.told === card.told
  const shows = { revision: face.revision, face: faceHash(face) }
  return undisturbed && faceHash(faceOf(now, face.route)) === shows.face ? cardShows(now, face.route, shows) : null
}

/** False if Slack does not take it: the card is brought up to date by its job all the same. */
async function settle(ports: IntakePorts, responseUrl: string, face: Face): Promise<boolean> {
  try {
    return await ports.chat.settleClicked(responseUrl, face)
  } catch (error) {
    if (!isPortError(error)) throw error
    ports.log.warn("settle-clicked-failed", { caseId: face.caseId, error })
    return false
  }
}

/** An answer that can't be delivered is logged: what it was about stands on the card and in the thread. */
async function tell(ports: IntakePorts, press: Press, answer: Answer): Promise<void> {
  try {
    const again = await againFor(ports, press, answer)
    await ports.chat.answer(press.replyTo, answer, again)
  } catch (error) {
    if (!isPortError(error)) throw error
    ports.log.warn("answer-failed", { caseId: press.target.caseId, answer: answer.kind, error })
  }
}
