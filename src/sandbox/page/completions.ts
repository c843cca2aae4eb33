// Proposes what people can type in the command box: the app's commands, and what may follow each by its manifest.
import { type KeyboardEvent, useState } from "react"
import type { SlashCommand } from "../workspace/seed.ts"

/** One proposal. */
export interface Completion {
  /** The line in the box after somebody took the proposal. It ends in a space if more has to be typed. */
  readonly line: string
  /** What is shown: the command, and what follows it. */
  readonly label: string
  readonly about: string
}

/** The proposals while somebody types. If Enter or Tab chooses one, `take` gets its line. */
export function useCompletions(all: readonly Completion[], take: (line: string) => void) {
  /** The proposal that the arrows have reached; -1 before they reached any, undefined while the list is hidden. */
  const [reached, setReached] = useState<number>()
  const offered = reached === undefined ? [] : all
  const active = reached !== undefined && reached < offered.length ? reached : -1
  const hide = () => setReached(undefined)
  const onKey = (event: KeyboardEvent) => {
    const chosen = offered[active]
    if (offered.length === 0) return
    if (event.key === "ArrowDown") setReached((active + 1) % offered.length)
    else if (event.key === "ArrowUp") setReached(active <= 0 ? offered.length - 1 : active - 1)
    else if (event.key === "Escape") hide()
    else if ((event.key === "Enter" || event.key === "Tab") && chosen) take(chosen.line)
    else return
    event.preventDefault()
  }
  return { offered, active, onKey, hide, show: () => setReached(-1) }
}

/** The proposals for what is typed so far, best first. None if the line is complete. */
export function completionsOf(commands: readonly SlashCommand[], typed: string): readonly Completion[] {
  if (!typed.startsWith("/")) return []
  return commands.flatMap(proposals).filter(({ line, label }) => fits(line, typed) && label !== typed)
}

function proposals({ command, description, hint }: SlashCommand): readonly Completion[] {
  const whole = { line: `${command} `, label: command, about: description }
  const words = hint.split("|").map((part) => part.replace(/[[\]]/g, "").trim())
  return [whole, ...words.filter((word) => word !== "").map((word) => proposal(command, word))]
}

/** For "show ID" the box takes "show ": words in capitals are for the person to fill in. */
function proposal(command: string, words: string): Completion {
  const [, fixed = words] = /^([^A-Z<@]*)[A-Z<@]/.exec(words) ?? []
  const label = `${command} ${words}`
  return { line: fixed === words ? label : `${command} ${fixed.trimEnd()} `, label, about: "" }
}

function fits(line: string, typed: string): boolean {
  return line.startsWith(typed) && line.trimEnd() !== typed.trimEnd()
}
