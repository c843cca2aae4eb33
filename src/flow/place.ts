// R18: a button proves its place, before anything else is asked.
import { type Case, cardOn, isSamePlace, ownPlace, type Place } from "../domain/case/case.ts"
import { personKey } from "../domain/people/person.ts"
import { FlowError } from "./access.ts"
import type { Answer } from "./answer.ts"
import type { OpenedView, Ports } from "./ports.ts"
import type { Press } from "./press.ts"

/** What the place of a press says: the view it was made in, if in one, or why it does not count. */
export type Placed =
  | { readonly ok: true; readonly view: OpenedView | null }
  | { readonly ok: false; readonly answer: Answer }

/** On a card the message must be the one on record, in a view one that we opened for this person. */
export async function placeOf(ports: Pick<Ports, "views">, current: Case, press: Press): Promise<Placed> {
  const { target, on } = press
  const view = on.kind === "view" ? await ports.views.read(on.viewId) : null
  const wrong = on.kind === "view" ? isForeign(current, press, view) : isElsewhere(current, press, on.place)
  if (wrong) return refused({ kind: "replaced" })
  if (current.state !== "open") return { ok: true, view }
  const same = target.revision === current.revision.number && current.revision.digest.slice(0, 16) === target.digest
  return same ? { ok: true, view } : refused({ kind: "changed", change: null })
}

function isForeign(current: Case, { target, person }: Press, view: OpenedView | null): boolean {
  const theirs = view !== null && view.caseId === current.id && personKey(view.person) === personKey(person)
  return !theirs || view.digest.slice(0, 16) !== target.digest || view.revision !== target.revision
}

function isElsewhere(current: Case, { target }: Press, on: Place): boolean {
  const card = cardOn(current, target.route)
  if (isSamePlace(ownPlace(card), on)) return false
  // Somebody was quicker than our record of the post, or a process died between the two: the next presenter finds the card.
  if (card !== undefined && card.claim !== null) throw new FlowError("card-unknown", current.id)
  return true
}

function refused(answer: Answer): Placed {
  return { ok: false, answer }
}
