// Stops as people see them: the answer to whoever stopped, the list of what is stopped, and what heads other lists.
import type { KnownBlock } from "@slack/types"
import type { Stop, StopOutcome } from "../../flow/ports.ts"
import { actionIds } from "../ids.ts"
import { fitting } from "../lines/fit-lines.ts"
import { bold, type Line, mrkdwn, rich, say } from "../lines/spans.ts"
import { createTextFitter } from "../lines/text-fitter.ts"
import { moreStopsLine, noticeLine, orderLabels, stopLine, stopOutcomeLines, stopsHead } from "../text/order-words.ts"
import type { Message } from "../views/card.ts"
import { plainButton } from "../views/case-buttons.ts"

/** How many stops a list shows. */
const maxListed = 20
/** How many stand above other lists, and on a Home. */
const maxAbove = 3

/** The answer to whoever stopped, with a button to take it back. */
export function stopOutcomeBlocks(outcome: StopOutcome, command: string): KnownBlock[] {
  const lines = stopOutcomeLines(outcome, command).map((line) => rich(line))
  return "stop" in outcome ? [...lines, ownButtons(outcome)] : lines
}

/** The same as a message. */
export function stopOutcomeMessage(outcome: StopOutcome, command: string): Message {
  const text = fitting(stopOutcomeLines(outcome, command).map(mrkdwn))
  return { text, blocks: stopOutcomeBlocks(outcome, command) }
}

/** The message that tells a route of a stop. */
export function stopNotice(stop: Stop, command: string): Message {
  const lines = [stopLine(stop, createTextFitter()), noticeLine(command)]
  return { text: fitting(lines.map(mrkdwn)), blocks: lines.map((line) => rich(line)) }
}

/** What is stopped, oldest first, each with a button to its end. */
export function stopsMessage(stops: readonly Stop[], command: string): Message {
  const head: Line = [bold(stopsHead(stops.length))]
  const listed = stops.slice(0, maxListed)
  const more = stops.length - listed.length
  const rest = more === 0 ? [] : [moreStopsLine(more, command)]
  const fitter = createTextFitter()
  const text = fitting([head, ...listed.map((stop) => stopLine(stop, fitter)), ...rest].map(mrkdwn))
  const blocks = [rich(head), ...listed.flatMap(stopBlocks), ...rest.map((line) => rich(line))]
  return { text, blocks }
}

/** The stops above another list or on a Home; nothing if there are none. */
export function stopsAbove(stops: readonly Stop[] | undefined, command: string): readonly KnownBlock[] {
  if (stops === undefined || stops.length === 0) return []
  const more = stops.length - maxAbove
  const rest = more <= 0 ? [] : [rich(moreStopsLine(more, command))]
  return [...stops.slice(0, maxAbove).flatMap(stopBlocks), ...rest, { type: "divider" }]
}

function stopBlocks(stop: Stop): readonly KnownBlock[] {
  return [rich(stopLine(stop, createTextFitter())), endButton(stop)]
}

/** Whoever stopped can reject what waits, and end the stop. An older stop is somebody else's to clear. */
function ownButtons({ kind, stop }: Extract<StopOutcome, { stop: Stop }>): KnownBlock {
  const reject = plainButton(actionIds.rejectWaiting, orderLabels.reject, stop.id)
  const end = plainButton(actionIds.endStop, orderLabels.end, stop.id)
  return { type: "actions", block_id: `stop.${stop.id}`, elements: kind === "again" ? [end] : [reject, end] }
}

function endButton({ id }: Stop): KnownBlock {
  const button = plainButton(actionIds.endStop, orderLabels.end, id)
  return { type: "actions", block_id: `stop.${id}`, elements: [button] }
}

/** A list that begins with what is stopped. */
export function underStops(stops: readonly Stop[], list: Message, command: string): Message {
  if (stops.length === 0) return list
  const head = [say(stopsHead(stops.length))]
  return { text: fitting([mrkdwn(head), list.text]), blocks: [...stopsAbove(stops, command), ...list.blocks] }
}
