// The list of what waits, and the help, as ephemeral messages.
import type { KnownBlock } from "@slack/types"
import { plain } from "../../blockkit/text.ts"
import type { Face } from "../../domain/face.ts"
import type { Listing, Why } from "../../flow/inbound.ts"
import { ACTIONS } from "../ids.ts"
import { judgementWords } from "../text/answer-words.ts"
import { fitting, partsOf } from "../text/fit-lines.ts"
import { counted, headlineOf } from "../text/headline.ts"
import { maskFace } from "../text/masking.ts"
import { bold, code, type Line, listed, mention, moment, mrkdwn, rich, say, stack } from "../text/spans.ts"
import { statusWords } from "../text/status-words.ts"
import { createLens } from "../text/text-fitter.ts"
import { detailsButton, type Message } from "./card.ts"
import { troubleLines } from "./trouble-lines.ts"

/** Approvals on one page of the list. */
export const PAGE_SIZE = 5
/** Approvers of a rule in one line of an answer. */
const APPROVERS_A_LINE = 20
/** A button's value holds 2,000; a longer query gets no buttons. */
const QUERY_UNITS = 1_900
const RULE_UNITS = 80
/** Text of the rules on one page of who may decide; the asker's own judgement stands on each. */
const WHY_UNITS = 6_000

/** One page of the list, from 1, with a Details button each and buttons to the neighbouring pages. `asked` are the words it was asked by. */
export function listMessage(listing: Listing, page: number, asked: readonly string[] = []): Message {
  if (listing.total === 0)
    return words([
      say(
        asked.some((word) => word.toLowerCase() === "overdue")
          ? "Nothing is overdue."
          : "Nothing waits for a decision.",
      ),
    ])
  return paged(listing, { page, kind: "list", asked, head: `${totalOf(listing)} waiting`, line: itemLine })
}

/** One page of what was settled. */
export function historyMessage(listing: Listing, page: number, asked: readonly string[]): Message {
  if (listing.total === 0) return words([say("Nothing was decided that you may see here.")])
  return paged(listing, { page, kind: "history", asked, head: `${totalOf(listing)} decided`, line: pastLine })
}

/** How many wait, and how many of them for the asker. */
export function countMessage(all: Listing, mine: Listing): Message {
  return words([bold(`${totalOf(all)} waiting`), say(`, ${totalOf(mine)} of them for you.`)])
}

/** Who may decide, and why the asker may or may not: one page, from 1, of as many rules as a message holds. */
export function whyMessage({ details, rules }: Why, page: number, command: string): Message {
  const { face } = maskFace(details.face)
  const pages = partsOf(rules.flatMap(ruleLines), WHY_UNITS)
  const at = Math.min(Math.max(1, page), pages.length)
  const { name } = statusWords(face, createLens())
  const may: readonly Line[] =
    face.status.kind === "open" || face.status.kind === "unapprovable"
      ? [judgementWords("approve", details.approve), judgementWords("reject", details.reject)]
      : []
  const more: readonly Line[] = at === pages.length ? [] : [moreRules(`${command} why ${face.caseId} ${at + 1}`)]
  const head: Line = [bold(`${name}: `), ...headlineOf(face, createLens())]
  return linesMessage([head, ...(pages[at - 1] ?? []), ...may, ...more])
}

/** Each approver of a rule is named, a line for so many of them. */
function ruleLines({ name, quorum, users }: Why["rules"][number]): readonly Line[] {
  const rule: Line = [say("Rule "), code(createLens().word(name, RULE_UNITS))]
  const needed = `: ${counted(quorum, "approval")} needed of `
  if (users.length === 0) return [[...rule, say(`${needed}nobody at the moment`)]]
  return Array.from({ length: Math.ceil(users.length / APPROVERS_A_LINE) }, (_, index): Line => {
    const some = users.slice(index * APPROVERS_A_LINE, (index + 1) * APPROVERS_A_LINE)
    return [...rule, say(index === 0 ? needed : ", also of "), ...listed(some.map((user) => [mention(user)]))]
  })
}

function moreRules(command: string): Line {
  return [say("There are more rules and approvers: "), code(command), say(" shows the next.")]
}

function linesMessage(lines: readonly Line[]): Message {
  return { text: fitting(lines.map(mrkdwn)), blocks: lines.map((line) => rich(line)) }
}

/** What the command understands. */
export function helpMessage(command: string): Message {
  const help: readonly (readonly [string, string])[] = [
    [
      "list",
      "what waits for a decision; also list mine, agent:payments-agent, tool:send_*, older:1h, and a page such as 2",
    ],
    ["overdue", "what waits for longer than its rules want; also overdue mine, agent:payments-agent, and a page"],
    ["show ID", "everything about one approval, with the buttons to decide it; approve ID and reject ID do the same"],
    ["why ID", "who may decide it, and why you may or may not"],
    ["count", "how many wait, and how many of them for you"],
    ["history", "what was decided; also history @person, today, agent:payments-agent"],
    ["help", "this"],
  ]
  return words(stack(help.map(([usage, what]) => [code(`${command} ${usage}`), say(` shows ${what}`)])))
}

/** An ephemeral message that says one thing. */
export function words(line: Line): Message {
  return { text: mrkdwn(line), blocks: [rich(line)] }
}

/** One line of a case that waits. `face` is masked. */
export function itemLine(face: Face): Line {
  const lens = createLens()
  const state = face.status.kind === "open" ? [] : [say(` · ${statusWords(face, lens).name}`)]
  const since: Line = [say(" · since "), moment(face.summary.createdAt ?? face.openedAt)]
  const { decideBy } = face.time
  const by: Line = decideBy === null ? [] : [say(" · by "), moment(decideBy)]
  const trouble = troubleLines(face).flatMap((line): Line => [say("\n"), ...line])
  return [...headlineOf(face, lens), ...since, ...by, ...state, say(" · "), code(face.caseId), ...trouble]
}

/** One line of a case that was settled: what it was, and how it ended. `face` is masked. */
export function pastLine(face: Face): Line {
  const lens = createLens()
  const { name, lines } = statusWords(face, lens)
  const [how = []] = lines
  return [bold(`${name}: `), ...headlineOf(face, lens), say("\n"), ...how, say(" · "), code(face.caseId)]
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
    readonly line: (face: Face) => Line
  },
): Message {
  const { page, kind, asked, line } = options
  const pages = Math.max(1, Math.ceil(listing.total / PAGE_SIZE))
  const head: Line = [bold(options.head), say(` · page ${page} of ${pages}`)]
  const faces = listing.faces.map((one) => maskFace(one).face)
  const items = faces.flatMap((face, index): KnownBlock[] => [
    rich(line(face)),
    { type: "actions", block_id: `item${index}`, elements: [detailsButton(face, "Details", false)] },
  ])
  const query = [kind, ...asked.filter((word) => !/^\d+$/.test(word))].join(" ")
  const text = fitting([head, ...faces.map(line)].map(mrkdwn))
  return { text, blocks: [rich(head), ...items, ...pageButtons(page, pages, query)] }
}

function pageButtons(page: number, pages: number, query: string): KnownBlock[] {
  if (query.length > QUERY_UNITS && pages > 1)
    return [rich([say("Type the command again with the number of a page to see the others.")])]
  const button = (label: string, to: number) => ({
    type: "button" as const,
    action_id: `${ACTIONS.list}_${label.toLowerCase()}`,
    text: plain(label),
    value: `${query} ${to}`,
  })
  const elements = [
    ...(page > 1 ? [button("Previous", page - 1)] : []),
    ...(page < pages ? [button("Next", page + 1)] : []),
  ]
  return elements.length === 0 ? [] : [{ type: "actions", block_id: "pages", elements }]
}
