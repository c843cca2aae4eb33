// Details: all about a case in a modal, page by page: first what will run, then what a press does, who must agree, and
// the facts. The page that a person opens last has Approve (R4).
import type { KnownBlock, ModalView } from "@slack/types"
import { plain, preformatted } from "../../blockkit/text.ts"
import { sentBytes } from "../../blockkit/totals.ts"
import type { CardModel } from "../../domain/case/card-model.ts"
import { isRejectable } from "../../domain/case/card-steps.ts"
import { approvalTakes } from "../../domain/content/inputs.ts"
import type { Details } from "../../flow/ports/inbound.ts"
import type { Answer, Change } from "../../flow/ports/reply.ts"
import type { PageSize, ReopenedView } from "../../flow/ports.ts"
import { actionIds, viewIds } from "../ids.ts"
import { fittingCount } from "../lines/fit-lines.ts"
import { maskModel, revealModel } from "../lines/masking.ts"
import { bold, type Line, rich, say, section, stack, strong } from "../lines/spans.ts"
import { createTextFitter } from "../lines/text-fitter.ts"
import { buttonWords } from "../text/button-words.ts"
import { choiceLines } from "../text/case/agreement-words.ts"
import { factLines, relatedLines } from "../text/case/case-facts.ts"
import { glassLines } from "../text/case/glass-words.ts"
import { headlineOf, riskWords } from "../text/case/headline.ts"
import { newsLinesInDetails } from "../text/case/news-words.ts"
import { signed, statusWords } from "../text/case/status-words.ts"
import {
  agreeingLines,
  anApproval,
  anewWords,
  beforeWords,
  codeLines,
  detailsTitle,
  firstOfPart,
  pageWords,
  reviewWords,
} from "../text/details-words.ts"
import { counterproposalLinesInDetails, untoldLinesInDetails } from "../text/send-back/counterproposal-words.ts"
import { alertBlock, answerBlock } from "./alert-block.ts"
import { type ReviewPoint, targetOf, type ViewNote, writeNote, writeReviewPoint } from "./button-values.ts"
import { buttonOn, detailsButton, pageButtons, plainButton, voteButton } from "./case-buttons.ts"
import { changeBlocks, movedBlocks } from "./change-rows.ts"
import { type Box, detailsPagesOf, questionBoxes, requestBoxes } from "./details-pages.ts"

const primary = { style: "primary" } as const
/** How much one part of the words takes on the wire at most, in bytes. */
const partBytes = 30_000

/** Why the pages that were opened before no longer count. */
export type Anew = keyof typeof anewWords

interface DetailsOptions {
  readonly details: Details
  readonly page: number
  readonly seen: number
  readonly place: ViewNote["place"]
  /** True: the person asked for masked values, so they are shown. */
  readonly revealed: boolean
  readonly pageSize: PageSize
  /** Set if there were earlier pages that no longer count. */
  readonly anew: Anew | null
  /** What stands above everything else. */
  readonly above?: readonly KnownBlock[]
  /** Set during the review of a summary. */
  readonly walk?: ViewNote["walk"]
}

/** The modal at one page, counted from 1. `seen`: how many pages were opened before, from the first. */
export function detailsView(options: DetailsOptions): ModalView {
  const { place, revealed, pageSize, anew, above = [], walk } = options
  const { model: hidden, masked, whole } = maskModel(options.details.model)
  const model = revealed ? revealModel(options.details.model) : hidden
  const details = { ...options.details, model }
  const pages = detailsPagesOf(model, pageSize)
  const page = Math.min(Math.max(1, options.page), Math.min(pages.length, options.seen + 1))
  const seen = Math.min(pages.length, Math.max(options.seen, page))
  const blocks: KnownBlock[] = [
    ...above,
    rich(strong(headlineOf(model, createTextFitter()))),
    ...(anew === null ? [] : [alertBlock([say(anewWords[anew])], "warning")]),
    ...(page === 1 && above.length === 0 ? changeBlocks(model, options.details.model, revealed) : []),
    ...(page === 1 ? linesBlocks(noticeLines(model)) : []),
    ...(pages[page - 1] ?? []).map(boxBlock),
    ...(page === 1 ? requestBoxes(details.request, revealed ? [] : model.look.mask).map(boxBlock) : []),
    ...(page === 1 ? questionBoxes(details.questions, pageSize).map(boxBlock) : []),
    ...navigation(page, pages.length),
    ...linesBlocks(choiceLines(details)),
    ...voteBlocks(details, { read: seen >= pages.length, open: revealed || whole === 0 }),
    ...sideBlocks(details, {
      masked: masked > 0 && !revealed,
      seen: seen >= pages.length && (revealed || whole === 0),
    }),
    ...(page === 1 ? [...linesBlocks(agreeingLines(model)), ...linesBlocks(factLines(model, createTextFitter()))] : []),
    ...(walk === undefined ? [] : reviewBlocks({ route: walk.route, at: model.caseId }, walk.left)),
    codesBlock(model),
  ]
  const walking = walk === undefined ? {} : { walk }
  const note = writeNote({ target: targetOf(model), verb: null, place, ...walking })
  return modal({ callback: viewIds.details, title: detailsTitle(model), blocks, note })
}

/** A modal of ours; we built everything that it shows. */
export function modal(options: {
  readonly callback: string
  readonly title: string
  readonly blocks: KnownBlock[]
  readonly note?: string
}): ModalView {
  const { callback, title, blocks, note } = options
  const metadata = note === undefined ? {} : { private_metadata: note }
  return {
    type: "modal",
    callback_id: callback,
    title: plain(title),
    close: plain(buttonWords.close),
    blocks,
    ...metadata,
  }
}

/** The title of a modal that says one thing, and the review that it leads on to. */
export interface ToldOptions {
  readonly title?: string
  readonly walk?: ReviewPoint | undefined
}

/** A modal that says one thing: that something is on its way, or how it ended. */
export function toldView(line: Line, options: ToldOptions = {}): ModalView {
  return saying(rich(line), options)
}

/** A modal that answers somebody. Not for an ack: after an ack we do not learn whether Slack accepted the modal. */
export function answerView(answer: Answer, options: ToldOptions = {}): ModalView {
  return saying(answerBlock(answer), options)
}

function saying(block: KnownBlock, { title = anApproval, walk }: ToldOptions): ModalView {
  const next = walk === undefined ? [] : reviewBlocks(walk, null)
  return modal({ callback: viewIds.told, title, blocks: [block, ...next] })
}

/** The button to the next case of a summary. `left`: how many wait after this one; null if we do not know. */
function reviewBlocks(point: ReviewPoint, left: number | null): KnownBlock[] {
  const said = left === null ? [] : [rich([say(reviewWords(left))])]
  if (left === 0) return said
  const next = plainButton(actionIds.next, buttonWords.nextCase, writeReviewPoint(point))
  return [...said, { type: "actions", elements: [left === null ? { ...next, ...primary } : next] }]
}

/** What to know before one reads on: how the case stands unless it just waits, its risk, and what is new. */
function noticeLines(model: CardModel): readonly Line[] {
  const { sign, name, lines } = statusWords(model, createTextFitter())
  const risk = riskWords(model)
  return [
    ...(sign === "" ? [] : [[bold(signed({ sign, name }))]]),
    ...(risk === null ? [] : [[bold(risk)]]),
    ...lines,
    ...untoldLinesInDetails(model),
    ...glassLines(model, createTextFitter()),
    ...relatedLines(model),
    ...counterproposalLinesInDetails(model),
    ...newsLinesInDetails(model),
  ]
}

/** As many lines as fit, in one block; none for no lines. */
function linesBlocks(lines: readonly Line[]): KnownBlock[] {
  if (lines.length === 0) return []
  const sizes = lines.map((line) => sentBytes(section(line)))
  return [rich(stack(firstOfPart(lines, fittingCount(sizes, partBytes))))]
}

function boxBlock({ label, text }: Box): KnownBlock {
  const words = label.length === 0 ? [] : [section(label)]
  return { type: "rich_text", elements: [...words, ...(text === null ? [] : preformatted(text).elements)] }
}

/** What only the operator needs; it stands last. */
function codesBlock(model: CardModel): KnownBlock {
  return { type: "context", elements: codeLines(model).map((mark) => plain(createTextFitter().word(mark, 500))) }
}

function navigation(page: number, pages: number): KnownBlock[] {
  if (pages === 1) return []
  const buttons = pageButtons(actionIds.page, { page, pages, valueOf: String })
  const elements = buttons.map((button) => (button.value === String(page + 1) ? { ...button, ...primary } : button))
  return [rich([say(pageWords(page, pages))]), { type: "actions", elements }]
}

/**
 * Approve and Reject, or what the person has to do before Approve: `read` the pages, `open` the wide masks. A person
 * who approved can do so again only with other values.
 */
function voteBlocks(
  { model, approve, reject, own }: Details,
  { read, open }: { readonly read: boolean; readonly open: boolean },
): KnownBlock[] {
  const { approval, status } = model
  const again = own === "approve" && approval !== null && approvalTakes(approval) === "press"
  const mayApprove = status.kind === "open" && approve.ok && !again
  const mayReject = isRejectable(status) && reject.ok
  const elements = [
    ...(mayApprove && read && open ? [voteButton(model, "approve")] : []),
    ...(mayReject ? [voteButton(model, "reject")] : []),
  ]
  const wait = mayApprove ? [...(open ? [] : [maskedNote]), ...(read ? [] : [unreadNote])] : []
  return elements.length === 0 ? wait : [...wait, { type: "actions", elements }]
}

const unreadNote = rich([say(beforeWords.read)])
const maskedNote = rich([say(beforeWords.reveal)])

/**
 * What else the person may do: call back their request, take back their vote, reveal what is `masked`, stop the agent;
 * and break the glass once they have `seen` everything (R4).
 */
function sideBlocks(
  { model, reject, callBack, own, glass, stopWords, mayAsk }: Details,
  { masked, seen }: { readonly masked: boolean; readonly seen: boolean },
): KnownBlock[] {
  const open = isRejectable(model.status)
  const mayWithdraw = (open || model.status.kind === "held") && own !== null
  const mayBreak = model.status.kind === "open" && glass === true && seen
  const mayReveal = open && masked && reject.ok
  const elements = [
    ...(open && callBack === true ? [buttonOn(model, actionIds.callBack, buttonWords.callBack)] : []),
    ...(open && mayAsk === true ? [buttonOn(model, actionIds.ask, buttonWords.ask)] : []),
    ...(open && reject.ok && callBack !== true ? [buttonOn(model, actionIds.sendBack, buttonWords.sendBack)] : []),
    ...(mayWithdraw ? [buttonOn(model, actionIds.withdraw, buttonWords.withdraw)] : []),
    ...(mayBreak ? [buttonOn(model, actionIds.breakGlass, buttonWords.breakGlass)] : []),
    ...(mayReveal ? [buttonOn(model, actionIds.reveal, buttonWords.reveal)] : []),
    ...(stopWords === undefined ? [] : [buttonOn(model, actionIds.stopAgent, buttonWords.stopAgent)]),
  ]
  if (elements.length === 0) return []
  const said = mayReveal ? [rich([say(beforeWords.revealing)])] : []
  return [...said, { type: "actions", elements }]
}

/** The modal in place of one that is not ours, or names nothing. */
export function replacedView(): ModalView {
  return answerView({ kind: "replaced" })
}

/** The modal after somebody acted on content that has changed. Its button opens the new content. */
export function changedView({ before, now }: Change): ModalView {
  const { model } = maskModel(now)
  const blocks: KnownBlock[] = [
    rich(headlineOf(model, createTextFitter())),
    ...movedBlocks({ before, now }),
    { type: "actions", elements: [detailsButton(model, buttonWords.review, true)] },
  ]
  return modal({ callback: viewIds.told, title: anApproval, blocks })
}

/** The first page of Details, below the answer. The person has to open the other pages again (R4). */
export function detailsAgainView(answer: Answer, again: ReopenedView): ModalView {
  const above = answer.kind === "changed" && answer.change !== null ? movedBlocks(answer.change) : [answerBlock(answer)]
  return detailsView({ ...again, page: 1, seen: 0, revealed: false, anew: null, above })
}
