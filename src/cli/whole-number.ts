// Reads a whole number that somebody typed, in the same way for each command.
import { CommandError } from "./terminal.ts"

/** The least and the greatest number that is allowed. */
export type NumberBounds = readonly [min: number, max: number]

/** Reads a whole number within bounds. `place`: where it was typed. Throws `CommandError`. */
export function wholeNumberOf(
  place: string,
  text: string,
  [min, max]: NumberBounds = [0, Number.MAX_SAFE_INTEGER],
): number {
  const number = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN
  if (number >= min && number <= max) return number
  const bounds = max === Number.MAX_SAFE_INTEGER ? `of ${min} or more` : `from ${min} to ${max}`
  throw new CommandError(`${place}: must be a whole number ${bounds}, not ${text === "" ? "empty" : text}`)
}
