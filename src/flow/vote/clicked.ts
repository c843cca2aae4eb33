// Shows what an interaction did: first on the clicked card, then on all other cards of its case.
import { type CardModel, cardModelHash, cardModelOf, orphanModel } from "../../domain/case/card-model.ts"
import { cardShows, doubtCard, isSamePlace } from "../../domain/case/card-steps.ts"
import { type Case, cardOn, ownPlace, type Step } from "../../domain/case/case.ts"
import { type Known, show } from "../card/deliver.ts"
import { withNames } from "../people/names.ts"
import type { Settled } from "../ports/chat.ts"
import type { Interaction } from "../ports/interaction.ts"
import type { HeldJobs } from "../ports/queue.ts"
import type { Decided } from "../ports/reply.ts"
import { isPortError, type Ports } from "../ports.ts"
import { isFlowError } from "./answer.ts"

/** Shows one interaction and what follows from it. */
export interface Showing {
  /** The jobs for the steps. A job to present the case at once waits until the person has an answer. */
  readonly jobs: HeldJobs
  /**
   * Begins to show a case that is about to be committed. Resolves when the request to Slack has begun: neither it nor
   * the commit waits for the other to end. Only the first call counts.
   */
  readonly foresee: (next: Case) => Promise<void>
  /** Shows on the clicked card what became of the interaction. False if no card shows it. */
  settle(decided: Decided): Promise<boolean>
  /** Remembers what the clicked card shows, and presents the case if that is due. After a failure a job does it. */
  finish(): Promise<void>
  /** If the interaction ends early, leaves to a job what a step asked for. Never rejects. */
  leave(): Promise<void>
}

/** Makes the `Showing` of an interaction. */
export function startShowing(ports: Ports, interaction: Interaction): Showing {
  const { caseId } = interaction.target
  const clicked = clickedCard(ports, interaction)
  let asked = false
  const leave = async () => {
    if (!asked) return
    try {
      await ports.jobs.present(caseId)
    } catch (error) {
      ports.log.warn("left-to-the-sweep", { caseId, error })
    }
  }
  return {
    jobs: {
      ...ports.jobs,
      heldFor: caseId,
      present: async (id, delayMs = 0) => {
        if (id === caseId && delayMs <= 0) asked = true
        else await ports.jobs.present(id, delayMs)
      },
    },
    foresee: clicked.foresee,
    settle: clicked.settle,
    finish: async () => {
      const drawn = clicked.drawn()
      if (drawn === null && !asked) return
      asked = true
      try {
        const note = drawn === null ? null : createNote(drawn)
        const again = await show(ports, caseId, note === null ? {} : note.known)
        if (again !== null) await ports.jobs.present(caseId, again)
        const overtaken = note?.overtaken() ?? null
        if (overtaken !== null) await clicked.redraw(overtaken)
      } catch (error) {
        // Whoever approves other rules brings that about: a job shows the case under them.
        const level = isFlowError(error, "other-config") ? "debug" : "warn"
        ports.log[level]("not-shown-at-once", { caseId, error })
        await leave()
      }
    },
    leave,
  }
}

/** The clicked message of one interaction. */
interface Clicked extends Pick<Showing, "foresee" | "settle"> {
  /** What the message shows now; null if we have nothing to remember. */
  drawn(): Drawn | null
  /** Shows a closed case on the message: nobody else draws on it any more. */
  redraw(closed: Case): Promise<unknown>
}

interface Drawn {
  /** The case when the message began to change. */
  readonly before: Case
  readonly current: Case
  readonly model: CardModel
  /** False if Slack may still draw what we sent, over what others draw meanwhile. */
  readonly sure: boolean
}

/** What we began to show, of which case, and whether Slack accepted it. */
interface Begun {
  readonly next: Case
  readonly hash: string
  readonly taken: Promise<Settled>
}

/** For an interaction that was no click on a card: there is no card to show it on. */
const noCard: Clicked = {
  foresee: async () => undefined,
  settle: async () => false,
  drawn: () => null,
  redraw: async () => undefined,
}

function clickedCard(ports: Ports, interaction: Interaction): Clicked {
  const { on, replyTo, target } = interaction
  if (on.kind !== "card" || replyTo.kind !== "response") return noCard
  const settle = (model: CardModel) => settleClicked(ports, replyTo.responseUrl, model)
  let begun: Begun | null = null
  let drawn: Drawn | null = null
  return {
    foresee: async (next) => {
      if (begun !== null || next.approval === null) return
      const model = cardModelOf(next, target.route)
      begun = { next, hash: cardModelHash(model), taken: settle(model) }
      // `settle` waits for it. If the interaction fails earlier, that failure counts.
      begun.taken.catch(() => undefined)
      await new Promise((resolve) => setImmediate(resolve))
    },
    settle: async ({ case: current, answer }) => {
      if (current === null) return false
      const card = cardOn(current, target.route)
      const own = ownPlace(card)
      if (own !== null && !isSamePlace(own, on.place)) {
        await settle(orphanModel(current, target.route, await ports.chat.linkTo(own)))
        return false
      }
      // A click can come before we have noted where the card is. Then we cannot know yet that it is an orphan.
      if (answer.kind === "replaced") return false
      const model = cardModelOf(current, target.route)
      // A closed case has nothing to remember, but its card may still look open if Slack refused the last edit.
      if (current.approval === null) return (await settle(model)) === "taken"
      if (begun === null && card?.modelHash === cardModelHash(model)) return answer.kind === "counted"
      const settled = await settledBy(begun, model, settle)
      if (settled === "refused") return false
      drawn = { before: begun?.next ?? current, current, model, sure: settled === "taken" }
      return drawn.sure
    },
    drawn: () => drawn,
    redraw: (closed) => settle(cardModelOf(closed, target.route)),
  }
}

/** Shows a model, but does not repeat what we began to show. Shows a different model only after the first has ended. */
async function settledBy(
  begun: Begun | null,
  model: CardModel,
  settle: (model: CardModel) => Promise<Settled>,
): Promise<Settled> {
  const first = begun === null ? null : await begun.taken
  if (first !== null && begun?.hash === cardModelHash(model)) return first
  const then = await settle(model)
  // What we began to show may come last, or stand there for good.
  const inDoubt = first === "unknown" || (first === "taken" && then === "refused")
  return inDoubt ? "unknown" : then
}

/** What we are to remember of the clicked card, and the case if it was closed before that. */
interface Note {
  readonly known: Known
  /** The closed case whose card we drew over. */
  overtaken(): Case | null
}

/** The case with what we drew. If we cannot remember it, the card counts as lagging, and we draw it once more. */
function createNote(drawn: Drawn): Note {
  const { current, model, sure } = drawn
  let newest = current
  const note = (now: Case) => {
    newest = now
    return drawnStep(drawn, now)
  }
  const shows = () => sure && cardOn(newest, model.route)?.modelHash === cardModelHash(model)
  const isOver = () => newest.state === "closed" && !shows()
  return { known: { current, note }, overtaken: () => (isOver() ? newest : null) }
}

/**
 * Remembers what the clicked card shows now. If Slack did not say that it drew, if somebody else was at work on it, or
 * if the case changed meanwhile, nobody knows who draws last: then it counts as lagging, and we draw it once more.
 */
function drawnStep({ before, model, sure }: Drawn, now: Case): Step | null {
  const [old, card] = [cardOn(before, model.route), cardOn(now, model.route)]
  if (card === undefined || now.state === "closed") return null
  const shows = { revision: model.revision, modelHash: cardModelHash(model) }
  const same = cardModelHash(cardModelOf(now, model.route)) === shows.modelHash
  const undisturbed =
    old?.lease === null && card.lease === null && old.modelHash === card.modelHash && old.told === card.told
  return sure && same && undisturbed ? cardShows(now, model.route, shows) : doubtCard(now, model.route)
}

/** Draws on the clicked message. If Slack does not accept that, we update the card like the others. */
async function settleClicked(ports: Ports, responseUrl: string, model: CardModel): Promise<Settled> {
  try {
    return await ports.chat.settleClicked(responseUrl, await withNames(ports, model))
  } catch (error) {
    if (!isPortError(error)) throw error
    ports.log.warn("settle-clicked-failed", { caseId: model.caseId, error })
    return "unknown"
  }
}
