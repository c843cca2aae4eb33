// Words of the command: what one can type and what that shows, what we do not know, and what Slack says of the app.
import { code, type Line, sentence } from "../lines/spans.ts"
import { createTextFitter } from "../lines/text-fitter.ts"
import { waitWords } from "./list-words.ts"

/** The words that the command knows. Help explains each of them. */
export const commandWords = [
  "list",
  "overdue",
  "show",
  "approve",
  "reject",
  "count",
  "history",
  "why",
  "stop",
  "stops",
  "away",
  "back",
  "help",
] as const

/** The button below help. */
export const moreHelpLabel = "More"

/** What somebody types, and what it shows. A word in capitals stands for one of their own. */
type Usage = readonly [typed: string, shows: string]

const usages: Readonly<Record<"few" | "all", readonly Usage[]>> = {
  // Each is short enough for one line of a phone.
  few: [
    ["list", "what waits for a decision"],
    ["list WORDS", "only what holds them"],
    ["history", "what was decided"],
    ["why", "who may decide it, and why"],
    ["help more", "everything else"],
  ],
  all: [
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
    [
      "stop agent:A REASON",
      "stops at once what it asks for: nothing of it is approved until somebody ends that. Or everything, tool:T, " +
        "team:T, workflow:W, instance:I, or several of these; for:2h ends it by itself",
    ],
    ["stops", "what is stopped, with a button to end each"],
    [
      "away until WHEN @person",
      "says that you are away, and that this person may vote for you where a rule lets them; WHEN is tomorrow, a day " +
        "such as monday, or a date such as 2026-12-01. Without a person or a day a form asks",
    ],
    ["back", "ends that"],
    ["help", "the five words that most people need"],
  ],
}

/** What the command understands, a line each: the words that most people need, or all. */
export function usageLines(which: "few" | "all", command: string): readonly Line[] {
  return usages[which].map(([typed, shows]) => sentence`${code(`${command} ${typed}`)} ${shows}`)
}

/** How much of an unknown word the answer repeats. */
const wordUnits = 100

/** Says which word we do not know, and what may be meant. */
export function unknownLine(command: string, word: string, guess: string): Line {
  const shown = code(createTextFitter().word(word, wordUnits))
  return sentence`I don't know ${shown}. Did you mean ${code(`${command} ${guess}`)}?`
}

/** Asks about a word that was searched for, but is much like one of ours. */
export function meantLine(meant: string): Line {
  return sentence` Did you mean ${code(meant)}?`
}

/** A value for a filter such as `since:`. If the filter takes any value, this is what was typed. */
export function filterExample(filter: string, typed: string): string {
  return examples.get(filter) ?? (typed === "" ? "name" : typed)
}

/** An example for each filter that takes only some values: what was typed there may be wrong. */
const examples: ReadonlyMap<string, string> = new Map([
  ["since:", "7d"],
  ["until:", "today"],
  ["older:", "2h"],
  ["after:", "100"],
])

/** The answer to a command that is not ours. */
export function otherCommandWords(command: string): string {
  return `Countersign answers to ${command} only.`
}

/** Where the next page of who may decide is. */
export function moreWhyLine(command: string, caseId: string, page: number): Line {
  const next = code(`${command} why ${caseId} ${page}`)
  return sentence`There are more limits, rules or approvers: ${next} shows the next.`
}

/** How many more cases wait, below who may decide one of them. */
export function othersToAskLine(others: number, command: string): Line {
  const wait = waitWords(others, "other approval")
  return sentence`${wait}. ${code(`${command} list`)} shows them; Details of each say who may decide it.`
}

/** What Slack shows of the app itself: in its list of apps, at the command, and at the shortcut. */
export const appWords = {
  name: "Countersign",
  botName: "countersign",
  description: "A human signature under what an AI agent is about to do.",
  longDescription: [
    "Countersign asks the right people before an AI agent acts. When a run pauses for an approval, a card in Slack",
    "shows exactly what will run, who asked for it and which rule applies. The approvers of that rule approve or",
    "reject it, alone or as a quorum; Countersign checks that they may, tells the platform, settles the card and",
    "keeps a ledger that proves who decided what and when.",
  ].join(" "),
  shortcut: "Show approval",
  shortcutDescription: "Everything about the approval that this message is about",
  commandDescription: "What waits for a decision, and everything about one approval",
  usageHint: "list | overdue | show ID | why ID | history | help",
} as const
