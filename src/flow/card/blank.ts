// Takes arguments and names off the cards of a closed case: after a time, or since a person is erased.
import { cardModelOf } from "../../domain/case/card-model.ts"
import { type Card, type Case, ownPlace } from "../../domain/case/case.ts"
import { blanked } from "../../domain/case/deadline-steps.ts"
import { advanceCase } from "../case/commit.ts"
import { refusalOfSlack } from "../ports/error.ts"
import type { Ports } from "../ports.ts"

export type BlankPorts = Pick<Ports, "store" | "chat" | "pace" | "log">

/**
 * Rewrites each card of the case's own, then remembers that it is done. A cut leaves it due, and a second run writes
 * the same again. While Slack has to be waited for it stays due; what Slack refuses for good is left as it is, with a
 * line in the log. Throws what else Slack or the store failed with.
 */
export async function blankCards(ports: BlankPorts, current: Case): Promise<void> {
  for (const card of current.cards) if (!(await blankCard(ports, current, card))) return
  await advanceCase(ports, current, (now) => (now.state === "closed" ? blanked(now) : null))
}

/** False while Slack may not be called yet. */
async function blankCard(ports: BlankPorts, current: Case, card: Card): Promise<boolean> {
  const place = ownPlace(card)
  if (place === null) return true
  const { id } = current
  const wait = await ports.pace.reserve({ buckets: ["chat.update"], key: `${id} ${card.route}`, rank: "reminder" })
  if (wait > 0) return false
  try {
    await ports.chat.updateCard(place, { ...cardModelOf(current, card.route), blank: true })
  } catch (error) {
    if (refusalOfSlack(error) === null) throw error
    ports.log.warn("card-not-blanked", { caseId: id, route: card.route, error })
  }
  return true
}
