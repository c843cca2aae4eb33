// The steps of a case that waits: for room (R20), and for a card of its own while a summary names it. Pure.

import { withCard } from "./card-steps.ts"
import { type Case, cardOn, type Place, type Step } from "./case.ts"
import type { CaseEvent } from "./event.ts"
import { demandState, stepTo } from "./steps.ts"

/** There is room now for the cards of a case that waited for it (R20). */
export function giveRoom(current: Case, at: number): Step {
  demandState(current, "given room", ["open", "sending"])
  return stepTo({ ...current, room: { ...current.room, given: true } }, [{ kind: "roomed", at }])
}

/** What a summary's line shows of a case, and the face that stands for. */
export interface Summarised {
  readonly place: Place
  readonly revision: number
  readonly face: string
}

/** A summary names the case: it hangs there until it has a card of its own. */
export function hangOnSummary(current: Case, route: string, shown: Summarised, at: number): Step {
  const { place, revision } = shown
  const known = cardOn(current, route)?.place?.ts === place.ts
  const events: CaseEvent[] = known ? [] : [{ kind: "summarised", at, route, place, revision }]
  return stepTo(withCard(current, route, { ...shown, summary: true }), events)
}

/** The summary that named the case is gone: it waits for a card of its own, as before. */
export function leaveSummary(current: Case, route: string): Step {
  return stepTo(withCard(current, route, { place: null, summary: false, face: null, revision: 0 }), [])
}
