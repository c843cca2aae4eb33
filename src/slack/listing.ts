// The list of what waits, and the help, as ephemeral messages.
import type { KnownBlock } from "@slack/types"
import { plain } from "../blockkit/text.ts"
import type { Face } from "../domain/face.ts"
import type { Listing } from "../flow/inbound.ts"
import { detailsButton, type Message } from "./card.ts"
import { headlineOf } from "./headline.ts"
import { ACTIONS } from "./ids.ts"
import { createLens } from "./lens.ts"
import { maskFace } from "./masking.ts"
import { bold, code, type Line, moment, mrkdwn, rich, say, stack } from "./spans.ts"
import { statusWords } from "./status.ts"

/** Approvals on one page of the list. */
export const PAGE_SIZE = 5
const FALLBACK_UNITS = 3_800

/** One page of the list, from 1, with a Details button each and buttons to the neighbouring pages. */
export function listMessage(listing: Listing, page: number): Message {
  if (listing.total === 0) return words([say("Nothing waits for a decision.")])
  const pages = Math.max(1, Math.ceil(listing.total / PAGE_SIZE))
  const head: Line = [bold(`${listing.total} waiting`), say(` · page ${page} of ${pages}`)]
  const lines = [head, ...listing.faces.map(itemLine)]
  const items = listing.faces.flatMap((face, index): KnownBlock[] => [
    rich(itemLine(face)),
    { type: "actions", block_id: `item${index}`, elements: [detailsButton(face, "Details", false)] },
  ])
  return { text: fitting(lines.map(mrkdwn)), blocks: [rich(head), ...items, ...pageButtons(page, pages)] }
}

/** What the command understands. */
export function helpMessage(command: string): Message {
  return words(
    stack([
      [
        code(`${command} list`),
        say(" shows what waits for a decision; "),
        code(`${command} list 2`),
        say(" its second page"),
      ],
      [code(`${command} show ID`), say(" shows everything about one approval, and lets you decide it")],
      [code(`${command} help`), say(" shows this")],
    ]),
  )
}

/** An ephemeral message that says one thing. */
export function words(line: Line): Message {
  return { text: mrkdwn(line), blocks: [rich(line)] }
}

/** As many whole lines as the top-level text may hold. */
function fitting(lines: readonly string[]): string {
  return lines.reduce((text, line) => (text.length + line.length < FALLBACK_UNITS ? `${text}\n${line}` : text))
}

function itemLine(truth: Face): Line {
  const lens = createLens()
  const { face } = maskFace(truth)
  const state = face.status.kind === "open" ? [] : [say(` · ${statusWords(face, lens).name}`)]
  const since: Line = [say(" · since "), moment(face.summary.createdAt ?? face.openedAt)]
  return [...headlineOf(face, lens), ...since, ...state, say(" · "), code(face.caseId)]
}

function pageButtons(page: number, pages: number): KnownBlock[] {
  const button = (label: string, to: number) => ({
    type: "button" as const,
    action_id: `${ACTIONS.list}_${label.toLowerCase()}`,
    text: plain(label),
    value: String(to),
  })
  const elements = [
    ...(page > 1 ? [button("Previous", page - 1)] : []),
    ...(page < pages ? [button("Next", page + 1)] : []),
  ]
  return elements.length === 0 ? [] : [{ type: "actions", block_id: "pages", elements }]
}
