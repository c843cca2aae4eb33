// Check: cards that nobody touches are looked at in turn, so that a deleted one, a shut channel or a lost second is noticed before a case next
// changes.
import { doubtCard, troubleOn } from "../domain/case/card-steps.ts"
import { type Card, type Case, type Place, cardOn, isSamePlace } from "../domain/case/case.ts"
import { advanceCase, readCase } from "./access.ts"
import { isPortError, type Ports } from "./ports.ts"

export type CheckPorts = Pick<Ports, "store" | "chat" | "jobs" | "homes" | "clock" | "alarm" | "log">
export type CheckAllPorts = CheckPorts & Pick<Ports, "turns" | "pace">

/** So many cards are looked at in one turn, so that the looks of a minute lie apart. */
const looksATurn = 3
/**
 * A look is one call. Its rank leaves a part of each minute's calls to the search for cards after a crash
 * (`docs/slack-facts.md` 5.1).
 */
const look = { lanes: ["conversations.history"], key: "cards", rank: "reminder" } as const

/** Looks at the next few cards of open cases. What Slack does not tell is left for the next round. */
export async function checkCards(ports: CheckAllPorts): Promise<void> {
  const epoch = await ports.store.epoch()
  let left = looksATurn
  for (const turn of await ports.turns.next(looksATurn)) {
    const current = await readCase(ports, turn.caseId)
    const open = current !== null && current !== "frozen" && current.state === "open" ? current : null
    // R17: Redis restarted since it was compared, so its card may show what Redis forgot; and nobody may be able to press it.
    if (open !== null && open.epoch !== epoch) await ports.jobs.reconcile(open.id)
    else if (open !== null) left = await checkFrom(ports, open, turn.after, left)
    if (left < 0) return
    await ports.turns.done(turn.caseId, null)
  }
}

/** Looks at a case's cards after that of a route. How many looks are left; below 0 if not all of its cards were looked at. */
async function checkFrom(ports: CheckAllPorts, current: Case, after: string | null, left: number): Promise<number> {
  const from = current.cards.findIndex(({ route }) => route === after) + 1
  const hanging = current.cards.slice(from).filter(({ place, claim }) => place !== null && claim === null)
  for (const [index, card] of hanging.entries()) {
    if (index === left || (await ports.pace.reserve(look)) > 0) return -1
    await checkSafely(ports, current, card)
    await ports.turns.done(current.id, card.route)
  }
  return left - hanging.length
}

async function checkSafely(ports: CheckPorts, current: Case, { place, route }: Card): Promise<void> {
  try {
    if (place !== null) await check(ports, current, route, place)
  } catch (error) {
    if (!isPortError(error)) throw error
    ports.log.warn("card-not-checked", { caseId: current.id, route, error })
  }
}

async function check(ports: CheckPorts, current: Case, route: string, place: Place): Promise<void> {
  const sight = await ports.chat.look(place, route)
  if (sight.kind === "gone" || sight.kind === "exposed") return lost(ports, current, route, place)
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

/** A card that was lost for good before is not looked for again, nor one that is covered already covered again. */
async function lost(ports: CheckPorts, current: Case, route: string, place: Place): Promise<void> {
  if ((cardOn(current, route)?.trouble ?? null) !== null) return
  await advanceCase(ports, current, (now) => (isUntouched(now, route, place) ? doubtCard(now, route) : null))
  await ports.jobs.present(current.id)
}

function isUntouched(now: Case, route: string, place: Place): boolean {
  const card = cardOn(now, route)
  return card !== undefined && card.claim === null && isSamePlace(card.place, place)
}
