// Informing: the person who asked for a run is told how it ended, by a card of their own in their direct messages.
import { type Case, cardOn, type Step } from "./case.ts"
import type { CaseEvent } from "./event.ts"
import { foldName } from "./name.ts"
import { personKey, type SlackId } from "./person.ts"
import { emptyCard } from "./steps.ts"

/** Lines that tell how a case ended. */
const ENDS: ReadonlySet<CaseEvent["kind"]> = new Set(["resolved", "elsewhere", "vanished", "recovered"])

/** True if the case ended and nobody has looked yet whether somebody has to be told. */
export function isUninformed(current: Case): boolean {
  return current.state === "settled" && !current.informed
}

/** True if a person made the end themselves: with a vote of the decision, or, decided elsewhere, under the very name they asked by. */
export function hasDecided({ decision, outcome, summary }: Case, person: SlackId): boolean {
  if (outcome?.kind === "elsewhere")
    return outcome.resolvedBy !== null && foldName(outcome.resolvedBy) === foldName(summary.requester ?? "")
  return (decision?.votes ?? []).some((vote) => personKey(vote.person) === personKey(person))
}

/** Gives the requester a card, unless they have one already; null: nobody has to be told. Its thread tells what came after the end. */
export function inform(current: Case, requester: SlackId | null): Step {
  const route = `person:${requester?.user ?? ""}`
  const has = requester === null || cardOn(current, route) !== undefined
  const from = current.lines.findLastIndex(({ kind }) => ENDS.has(kind)) + 1
  const cards = has ? current.cards : [...current.cards, { ...emptyCard(route), told: from, from }]
  return { next: { ...current, cards, informed: true }, events: [] }
}
