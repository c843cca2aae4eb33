// The summary: one message for many cases that wait for cards of their own. It names them; nothing is decided on it (R4).
import type { KnownBlock } from "@slack/types"
import { plain } from "../../blockkit/text.ts"
import type { Face } from "../../domain/face.ts"
import type { SummaryFace } from "../../flow/ports.ts"
import { ACTIONS } from "../ids.ts"
import { fitting, fittingLines } from "../text/fit-lines.ts"
import { counted, headlineOf } from "../text/headline.ts"
import { maskFace } from "../text/masking.ts"
import { bold, type Line, mrkdwn, rich, say } from "../text/spans.ts"
import { statusWords } from "../text/status-words.ts"
import { createLens } from "../text/text-fitter.ts"
import { writeWalk } from "./button-values.ts"
import { type Message, riskWords } from "./card.ts"
import { itemLine, pastLine } from "./list-messages.ts"

/** The summary of a face: what waits first, then what was decided while it hung there. Its `text` carries the point alone. */
export function summaryOf(face: SummaryFace): Message {
  const { waiting, ended } = face
  const head = headOf(face)
  const numbered = waiting.map((one, index): Line => [say(`${index + 1}. `), ...waitingLine(one)])
  const lines = fittingLines([...numbered, ...ended.map((one) => pastLine(maskFace(one).face))])
  const left = waiting.length + ended.length - lines.length
  const more: Line[] = left === 0 ? [] : [[say(`and ${counted(left, "more case")}`)]]
  const review = waiting.length === 0 ? [] : [reviewButton(face)]
  // The button stands last: on a phone a channel opens at the end of its newest message.
  const blocks: KnownBlock[] = [...[head, ...lines, ...more, ...footOf(face)].map((line) => rich(line)), ...review]
  return { text: fitting([head, ...numbered, ...more].map(mrkdwn)), blocks }
}

function headOf({ waiting }: SummaryFace): Line {
  if (waiting.length === 0) return [bold("Nothing waits on this summary any more.")]
  const wait = waiting.length === 1 ? "waits" : "wait"
  return [
    bold(`${counted(waiting.length, "approval")} ${wait} for a decision.`),
    say(" Review them one by one here, or wait: each gets its own card."),
  ]
}

/** Only what is asked, so that it stays short on a phone; the review shows the rest. */
function waitingLine(truth: Face): Line {
  const lens = createLens()
  const { face } = maskFace(truth)
  const risk = riskWords(face)
  const state = face.status.kind === "open" ? [] : [say(` · ${statusWords(face, lens).name}`)]
  return [...headlineOf(face, lens), ...(risk === null ? [] : [say(" · "), bold(risk)]), ...state]
}

function reviewButton({ route, waiting }: SummaryFace): KnownBlock {
  const text = plain("Review One by One")
  const value = writeWalk({ route, at: null })
  const elements = [{ type: "button" as const, action_id: ACTIONS.review, text, value, style: "primary" as const }]
  return { type: "actions", block_id: `review.${waiting.length}`, elements }
}

function footOf({ ended, moved }: SummaryFace): readonly Line[] {
  const parts = [
    ...(ended.length === 0 ? [] : [`${ended.length} decided`]),
    ...(moved === 0 ? [] : [`${moved} on ${moved === 1 ? "its own card" : "their own cards"}`]),
  ]
  return parts.length === 0 ? [] : [[say(parts.join(" · "))]]
}

/** What stands before a line of a case in a summary's thread, where lines of several cases stand. */
export function nameOf(face: Face): Line {
  return [...itemLine(maskFace(face).face), say("\n")]
}
