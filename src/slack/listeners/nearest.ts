// The word that somebody most likely meant.

/** The word that begins like this, else the one with the fewest letters to change, the first of them if several are as near. */
export function nearest<T extends string>(typed: string, words: readonly [T, ...T[]]): T {
  const short = typed.slice(0, 40)
  const begun = words.find((word) => word.startsWith(short))
  if (begun !== undefined) return begun
  return words.reduce((best, word) => (distance(short, word) < distance(short, best) ? word : best))
}

/** How many letters have to be inserted, removed or replaced. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, column) => column)
  for (const [index, letter] of a.split("").entries()) {
    const next = [index + 1]
    for (const [column, other] of b.split("").entries()) {
      const replaced = (row[column] ?? 0) + (letter === other ? 0 : 1)
      next.push(Math.min(replaced, (row[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1))
    }
    row = next
  }
  return row.at(-1) ?? 0
}
