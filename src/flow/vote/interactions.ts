// What surfaces may ask of the flow. An interaction becomes a ticket, is carried out and answered; its ticket goes.
import { cardDeleted, channelChanged } from "../card/check.ts"
import { readCase } from "../case/commit.ts"
import type { Inbound, Taken } from "../ports/inbound.ts"
import type { Interaction } from "../ports/interaction.ts"
import type { Later, Ports } from "../ports.ts"
import { details, reveal, review, showReceipt, why } from "../query/case-view.ts"
import { openHome } from "../query/home.ts"
import { history, list } from "../query/list.ts"
import { answerToFailure, isFlowError, tell } from "./answer.ts"
import { carryOut, type InteractionPorts, type RightOfWay, removeTicket } from "./carry-out.ts"
import { formFor, neededForm, rejectionFor } from "./checks.ts"

/** The door for Slack's listeners. `ports` gives those of the config that is active (R16). */
export function createInbound(ports: () => InteractionPorts): Inbound {
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
    review: (route, person, after) => review(patient(ports()), { route, person, after }),
  }
}

/** Who only looks is shown what Slack said a while ago, rather than nothing. */
function patient<P extends Pick<Ports, "people">>(ports: P): P {
  return { ...ports, people: ports.people.patient }
}

/** Writes the ticket, and reads the case meanwhile: the acknowledgement waits for the write alone. */
async function take(ports: InteractionPorts, press: Interaction): Promise<Taken> {
  const written = ports.tickets.write(press)
  const current = readCase(ports, press.target.caseId).catch((error: unknown) => {
    ports.log.warn("not-read-beside-the-ticket", { caseId: press.target.caseId, error })
    return undefined
  })
  return { ticket: await written, current }
}

/** Carries out an interaction in the process that took it. What fails stays a ticket, and the person is told so. */
async function carryOutNow(ports: () => InteractionPorts, taken: Taken, way: RightOfWay): Promise<void> {
  const { press } = taken.ticket
  try {
    await carryOutUnderActive(ports, taken, way)
  } catch (error) {
    const now = ports()
    now.log.warn("press-failed", { caseId: press.target.caseId, error })
    if (!isFlowError(error, "unanswered")) await tell(now, press, answerToFailure(error))
  }
}

/** R16: where another config became active under an interaction, it is judged anew by that one. */
async function carryOutUnderActive(ports: () => InteractionPorts, { ticket, current }: Taken, way: RightOfWay) {
  const read = await current
  const judged = ports()
  try {
    await carryOut(judged, ticket, { current: read, way })
  } catch (error) {
    if (!isFlowError(error, "other-config") || ports() === judged) throw error
    await carryOut(ports(), ticket, { way })
  }
}

/** For so long what nobody waits for stands back at most, in ms. */
export const maxMs = 1_000

/** Makes the way of a process. */
export function createRightOfWay(later: Later): RightOfWay {
  let waiting = 0
  const standing = new Set<() => void>()
  return {
    enter: () => {
      waiting += 1
      return () => {
        waiting -= 1
        if (waiting === 0) for (const go of standing) go()
      }
    },
    clear: () => {
      if (waiting === 0) return Promise.resolve()
      return new Promise((resolve) => {
        const go = () => {
          standing.delete(go)
          cancel()
          resolve()
        }
        const cancel = later(maxMs, go)
        standing.add(go)
      })
    },
  }
}
