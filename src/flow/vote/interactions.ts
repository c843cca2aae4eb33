// What surfaces may ask of the flow. An interaction becomes a ticket; we carry it out and answer it; then we remove the
// ticket.
import { cardModelOf } from "../../domain/case/card-model.ts"
import { cardDeleted, channelChanged } from "../card/check.ts"
import type { Inbound, Taken, Ticket } from "../ports/inbound.ts"
import type { Interaction, Press } from "../ports/interaction.ts"
import type { Answer, Decided } from "../ports/reply.ts"
import {
  type AbsenceActs,
  FlowError,
  isPortError,
  type Later,
  type OrderActs,
  type Ports,
  type TakenBefore,
} from "../ports.ts"
import { details, notShown, reveal, review, showReceipt } from "../query/case-view.ts"
import { openHome } from "../query/home.ts"
import { history, list } from "../query/list.ts"
import { why } from "../query/why.ts"
import { answerToFailure, isFlowError, lastingFailure, tell } from "./answer.ts"
import { askForAnswer } from "./answer-question.ts"
import { askForQuestion } from "./ask-question.ts"
import { type Showing, startShowing } from "./clicked.ts"
import { askForForm, decideInteraction } from "./decide.ts"
import { formFor, needsForm } from "./forms.ts"
import { askForReview } from "./glass-review.ts"

/** The entry for Slack's listeners. `ports` gives the ports of the active config (R16). */
export function createInbound(ports: () => Ports): Omit<Inbound, "demandNewest" | keyof OrderActs | keyof AbsenceActs> {
  const way = createRightOfWay(ports().later)
  return {
    take: (interaction) => writeTicket(ports(), interaction),
    carryOut: (taken) => carryOutNow(ports, taken, way),
    needsForm: async ({ ticket, current }) => {
      const read = await current
      return needsForm(ports(), ticket.interaction, read)
    },
    ask: async (press) => {
      const asked = await askForForm(ports(), press)
      if (asked.kind === "on") return { kind: "form", form: asked.form }
      return { kind: "answer", answer: withChange(asked.decided, press).answer }
    },
    drop: ({ ticket }) => removeTicket(ports(), ticket),
    details: (caseId, person, route) => details(patient(ports()), caseId, person, route),
    notShown: (caseId, person, place) => notShown(patient(ports()), caseId, person, place),
    askReview: (press) => askForReview(ports(), press),
    questionForm: (press) => (press.verb === "ask" ? askForQuestion(ports(), press) : askForAnswer(ports(), press)),
    openedHome: (person, ask) => openHome(patient(ports()), person, ask),
    form: (target, wish) => formFor(ports(), target, wish),
    deleted: (caseId, place) => cardDeleted(ports(), caseId, place),
    channelChanged: (channel) => channelChanged(ports(), channel),
    reveal: (viewId, person) => reveal(ports(), viewId, person),
    opened: (view) => ports().views.remember(view),
    view: (viewId) => ports().views.read(viewId),
    list: (person, ask) => list(patient(ports()), person, ask),
    history: (person, ask) => history(patient(ports()), person, ask),
    receipt: (ask) => showReceipt(patient(ports()), ask),
    why: (caseId, person) => why(patient(ports()), caseId, person),
    review: (route, person, after) => review(patient(ports()), { route, person, after }),
  }
}

/** The ports for people who only look: if Slack is silent, they see what it said a while ago. */
function patient<P extends Pick<Ports, "people">>(ports: P): P {
  return { ...ports, people: ports.people.patient }
}

/** Writes the ticket, and reads the case meanwhile: the acknowledgement waits only for the write. */
async function writeTicket(ports: Ports, interaction: Interaction): Promise<Taken> {
  const written = ports.tickets.write(interaction)
  const current = ports.store.read(interaction.target.caseId).catch((error: unknown) => {
    ports.log.warn("not-read-beside-the-ticket", { caseId: interaction.target.caseId, error })
    return undefined
  })
  return { ticket: await written, current }
}

/**
 * Carries out an interaction in the process that took it. After a failure the ticket stays, and we tell the person so.
 */
async function carryOutNow(ports: () => Ports, taken: Taken, way: RightOfWay): Promise<void> {
  const { interaction } = taken.ticket
  try {
    await carryOutUnderActive(ports, taken, way)
  } catch (error) {
    const now = ports()
    const { caseId } = interaction.target
    const answer = answerToFailure(error)
    // It is no fault if somebody pressed before we had noted the post.
    if (answer.kind === "early") now.log.info("press-early", { caseId })
    else now.log.warn("press-failed", { caseId, error })
    if (!isFlowError(error, "unanswered")) await tell(now, interaction, answer)
  }
}

/** How often an interaction is judged before its ticket waits. */
const maxJudged = 5

/**
 * Carries an interaction out. If another config became active meanwhile, or other orders came into force, judges it
 * again by these (R16, R21).
 */
async function carryOutUnderActive(ports: () => Ports, { ticket, current }: Taken, way: RightOfWay) {
  let read = await current
  for (let times = 1; ; times += 1) {
    const judged = ports()
    try {
      return await carryOut(judged, ticket, { current: read, way })
    } catch (error) {
      if (times === maxJudged || !isFlowError(error, "other-config") || ports() === judged) throw error
      read = undefined
    }
  }
}

/** If an interaction takes longer, in ms, the cards show its verdict as soon as it is made: nobody acts in vain. */
const slowMs = 700

/**
 * Carries out an interaction, answers it, removes its ticket, and shows what it changed on all cards and in their
 * threads. Safe to call again after a crash. Throws a failure that may pass (a `PortError` with `retryable`), so that
 * we try the ticket again. Throws `unanswered` if the answer did not arrive and nothing else tells the person how it
 * went. After a failure that will not pass, answers and removes the ticket. `current` is the case, if the caller has
 * just read it. `way` holds back work that nobody waits for.
 */
export async function carryOut(
  ports: Ports,
  ticket: Ticket,
  { current, way = openWay }: { readonly current?: TakenBefore["read"]; readonly way?: RightOfWay } = {},
): Promise<void> {
  const { interaction, era } = ticket
  const showing = startShowing(ports, interaction)
  const passed = way.enter()
  const underWay = { interaction, era, showing, read: current, way }
  const unanswered = await decideAndAnswer(ports, underWay).finally(passed)
  // We do this before we show the rest: that may take longer than a ticket waits, and the person would get two answers.
  if (unanswered === null) await removeTicket(ports, ticket)
  await way.clear()
  await showing.finish()
  if (unanswered !== null) throw new FlowError("unanswered", interaction.target.caseId, { cause: unanswered })
}

/** An interaction that we carry out now, with its case if somebody has read that already. */
interface UnderWay {
  readonly interaction: Interaction
  readonly era: number
  readonly showing: Showing
  readonly read: TakenBefore["read"]
  readonly way: RightOfWay
}

/**
 * Does everything that the person waits for. Returns why the answer failed, if nothing else says what became of the
 * interaction; else null.
 */
async function decideAndAnswer(ports: Ports, underWay: UnderWay): Promise<Error | null> {
  const { interaction, showing } = underWay
  const decided = withChange(await decideInTime(ports, underWay), interaction)
  // The form of a Home has closed, and the Home itself shows how the interaction ended.
  const shown = (await showing.settle(decided)) || interaction.replyTo.kind === "direct"
  const byCard = isShownByCard(decided.answer)
  const failure = shown && byCard ? null : await tell(ports, interaction, decided.answer)
  return byCard ? null : failure
}

/**
 * Decides. If that takes long, a job draws the cards now and then meanwhile, but not in a burst: drawing would prolong
 * it.
 */
async function decideInTime(ports: Ports, { interaction, era, showing, read, way }: UnderWay): Promise<Decided> {
  const { caseId } = interaction.target
  let stop = (): void => undefined
  const wait = (): void => {
    const isBurst = way.watch()
    stop = ports.later(slowMs, () => {
      if (!isBurst())
        ports.jobs.present(caseId).catch((error: unknown) => ports.log.warn("deciding-not-said", { caseId, error }))
      wait()
    })
  }
  wait()
  try {
    return await decideInteraction({ ...ports, jobs: showing.jobs, foreseen: showing.foresee }, interaction, {
      era,
      read,
    })
  } catch (error) {
    await showing.leave()
    return afterDecideFailed(ports, interaction, error)
  } finally {
    stop()
  }
}

/** If the content changed, adds to the answer what the person saw and what is there now. */
function withChange(decided: Decided, interaction: Pick<Press, "target">): Decided {
  const { answer, case: current } = decided
  if (answer.kind !== "changed" || current === null || current.approval === null) return decided
  const seen = current.before?.revision === interaction.target.revision ? current.before.approval : null
  return {
    ...decided,
    answer: { kind: "changed", change: { before: seen, now: cardModelOf(current, interaction.target.route) } },
  }
}

/** Removes a ticket. If it stays, we try it once more, and find that its interaction was counted and answered. */
async function removeTicket(ports: Ports, ticket: Ticket): Promise<void> {
  try {
    await ports.tickets.remove(ticket.id)
  } catch (error) {
    if (!isPortError(error)) throw error
    ports.log.warn("ticket-not-removed", { ticket: ticket.id, error })
  }
}

function afterDecideFailed(ports: Ports, interaction: Interaction, error: unknown): Decided {
  if (isPortError(error) && error.retryable) throw error
  ports.log.error("press-failed-for-good", { caseId: interaction.target.caseId, error })
  ports.alarm({ code: "press-failed", caseId: interaction.target.caseId })
  return { answer: lastingFailure(error), case: null }
}

/** True if the settled card says the answer by itself, so that we need no second message. */
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
  /** Notes that somebody waits, until the returned function is called. */
  enter(): () => void
  /** Returns a function that says later whether this was a burst: many wait, and some were answered meanwhile. */
  watch(): () => boolean
  /** Resolves when nobody waits, but after `standBackMs` at the latest: people may press without end. */
  clear(): Promise<void>
}

/** For callers who need not let anybody go first. */
export const openWay: RightOfWay = {
  enter: () => () => undefined,
  watch: () => () => false,
  clear: async () => undefined,
}

/** For how long work that nobody waits for lets others go first, in ms. */
export const standBackMs = 1_000

/** It is a burst if more than this many wait at once. */
const burst = 8

/** Makes the `RightOfWay` of a process. */
export function createRightOfWay(later: Later): RightOfWay {
  let waiting = 0
  let passed = 0
  const standing = new Set<() => void>()
  return {
    enter: () => {
      waiting += 1
      return () => {
        waiting -= 1
        passed += 1
        if (waiting === 0) for (const go of standing) go()
      }
    },
    watch: () => {
      const before = passed
      return () => waiting > burst && passed > before
    },
    clear: () => {
      if (waiting === 0) return Promise.resolve()
      return new Promise((resolve) => {
        const go = () => {
          standing.delete(go)
          cancel()
          resolve()
        }
        const cancel = later(standBackMs, go)
        standing.add(go)
      })
    },
  }
}
