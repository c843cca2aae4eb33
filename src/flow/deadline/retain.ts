// Removes what we keep only for a time: cases that settled long ago; arguments and people on cards of closed cases.

import { cardModelOf } from "../../domain/case/card-model.ts"
import { isThread } from "../../domain/case/card-steps.ts"
import { type Card, type Case, ownPlace } from "../../domain/case/case.ts"
import { blanked } from "../../domain/case/deadline-steps.ts"
import { showQuestion } from "../card/question-messages.ts"
import { advanceCase } from "../case/commit.ts"
import { type KeepPorts, onHoldNow } from "../case/holds.ts"
import { isTokenRefused, type Ports, type Retention, refusalOfSlack } from "../ports.ts"

/** What the step needs. `keepMs`: how long we keep a settled case. */
export interface RetainOptions extends KeepPorts, Pick<Ports, "clock" | "log"> {
  readonly retention: Retention
  readonly keepMs: number
}

/** How many cases the step asks for at once. */
const maxDue = 200

/**
 * Makes the step that removes what is due. A settled case whose cards do not yet show its end stays until they do, and
 * a case on hold until no hold covers it. It looks at each case on hold once, until holds change.
 */
export function createRetaining(): (options: RetainOptions) => Promise<void> {
  let [onHold, under] = [new Set<string>(), ""]
  return async (options) => {
    const now = onHoldNow(options)
    if (now !== under) onHold = new Set()
    under = now
    await retain(options, onHold)
  }
}

async function retain({ retention, keepMs, clock, log }: RetainOptions, onHold: Set<string>): Promise<void> {
  const at = clock()
  const settledBefore = at - keepMs
  let left = 0
  for (;;) {
    const due = await retention.due(settledBefore, { offset: left, limit: maxDue })
    for (const caseId of due) {
      const removed = onHold.has(caseId) ? "on-hold" : await retention.remove(caseId, { at, settledBefore })
      if (removed === "on-hold") onHold.add(caseId)
      if (removed === null || removed === "on-hold") left += 1
      else log.info("case-removed", { caseId, ...removed })
    }
    if (due.length < maxDue) return
  }
}

const dayMs = 86_400_000

/** Makes the hourly step that forgets what nobody needs any more, and arguments that we kept for long enough. */
export function createForgetting(): (ports: Pick<Ports, "store" | "clock" | "closedTimes">) => Promise<void> {
  let lookedAt = Number.NEGATIVE_INFINITY
  return async ({ store, clock, closedTimes }) => {
    const at = clock()
    if (at - lookedAt < dayMs / 24) return
    await store.forgetOld({ at, keepDays: Math.floor(closedTimes.retainArgumentsMs / dayMs) })
    lookedAt = at
  }
}

export type BlankPorts = Pick<Ports, "store" | "chat" | "pace" | "log">

/**
 * Rewrites all of the case's own cards, then remembers that they are done. After a crash they are still due, and a
 * second run writes the same again. While Slack makes us wait, they stay due. If Slack refuses a card for good, the
 * card stays as it is, with a line in the log. Throws any other failure of Slack or the store.
 */
export async function blankCards(ports: BlankPorts, current: Case): Promise<void> {
  for (const card of current.cards) if (!(await blankCard(ports, current, card))) return
  for (const question of current.questions ?? []) await showQuestion(ports, current, question, true)
  await advanceCase(ports, current, (now) => (now.state === "closed" ? blanked(now) : null))
}

/** Blanks one card. False while we may not call Slack yet. */
async function blankCard(ports: BlankPorts, current: Case, card: Card): Promise<boolean> {
  const place = ownPlace(card)
  if (place === null || isThread(card)) return true
  const { id } = current
  const wait = await ports.pace.reserve({ buckets: ["chat.update"], key: `${id} ${card.route}`, rank: "reminder" })
  if (wait > 0) return false
  const refused = (error: unknown) => ports.log.warn("card-not-blanked", { caseId: id, route: card.route, error })
  try {
    const edited = await ports.chat.updateCard(place, { ...cardModelOf(current, card.route), blank: true })
    if (edited.kind === "uneditable" || edited.kind === "shut") refused(edited.error)
  } catch (error) {
    if (refusalOfSlack(error) === null || isTokenRefused(error)) throw error
    refused(error)
  }
  return true
}
