// One line about a case, as lists and Home show it: what is asked, cut to the width of a phone, and for how long it
// waits.
import { clip, visible } from "../../blockkit/text.ts"
import type { CardModel } from "../../domain/case/card-model.ts"
import { isRisky } from "../../domain/policy/look.ts"
import { bold, type Line, plainWords, quote, type Span, say, sentence } from "../lines/spans.ts"
import { createTextFitter } from "../lines/text-fitter.ts"
import { headlineOf, joinerAtEnd, subjectOf } from "../text/case/headline.ts"
import { endedLine, signed, statusWords } from "../text/case/status-words.ts"
import { ageWords, dueWords, onHoldMark, riskMark, troubleLines } from "../text/list-words.ts"

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
  const mark = isRisky(model.look) ? [bold(`${riskMark.sign} `)] : []
  const room = Math.max(leastUnits, lineUnits - plainWords(mark).length - facts.length)
  return [...mark, ...cutLine(subjectOf(model, createTextFitter()), room), say(facts)]
}

/** What `⚠` means, if it stands at one of these cases. */
export function markLines(models: readonly CardModel[]): readonly Line[] {
  return models.some(({ look }) => isRisky(look)) ? [[say(`${riskMark.sign} ${riskMark.means}`)]] : []
}

/** Why a case is not shown where it should be, in lines below its own line. */
export function troubleBelow(model: CardModel): Line {
  return troubleLines(model).flatMap((line) => sentence`\n${line}`)
}

/** One line about a settled case: what it was, its end, why it was rejected, if it is on hold. `model` is masked. */
export function pastLine(model: CardModel): Line {
  const fitter = createTextFitter()
  const { status } = model
  const kept = model.onHold === true ? [say(` · ${onHoldMark}`)] : []
  if (status.kind === "settled") return [...endedLine(model, status.outcome, fitter), ...reasonOf(model), ...kept]
  return sentence`${bold(`${signed(statusWords(model, fitter))}: `)}${headlineOf(model, fitter)}${kept}`
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

/** The beginning of a line. It ends at a word, or in a long value; a short value is left out rather than cut. */
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

/** The line without words at its end that lead on to what is left out. */
function withoutJoiner(line: Line): Line {
  const last = line.at(-1)
  if (last?.kind !== "text" || last.style !== undefined) return line
  const text = last.text.replace(joinerAtEnd, "")
  return text === "" ? withoutJoiner(line.slice(0, -1)) : [...line.slice(0, -1), { ...last, text }]
}

function cutText(text: string, units: number): string {
  const { text: kept, cut } = clip(visible(text), units)
  return cut === 0 ? kept : `${kept}…`
}
