// The list of what waits, and the help, as ephemeral messages.
import type { KnownBlock } from "@slack/types"
import type { CardModel } from "../../domain/case/card-model.ts"
import { isRejectable } from "../../domain/case/card-steps.ts"
import type { Listing, Why } from "../../flow/ports/inbound.ts"
import { actionIds } from "../ids.ts"
import { judgementWords } from "../text/answer-words.ts"
import { conditionWords } from "../text/condition-words.ts"
import { firstLines, fitting, partsOf } from "../text/fit-lines.ts"
import { counted, headlineOf } from "../text/headline.ts"
import { limitLinesInDetails } from "../text/limit-words.ts"
import { maskModel } from "../text/masking.ts"
import {
  bold,
  channel,
  code,
  type Line,
  listed,
  mention,
  moment,
  mrkdwn,
  rich,
  say,
  sentence,
  stack,
} from "../text/spans.ts"
import { endedLine, signed, statusWords } from "../text/status-words.ts"
import { createTextFitter } from "../text/text-fitter.ts"
import type { Message } from "./card.ts"
import { detailsButton, pageButtons, plainButton } from "./case-buttons.ts"

/** How many approvals one page of the list shows. */
export const pageSize = 5
/** How many approvers of a rule stand in one line of an answer. */
const approversALine = 20
/** A button's value holds 2,000 characters; if a query is longer than this, it gets no buttons. */
const queryUnits = 1_900
const ruleUnits = 80
/** How much text of limits and rules one page of who may decide holds. The asker's own judgement is on each page. */
const whyUnits = 6_000

/** One page of the list, counted from 1, with buttons to the pages beside it. `asked`: the words of the query. */
export function listMessage(listing: Listing, page: number, asked: readonly string[] = []): Message {
  const overdue = asked.some((word) => word.toLowerCase() === "overdue")
  const nothing = overdue
    ? "Nothing is overdue."
    : isNarrowed(asked)
      ? "Nothing like that waits."
      : "Nothing waits for a decision."
  if (listing.total === 0 && listing.next === undefined) return words([say(nothing)])
  const head = `${totalOf(listing)} waiting, newest first`
  return paged(listing, { page, kind: "list", asked, head, line: listedLine })
}

/** True if some of the words leave cases out. */
function isNarrowed(asked: readonly string[]): boolean {
  return asked.some((word) => !/^(?:all|mine|\d+)$/i.test(word))
}

/** Which case the person may mean, if they gave no id. Each case has a button to its Details. */
export function whichMessage(listing: Listing, page: number): Message {
  if (listing.total === 0) return words([say("Which one? Nothing waits for a decision that you may see.")])
  const head = `Which one? ${totalOf(listing)} waiting`
  return paged(listing, { page, kind: "list", asked: [], head, line: listedLine })
}

/** One page of the settled cases. */
export function historyMessage(listing: Listing, page: number, asked: readonly string[]): Message {
  if (listing.total === 0 && listing.next === undefined)
    return words([say(`Nothing ${isNarrowed(asked) ? "like that " : ""}was decided that you may see here.`)])
  const head = `${totalOf(listing)} decided, latest first`
  return paged(listing, {
    page,
    kind: "history",
    asked,
    head,
    line: (model) => sentence`${pastLine(model)} · ${code(model.caseId)}`,
  })
}

/** How many cases wait, and how many of them for the person. If `mine` is null: how many were decided. */
export function countMessage(all: Listing, mine: Listing | null): Message {
  if (mine === null) return words([bold(`${totalOf(all)} decided`), say(" that you may see.")])
  return words([bold(`${totalOf(all)} waiting`), say(`, ${totalOf(mine)} of them for you.`)])
}

/** Who may decide, and why the person may or may not: one page, counted from 1, of as many limits and rules as fit. */
export function whyMessage({ details, rules }: Why, page: number, command: string): Message {
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
  return linesMessage([head, ...(pages[at - 1] ?? []), ...may, ...more])
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

/** What the command understands. */
export function helpMessage(command: string): Message {
  const help: readonly (readonly [string, string])[] = [
    [
      "list",
      "what waits for a decision; also list mine, list requested for what you asked for, list limit for what " +
        "is above a limit, and a page such as 2",
    ],
    ["overdue", "what waits for longer than its rules want; also overdue mine, agent:payments-agent, and a page"],
    ["show ID", "everything about one approval, with the buttons to decide it; approve ID and reject ID do the same"],
    ["why ID", "who may decide it, and why you may or may not"],
    ["count", "how many wait, and how many of them for you; count status:approved how many were approved"],
    ["history", "what was decided; also history @person, history status:rejected yesterday"],
    [
      "list agent:A team:T workflow:W tool:send_* requester:R since:7d",
      "only those; also status:expired text:INV-1 until:2026-11-21 older:1h today (UTC); so do history and count",
    ],
    ["help", "this"],
  ]
  return words(stack(help.map(([usage, what]) => sentence`${code(`${command} ${usage}`)} shows ${what}`)))
}

/** An ephemeral message that says one thing. */
export function words(line: Line): Message {
  return { text: mrkdwn(line), blocks: [rich(line)] }
}

/** A waiting case with its id, which commands take, and why it is not shown somewhere. */
function listedLine(model: CardModel): Line {
  return sentence`${itemLine(model)} · ${code(model.caseId)}${troubleBelow(model)}`
}

/** One line about a waiting case. `model` is masked. */
export function itemLine(model: CardModel): Line {
  const fitter = createTextFitter()
  const state = model.status.kind === "open" ? [] : [say(` · ${statusWords(model, fitter).name}`)]
  const since = sentence` · since ${moment(model.summary.createdAt ?? model.openedAt)}`
  const { decideBy } = model.time
  const by = decideBy === null ? [] : sentence` · by ${moment(decideBy)}`
  return sentence`${headlineOf(model, fitter)}${since}${by}${state}`
}

/** Why a case is not shown where it should be, in lines below its own line. */
export function troubleBelow(model: CardModel): Line {
  return troubleLines(model).flatMap((line) => sentence`\n${line}`)
}

/** One line about a settled case: what it was, and how it ended. `model` is masked. */
export function pastLine(model: CardModel): Line {
  const fitter = createTextFitter()
  const { status } = model
  if (status.kind === "settled") return endedLine(model, status.outcome, fitter)
  return sentence`${bold(`${signed(statusWords(model, fitter))}: `)}${headlineOf(model, fitter)}`
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
  const pages = Math.max(1, Math.ceil(listing.total / pageSize))
  const head: Line = [bold(options.head), say(` · page ${page} of ${pages}`)]
  const models = listing.models.map((one) => maskModel(one).model)
  const items = models.flatMap((model, index): KnownBlock[] => [
    rich(line(model)),
    { type: "actions", block_id: `item${index}`, elements: [detailsButton(model, "Details", false)] },
  ])
  const query = [kind, ...asked.filter((word) => !/^\d+$/.test(word))].join(" ")
  const further = furtherLines(listing)
  const text = fitting([head, ...models.map(line), ...further].map(mrkdwn))
  const blocks = [rich(head), ...items, ...pageBlocks(page, pages, query), ...further.map((one) => rich(one))]
  return { text, blocks: [...blocks, ...furtherBlocks(listing, [kind, ...asked].join(" "))] }
}

/** How far back this looked, if one answer does not go through the whole history. */
function furtherLines({ next, total }: Listing): readonly Line[] {
  if (next === undefined) return []
  const found = total === 0 ? "Nothing like that is" : "These are"
  return [sentence`${found} among the newest ${next.after} that were looked through, back to ${moment(next.back)}.`]
}

function furtherBlocks({ next }: Listing, query: string): KnownBlock[] {
  if (next === undefined || query.length > queryUnits) return []
  const words = query.split(" ").filter((word) => !/^(?:\d+|after:\d+)$/i.test(word))
  const button = plainButton(
    `${actionIds.list}_further`,
    "Look Further Back",
    [...words, `after:${next.after}`].join(" "),
  )
  return [{ type: "actions", block_id: "further", elements: [button] }]
}

function pageBlocks(page: number, pages: number, query: string): KnownBlock[] {
  if (query.length > queryUnits && pages > 1)
    return [rich([say("Type the command again with the number of a page to see the others.")])]
  const elements = [...pageButtons(actionIds.list, { page, pages, valueOf: (to) => `${query} ${to}` })]
  return elements.length === 0 ? [] : [{ type: "actions", block_id: "pages", elements }]
}

const maxTroubles = 3

/** What Slack's words mean for people; the first that matches counts. */
const meanings: readonly (readonly [RegExp, string])[] = [
  [/^channel:\S+ is shared with another company/, "the channel is shared with another company"],
  [/whether \S+ is shared.*missing_scope/, "Slack does not say whether the channel is shared with another company"],
  [/is_archived|is_inactive/, "the channel is archived"],
  [/not_in_channel|channel_not_found/, "the app is not in the channel any more"],
  [/user_disabled|account_inactive|user_not_found|cannot_dm_bot/, "their account is deactivated"],
  [/missing_scope/, "the app may not write there"],
  [/was deleted/, "its message was deleted"],
  [/lets nobody edit/, "Slack lets nobody edit its card any more, so only the thread says what happened"],
]

/** One line for each route that takes no card; none if the case is settled. */
export function troubleLines({ troubles, status }: CardModel): readonly Line[] {
  if (status.kind === "settled") return []
  const lines = troubles.map(({ route, why }): Line => {
    const [kind, id = ""] = route.split(":")
    const place = kind === "person" ? mention(id) : channel(id)
    const meaning = meanings.find(([word]) => word.test(why))?.[1] ?? "Slack does not take it"
    return [say("Not shown "), ...sentence`${kind === "person" ? "to " : "in "}${place}: ${meaning}`]
  })
  return firstLines(lines, maxTroubles, { noun: "place", where: [say("which whoever runs Countersign was told of")] })
}
