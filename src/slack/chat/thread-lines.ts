// Lines: what happened to a case, as messages in its card's thread, one line for each thing.
import type { KnownBlock } from "@slack/types"
import { preformatted } from "../../blockkit/text.ts"
import type { CardModel } from "../../domain/case/card-model.ts"
import type { CaseEvent } from "../../domain/case/event.ts"
import type { RunAnswer } from "../../flow/ports.ts"
import { fittingCount, maxTextUnits } from "../lines/fit-lines.ts"
import { quoted } from "../lines/masking.ts"
import { type Line, mrkdwn, points, rich, say, shortened, stack } from "../lines/spans.ts"
import { originThreadLine } from "../text/card-words.ts"
import { answerLabel } from "../text/case/run-words.ts"
import { cardLink, factsOf, unshowableLine } from "../text/event-words.ts"
import type { Message } from "../views/card.ts"

/** How much one message holds. Each time that Slack finds it too long, the next one holds less; at last one line. */
const messageSizes = [
  { units: maxTextUnits, lines: Number.POSITIVE_INFINITY },
  { units: 1_900, lines: Number.POSITIVE_INFINITY },
  { units: 600, lines: 1 },
] as const

/** What is shown around lines, and how often Slack found their message too long. */
export interface AboutLines {
  readonly card?: string | null
  /** Shown before each line if it would not be clear which case the line is about. */
  readonly name?: Line
  /** Agent and action. If the lines ask people, this comes first, so a notification begins with what matters. */
  readonly headline?: Line
  readonly shorter?: number
  /** What the run answered, shown below the line that tells its end. */
  readonly answer?: RunAnswer
}

/** A message, and how many events it tells of. */
export interface LinesMessage extends Message {
  readonly told: number
}

/**
 * One message of the first events, a line for each fact. It holds as many as fit, at least one; if a single line is too
 * long, it is cut. Text of others is literal and bounded, and the message counts what was cut. If nothing fits, it says
 * that a line is missing.
 */
export function linesOf(events: readonly CaseEvent[], about: AboutLines = {}): LinesMessage {
  const { card = null, name = [], headline = [], shorter = 0 } = about
  const room = messageSizes[shorter]
  if (room === undefined) return { ...messageOf([unshowableLine]), told: 1 }
  const to: Line = card === null ? [] : [say(" · "), cardLink(card)]
  const head = shortened(headline, room.units / 2)
  const units = room.units - mrkdwn([...head, ...to]).length - 2
  const facts = factsOf(events).slice(0, room.lines)
  const lines = facts.map(({ line }) => shortened([...name, ...line], units))
  const sizes = lines.map((line) => mrkdwn(line).length + 1)
  const shown = lines.slice(0, Math.max(1, fittingCount(sizes, units)))
  const words = shown.map((line, at) => (at === shown.length - 1 ? [...line, ...to] : line))
  const told = facts.slice(0, shown.length).reduce((sum, fact) => sum + fact.told, 0)
  const message = messageOf(words, events.slice(0, told).some(isAsking) ? head : [])
  const isEnd = events.slice(0, told).some(({ kind }) => kind === "run-ended")
  return { ...message, blocks: [...message.blocks, ...(isEnd ? answerBlocks(about) : [])], told }
}

/** How much of an answer is shown. Each time that Slack finds the message too long, we show less. */
const answerSizes = [2_400, 600, 100] as const
const answerLines = 40

/** What a run answered, in a literal box under words of ours. */
function answerBlocks({ answer, shorter = 0 }: AboutLines): readonly KnownBlock[] {
  if (answer === undefined) return []
  if (answer.kind === "unread") return [rich(answerLabel("unread"))]
  const text = quoted(answer.content, answer.mask, { units: answerSizes[shorter] ?? 0, lines: answerLines })
  return [rich(answerLabel(text)), ...(text === null ? [] : [preformatted(text.shown)])]
}

/** True while a shorter message can be tried. */
export function canBeShorter(shorter: number): boolean {
  return shorter < messageSizes.length
}

function messageOf(lines: readonly Line[], head: Line = []): Message {
  if (head.length === 0) return { text: mrkdwn(stack(lines)), blocks: [points(lines)] }
  return { text: mrkdwn(stack([head, ...lines])), blocks: [rich(head), points(lines)] }
}

/** True for an event that asks people to decide, and so notifies them. */
function isAsking({ kind }: CaseEvent): boolean {
  return ["opened", "revised", "raised", "reminded", "escalated", "renewed", "returned"].includes(kind)
}

/** The message for the thread in which a run began. `model` is masked. */
export function originMessage(model: CardModel): Message {
  return messageOf([originThreadLine(model)])
}
