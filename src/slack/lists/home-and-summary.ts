// Many cases at once: the summary of a channel whose cases wait for cards, and a person's Home. Nobody decides here
// (R4).
import type { HomeView, KnownBlock, PlainTextInput } from "@slack/types"
import { plain } from "../../blockkit/text.ts"
import type { CardModel } from "../../domain/case/card-model.ts"
import { type Home, homePageSize, type Listing } from "../../flow/ports/inbound.ts"
import type { SummaryModel } from "../../flow/ports.ts"
import { actionIds, viewIds } from "../ids.ts"
import { fitting, fittingLines } from "../lines/fit-lines.ts"
import { maskModel } from "../lines/masking.ts"
import { bold, code, grey, type Line, mrkdwn, rich, say, sentence } from "../lines/spans.ts"
import { createTextFitter } from "../lines/text-fitter.ts"
import { absenceLine } from "../text/absence-words.ts"
import { buttonWords } from "../text/button-words.ts"
import { headlineOf, riskWords, toolWords } from "../text/case/headline.ts"
import { statusWords } from "../text/case/status-words.ts"
import {
  allFoundLine,
  asOfLine,
  foundLine,
  leftOutLine,
  listLabels,
  nothingWords,
  othersLine,
  pageLines,
  summaryFoot,
  summaryHead,
} from "../text/list-words.ts"
import { absenceMessage, awayButton } from "../views/absence-form.ts"
import { writeReviewPoint } from "../views/button-values.ts"
import type { Message } from "../views/card.ts"
import { caseButton, detailsButton, pageButtons, plainButton } from "../views/case-buttons.ts"
import { markLines, pastLine, troubleBelow, waitingLine } from "./list-line.ts"
import { stopsAbove } from "./stop-messages.ts"

/** The summary: what waits, then what was decided while it was posted. Its `text` says only what matters most. */
export function summaryOf(model: SummaryModel): Message {
  const { waiting, ended } = model
  const head = summaryHead(waiting.length)
  const numbered = waiting.map((one, index): Line => [say(`${index + 1}. `), ...summaryLine(one)])
  const lines = fittingLines([...numbered, ...ended.map((one) => pastLine(maskModel(one).model))])
  const left = waiting.length + ended.length - lines.length
  const more: Line[] = left === 0 ? [] : [leftOutLine(left)]
  const review = waiting.length === 0 ? [] : [reviewButton(model)]
  const foot = summaryFoot({ ended: ended.length, moved: model.moved })
  // The button comes last: a phone opens a channel at the end of its newest message.
  const blocks: KnownBlock[] = [...[head, ...lines, ...more, ...foot].map((line) => rich(line)), ...review]
  return { text: fitting([head, ...numbered, ...more].map(mrkdwn)), blocks }
}

/** Only the headline, the risk and the state, so that it stays short on a phone; the review shows the rest. */
function summaryLine(truth: CardModel): Line {
  const fitter = createTextFitter()
  const { model } = maskModel(truth)
  const risk = riskWords(model)
  const state = model.status.kind === "open" ? [] : [say(` · ${statusWords(model, fitter).name}`)]
  return [...headlineOf(model, fitter), ...(risk === null ? [] : [say(" · "), bold(risk)]), ...state]
}

function reviewButton({ route, waiting }: SummaryModel): KnownBlock {
  const button = plainButton(actionIds.review, listLabels.reviewAll, writeReviewPoint({ route, at: null }))
  return { type: "actions", block_id: `review.${waiting.length}`, elements: [{ ...button, style: "primary" }] }
}

/** The case that a line is about: a summary's thread has lines of several cases. */
export function caseNameOf(model: CardModel): Line {
  return sentence`${headlineOf(maskModel(model).model, createTextFitter())} · ${code(model.caseId)}\n`
}

/** A Home shows this many absences: each takes two blocks. */
const absencesShown = 5

/** The Home of one person. Its lines are shortened, so Approve goes through Details (R4), Reject through its form. */
export function homeView(home: Home, command: string): HomeView {
  const { mine, page, waiting, requests, decided, found, at } = home
  const others = waiting - mine.total
  const blocks: KnownBlock[] = [
    ...stopsAbove(home.stops, command),
    ...searchBlocks(home, command),
    ...(home.absences ?? []).slice(0, absencesShown).flatMap((one) => absenceMessage([absenceLine(one)], one).blocks),
    ...(home.mayBeAway === true ? [awayButton()] : []),
    { type: "header", text: plain(listLabels.waiting) },
    ...orNothing(
      nothingWords.waitsForYou,
      shown(mine).flatMap((model, index) => waitingBlocks(model, index, at)),
    ),
    ...homePages(mine, page),
    ...(others > 0 ? [rich(othersLine(others, command))] : []),
    { type: "divider" },
    { type: "header", text: plain(listLabels.requests) },
    ...orNothing(
      nothingWords.requested,
      blocksToLookAt(requests, "request", (one) => openLine(one, at)),
    ),
    { type: "divider" },
    { type: "header", text: plain(listLabels.decided) },
    ...orNothing(nothingWords.decidedLately, blocksToLookAt(decided, "decided", pastLine)),
    ...markLines([...shown(mine), ...shown(requests), ...(found === null ? [] : shown(found.waiting))]).map((line) =>
      grey(line, "marks"),
    ),
    rich(asOfLine(at)),
  ]
  return { type: "home", callback_id: viewIds.home, blocks }
}

function orNothing(words: string, blocks: readonly KnownBlock[]): readonly KnownBlock[] {
  return blocks.length === 0 ? [rich([say(words)])] : blocks
}

function waitingBlocks(model: CardModel, index: number, at: number): KnownBlock[] {
  return [
    rich(openLine(model, at)),
    {
      type: "actions",
      block_id: `home${index}`,
      elements: [
        detailsButton(model, buttonWords.review, false),
        caseButton(model, actionIds.homeReject, buttonWords.reject),
      ],
    },
  ]
}

/** Cases with a button to the Details of each. */
function blocksToLookAt(listing: Listing, name: string, line: (model: CardModel) => Line): readonly KnownBlock[] {
  return shown(listing).flatMap((model, index): KnownBlock[] => [
    rich(line(model)),
    { type: "actions", block_id: `${name}${index}`, elements: [detailsButton(model, buttonWords.details, false)] },
  ])
}

/** A waiting case, and why it is not shown where it should be. */
function openLine(model: CardModel, at: number): Line {
  return [...waitingLine(model, at), ...troubleBelow(model)]
}

function homePages(listing: Listing, page: number): readonly KnownBlock[] {
  const pages = Math.ceil(listing.total / homePageSize)
  const elements = [...pageButtons(actionIds.homePage, { page, pages, valueOf: String })]
  const buttons: KnownBlock[] = elements.length === 0 ? [] : [{ type: "actions", block_id: "pages", elements }]
  return [...pageLines(page, listing, homePageSize).map((line) => rich(line)), ...buttons]
}

/** A search that finds one of the cases on this Home, or, if there are none, what one can search for. */
function searchHint({ mine, requests, decided }: Home): string {
  const [model] = [mine, requests, decided].flatMap(shown)
  const [tool] = toolWords(model?.summary.tool ?? "").split(" ")
  const [agent] = (model?.summary.agent ?? "").split(" ")
  const words = [...plainWord(tool), ...plainWord(agent?.toLowerCase()).map((name) => `agent:${name}`)]
  return words.length === 0 ? listLabels.searchHint : words.join(" ")
}

/** The word, if it is one that people can type. */
function plainWord(word: string | undefined): readonly string[] {
  return word !== undefined && /^[\p{L}\p{N}_-]{2,30}$/u.test(word) ? [word] : []
}

function searchBlocks(home: Home, command: string): readonly KnownBlock[] {
  const { found, at } = home
  const element: PlainTextInput = {
    type: "plain_text_input",
    action_id: actionIds.search,
    placeholder: plain(searchHint(home)),
    dispatch_action_config: { trigger_actions_on: ["on_enter_pressed"] },
  }
  const search = {
    type: "input",
    block_id: "search",
    dispatch_action: true,
    label: plain(listLabels.search),
  } as const
  const field: KnownBlock = { ...search, element }
  if (found === null) return [field]
  const clear = plainButton(`${actionIds.homePage}_clear`, listLabels.clearSearch, "1")
  return [
    field,
    rich(foundLine(found.asked)),
    ...orNothing(
      nothingWords.waitsLikeThat,
      blocksToLookAt(found.waiting, "found", (one) => openLine(one, at)),
    ),
    ...orNothing(nothingWords.decidedLikeThat, blocksToLookAt(found.decided, "past", pastLine)),
    ...(found.waiting.more || found.decided.more || found.waiting.total > found.waiting.models.length
      ? [rich(allFoundLine(command))]
      : []),
    { type: "actions", block_id: "clear", elements: [clear] },
    { type: "divider" },
  ]
}

function shown({ models }: Listing): readonly CardModel[] {
  return models.map((one) => maskModel(one).model)
}
