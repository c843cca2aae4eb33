// What a card and the form say of a rejection that lasts, and of the same call asked again (R22).
import type { CardModel } from "../../../domain/case/card-model.ts"
import type { Repeat } from "../../../domain/case/case.ts"
import { code, type Line, listedUpTo, mention, mentionOf, moment, say, sentence } from "../../lines/spans.ts"
import { counted } from "../../lines/text-fitter.ts"
import { buttonWords } from "../button-words.ts"

/** A card names this many of the cases in which the call was asked again: the last ones. */
const maxCases = 3

/** What is said of the same call asked again; none for most cases. */
export function againLines({ again }: CardModel): readonly Line[] {
  if (again === undefined) return []
  if (again.kind === "repeat") {
    const before = sentence`${mention(again.user)} rejected the same call in case ${code(again.case)}`
    return [sentence`${before}, and that lasts until ${moment(again.until)}.`]
  }
  if (again.kind === "looped") {
    const then = `until somebody presses ${buttonWords.askAgain} on the card of case `
    return [sentence`${loopWords}, so nobody is asked and the run stands still ${then}${code(again.case)}.`]
  }
  const { until, repeats } = again
  const rejected = repeats.filter(({ undecided }) => undecided !== true)
  const left = repeats.filter(({ undecided }) => undecided === true)
  return [
    sentence`Until ${moment(until)} the same call of the same requester is rejected by itself.`,
    ...(rejected.length === 0 ? [] : [timesLine(rejected)]),
    ...(left.length === 0 ? [] : [leftLine(left)]),
  ]
}

const loopWords = "Asked again and again in one run"

function timesLine(repeats: readonly Repeat[]): Line {
  const last = repeats.at(-1)?.at ?? 0
  const times = counted(repeats.length, "time")
  return sentence`Asked again ${times}, rejected as before, last ${moment(last)}: ${casesOf(repeats)}.`
}

function leftLine(left: readonly Repeat[]): Line {
  const then = `so the run stands still until somebody presses ${buttonWords.askAgain}`
  return sentence`${loopWords}: nothing is decided there (${casesOf(left)}), ${then}.`
}

function casesOf(repeats: readonly Repeat[]): Line {
  const named = repeats.slice(-maxCases)
  return sentence`${named.length === 1 ? "case" : "cases"} ${listedUpTo(
    named.map((one) => code(one.case)),
    maxCases,
  )}`
}

/** How the thread tells that the call is left undecided. */
export function loopingLine(other: string): Line {
  const then = "Nothing is decided now, so the run stands still"
  return sentence`${loopWords}, and rejected as before. ${then} (case ${code(other)})`
}

/** Why people are asked again, and who is; `who`: as `team:user`, or null if the time is over. */
export function askingAgainLine(who: string | null, asked: Line): Line {
  const why =
    who === null ? [say("The rejection lasts no longer")] : sentence`${mentionOf(who)} pressed ${buttonWords.askAgain}`
  const begun = sentence`${why}: people are asked about this call again`
  return asked.length === 0 ? begun : sentence`${begun}. Asked: ${asked}`
}

/** The words of the choice in the form of a rejection. */
export const lastingChoice = {
  label: "Reject more",
  option: (ms: number) => `and the same call for ${lastsFor(ms)}`,
  hint:
    "Only the very same call, asked again by the same requester. Whoever may reject it can end that on the card " +
    `with ${buttonWords.askAgain}.`,
} as const

function lastsFor(ms: number): string {
  const minutes = Math.round(ms / 60_000)
  return minutes % 60 === 0 ? counted(minutes / 60, "hour") : counted(minutes, "minute")
}
