// Details: all about a case in a modal, page by page: first what will run, then what a press does, who must agree, and
// the facts. The page that a person opens last has Approve (R4).
import type { KnownBlock, ModalView } from "@slack/types"
import { blockLimits } from "../../blockkit/limits.ts"
import { escapedLength, plain, preformatted, visible } from "../../blockkit/text.ts"
import { sentBytes } from "../../blockkit/totals.ts"
import type { CardModel } from "../../domain/case/card-model.ts"
import { isRejectable } from "../../domain/case/card-steps.ts"
import { approvalTakes } from "../../domain/content/inputs.ts"
import type { Details } from "../../flow/ports/inbound.ts"
import type { Answer, Change } from "../../flow/ports/reply.ts"
import type { PageSize, ReopenedView } from "../../flow/ports.ts"
import { actionIds, viewIds } from "../ids.ts"
import { firstLines, fittingCount } from "../lines/fit-lines.ts"
import { maskModel, revealModel } from "../lines/masking.ts"
import { bold, type Line, rich, say, section, stack, strong } from "../lines/spans.ts"
import { counted, createTextFitter, oneLine } from "../lines/text-fitter.ts"
import { choiceLines, ruleLines } from "../text/case/agreement-words.ts"
import { factLines, isTeamUnknown, relatedLines } from "../text/case/case-facts.ts"
import { headlineOf, toolWords } from "../text/case/headline.ts"
import { limitLinesInDetails } from "../text/case/limit-words.ts"
import { riskWords, signed, statusWords, voteLines } from "../text/case/status-words.ts"
import { alertBlock, answerBlock } from "./alert-block.ts"
import { type ReviewPoint, targetOf, type ViewNote, writeNote, writeReviewPoint } from "./button-values.ts"
import { buttonOn, detailsButton, pageButtons, plainButton, voteButton } from "./case-buttons.ts"
import { changeBlocks, movedBlocks } from "./change-rows.ts"
import { type Box, detailsPagesOf, requestBoxes } from "./details-pages.ts"
import { newsLinesInDetails } from "./news-lines.ts"

const primary = { style: "primary" } as const
/** The command `why` names all of them, a page at a time, with who decides under each rule. */
const maxRules = 40
const maxLimits = 40
/** How much one part of the words takes on the wire at most, in bytes. */
const partBytes = 30_000

/** Why the pages that were opened before no longer count. */
export type Anew = "changed" | "smaller"

const anewWords: Readonly<Record<Anew, string>> = {
  changed: "This has changed since you opened it. Please open all pages again.",
  smaller: "Slack does not take pages of this size. They are smaller now; please open all of them again.",
}

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
    ...navigation(page, pages.length),
    ...linesBlocks(choiceLines(details)),
    ...voteBlocks(details, { read: seen >= pages.length, open: revealed || whole === 0 }),
    ...sideBlocks(details, masked > 0 && !revealed),
    ...(page === 1 ? [...linesBlocks(agreeingLines(model)), ...linesBlocks(factLines(model, createTextFitter()))] : []),
    ...(walk === undefined ? [] : reviewBlocks({ route: walk.route, at: model.caseId }, walk.left)),
    codesBlock(model),
  ]
  const walking = walk === undefined ? {} : { walk }
  const note = writeNote({ target: targetOf(model), verb: null, place, ...walking })
  return modal({ callback: viewIds.details, title: titleOf(model), blocks, note })
}

/** The tool in quotation marks, so that nobody takes it for words of ours; else a word that always fits. */
function titleOf({ summary }: CardModel): string {
  const title = `“${oneLine(visible(toolWords(summary.tool)))}”`
  return summary.calls === 1 && escapedLength(title) <= blockLimits.viewTitle && !/[“”]/.test(title.slice(1, -1))
    ? title
    : "Approval"
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
  return { type: "modal", callback_id: callback, title: plain(title), close: plain("Close"), blocks, ...metadata }
}

/** The title of a modal that says one thing, and the review that it leads on to. */
export interface ToldOptions {
  readonly title?: "Approval" | "Receipt" | "How to Approve"
  readonly walk?: ReviewPoint | undefined
}

/** A modal that says one thing: that something is on its way, or how it ended. */
export function toldView(line: Line, options: ToldOptions = {}): ModalView {
  return saying(rich(line), options)
}

/** A modal that answers somebody. Not for an ack: there we do not learn whether Slack took it. */
export function answerView(answer: Answer, options: ToldOptions = {}): ModalView {
  return saying(answerBlock(answer), options)
}

function saying(block: KnownBlock, { title = "Approval", walk }: ToldOptions): ModalView {
  const next = walk === undefined ? [] : reviewBlocks(walk, null)
  return modal({ callback: viewIds.told, title, blocks: [block, ...next] })
}

/** The button to the next case of a summary. `left`: how many wait after this one; null if we do not know. */
function reviewBlocks(point: ReviewPoint, left: number | null): KnownBlock[] {
  if (left === 0) return [rich([say("This is the last one of the summary.")])]
  const next = plainButton(actionIds.next, "Next Case", writeReviewPoint(point))
  const button = left === null ? { ...next, ...primary } : next
  const more = left === null ? [] : [rich([say(`${counted(left, "more case")} of the summary after this one.`)])]
  return [...more, { type: "actions", elements: [button] }]
}

/** What to know before one reads on: how the case stands unless it just waits, its risk, and what is new. */
function noticeLines(model: CardModel): readonly Line[] {
  const { sign, name, lines } = statusWords(model, createTextFitter())
  const risk = riskWords(model)
  return [
    ...(sign === "" ? [] : [[bold(signed({ sign, name }))]]),
    ...(risk === null ? [] : [[bold(risk)]]),
    ...lines,
    ...relatedLines(model),
    ...newsLinesInDetails(model),
  ]
}

/** Who must agree, and who has voted. */
function agreeingLines(model: CardModel): readonly Line[] {
  const fitter = createTextFitter()
  const where = [say("named by the command why")]
  const rules = firstLines(ruleLines(model, fitter), maxRules, { noun: "rule", where })
  const limits = firstLines(limitLinesInDetails(model), maxLimits, { noun: "limit", where })
  return [...limits, ...rules, ...voteLines(model, fitter)]
}

/** As many lines as fit, in one block; none for no lines. */
function linesBlocks(lines: readonly Line[]): KnownBlock[] {
  if (lines.length === 0) return []
  const sizes = lines.map((line) => sentBytes(section(line)))
  const where = [say("told in the thread, or by the command why")]
  return [rich(stack(firstLines(lines, fittingCount(sizes, partBytes), { noun: "line", where })))]
}

function boxBlock({ label, text }: Box): KnownBlock {
  const words = label.length === 0 ? [] : [section(label)]
  return { type: "rich_text", elements: [...words, ...(text === null ? [] : preformatted(text).elements)] }
}

/** What only the operator needs; it stands last. */
function codesBlock(model: CardModel): KnownBlock {
  const run = model.approval === null ? "" : ` · Run ${model.approval.runId}`
  const marks = [
    `Digest ${model.digest}`,
    `Revision ${model.revision} · Case ${model.caseId}`,
    `Approval ${model.approvalId}${run}`,
    ...(isTeamUnknown(model) ? ["Not known: whether the agent works in a team or a workflow"] : []),
  ]
  return { type: "context", elements: marks.map((mark) => plain(createTextFitter().word(mark, 500))) }
}

function navigation(page: number, pages: number): KnownBlock[] {
  if (pages === 1) return []
  const buttons = pageButtons(actionIds.page, { page, pages, valueOf: String })
  const elements = buttons.map((button) => (button.value === String(page + 1) ? { ...button, ...primary } : button))
  return [rich([say(`Page ${page} of ${pages}`)]), { type: "actions", elements }]
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

const unreadNote = rich([say("Open every page to approve this.")])
const maskedNote = rich([say("A mask hides more than one value here: reveal what is masked to approve this.")])

/** What else the person may do: call back their request, take back their vote, reveal what is masked. */
function sideBlocks({ model, reject, callBack, own }: Details, masked: boolean): KnownBlock[] {
  const open = isRejectable(model.status)
  const mayWithdraw = (open || model.status.kind === "held") && own !== null
  const mayReveal = open && masked && reject.ok
  const elements = [
    ...(open && callBack === true ? [buttonOn(model, actionIds.callBack, "Call Back…")] : []),
    ...(mayWithdraw ? [buttonOn(model, actionIds.withdraw, "Withdraw My Vote")] : []),
    ...(mayReveal ? [buttonOn(model, actionIds.reveal, "Reveal Masked Values")] : []),
  ]
  if (elements.length === 0) return []
  const said = mayReveal ? [rich([say("Revealing is recorded in the ledger and with your vote.")])] : []
  return [...said, { type: "actions", elements }]
}

/** The modal after somebody acted on content that has changed. Its button opens the new content. */
export function changedView({ before, now }: Change): ModalView {
  const { model } = maskModel(now)
  const blocks: KnownBlock[] = [
    rich(headlineOf(model, createTextFitter())),
    ...movedBlocks({ before, now }),
    { type: "actions", elements: [detailsButton(model, "Review", true)] },
  ]
  return modal({ callback: viewIds.told, title: "Approval", blocks })
}

/** The first page of Details, below the answer. The person has to open the other pages again (R4). */
export function detailsAgainView(answer: Answer, again: ReopenedView): ModalView {
  const above = answer.kind === "changed" && answer.change !== null ? movedBlocks(answer.change) : [answerBlock(answer)]
  return detailsView({ ...again, page: 1, seen: 0, revealed: false, anew: null, above })
}
