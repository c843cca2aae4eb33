// The words that only Details say: titles, how to read on, what changed, what started the run, and what an operator
// needs.
import { blockLimits } from "../../blockkit/limits.ts"
import { escapedLength, visible } from "../../blockkit/text.ts"
import type { CardModel } from "../../domain/case/card-model.ts"
import type { RunRequest } from "../../flow/ports/inbound.ts"
import { firstLines } from "../lines/fit-lines.ts"
import { bold, type Line, say } from "../lines/spans.ts"
import { counted, createTextFitter, type FittedLines, oneLine } from "../lines/text-fitter.ts"
import { ruleLines } from "./case/agreement-words.ts"
import { isTeamUnknown } from "./case/case-facts.ts"
import { toolWords } from "./case/headline.ts"
import { limitLinesInDetails } from "./case/limit-words.ts"
import { voteLines } from "./case/vote-words.ts"

/** The title of a modal that does not name its case. */
export const anApproval = "Approval"

/** The tool in quotation marks, so that nobody takes it for words of ours; else a word that always fits. */
export function detailsTitle({ summary }: CardModel): string {
  const title = `“${oneLine(visible(toolWords(summary.tool)))}”`
  return summary.calls === 1 && escapedLength(title) <= blockLimits.viewTitle && !/[“”]/.test(title.slice(1, -1))
    ? title
    : anApproval
}

/** Why the pages that were opened before no longer count. */
export const anewWords = {
  changed: "This has changed since you opened it. Please open all pages again.",
  smaller: "Slack does not take pages of this size. They are smaller now; please open all of them again.",
} as const

/** Where a reader is among the pages. */
export function pageWords(page: number, pages: number): string {
  return `Page ${page} of ${pages}`
}

/** Which part of a long text a box holds. */
export function partWords(part: number, parts: number): string {
  return `part ${part} of ${parts}`
}

/** What is left to do before somebody may approve, and what revealing leads to. */
export const beforeWords = {
  read: "Open every page to approve this.",
  reveal: "A mask hides more than one value here: reveal what is masked to approve this.",
  revealing: "Revealing is recorded in the ledger and with your vote.",
} as const

/** How many cases of a summary come after this one. */
export function reviewWords(left: number): string {
  return left === 0
    ? "This is the last one of the summary."
    : `${counted(left, "more case")} of the summary after this one.`
}

/** The command `why` names all of them, a page at a time, with who decides under each rule. */
const maxRules = 40
const maxLimits = 40

/** Who must agree, and who has voted. */
export function agreeingLines(model: CardModel): readonly Line[] {
  const fitter = createTextFitter()
  const where = [say("named by the command why")]
  const rules = firstLines(ruleLines(model, fitter), maxRules, { noun: "rule", where })
  const limits = firstLines(limitLinesInDetails(model), maxLimits, { noun: "limit", where })
  return [...limits, ...rules, ...voteLines(model, fitter)]
}

/** The first lines of a part; thread and command have the others. */
export function firstOfPart(lines: readonly Line[], max: number): readonly Line[] {
  return firstLines(lines, max, { noun: "line", where: [say("told in the thread, or by the command why")] })
}

/** What only the operator needs. */
export function codeLines(model: CardModel): readonly string[] {
  const run = model.approval === null ? "" : ` · Run ${model.approval.runId}`
  return [
    `Digest ${model.digest}`,
    `Revision ${model.revision} · Case ${model.caseId}`,
    `Approval ${model.approvalId}${run}`,
    ...(isTeamUnknown(model) ? ["Not known: whether the agent works in a team or a workflow"] : []),
  ]
}

/** What stands above the request that started the run. `text`: what is shown of it; null for nothing. */
export function requestLabel(request: RunRequest, text: FittedLines | null): Line {
  const label = [bold("The request that started the run"), say(" · not part of what is approved")]
  if (request.kind === "unread") return [...label, say(unreadWords[request.why])]
  if (text === null) return [...label, say(": it is empty")]
  return text.left === null ? label : [...label, say(` · ${text.left} left out`)]
}

const unreadWords = {
  "not-allowed": ": not quoted, since Countersign's credential may not read sessions there (scope sessions:read)",
  "unknown-run": ": not quoted, since the platform does not show the run that began it",
  unreachable: ": not quoted, since the platform did not answer",
} as const

/** What is said about the content of a case that changed. */
export const changeWords = {
  moved: "This has changed since you opened it. Your press was not counted. Please look at it again.",
  onlyIds: "Only ids that the platform keeps beside it are different.",
  masked: "A masked value is different, too.",
} as const

/** Counts the differences that are not shown, and says where they are. */
export function differencesLeft(count: number, where: keyof typeof differencesWhere): string {
  return `and ${counted(count, "more difference")}${differencesWhere[where]}`
}

const differencesWhere = { below: ": all of it is below as it is now", review: ", all of it behind Review." } as const

/** A part as it was or is: its name, and what it holds. `value`: as it is shown; undefined if the part is not there. */
export function changedPart(when: keyof typeof times, name: string, value: string | undefined): string {
  const head = `${times[when]} · ${name}`
  // If there is no value, our own words stand on the first line.
  if (value === undefined) return `${head}: not there`
  return value === "" ? `${head}: empty` : `${head}\n${value}`
}

const times = { before: "Before", now: "Now" } as const
