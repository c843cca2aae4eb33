// How far a command is that reads for long: a line from time to time, on stderr.
import type { Terminal } from "./terminal.ts"

/** How often we say how far we are, in ms. */
const progressMs = 2_000

/** Makes a function that counts what was read, and says from time to time how much, and of when the last one is. */
export function createReadProgress(
  terminal: Pick<Terminal, "err">,
  words: (count: number, at: number) => string,
): (at: number) => void {
  let [count, told] = [0, Date.now()]
  return (at) => {
    count += 1
    if (Date.now() - told < progressMs) return
    told = Date.now()
    terminal.err(words(count, at))
  }
}
