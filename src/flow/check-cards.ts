// Check: cards that nobody touches are looked at in turn, so that a deleted one, a shut channel or a lost second is noticed before a case next
// changes.

import { doubtCard, troubleOn } from "../domain/card-steps.ts"
import type { Card, Case, Place } from "../domain/case.ts"
import { cardOn, isSamePlace } from "../domain/case.ts"
import { advanceCase, readCase } from "./access.ts"
import { isPortError, type Ports } from "./ports.ts"

export type CheckPorts = Pick<Ports, "store" | "chat" | "jobs" | "homes" | "clock" | "alarm" | "log">

/** How long a turn lasts, in ms, and how many cases one looks at: below 50 looks a minute, which Slack allows (`facts/slack.md` 5.1). */
const turnMs = 5_000
const casesATurn = 3

/** Looks at the cards of the next few open cases. What Slack does not tell is left for the next turn. */
export async function checkCards(ports: CheckPorts): Promise<void> {
  const turn = Math.floor(ports.clock() / turnMs)
  const { total } = await ports.store.listOpen({ offset: 0, limit: 0 })
  const offset = (turn * casesATurn) % Math.max(1, total)
  const { cases } = await ports.store.listOpen({ offset, limit: casesATurn })
  const epoch = await ports.store.epoch()
  for (const current of cases.filter((one) => one.state === "open")) {
    // R17: Redis restarted since it was compared, so its card may show what Redis forgot; and nobody may be able to press it.
    if (current.epoch !== epoch) await ports.jobs.reconcile(current.id)
    else for (const card of current.cards) await checkSafely(ports, current, card)
  }
}

async function checkSafely(ports: CheckPorts, current: Case, card: Card): Promise<void> {
  if (card.place === null || card.claim !== null) return
  try {
    await check(ports, current, card.route, card.place)
  } catch (error) {
    if (!isPortError(error)) throw error
    ports.log.warn("card-not-checked", { caseId: current.id, route: card.route, error })
  }
}

async function check(ports: CheckPorts, current: Case, route: string, place: Place): Promise<void> {
  const sight = await ports.chat.look(place, route)
  if (sight.kind === "gone") return lost(ports, current, route, place)
  const trouble = sight.kind === "shut" ? sight.why : null
  const known = cardOn(current, route)?.trouble?.why ?? null
  if (sight.kind === "unknown" || trouble === known) return
  if (trouble !== null) ports.alarm({ code: "route-in-trouble", caseId: current.id, route, why: trouble })
  // The card is tried all the same when the case changes: `retryAt` is now.
  const retryAt = ports.clock()
  await advanceCase(ports, current, (now) =>
    isUntouched(now, route, place) ? troubleOn(now, route, trouble === null ? null : { why: trouble, retryAt }) : null,
  )
  await ports.homes.changed()
}

/** Slack says that a message is gone. If it is a card of the case it is presented anew, which asks Slack itself before it posts again. */
export async function cardDeleted(ports: CheckPorts, caseId: string, place: Place): Promise<void> {
  const current = await readCase(ports, caseId)
  if (current === null || current === "frozen" || current.state === "closed") return
  const card = current.cards.find((one) => isSamePlace(one.place, place))
  if (card !== undefined) await lost(ports, current, card.route, place)
}

/** A card that was lost for good before is not looked for again. */
async function lost(ports: CheckPorts, current: Case, route: string, place: Place): Promise<void> {
  if ((cardOn(current, route)?.trouble ?? null) !== null) return
  await advanceCase(ports, current, (now) => (isUntouched(now, route, place) ? doubtCard(now, route) : null))
  await ports.jobs.present(current.id)
}

function isUntouched(now: Case, route: string, place: Place): boolean {
  const card = cardOn(now, route)
  return card !== undefined && card.claim === null && isSamePlace(card.place, place)
}
