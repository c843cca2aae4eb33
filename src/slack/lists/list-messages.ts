// The list of what waits and the history, as ephemeral messages.
import type { KnownBlock } from "@slack/types"
import type { CardModel } from "../../domain/case/card-model.ts"
import type { Listing } from "../../flow/ports/inbound.ts"
import { actionIds } from "../ids.ts"
import { fitting } from "../lines/fit-lines.ts"
import { maskModel } from "../lines/masking.ts"
import { bold, type Line, mrkdwn, rich, say } from "../lines/spans.ts"
import { buttonWords } from "../text/button-words.ts"
import { meantLine } from "../text/command-words.ts"
import {
  furtherLines,
  listLabels,
  nothingWords,
  pageLines,
  pastHead,
  waitingHead,
  whichHead,
} from "../text/list-words.ts"
import type { Message } from "../views/card.ts"
import { detailsButton, pageButtons, plainButton } from "../views/case-buttons.ts"
import { words } from "../views/words.ts"
import { markLines, pastLine, troubleBelow, waitingLine } from "./list-line.ts"

/** How many approvals one page of the list shows. */
export const pageSize = 5
/** A button's value holds 2,000 characters; if a query is longer than this, it gets no buttons. */
const queryUnits = 1_900

/** The words that a person typed after a command, and when (epoch ms). `meant`: a known word like one of them. */
export interface TypedWords {
  readonly words: readonly string[]
  readonly at: number
  readonly meant?: string | null
}

/** True for a word that is the number of a page. */
export function isPageNumber(word: string): boolean {
  return /^[1-9]\d{0,2}$/.test(word)
}

/** One page of the list, counted from 1, with buttons to the pages beside it. */
export function listMessage(listing: Listing, page: number, asked: TypedWords): Message {
  const overdue = asked.words.some((word) => word.toLowerCase() === "overdue")
  const nothing = overdue ? "overdue" : isNarrowed(asked) ? "waitsLikeThat" : "waits"
  if (listing.total === 0 && listing.next === undefined) return nothingMessage(nothing, asked)
  return openPage(listing, page, asked, waitingHead(listing))
}

/** True if some of the words leave cases out. */
function isNarrowed(asked: TypedWords): boolean {
  return asked.words.some((word) => !/^(?:all|mine)$/i.test(word) && !isPageNumber(word))
}

function nothingMessage(nothing: keyof typeof nothingWords, { meant }: TypedWords): Message {
  return words([say(nothingWords[nothing]), ...(meant == null ? [] : meantLine(meant))])
}

/** Which case the person may mean, if they gave no id. Each case has a button to its Details. */
export function whichMessage(listing: Listing, page: number, { at }: TypedWords): Message {
  const head = whichHead(listing)
  return listing.total === 0 ? words([say(head)]) : openPage(listing, page, { words: [], at }, head)
}

function openPage(listing: Listing, page: number, asked: TypedWords, head: string): Message {
  const line = (model: CardModel): Line => [...waitingLine(model, asked.at), ...troubleBelow(model)]
  return paged(listing, { page, kind: "list", asked: asked.words, head, line })
}

/** One page of the settled cases. */
export function historyMessage(listing: Listing, page: number, asked: TypedWords): Message {
  const nothing = isNarrowed(asked) ? "decidedToSeeLikeThat" : "decidedToSee"
  if (listing.total === 0 && listing.next === undefined) return nothingMessage(nothing, asked)
  return paged(listing, { page, kind: "history", asked: asked.words, head: pastHead(listing), line: pastLine })
}

function paged(
  listing: Listing,
  options: {
    readonly page: number
    readonly kind: "list" | "history"
    readonly asked: readonly string[]
    readonly head: string
    readonly line: (model: CardModel) => Line
  },
): Message {
  const { page, kind, asked, line } = options
  const head: Line = [bold(options.head)]
  const models = listing.models.map((one) => maskModel(one).model)
  const items = models.flatMap((model, index): KnownBlock[] => [
    rich(line(model)),
    { type: "actions", block_id: `item${index}`, elements: [detailsButton(model, buttonWords.details, false)] },
  ])
  const query = [kind, ...asked.filter((word) => !isPageNumber(word))].join(" ")
  const pages = pageLines(page, listing, pageSize)
  const notes = [...(kind === "list" ? markLines(models) : []), ...furtherLines(listing, kind)]
  const text = fitting([head, ...models.map(line), ...pages, ...notes].map(mrkdwn))
  const turns = [...pages.map((one) => rich(one)), ...turnBlocks(page, listing, query)]
  const blocks = [rich(head), ...items, ...turns, ...notes.map((one) => rich(one))]
  return { text, blocks: [...blocks, ...furtherBlocks(listing, [kind, ...asked].join(" "))] }
}

function furtherBlocks({ next }: Listing, query: string): KnownBlock[] {
  if (next === undefined || query.length > queryUnits) return []
  const words = query.split(" ").filter((word) => !isPageNumber(word) && !/^after:\d+$/i.test(word))
  const value = [...words, `after:${next.after}`].join(" ")
  const button = plainButton(`${actionIds.list}_further`, listLabels.further, value)
  return [{ type: "actions", block_id: "further", elements: [button] }]
}

function turnBlocks(page: number, { total }: Listing, query: string): KnownBlock[] {
  const pages = Math.ceil(total / pageSize)
  if (query.length > queryUnits && pages > 1) return [rich([say(listLabels.typePage)])]
  const elements = [...pageButtons(actionIds.list, { page, pages, valueOf: (to) => `${query} ${to}` })]
  return elements.length === 0 ? [] : [{ type: "actions", block_id: "pages", elements }]
}
