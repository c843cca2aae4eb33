// Words about many rejections by one act: how many, and what became of each case (R21).
import type { NamedCase, RejectOffer, RejectOutcome } from "../../flow/ports.ts"
import { type Line, listedUpTo, say, sentence } from "../lines/spans.ts"
import { counted, createTextFitter, type TextFitter } from "../lines/text-fitter.ts"
import { nameOf, stopLine } from "./order-words.ts"

/** How many cases a line names before it only counts them. */
const maxNamed = 20

/** What a confirmation would do, or why nothing can be rejected so. */
export function rejectOfferLines(offer: RejectOffer): readonly Line[] {
  if (offer.kind !== "may") return [[say(nothingRejected[offer.kind])]]
  const { stop, waiting } = offer
  const line = stopLine(stop, createTextFitter())
  if (waiting === 0) return [line, [say("Nothing waits under it.")]]
  return [
    line,
    [say(`${counted(waiting, "approval")} under it will be rejected by you, one by one, for the reason above.`)],
    [say("What the rules do not let you reject stays open, and the answer lists it. Nothing is approved by this.")],
  ]
}

/** What became of the cases. */
export function rejectOutcomeLines(outcome: RejectOutcome): readonly Line[] {
  if (outcome.kind !== "done") return [[say(nothingRejected[outcome.kind])]]
  const { rejected, held, others, left, hidden, gone } = outcome
  const fitter = createTextFitter()
  const more = hidden === 0 ? "" : ` ${counted(hidden, "more approval")} you may not even see.`
  return [
    [say(`${counted(rejected.length + held.length, "approval")} rejected.`)],
    ...caseLine("Rejected, but the platform is not told, since it would run the call all the same", held, fitter),
    ...caseLine("Not yours to reject, so still open", others, fitter),
    ...(more === "" ? [] : [[say(more.trim())]]),
    ...caseLine("Not rejected, because something failed: press the button once more", left, fitter),
    ...(gone === 0 ? [] : [[say(`${counted(gone, "approval")} had been decided meanwhile.`)]]),
  ]
}

function caseLine(what: string, cases: readonly NamedCase[], fitter: TextFitter): readonly Line[] {
  if (cases.length === 0) return []
  const names = cases.map((one) => nameOf(one, fitter))
  return [sentence`${what}: ${listedUpTo(names, maxNamed)}.`]
}

const nothingRejected: Readonly<Record<"gone" | "not-yours" | "late", string>> = {
  gone: "Nothing was rejected: that stop has ended.",
  "not-yours": "Nothing was rejected: only whoever stopped can do that.",
  late: "Nothing was rejected: that press is more than two minutes old. Press the button once more.",
}
