// Carries out an interaction: decides and answers it, and shows what it changed, first on the clicked card.
import { type CardModel, cardModelHash, cardModelOf, orphanModel } from "../../domain/case/card-model.ts"
import { cardShows, doubtCard, isDoubted } from "../../domain/case/card-steps.ts"
import { type Case, cardOn, isSamePlace, ownPlace, type Step } from "../../domain/case/case.ts"
import { type FollowUp, followUp, type ShowPorts } from "../card/deliver.ts"
import { advanceCase, FlowError } from "../case/commit.ts"
import type { Ticket } from "../ports/inbound.ts"
import type { Interaction } from "../ports/interaction.ts"
import type { Answer, Decided } from "../ports/reply.ts"
import { isPortError, type Ports } from "../ports.ts"
import { lastingFailure, tell } from "./answer.ts"
import { type DecidePorts, decide } from "./decide.ts"

type ClickedPorts = Pick<Ports, "store" | "chat" | "jobs" | "log">

/** The message of one interaction; where it was no click on a card, nothing is shown. */
export interface Clicked {
  /** Begins to show a case that is about to be committed so: neither waits for the other. Only the first one counts. */
  foresee(next: Case): void
  /** Shows what became of the interaction. False if the message does not say it. */
  show(decided: Decided): Promise<boolean>
  /** Remembers what was shown, if anything. Nobody waits for it: a card not known to be right is drawn once more. */
  remember(): Promise<void>
}

/** What was begun to be shown, of which case, and whether Slack took it. */
interface Begun {
  readonly next: Case
  readonly face: string
  readonly taken: Promise<boolean>
}

/** An interaction that was no click on a card shows nothing on it. */
const noMessage: Clicked = {
  foresee: () => undefined,
  show: async () => false,
  remember: async () => undefined,
}

/** Makes the message of an interaction. */
export function clickedMessage(ports: ClickedPorts, press: Interaction): Clicked {
  const { on, replyTo, target } = press
  if (on.kind !== "card" || replyTo.kind !== "response") return noMessage
  const settle = (face: CardModel) => settleClicked(ports, replyTo.responseUrl, face)
  let begun: Begun | null = null
  let shown: Shown | null = null
  return {
    foresee: (next) => {
      if (begun !== null || next.approval === null) return
      const face = cardModelOf(next, target.route)
      begun = { next, face: cardModelHash(face), taken: settle(face) }
      // Whoever shows waits for it; an interaction that fails before that has failed already.
      begun.taken.catch(() => undefined)
    },
    show: async ({ case: current, answer }) => {
      if (current === null) return false
      const card = cardOn(current, target.route)
      const own = ownPlace(card)
      if (own !== null && !isSamePlace(own, on.place)) {
        await settle(orphanModel(current, target.route))
        return false
      }
      // A click can be faster than our note of where the card hangs: then nobody knows yet that it is an orphan.
      if (answer.kind === "replaced") return false
      const face = cardModelOf(current, target.route)
      // A closed case has nothing to remember, but its card may still look open where Slack refused the last edit.
      if (current.approval === null) return settle(face)
      if (begun === null && card?.face === cardModelHash(face)) return answer.kind === "counted"
      if (!(await isShown(begun, face, settle))) return false
      shown = { before: begun?.next ?? current, current, face }
      return true
    },
    remember: async () => {
      if (shown !== null) await remember(ports, shown)
    },
  }
}

/** What was begun is not repeated, and something else is shown only after it. */
async function isShown(
  begun: Begun | null,
  face: CardModel,
  settle: (face: CardModel) => Promise<boolean>,
): Promise<boolean> {
  const taken = begun !== null && (await begun.taken)
  return begun?.face === cardModelHash(face) ? taken : settle(face)
}

interface Shown {
  /** The case when the message began to change. */
  readonly before: Case
  readonly current: Case
  readonly face: CardModel
}

/** What is not remembered counts as lagging and is drawn once more: the card has the person's answer all the same. */
async function remember(ports: ClickedPorts, { before, current, face }: Shown): Promise<void> {
  try {
    await advanceCase(ports, current, (now) => shownStep(before, now, face))
  } catch (error) {
    ports.log.warn("shown-not-remembered", { caseId: current.id, error })
  }
  await ports.jobs.present(current.id)
}

/**
 * Remembers what the clicked card shows now, unless somebody else was at work on it, or the case moved on meanwhile:
 * then nobody knows who drew last, the card counts as lagging, and is drawn once more.
 */
function shownStep(before: Case, now: Case, face: CardModel): Step | null {
  const [old, card] = [cardOn(before, face.route), cardOn(now, face.route)]
  const shows = { revision: face.revision, face: cardModelHash(face) }
  const same = cardModelHash(cardModelOf(now, face.route)) === shows.face
  const undisturbed = old?.claim === null && card?.claim === null && old.face === card.face && old.told === card.told
  if (same && undisturbed) return cardShows(now, face.route, shows)
  if (card === undefined || (same && card.face === shows.face)) return null
  return card.claim === null && isDoubted(card) ? null : doubtCard(now, face.route)
}

/** False if Slack does not take it: the card is brought up to date like the others all the same. */
async function settleClicked(ports: ClickedPorts, responseUrl: string, face: CardModel): Promise<boolean> {
  try {
    return await ports.chat.settleClicked(responseUrl, face)
  } catch (error) {
    if (!isPortError(error)) throw error
    ports.log.warn("settle-clicked-failed", { caseId: face.caseId, error })
    return false
  }
}

export type InteractionPorts = DecidePorts & ShowPorts & Pick<Ports, "tickets" | "keptReceipts" | "later">

/** An interaction that takes longer, in ms, says so on the cards once its verdict is made: nobody acts in vain. */
const slowMs = 700

/**
 * Carries out an interaction, answers it, removes its ticket, and shows what it changed on all cards and in their
 * threads.
 * Safe to call again after a cut. Throws what may pass (a `PortError` with `retryable`), so that the ticket is tried
 * again: `unanswered` too, where only the answer says what became of the interaction. A failure that will not pass is
 * answered, and the ticket is removed. `current` is the case, where whoever calls has just read it; what nobody waits
 * for stands back on the `way`.
 */
export async function carryOut(
  ports: InteractionPorts,
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

/** An interaction on its way: what follows from it, its message, and its case, if that was read already. */
interface Pressed {
  readonly press: Interaction
  readonly era: number
  readonly follow: FollowUp
  readonly clicked: Clicked
  readonly read: Case | "frozen" | null | undefined
}

/** All that the person waits for. What the answer failed with, if nothing else says what became of it; else null. */
async function decideAndAnswer(ports: InteractionPorts, pressed: Pressed): Promise<Error | null> {
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
  ports: InteractionPorts,
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

/** Where the content moved under an interaction: what it was about, and what is there now. */
function withChange(decided: Decided, press: Interaction): Decided {
  const { answer, case: current } = decided
  if (answer.kind !== "changed" || current === null || current.approval === null) return decided
  const seen = current.before?.revision === press.target.revision ? current.before.approval : null
  return {
    ...decided,
    answer: { kind: "changed", change: { before: seen, now: cardModelOf(current, press.target.route) } },
  }
}

/** A ticket that stays fires once more, and finds that its press was counted and answered. */
export async function removeTicket(ports: InteractionPorts, ticket: Ticket): Promise<void> {
  try {
    await ports.tickets.remove(ticket.id)
  } catch (error) {
    if (!isPortError(error)) throw error
    ports.log.warn("ticket-not-removed", { ticket: ticket.id, error })
  }
}

function afterFailure(ports: InteractionPorts, press: Interaction, error: unknown): Decided {
  if (isPortError(error) && error.retryable) throw error
  ports.log.error("press-failed-for-good", { caseId: press.target.caseId, error })
  ports.alarm({ code: "press-failed", caseId: press.target.caseId })
  return { answer: lastingFailure(error), case: null }
}

/** What the settled card says by itself needs no second message. */
function isShownByCard(answer: Answer): boolean {
  return (
    answer.kind === "counted" ||
    answer.kind === "resolved" ||
    answer.kind === "held" ||
    (answer.kind === "unknown-outcome" && !answer.barred)
  )
}

/** Who goes first in this process. */
export interface RightOfWay {
  /** Somebody waits from now on, until what comes back is called. */
  enter(): () => void
  /** Resolves when nobody waits, or after `mostMs` all the same: people may press without end. */
  clear(): Promise<void>
}

/** Where nobody has to stand back. */
export const openWay: RightOfWay = { enter: () => () => undefined, clear: async () => undefined }
