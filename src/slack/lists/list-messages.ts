// The list of what waits, the history, who may decide, as ephemeral messages.
import type { KnownBlock } from "@slack/types"
import type { CardModel } from "../../domain/case/card-model.ts"
import { isRejectable } from "../../domain/case/card-steps.ts"
import type { Listing, Why } from "../../flow/ports/inbound.ts"
import { actionIds } from "../ids.ts"
import { fitting, partsOf } from "../lines/fit-lines.ts"
import { maskModel } from "../lines/masking.ts"
import { bold, code, type Line, listed, mention, moment, mrkdwn, rich, say, sentence } from "../lines/spans.ts"
import { counted, createTextFitter } from "../lines/text-fitter.ts"
import { judgementWords } from "../text/answer-words.ts"
import { conditionWords } from "../text/case/condition-words.ts"
import { headlineOf } from "../text/case/headline.ts"
import { limitLinesInDetails } from "../text/case/limit-words.ts"
import { signed, statusWords } from "../text/case/status-words.ts"
import type { Message } from "../views/card.ts"
import { detailsButton, pageButtons, plainButton } from "../views/case-buttons.ts"
import { words } from "../views/words.ts"
import { markLines, pastLine, troubleBelow, waitingLine } from "./list-line.ts"

/** How many approvals one page of the list shows. */
export const pageSize = 5
/** How many approvers of a rule stand in one line of an answer. */
const approversALine = 20
/** A button's value holds 2,000 characters; if a query is longer than this, it gets no buttons. */
const queryUnits = 1_900
const ruleUnits = 80
/** How much text of limits and rules one page of who may decide holds. The asker's own judgement is on each page. */
const whyUnits = 6_000

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
  const nothing = overdue
    ? "Nothing is overdue."
    : isNarrowed(asked)
      ? "Nothing like that waits."
      : "Nothing waits for a decision."
  if (listing.total === 0 && listing.next === undefined) return words([say(nothing), ...meantWords(asked)])
  return openPage(listing, page, asked, `${totalOf(listing)} waiting`)
}

/** True if some of the words leave cases out. */
function isNarrowed(asked: TypedWords): boolean {
  return asked.words.some((word) => !/^(?:all|mine)$/i.test(word) && !isPageNumber(word))
}

function meantWords({ meant }: TypedWords): Line {
  return meant == null ? [] : sentence` Did you mean ${code(meant)}?`
}

/** Which case the person may mean, if they gave no id. Each case has a button to its Details. */
export function whichMessage(listing: Listing, page: number, { at }: TypedWords): Message {
  if (listing.total === 0) return words([say("Which one? Nothing waits for a decision that you may see.")])
  return openPage(listing, page, { words: [], at }, `Which one? ${totalOf(listing)} waiting`)
}

function openPage(listing: Listing, page: number, asked: TypedWords, head: string): Message {
  const line = (model: CardModel): Line => [...waitingLine(model, asked.at), ...troubleBelow(model)]
  return paged(listing, { page, kind: "list", asked: asked.words, head: `${head}, the most urgent first`, line })
}

/** One page of the settled cases. */
export function historyMessage(listing: Listing, page: number, asked: TypedWords): Message {
  if (listing.total === 0 && listing.next === undefined) {
    const nothing = `Nothing ${isNarrowed(asked) ? "like that " : ""}was decided that you may see here.`
    return words([say(nothing), ...meantWords(asked)])
  }
  const head = `${totalOf(listing)} decided, latest first`
  return paged(listing, { page, kind: "history", asked: asked.words, head, line: pastLine })
}

/** How many cases wait, and how many of them for the person. If `mine` is null: how many were decided. */
export function countMessage(all: Listing, mine: Listing | null): Message {
  if (mine === null) return words([bold(`${totalOf(all)} decided`), say(" that you may see.")])
  return words([bold(`${totalOf(all)} waiting`), say(`, ${totalOf(mine)} of them for you.`)])
}

/**
 * Who may decide, and why the person may or may not: one page, counted from 1, of as many limits and rules as fit.
 * `others`: how many more cases wait, if the person named none.
 */
export function whyMessage({ details, rules }: Why, page: number, command: string, others = 0): Message {
  const { model } = maskModel(details.model)
  const pages = partsOf([...limitLinesInDetails(model), ...rules.flatMap(whyRuleLines)], whyUnits)
  const at = Math.min(Math.max(1, page), pages.length)
  const name = signed(statusWords(model, createTextFitter()))
  const may: readonly Line[] = isRejectable(model.status)
    ? [judgementWords("approve", details.approve), judgementWords("reject", details.reject)]
    : []
  const next = code(`${command} why ${model.caseId} ${at + 1}`)
  const more: readonly Line[] =
    at === pages.length ? [] : [sentence`There are more limits, rules or approvers: ${next} shows the next.`]
  const head: Line = [bold(`${name}: `), ...headlineOf(model, createTextFitter())]
  return linesMessage([head, ...(pages[at - 1] ?? []), ...may, ...more, ...othersLine(others, command)])
}

function othersLine(others: number, command: string): readonly Line[] {
  if (others <= 0) return []
  const wait = `${counted(others, "other approval")} ${others === 1 ? "waits" : "wait"}`
  return [sentence`${wait}. ${code(`${command} list`)} shows them; Details of each say who may decide it.`]
}

/** Who may decide under a rule, at most `approversALine` people on each line. */
function whyRuleLines({ name, quorum, users, more, when }: Why["rules"][number]): readonly Line[] {
  const rule: Line = [say("Rule "), code(createTextFitter().word(name, ruleUnits))]
  const needed = `: ${counted(quorum, "approval")} needed of `
  const why = when === undefined ? [] : conditionWords(when, "details")
  if (users.length + more === 0) return [sentence`${rule}${needed}nobody at the moment${why}`]
  return Array.from({ length: Math.ceil(users.length / approversALine) }, (_, index): Line => {
    const some = users.slice(index * approversALine, (index + 1) * approversALine)
    const first = index === 0
    return sentence`${rule}${first ? needed : ", also of "}${listed(some.map(mention))}${first ? why : []}`
  }).concat(more === 0 ? [] : [sentence`${rule}: it lists ${counted(more, "more approver")}`])
}

function linesMessage(lines: readonly Line[]): Message {
  return { text: fitting(lines.map(mrkdwn)), blocks: lines.map((line) => rich(line)) }
}

function totalOf({ total, more }: Listing): string {
  return more ? `${total} or more` : String(total)
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
    { type: "actions", block_id: `item${index}`, elements: [detailsButton(model, "Details", false)] },
  ])
  const query = [kind, ...asked.filter((word) => !isPageNumber(word))].join(" ")
  const pages = pageLines(page, listing, pageSize)
  const notes = [...(kind === "list" ? markLines(models) : []), ...furtherLines(listing, kind)]
  const text = fitting([head, ...models.map(line), ...pages, ...notes].map(mrkdwn))
  const turns = [...pages.map((one) => rich(one)), ...turnBlocks(page, listing, query)]
  const blocks = [rich(head), ...items, ...turns, ...notes.map((one) => rich(one))]
  return { text, blocks: [...blocks, ...furtherBlocks(listing, [kind, ...asked].join(" "))] }
}

/** Which page this is; nothing if there is only one. */
export function pageLines(page: number, { total, more }: Listing, size: number): readonly Line[] {
  const pages = Math.ceil(total / size)
  return pages <= 1 ? [] : [[say(`Page ${page} of ${pages}${more ? " or more" : ""}`)]]
}

/** How far this looked, if one answer does not go through all cases. */
function furtherLines({ next, total }: Listing, kind: "list" | "history"): readonly Line[] {
  if (next === undefined) return []
  const found = total === 0 ? "Nothing like that is" : "These are"
  const { after, back } = next
  return kind === "list"
    ? [sentence`${found} among the ${after} that were asked first, until ${moment(back)}.`]
    : [sentence`${found} among the newest ${after} that were looked through, back to ${moment(back)}.`]
}

function furtherBlocks({ next }: Listing, query: string): KnownBlock[] {
  if (next === undefined || query.length > queryUnits) return []
  const words = query.split(" ").filter((word) => !isPageNumber(word) && !/^after:\d+$/i.test(word))
  const value = [...words, `after:${next.after}`].join(" ")
  const button = plainButton(`${actionIds.list}_further`, "Look Further", value)
  return [{ type: "actions", block_id: "further", elements: [button] }]
}

function turnBlocks(page: number, { total }: Listing, query: string): KnownBlock[] {
  const pages = Math.ceil(total / pageSize)
  if (query.length > queryUnits && pages > 1)
    return [rich([say("Type the command again with the number of a page to see the others.")])]
  const elements = [...pageButtons(actionIds.list, { page, pages, valueOf: (to) => `${query} ${to}` })]
  return elements.length === 0 ? [] : [{ type: "actions", block_id: "pages", elements }]
}
