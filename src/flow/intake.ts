// Intake: what the surfaces may ask of the flow. A press becomes a ticket, is carried out, answered, and its ticket removed.

import type { Case } from "../domain/case/case.ts"
import { faceOf } from "../domain/case/card-model.ts"
import { FlowError, type FlowErrorCode, readCase } from "./access.ts"
import { againFor } from "./again.ts"
import type { Answer, Decided } from "./answer.ts"
import { cardDeleted } from "./check-cards.ts"
import { channelChanged } from "./check-routes.ts"
import { type Clicked, clickedMessage } from "./clicked.ts"
import { type DecidePorts, decide } from "./decide.ts"
import { type FollowUp, followUp } from "./follow-up.ts"
import { formFor, neededForm, rejectionFor } from "./form.ts"
import { openHome } from "./home.ts"
import type { Inbound, Taken, Ticket } from "./inbound.ts"
import { details, history, list, why } from "./looking.ts"
import { isCredentialRefused, isPortError, type Ports, refusalOfSlack } from "./ports.ts"
import type { Press } from "./press.ts"
import { reveal } from "./reveal.ts"
import { createRightOfWay, openWay, type RightOfWay } from "./right-of-way.ts"
import type { ShowPorts } from "./show.ts"
import { showReceipt } from "./show-receipt.ts"
import { walk } from "./walk.ts"

export type IntakePorts = DecidePorts & ShowPorts & Pick<Ports, "tickets" | "keptReceipts" | "later">

/** A press that takes longer than this, in ms, says so on the cards once its verdict is made: nobody presses in vain. */
const slowMs = 700

/** The door for Slack's listeners. `ports` gives those of the config that is active (R16). */
export function createInbound(ports: () => IntakePorts): Inbound {
  const way = createRightOfWay(ports().later)
  return {
    take: (press) => take(ports(), press),
    carryOut: (taken) => carryOutNow(ports, taken, way),
    formOf: async ({ ticket, current }) => {
      const read = await current
      return neededForm(ports(), ticket.press, read)
    },
    drop: ({ ticket }) => removeTicket(ports(), ticket),
    details: (caseId, person, route) => details(patient(ports()), caseId, person, route),
    rejection: (caseId, route) => rejectionFor(ports(), caseId, route),
    openedHome: (person) => openHome(patient(ports()), person),
    form: (caseId, verb, route) => formFor(ports(), caseId, verb, route),
    deleted: (caseId, place) => cardDeleted(ports(), caseId, place),
    channelChanged: (channel) => channelChanged(ports(), channel),
    reveal: (viewId, person) => reveal(ports(), viewId, person),
    opened: (view) => ports().views.remember(view),
    view: (viewId) => ports().views.read(viewId),
    list: (person, ask) => list(patient(ports()), person, ask),
    history: (person, ask) => history(patient(ports()), person, ask),
    receipt: (ask) => showReceipt(patient(ports()), ask),
    why: (caseId, person) => why(patient(ports()), caseId, person),
    walk: (route, person, after) => walk(patient(ports()), { route, person, after }),
  }
}

/** Who only looks is shown what Slack said a while ago, rather than nothing. */
function patient<P extends Pick<Ports, "people">>(ports: P): P {
  return { ...ports, people: ports.people.patient }
}

/** Writes the ticket, and reads the case meanwhile: the acknowledgement waits for the write alone. */
async function take(ports: IntakePorts, press: Press): Promise<Taken> {
  const written = ports.tickets.write(press)
  const current = readCase(ports, press.target.caseId).catch((error: unknown) => {
    ports.log.warn("not-read-beside-the-ticket", { caseId: press.target.caseId, error })
    return undefined
  })
  return { ticket: await written, current }
}

/** Carries out a press in the process that took it. What fails stays a ticket, and the person is told so. */
async function carryOutNow(ports: () => IntakePorts, taken: Taken, way: RightOfWay): Promise<void> {
  const { press } = taken.ticket
  try {
    await carryOutUnderActive(ports, taken, way)
  } catch (error) {
    const now = ports()
    now.log.warn("press-failed", { caseId: press.target.caseId, error })
    if (!isFlowError(error, "unanswered")) await tell(now, press, answerToFailure(error))
  }
}

/** R16: where another config became active under a press, it is judged anew by that one. */
async function carryOutUnderActive(ports: () => IntakePorts, { ticket, current }: Taken, way: RightOfWay) {
  const read = await current
  const judged = ports()
  try {
    await carryOut(judged, ticket, { current: read, way })
  } catch (error) {
    if (!isFlowError(error, "other-config") || ports() === judged) throw error
    await carryOut(ports(), ticket, { way })
  }
}

function isFlowError(error: unknown, ...codes: readonly FlowErrorCode[]): boolean {
  return error instanceof FlowError && codes.includes(error.code)
}

/**
 * Carries out a press, answers it, removes its ticket, and shows what it changed on all cards and in their threads. Safe to call again
 * after a cut. Throws what may pass (a `PortError` with `retryable`), so that the ticket is tried again: `unanswered` too, where
 * only the answer says what became of the press. A failure that will not pass is answered, and the ticket is removed. `current` is the case,
 * where whoever calls has just read it; what nobody waits for stands back on the `way`.
 */
export async function carryOut(
  ports: IntakePorts,
  ticket: Ticket,
  { current, way = openWay }: { readonly current?: Case | "frozen" | null | undefined; readonly way?: RightOfWay } = {},
): Promise<void> {
  const { press } = ticket
  const follow = followUp(ports, press.target.caseId)
  const clicked = clickedMessage({ ...ports, jobs: follow.jobs }, press)
  const passed = way.enter()
  const unanswered = await decideAndAnswer(ports, { press, era: ticket.era, follow, clicked, read: current }).finally(
    passed,
  )
  // Before the rest is shown: that may take longer than a ticket waits, and the person would be answered twice.
  if (unanswered === null) await removeTicket(ports, ticket)
  await way.clear()
  await clicked.remember()
  await follow.show()
  if (unanswered !== null) throw new FlowError("unanswered", press.target.caseId, { cause: unanswered })
}

/** A press on its way: what follows from it, its message, and its case, if that was read already. */
interface Pressed {
  readonly press: Press
  readonly era: number
  readonly follow: FollowUp
  readonly clicked: Clicked
  readonly read: Case | "frozen" | null | undefined
}

/** All that the person waits for. What the answer failed with, if nothing else says what became of the press; else null. */
async function decideAndAnswer(ports: IntakePorts, pressed: Pressed): Promise<Error | null> {
  const { press, follow, clicked } = pressed
  const foreseeing = { ...ports, jobs: follow.jobs, foreseen: (next: Case) => clicked.foresee(next) }
  const decided = withChange(await decideInTime(ports, foreseeing, pressed), press)
  const shown = await clicked.show(decided)
  const byCard = isShownByCard(decided.answer)
  const failure = shown && byCard ? null : await tell(ports, press, decided.answer)
  return byCard ? null : failure
}

/** Decides. As long as that takes, the cards are shown now and then meanwhile, by others. */
async function decideInTime(
  ports: IntakePorts,
  held: DecidePorts,
  { press, era, follow, read }: Pressed,
): Promise<Decided> {
  const { caseId } = press.target
  let stop = (): void => undefined
  const wait = (): void => {
    stop = ports.later(slowMs, () => {
      ports.jobs.present(caseId).catch((error: unknown) => ports.log.warn("deciding-not-said", { caseId, error }))
      wait()
    })
  }
  wait()
  try {
    return await decide(held, press, { era, read })
  } catch (error) {
    await follow.leave()
    return afterFailure(ports, press, error)
  } finally {
    stop()
  }
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
  return { answer: lastingFailure(error), case: null }
}

function lastingFailure(error: unknown): Answer {
  if (isCredentialRefused(error)) return { kind: "credential-refused", retrying: false }
  const word = refusalOfSlack(error)
  return word === null ? { kind: "failed-for-good" } : { kind: "slack-refuses", word }
}

function answerToFailure(error: unknown): Answer {
  if (isFlowError(error, "other-config", "instance-elsewhere")) return { kind: "other-config" }
  if (isFlowError(error, "card-unknown")) return { kind: "early" }
  if (error instanceof Error && "slackCode" in error) return { kind: "slack-down" }
  if (isCredentialRefused(error)) return { kind: "credential-refused", retrying: true }
  if (error instanceof Error && error.name === "PlatformError") return { kind: "platform-down", retrying: true }
  return { kind: "failed", retrying: true }
}

/** What the settled card says by itself needs no second message. */
function isShownByCard(answer: Answer): boolean {
  return (
    answer.kind === "counted" ||
    answer.kind === "resolved" ||
    answer.kind === "held" ||
    (answer.kind === "unknown-outcome" && !answer.barred) ||
    answer.kind === "decided"
  )
}

/** Answers. What it failed with, if it may be taken later; what never will be is logged, and that is all that can be done. */
async function tell(ports: IntakePorts, press: Press, answer: Answer): Promise<Error | null> {
  try {
    const again = await againFor(ports, press, answer)
    await ports.chat.answer(press.replyTo, answer, again)
    return null
  } catch (error) {
    if (!isPortError(error)) throw error
    ports.log.warn("answer-failed", { caseId: press.target.caseId, answer: answer.kind, error })
    return error.retryable ? error : null
  }
}
