// One line about a case, as lists and Home show it: what is asked, cut to the width of a phone, and for how long it
// waits.
import { clip, visible } from "../../blockkit/text.ts"
import type { CardModel } from "../../domain/case/card-model.ts"
import { isRisky } from "../../domain/policy/look.ts"
import { earlierOf, isDue } from "../../domain/policy/timing.ts"
import { firstLines } from "../lines/fit-lines.ts"
import { bold, channel, type Line, mention, plainWords, quote, type Span, say, sentence } from "../lines/spans.ts"
import { createTextFitter } from "../lines/text-fitter.ts"
import { headlineOf, subjectOf } from "../text/case/headline.ts"
import { endedLine, signed, statusWords } from "../text/case/status-words.ts"

/** A line of a phone holds about so many characters. */
const lineUnits = 46
/** However much else a line says, so many characters of what is asked stay. */
const leastUnits = 24
/** How much of a reason a line quotes. */
const reasonUnits = 80
/** A shorter value is shown whole, or not at all: the beginning of a number is another number. */
const leastToCut = 20

/** What is asked, and for how long: one line of a phone. `model` is masked; `at`: now, epoch ms. */
export function waitingLine(model: CardModel, at: number): Line {
  const facts = plainWords([...waitingFacts(model, at)])
  const mark = isRisky(model.look) ? [bold("⚠ ")] : []
  const room = Math.max(leastUnits, lineUnits - plainWords(mark).length - facts.length)
  return [...mark, ...cutLine(subjectOf(model, createTextFitter()), room), say(facts)]
}

/** What `⚠` means, if it stands at one of these cases. */
export function markLines(models: readonly CardModel[]): readonly Line[] {
  return models.some(({ look }) => isRisky(look)) ? [[say("⚠ High risk, or cannot be undone")]] : []
}

/** Why a case is not shown where it should be, in lines below its own line. */
export function troubleBelow(model: CardModel): Line {
  return troubleLines(model).flatMap((line) => sentence`\n${line}`)
}

/** One line about a settled case: what it was, how it ended, and why it was rejected. `model` is masked. */
export function pastLine(model: CardModel): Line {
  const fitter = createTextFitter()
  const { status } = model
  if (status.kind === "settled") return [...endedLine(model, status.outcome, fitter), ...reasonOf(model)]
  return sentence`${bold(`${signed(statusWords(model, fitter))}: `)}${headlineOf(model, fitter)}`
}

/** The first reason that a rejection gives, or its beginning. */
function reasonOf({ status, votes }: CardModel): Line {
  const ours = status.kind === "settled" && status.outcome.kind === "ours" && status.outcome.verb === "reject"
  const reason = votes.find((vote) => vote.verb === "reject" && vote.reason !== null)?.reason ?? null
  return !ours || reason === null ? [] : sentence` · ${quote(cutText(reason.replace(/\s+/g, " "), reasonUnits))}`
}

function waitingFacts(model: CardModel, at: number): Line {
  const { status, summary, openedAt } = model
  const state = status.kind === "open" ? [] : [statusWords(model, createTextFitter()).name]
  const facts = [ageWords(at - (summary.createdAt ?? openedAt)), ...dueWords(model, at), ...state]
  return facts.map((fact) => say(` · ${fact}`))
}

/** For how long: "now" (below a minute), "5 min", "3 h" or "2 d". Short, so that what is asked has room. */
function ageWords(ms: number): string {
  const minutes = Math.max(0, Math.floor(ms / 60_000))
  if (minutes < 1) return "now"
  if (minutes < 60) return `${minutes} min`
  const hours = Math.floor(minutes / 60)
  return hours < 48 ? `${hours} h` : `${Math.floor(hours / 24)} d`
}

/** Why the case is due, if it is. */
function dueWords({ time, approval, status }: CardModel, at: number): readonly string[] {
  if (status.kind !== "open" && status.kind !== "unapprovable") return []
  const end = earlierOf(time.decideBy, approval?.expiresAt ?? null)
  if (end !== null && isDue(end, at)) return [end <= at ? "time is up" : `${Math.ceil((end - at) / 60_000)} min left`]
  return time.escalatedAt === null ? [] : ["escalated"]
}

/** The beginning of a line, which ends at a word; of a value only as much as tells something. */
function cutLine(line: Line, units: number): Line {
  if (plainWords(line).length <= units) return line
  let left = units - 1
  const kept: Span[] = []
  for (const span of line) {
    if (span.kind !== "text") continue
    const { text, cut } = clip(visible(span.text), left)
    left -= text.length
    if (cut === 0) kept.push(span)
    else if (span.style === undefined) kept.push({ ...span, text: wholeWords(text) })
    else if (span.text.length > leastToCut) kept.push({ ...span, text })
    if (cut > 0) break
  }
  return [...withoutJoiner(kept), say("…")]
}

function wholeWords(text: string): string {
  const end = text.lastIndexOf(" ")
  return end < 0 ? "" : text.slice(0, end)
}

/** Without a word at its end that joins what is left out. */
function withoutJoiner(line: Line): Line {
  const last = line.at(-1)
  if (last?.kind !== "text" || last.style !== undefined) return line
  const text = last.text.replace(/[\s,]*(?:\b(?:with|and)\b)?(?: (?:\d+|many)(?: more)?)?\s*$/, "")
  return text === "" ? withoutJoiner(line.slice(0, -1)) : [...line.slice(0, -1), { ...last, text }]
}

function cutText(text: string, units: number): string {
  const { text: kept, cut } = clip(visible(text), units)
  return cut === 0 ? kept : `${kept}…`
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
