// Exposed: a channel that another company reads too where no rule allows that. Cards there are covered, no press on one counts, and they come back
// when the channel is our own again.
import { doubtCard, troubleOn } from "../domain/case/card-steps.ts"
import { type Card, type Case, cardOn, type Step } from "../domain/case/case.ts"
import { advanceCase } from "./access.ts"
import { freshMs } from "./identify.ts"
import { isPortError, type Ports } from "./ports.ts"
import type { Press } from "./press.ts"

export type RedrawPorts = Pick<Ports, "store" | "jobs">

/** So many open cases are read at once. */
const pageSize = 100

/**
 * True for a press on a card that another company may have had in front of it. Where Slack does not say it the press counts: who pressed is judged
 * by themselves in any case.
 */
export async function isOnExposed(ports: Pick<Ports, "chat" | "log">, { on, target }: Press): Promise<boolean> {
  if (on.kind !== "card") return false
  try {
    return await ports.chat.exposed(target.route, freshMs)
  } catch (error) {
    if (!isPortError(error)) throw error
    ports.log.warn("not-known-whether-exposed", { route: target.route, error })
    return false
  }
}

/** Has the case's card on a route drawn anew: it is covered, or shows the case again. */
export async function redraw(ports: RedrawPorts, current: Case, route: string): Promise<Case> {
  const after = await advanceCase(ports, current, (now) => redrawn(now, route))
  await ports.jobs.present(current.id)
  return after
}

/** A presenter who is at work there notices the doubt. */
function redrawn(now: Case, route: string): Step | null {
  const card = cardOn(now, route)
  if (card === undefined) return null
  const untroubled = card.trouble === null || card.claim !== null ? null : troubleOn(now, route, null)
  return card.place === null ? untroubled : doubtCard(untroubled?.next ?? now, route)
}

/** A channel was shared with another company (`exposed`), or is ours alone again: its cards of open cases are drawn anew. */
export async function redrawAll(ports: RedrawPorts, route: string, exposed: boolean): Promise<void> {
  for (let offset = 0; ; offset += pageSize) {
    const { cases } = await ports.store.listOpen({ offset, limit: pageSize })
    for (const one of cases) if (isToRedraw(cardOn(one, route), exposed)) await redraw(ports, one, route)
    if (cases.length < pageSize) return
  }
}

function isToRedraw(card: Card | undefined, exposed: boolean): boolean {
  if (card === undefined) return false
  return exposed ? card.place !== null && card.trouble === null : card.trouble !== null
}
