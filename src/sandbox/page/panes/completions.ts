// What can be typed in the command box: the app's commands and what its manifest says may follow them.
import type { SlashCommand } from "../../workspace/seed.ts"

/** One proposal. */
export interface Completion {
  /** What stands in the box when it is taken; it ends in a space where more has to be typed. */
  readonly line: string
  /** What is shown: the command with what follows it. */
  readonly label: string
  readonly about: string
}

/** The proposals for what is typed so far, best first; none once a line is complete. */
export function completionsOf(commands: readonly SlashCommand[], typed: string): readonly Completion[] {
  if (!typed.startsWith("/")) return []
  return commands.flatMap(proposals).filter(({ line, label }) => fits(line, typed) && label !== typed)
}

function proposals({ command, description, hint }: SlashCommand): readonly Completion[] {
  const whole = { line: `${command} `, label: command, about: description }
  const words = hint.split("|").map((part) => part.replace(/[[\]]/g, "").trim())
  return [whole, ...words.filter((word) => word !== "").map((word) => proposal(command, word))]
}

/** Of "show ID" the box takes "show ": what is in capitals is for the person to fill in. */
function proposal(command: string, words: string): Completion {
  const [, fixed = words] = /^([^A-Z<@]*)[A-Z<@]/.exec(words) ?? []
  const label = `${command} ${words}`
  return { line: fixed === words ? label : `${command} ${fixed.trimEnd()} `, label, about: "" }
}

function fits(line: string, typed: string): boolean {
  return line.startsWith(typed) && line.trimEnd() !== typed.trimEnd()
}
