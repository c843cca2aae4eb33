// Words of lists, summaries and Home: how many cases there are, for how long one waits, and what there is not.
import type { CardModel } from "../../domain/case/card-model.ts"
import { earlierOf, isDue } from "../../domain/policy/timing.ts"
import type { Listing } from "../../flow/ports/inbound.ts"
import { firstLines } from "../lines/fit-lines.ts"
import { bold, channel, code, type Line, mention, moment, say, sentence } from "../lines/spans.ts"
import { counted, createTextFitter } from "../lines/text-fitter.ts"

/** Buttons, headings and hints that only lists and Home have. */
export const listLabels = {
  reviewAll: "Review One by One",
  further: "Look Further",
  search: "Search",
  clearSearch: "Clear Search",
  searchHint: "A word, a name or an id",
  typePage: "Type the command again with the number of a page to see the others.",
  waiting: "Waiting for you",
  requests: "Your requests",
  decided: "Decided lately",
} as const

/** What stands where there is nothing. */
export const nothingWords = {
  waits: "Nothing waits for a decision.",
  waitsToSee: "Nothing waits for a decision that you may see.",
  waitsForYou: "Nothing waits for you.",
  waitsLikeThat: "Nothing like that waits.",
  requested: "Nothing that you asked for waits.",
  overdue: "Nothing is overdue.",
  decidedToSee: "Nothing was decided that you may see here.",
  decidedToSeeLikeThat: "Nothing like that was decided that you may see here.",
  decidedLikeThat: "Nothing like that was decided.",
  decidedLately: "Nothing yet.",
} as const

/** The sign beside a risky case, and what it means. */
export const riskMark = { sign: "⚠", means: "High risk, or cannot be undone" } as const

/** What a settled case says that a hold keeps. */
export const onHoldMark = "on hold"

function totalOf({ total, more }: Listing): string {
  return more ? `${total} or more` : String(total)
}

/** The head of a list of what waits. */
export function waitingHead(listing: Listing): string {
  return `${totalOf(listing)} waiting, the most urgent first`
}

/** Asks which case somebody means, above those that wait. */
export function whichHead(listing: Listing): string {
  return `Which one? ${listing.total === 0 ? nothingWords.waitsToSee : waitingHead(listing)}`
}

/** The head of the history. */
export function pastHead(listing: Listing): string {
  return `${totalOf(listing)} decided, latest first`
}

/** How many cases wait, and how many of them for the person. If `mine` is null: how many were decided. */
export function countLine(all: Listing, mine: Listing | null): Line {
  if (mine === null) return [bold(`${totalOf(all)} decided`), say(" that you may see.")]
  return [bold(`${totalOf(all)} waiting`), say(`, ${totalOf(mine)} of them for you.`)]
}

/** "1 approval waits", "2 approvals wait". */
export function waitWords(count: number, noun = "approval"): string {
  return `${counted(count, noun)} ${count === 1 ? "waits" : "wait"}`
}

/** Which page this is; nothing if there is only one. */
export function pageLines(page: number, { total, more }: Listing, size: number): readonly Line[] {
  const pages = Math.ceil(total / size)
  return pages <= 1 ? [] : [[say(`Page ${page} of ${pages}${more ? " or more" : ""}`)]]
}

/** How far this answer looked, if one answer does not go through all cases. */
export function furtherLines({ next, total }: Listing, kind: "list" | "history"): readonly Line[] {
  if (next === undefined) return []
  const found = total === 0 ? "Nothing like that is" : "These are"
  const { after, back } = next
  return kind === "list"
    ? [sentence`${found} among the ${after} that were asked first, until ${moment(back)}.`]
    : [sentence`${found} among the newest ${after} that were looked through, back to ${moment(back)}.`]
}

/** For how long: "now" (below a minute), "5 min", "3 h" or "2 d". Short, so that what is asked has room. */
export function ageWords(ms: number): string {
  const minutes = Math.max(0, Math.floor(ms / 60_000))
  if (minutes < 1) return "now"
  if (minutes < 60) return `${minutes} min`
  const hours = Math.floor(minutes / 60)
  return hours < 48 ? `${hours} h` : `${Math.floor(hours / 24)} d`
}

/** Why the case is due, if it is. `at`: now, epoch ms. */
export function dueWords({ time, approval, status }: CardModel, at: number): readonly string[] {
  if (status.kind !== "open" && status.kind !== "unapprovable") return []
  const end = earlierOf(time.decideBy, approval?.expiresAt ?? null)
  if (end !== null && isDue(end, at)) return [end <= at ? "time is up" : `${Math.ceil((end - at) / 60_000)} min left`]
  return time.escalatedAt === null ? [] : ["escalated"]
}

const maxTroubles = 3

/** What Slack's words mean for people; the first that matches counts. */
const meanings: readonly (readonly [RegExp, string])[] = [
  [/^channel:\S+ is shared with another company/, "the channel is shared with another company"],
  [/whether \S+ is shared.*missing_scope/, "Slack does not say whether the channel is shared with another company"],
  [/is_archived|is_inactive/, "the channel is archived"],
  [/not_in_channel|channel_not_found/, "the app is not in the channel any more"],
  [/user_disabled|account_inactive|user_not_found|cannot_dm_bot/, "their account is deactivated"],
  [/missing_scope/, "the app may not write there"],
  [/was deleted/, "its message was deleted"],
  [/lets nobody edit/, "Slack lets nobody edit its card any more, so only the thread says what happened"],
]

/** One line for each route that takes no card; none if the case is settled. */
export function troubleLines({ troubles, status }: CardModel): readonly Line[] {
  if (status.kind === "settled") return []
  const lines = troubles.map(({ route, why }): Line => {
    const [kind, id = ""] = route.split(":")
    const place = kind === "person" ? mention(id) : channel(id)
    const meaning = meanings.find(([word]) => word.test(why))?.[1] ?? "Slack does not take it"
    return [say("Not shown "), ...sentence`${kind === "person" ? "to " : "in "}${place}: ${meaning}`]
  })
  return firstLines(lines, maxTroubles, { noun: "place", where: [say("which whoever runs Countersign was told of")] })
}

/** What a summary of so many waiting cases is for. */
export function summaryHead(waiting: number): Line {
  if (waiting === 0) return [bold("Nothing waits on this summary any more.")]
  return [
    bold(`${waitWords(waiting)} for a decision.`),
    say(" The oldest comes first. Review them one by one here, or wait: each gets its own card."),
  ]
}

/** What became of other cases of a summary. */
export function summaryFoot({ ended, moved }: { readonly ended: number; readonly moved: number }): readonly Line[] {
  const parts = [
    ...(ended === 0 ? [] : [`${ended} decided`]),
    ...(moved === 0 ? [] : [`${moved} moved to ${moved === 1 ? "its own card" : "their own cards"}`]),
  ]
  return parts.length === 0 ? [] : [[say(parts.join(" · "))]]
}

/** How many cases a summary had no room for. */
export function leftOutLine(left: number): Line {
  return [say(`and ${counted(left, "more case")}`)]
}

/** The review of a summary is over. `shown`: whether it showed any case. */
export function reviewedLine(shown: boolean): Line {
  const nothing = shown ? "Nothing more" : "Nothing"
  return [say(`${nothing} on this summary waits for you. Other cases may wait on cards of their own.`)]
}

/** How many cases a Home leaves out, since they wait for others. */
export function othersLine(others: number, command: string): Line {
  return sentence`${waitWords(others)} for other people: ${code(`${command} list`)} shows all`
}

/** How much of a search is repeated, in UTF-16 units. */
const searchUnits = 200

/** The head of what a search found. */
export function foundLine(asked: string): Line {
  return sentence`${bold("Found for ")}${code(createTextFitter().word(asked, searchUnits))}`
}

/** Where people find everything that matches their search. */
export function allFoundLine(command: string): Line {
  const [list, history] = [code(`${command} list`), code(`${command} history`)]
  return sentence`${list} and ${history} with the same words show all that is found`
}

/** When a Home was drawn. */
export function asOfLine(at: number): Line {
  return [bold("As of "), moment(at)]
}
