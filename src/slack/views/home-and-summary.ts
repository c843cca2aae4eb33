// Many cases at once: the summary of a channel that waits for cards, and a person's Home. Nothing is decided here (R4).
import type { HomeView, KnownBlock } from "@slack/types"
import { plain } from "../../blockkit/text.ts"
import type { CardModel } from "../../domain/case/card-model.ts"
import type { Home, Listing } from "../../flow/ports/inbound.ts"
import type { SummaryModel } from "../../flow/ports.ts"
import { actionIds, viewIds } from "../ids.ts"
import { fitting, fittingLines } from "../text/fit-lines.ts"
import { counted, headlineOf } from "../text/headline.ts"
import { maskModel } from "../text/masking.ts"
import { bold, code, type Line, moment, mrkdwn, rich, say } from "../text/spans.ts"
import { statusWords } from "../text/status-words.ts"
import { createTextFitter } from "../text/text-fitter.ts"
import { writeReviewPoint } from "./button-values.ts"
import { type Message, riskWords } from "./card.ts"
import { caseButton, detailsButton, plainButton } from "./case-buttons.ts"
import { itemLine, pastLine } from "./list-messages.ts"

/** The summary card: what waits, then what was decided while it hung there. Its `text` carries the point alone. */
export function summaryOf(model: SummaryModel): Message {
  const { waiting, ended } = model
  const head = headOf(model)
  const numbered = waiting.map((one, index): Line => [say(`${index + 1}. `), ...waitingLine(one)])
  const lines = fittingLines([...numbered, ...ended.map((one) => pastLine(maskModel(one).model))])
  const left = waiting.length + ended.length - lines.length
  const more: Line[] = left === 0 ? [] : [[say(`and ${counted(left, "more case")}`)]]
  const review = waiting.length === 0 ? [] : [reviewButton(model)]
  // The button stands last: on a phone a channel opens at the end of its newest message.
  const blocks: KnownBlock[] = [...[head, ...lines, ...more, ...footOf(model)].map((line) => rich(line)), ...review]
  return { text: fitting([head, ...numbered, ...more].map(mrkdwn)), blocks }
}

function headOf({ waiting }: SummaryModel): Line {
  if (waiting.length === 0) return [bold("Nothing waits on this summary any more.")]
  const wait = waiting.length === 1 ? "waits" : "wait"
  return [
    bold(`${counted(waiting.length, "approval")} ${wait} for a decision.`),
    say(" Review them one by one here, or wait: each gets its own card."),
  ]
}

/** Only what is asked, so that it stays short on a phone; the review shows the rest. */
function waitingLine(truth: CardModel): Line {
  const fitter = createTextFitter()
  const { model } = maskModel(truth)
  const risk = riskWords(model)
  const state = model.status.kind === "open" ? [] : [say(` · ${statusWords(model, fitter).name}`)]
  return [...headlineOf(model, fitter), ...(risk === null ? [] : [say(" · "), bold(risk)]), ...state]
}

function reviewButton({ route, waiting }: SummaryModel): KnownBlock {
  const button = plainButton(actionIds.review, "Review One by One", writeReviewPoint({ route, at: null }))
  return { type: "actions", block_id: `review.${waiting.length}`, elements: [{ ...button, style: "primary" }] }
}

function footOf({ ended, moved }: SummaryModel): readonly Line[] {
  const parts = [
    ...(ended.length === 0 ? [] : [`${ended.length} decided`]),
    ...(moved === 0 ? [] : [`${moved} on ${moved === 1 ? "its own card" : "their own cards"}`]),
  ]
  return parts.length === 0 ? [] : [[say(parts.join(" · "))]]
}

/** What stands before a line of a case in a summary's thread, where lines of several cases stand. */
export function nameOf(model: CardModel): Line {
  return [...itemLine(maskModel(model).model), say("\n")]
}

/** The Home of one person. Its lines are folded, so Approve goes through Details (R4) and Reject through its form. */
export function homeView({ mine, waiting, decided, at }: Home, command: string): HomeView {
  const more = waiting - mine.faces.length
  const rest: Line = [say(`${counted(more, "more approval")} to be seen with `), code(`${command} list`)]
  const blocks: KnownBlock[] = [
    { type: "header", text: plain("Waiting for you") },
    ...(mine.faces.length === 0 ? [rich([say("Nothing waits for you.")])] : shown(mine).flatMap(waitingBlocks)),
    ...(more > 0 ? [rich(rest)] : []),
    { type: "divider" },
    { type: "header", text: plain("Decided by you lately") },
    ...(decided.faces.length === 0
      ? [rich([say("Nothing yet.")])]
      : shown(decided).map((model) => rich(pastLine(model)))),
    rich([bold("As of "), moment(at)]),
  ]
  return { type: "home", callback_id: viewIds.home, blocks }
}

function waitingBlocks(model: CardModel, index: number): KnownBlock[] {
  return [
    rich(itemLine(model)),
    {
      type: "actions",
      block_id: `home${index}`,
      elements: [detailsButton(model, "Review", index === 0), caseButton(model, actionIds.homeReject, "Reject")],
    },
  ]
}

function shown({ faces }: Listing): readonly CardModel[] {
  return faces.map((one) => maskModel(one).model)
}
