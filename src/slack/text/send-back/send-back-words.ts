// What a form says that sends a case back.
import type { CallChoice } from "../../../domain/send-back/counterproposal.ts"
import type { SendBackForm } from "../../../flow/ports/interaction.ts"
import { counted } from "../../lines/text-fitter.ts"

/** What sending back is. */
export const sendBackWords =
  "This rejects what was asked, and tells the agent what to ask instead. Whatever it asks then gets a card of its " +
  "own: nothing runs by what you send."

/** What leads from the form of a rejection to this one. */
export const insteadWords = "Not like this, but like that? Propose other values; the reason above comes along."

/** Why no model hears of it. */
export const unheardWords: Readonly<Record<NonNullable<SendBackForm["unheard"]>, string>> = {
  "not-continued": `No agent hears this: rejected runs are not continued here. ${copyWords()}`,
  "agno-slack": `No agent hears this: its run belongs to AgentOS's own Slack interface. ${copyWords()}`,
  workflow: `No agent hears this: it is a step of a workflow, which goes by no decision. ${copyWords()}`,
  held: `No agent hears this: the rejection would be held here, and the run stays where it is. ${copyWords()}`,
}

function copyWords(): string {
  return "Its card or Details will have the text to pass on."
}

/** What becomes of a call. */
export const choiceWords: Readonly<Record<CallChoice, string>> = {
  changed: "Ask again with changes",
  "as-is": "Ask again as it is",
  "not-at-all": "Do not ask again",
}

/** Changes that stand in the note alone. */
export const askedOtherwise = "Ask again as the reason says"

/** The label of what is about one of several calls. */
export function calledLabel(name: string, call: number): string {
  return `${name} (call ${call})`
}

/** What stands below an input, and why a form is not taken. */
export const sendBackHints = {
  today: "As it is today. Change it to what it should be.",
  json: "As it is today, as JSON.",
  empty: "Please change a value, or write what should be different.",
  "too-long": "These changes are too long to be kept: 16,000 characters are the most. Please write less.",
} as const

/** Says which arguments cannot be changed; null if all can. `left`: how many the form has no room for. */
export function fixedWords(fixed: {
  readonly masked: readonly string[]
  readonly long: readonly string[]
  readonly left: number
}): string | null {
  const said = [
    ...(fixed.masked.length === 0 ? [] : [`masked: ${fixed.masked.join(", ")}`]),
    ...(fixed.long.length === 0 ? [] : [`too long for a form: ${fixed.long.join(", ")}`]),
    ...(fixed.left === 0 ? [] : [`${counted(fixed.left, "more argument")} for which the form has no room`]),
  ]
  return said.length === 0 ? null : `Cannot be changed here: ${said.join("; ")}.`
}
