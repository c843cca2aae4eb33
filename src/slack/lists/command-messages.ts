// What the command answers besides lists, as ephemeral messages: help, an unknown word, a count, and who may decide.
import type { ModalView } from "@slack/types"
import { isRejectable } from "../../domain/case/card-steps.ts"
import type { Listing, Why } from "../../flow/ports/inbound.ts"
import { actionIds, viewIds } from "../ids.ts"
import { fitting, partsOf } from "../lines/fit-lines.ts"
import { maskModel } from "../lines/masking.ts"
import { bold, code, type Line, mrkdwn, rich, say, stack } from "../lines/spans.ts"
import { createTextFitter } from "../lines/text-fitter.ts"
import { judgementWords } from "../text/answer-words.ts"
import { whoDecidesLines } from "../text/case/agreement-words.ts"
import { breakersLine } from "../text/case/glass-words.ts"
import { headlineOf } from "../text/case/headline.ts"
import { limitLinesInDetails } from "../text/case/limit-words.ts"
import { lockedOutLine } from "../text/case/proposal-words.ts"
import { type StatusWords, signed, statusWords } from "../text/case/status-words.ts"
import { moreHelpLabel, moreWhyLine, othersToAskLine, unknownLine, usageLines } from "../text/command-words.ts"
import { guideParts, guideTitle } from "../text/guide-words.ts"
import { countLine } from "../text/list-words.ts"
import type { Message } from "../views/card.ts"
import { plainButton } from "../views/case-buttons.ts"
import { modal } from "../views/details.ts"
import { words } from "../views/words.ts"

/** How much text of limits and rules one page of who may decide holds. The asker's own judgement is on each page. */
const whyUnits = 6_000

/** Help in five lines. Its buttons lead to more: to all words, and to the guide for people who are asked. */
export function helpMessage(command: string): Message {
  const line = stack(usageLines("few", command))
  const more = plainButton(`${actionIds.list}_more`, moreHelpLabel, "help more")
  const guide = plainButton(actionIds.guide, guideTitle, "")
  return { text: mrkdwn(line), blocks: [rich(line), { type: "actions", block_id: "help", elements: [guide, more] }] }
}

/** The guide. It says the same as `docs/approving.md`, without pictures. */
export function guideView(): ModalView {
  const blocks = guideParts.map(({ title, lines }) =>
    rich(stack([[bold(title)], ...lines.map((line) => [say("• "), ...marked(line)])])),
  )
  return modal({ callback: viewIds.told, title: guideTitle, blocks })
}

/** Words between backquotes are what somebody types. */
function marked(line: string): Line {
  return line.split("`").map((part, at) => (at % 2 === 1 ? code(part) : say(part)))
}

/** Every word of the command, and every filter. */
export function fullHelpMessage(command: string): Message {
  return words(stack(usageLines("all", command)))
}

/** Says which word we do not know, and which one may be meant; then help. */
export function unknownMessage(command: string, word: string, guess: string): Message {
  const said = words(unknownLine(command, word, guess))
  const help = helpMessage(command)
  return { text: `${said.text}\n${help.text}`, blocks: [...said.blocks, ...help.blocks] }
}

/** How many cases wait, and how many of them for the person. If `mine` is null: how many were decided. */
export function countMessage(all: Listing, mine: Listing | null): Message {
  return words(countLine(all, mine))
}

/**
 * Who may decide, and why the person may or may not: one page, counted from 1, of as many limits and rules as fit.
 * `others`: how many more cases wait, if the person named none.
 */
export function whyMessage(told: Why, page: number, command: string, others = 0): Message {
  const { details, rules, glass } = told
  const { model } = maskModel(details.model)
  const who = [...rules.flatMap(whoDecidesLines), ...(glass === undefined ? [] : [breakersLine(glass)])]
  const pages = partsOf([...limitLinesInDetails(model), ...who], whyUnits)
  const at = Math.min(Math.max(1, page), pages.length)
  const status = statusWords(model, createTextFitter())
  const barred = barredLines(told, status)
  const approve = barred.length > 0 ? [] : [judgementWords("approve", details.approve)]
  const may = isRejectable(model.status) ? [...approve, judgementWords("reject", details.reject)] : []
  const more = at === pages.length ? [] : [moreWhyLine(command, model.caseId, at + 1)]
  const left = others <= 0 ? [] : [othersToAskLine(others, command)]
  const head: Line = [bold(`${signed(status)}: `), ...headlineOf(model, createTextFitter())]
  return linesMessage([head, ...barred, ...(pages[at - 1] ?? []), ...may, ...more, ...left])
}

/** Why nobody may approve a case that people can still reject; none if somebody may. */
function barredLines({ details: { model }, lockedOut }: Why, { lines }: StatusWords): readonly Line[] {
  const { kind } = model.status
  if (kind === "stopped" || kind === "unapprovable" || kind === "run-over") return lines
  return lockedOut === undefined ? [] : [lockedOutLine(lockedOut)]
}

function linesMessage(lines: readonly Line[]): Message {
  return { text: fitting(lines.map(mrkdwn)), blocks: lines.map((line) => rich(line)) }
}
