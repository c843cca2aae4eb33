// The word that somebody most likely meant.
import leven from "leven"

/** The word that begins like this, else the one with the fewest letters to change, the first of them if several are as near. */
export function nearest<T extends string>(typed: string, words: readonly [T, ...T[]]): T {
  const short = typed.slice(0, 40)
  const begun = words.find((word) => word.startsWith(short))
  return begun ?? words.reduce((best, word) => (leven(short, word) < leven(short, best) ? word : best))
}
