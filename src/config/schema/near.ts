// "Did you mean": the known word that lies nearest to an unknown one.

/** The nearest of `known`, if it is near enough to be a slip of the finger (a third of its letters at most). */
export function nearest(word: string, known: readonly string[]): string | undefined {
  const ranked = known
    .map((candidate) => ({ candidate, steps: distance(normal(word), normal(candidate)) }))
    .filter(({ candidate, steps }) => steps <= Math.max(1, Math.floor(candidate.length / 3)))
    .toSorted((a, b) => a.steps - b.steps)
  return ranked[0]?.candidate
}

/** `pollEvery` and `poll-every` are the same slip as `poll_every`. */
function normal(word: string): string {
  return word
    .replaceAll(/([a-z])([A-Z])/g, "$1_$2")
    .toLowerCase()
    .replaceAll(/[-\s]/g, "_")
}

/** Levenshtein's distance: how many letters to add, drop or change. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (const [i, letter] of Array.from(a).entries()) {
    const next = [i + 1]
    for (const [j, other] of Array.from(b).entries()) {
      const change = (row[j] ?? 0) + (letter === other ? 0 : 1)
      next.push(Math.min(change, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1))
    }
    row = next
  }
  return row[b.length] ?? 0
}
