// The message that was clicked: it shows the case at once, by the click's own response_url; the other cards follow.
import { cardShows, doubtCard, isDoubted } from "../domain/case/card-steps.ts"
import { type Case, cardOn, isSamePlace, ownPlace, type Step } from "../domain/case/case.ts"
import { type Face, faceHash, faceOf, orphanFace } from "../domain/case/card-model.ts"
import { advanceCase } from "./access.ts"
import type { Decided } from "./answer.ts"
import { isPortError, type Ports } from "./ports.ts"
import type { Press } from "./press.ts"

type ClickedPorts = Pick<Ports, "store" | "chat" | "jobs" | "log">

/** The message of one press; where it was no click on a card, nothing is shown. */
export interface Clicked {
  /** Begins to show a case that is about to be committed as it is: neither waits for the other. Only the first one counts. */
  foresee(next: Case): void
  /** Shows what became of the press. False if the message does not say it. */
  show(decided: Decided): Promise<boolean>
  /** Remembers what was shown, if anything was. Nobody waits for that: a card that is not known to be right is drawn once more. */
  remember(): Promise<void>
}

/** What was begun to be shown, of which case, and whether Slack took it. */
interface Begun {
  readonly next: Case
  readonly face: string
  readonly taken: Promise<boolean>
}

/** A press that was no click on a card shows nothing on it. */
const noMessage: Clicked = {
  foresee: () => undefined,
  show: async () => false,
  remember: async () => undefined,
}

/** Makes the message of a press. */
export function clickedMessage(ports: ClickedPorts, press: Press): Clicked {
  const { on, replyTo, target } = press
  if (on.kind !== "card" || replyTo.kind !== "response") return noMessage
  const settle = (face: Face) => settleClicked(ports, replyTo.responseUrl, face)
  let begun: Begun | null = null
  let shown: Shown | null = null
  return {
    foresee: (next) => {
      if (begun !== null || next.approval === null) return
      const face = faceOf(next, target.route)
      begun = { next, face: faceHash(face), taken: settle(face) }
      // Whoever shows waits for it; a press that fails before that has failed already.
      begun.taken.catch(() => undefined)
    },
    show: async ({ case: current, answer }) => {
      if (current === null) return false
      const card = cardOn(current, target.route)
      const own = ownPlace(card)
      if (own !== null && !isSamePlace(own, on.place)) {
        await settle(orphanFace(current, target.route))
        return false
      }
      // A click can be faster than our note of where the card hangs: then nobody knows yet that it is an orphan.
      if (answer.kind === "replaced") return false
      const face = faceOf(current, target.route)
      // A closed case has nothing left to remember, but its card may still show it as open where Slack refused the last edit.
      if (current.approval === null) return settle(face)
      if (begun === null && card?.face === faceHash(face)) return answer.kind === "counted"
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
async function isShown(begun: Begun | null, face: Face, settle: (face: Face) => Promise<boolean>): Promise<boolean> {
  const taken = begun !== null && (await begun.taken)
  return begun?.face === faceHash(face) ? taken : settle(face)
}

interface Shown {
  /** The case when the message began to change. */
  readonly before: Case
  readonly current: Case
  readonly face: Face
}

/** What is not remembered counts as lagging, and is drawn once more: the person has their answer on the card all the same. */
async function remember(ports: ClickedPorts, { before, current, face }: Shown): Promise<void> {
  try {
    await advanceCase(ports, current, (now) => shownStep(before, now, face))
  } catch (error) {
    ports.log.warn("shown-not-remembered", { caseId: current.id, error })
  }
  await ports.jobs.present(current.id)
}

/**
 * Remembers what the clicked card shows now, unless somebody else was at work on it, or the case moved on meanwhile: then nobody knows who
 * drew last, the card counts as lagging, and is drawn once more.
 */
function shownStep(before: Case, now: Case, face: Face): Step | null {
  const [old, card] = [cardOn(before, face.route), cardOn(now, face.route)]
  const shows = { revision: face.revision, face: faceHash(face) }
  const same = faceHash(faceOf(now, face.route)) === shows.face
  const undisturbed = old?.claim === null && card?.claim === null && old.face === card.face && old.told === card.told
  if (same && undisturbed) return cardShows(now, face.route, shows)
  if (card === undefined || (same && card.face === shows.face)) return null
  return card.claim === null && isDoubted(card) ? null : doubtCard(now, face.route)
}

/** False if Slack does not take it: the card is brought up to date like the others all the same. */
async function settleClicked(ports: ClickedPorts, responseUrl: string, face: Face): Promise<boolean> {
  try {
    return await ports.chat.settleClicked(responseUrl, face)
  } catch (error) {
    if (!isPortError(error)) throw error
    ports.log.warn("settle-clicked-failed", { caseId: face.caseId, error })
    return false
  }
}
