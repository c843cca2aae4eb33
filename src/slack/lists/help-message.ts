// What the command understands, as ephemeral messages: the five words that most people need, and all of them. A button
// opens the guide for people who are asked.
import type { ModalView } from "@slack/types"
import { actionIds, viewIds } from "../ids.ts"
import { bold, code, type Line, mrkdwn, rich, say, sentence, stack } from "../lines/spans.ts"
import { createTextFitter } from "../lines/text-fitter.ts"
import { guideParts, guideTitle } from "../text/guide-words.ts"
import type { Message } from "../views/card.ts"
import { plainButton } from "../views/case-buttons.ts"
import { modal } from "../views/details.ts"
import { words } from "../views/words.ts"

/** The words that the command knows. Help explains each of them. */
export const commandWords = ["list", "overdue", "show", "approve", "reject", "count", "history", "why", "help"] as const

/** What somebody types, and what it shows. A word in capitals stands for one of their own. */
type Usage = readonly [typed: string, shows: string]

/** Each is short enough for one line of a phone. */
const few: readonly Usage[] = [
  ["list", "what waits for a decision"],
  ["list WORDS", "only what holds them"],
  ["history", "what was decided"],
  ["why", "who may decide it, and why"],
  ["help more", "everything else"],
]

const all: readonly Usage[] = [
  [
    "list",
    "what waits, the most urgent first; also list mine for what waits for you, list requested for what you asked " +
      "for, list limit for what is above a limit, and a page such as 2",
  ],
  ["list WORDS", "only what holds all these words in a name, an id or an argument"],
  [
    "list agent:A team:T workflow:W tool:T rule:R instance:I requester:R",
    "only those; a name may be its beginning, or a pattern with * and ?. requester:me is what you asked for",
  ],
  [
    "list since:WHEN until:WHEN older:SPAN status:STATUS",
    "only those; WHEN is today, yesterday, a day such as 2026-11-21 (UTC) or a SPAN ago, such as 7d or 2h",
  ],
  ["overdue", "what waits for longer than its rules want; it takes the same words"],
  [
    "history",
    "what was decided; it takes the same words, too; also history @person, history status:rejected yesterday",
  ],
  ["count", "how many wait, and how many of them for you; count status:approved how many were approved"],
  ["show ID", "everything about one approval, with the buttons to decide it; approve ID and reject ID do the same"],
  ["why ID", "who may decide it, and why you may or may not; without an ID it is the most urgent one"],
  ["help", "the five words that most people need"],
]

/** Help in five lines. Its buttons lead to more. */
export function helpMessage(command: string): Message {
  const line = usageLines(few, command)
  const more = plainButton(`${actionIds.list}_more`, "More", "help more")
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
  return words(usageLines(all, command))
}

/** How much of an unknown word the answer repeats. */
const wordUnits = 100

/** Says which word we do not know, and which one may be meant; then help. */
export function unknownMessage(command: string, word: string, guess: string): Message {
  const shown = code(createTextFitter().word(word, wordUnits))
  const said = words(sentence`I don't know ${shown}. Did you mean ${code(`${command} ${guess}`)}?`)
  const help = helpMessage(command)
  return { text: `${said.text}\n${help.text}`, blocks: [...said.blocks, ...help.blocks] }
}

function usageLines(usages: readonly Usage[], command: string): Line {
  return stack(usages.map(([typed, shows]) => sentence`${code(`${command} ${typed}`)} ${shows}`))
}
