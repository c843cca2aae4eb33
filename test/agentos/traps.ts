// The numbered traps of AgentOS (`docs/platform-facts.md` 9): which there are, which no test holds yet, and which a
// test's name claims.

/** How many traps there are, counted from 1. */
export const TRAPS = 77

/**
 * Traps without a test, because what they are about is not built: each with the reason. A new test takes its number out
 * of here.
 */
export const OWED: ReadonlyMap<number, string> = new Map([])

/** The numbers in a name such as `trap 12: …` or `traps 1, 2 and 28: …`, its suites included. */
export function trapsIn(name: string): readonly number[] {
  const claims = [...name.matchAll(/\btraps? (\d+(?:(?:, | and )\d+)*):/g)]
  return claims.flatMap(([, numbers = ""]) => numbers.split(/, | and /).map(Number))
}

/** What is wrong with the count, one sentence each: missing and not owed, owed and yet tested, or no trap at all. */
export function problemsOf(tested: ReadonlySet<number>): readonly string[] {
  const all = Array.from({ length: TRAPS }, (_, index) => index + 1)
  const missing = all.filter((trap) => !tested.has(trap) && !OWED.has(trap))
  const paid = all.filter((trap) => tested.has(trap) && OWED.has(trap))
  const unknown = [...tested].filter((trap) => trap < 1 || trap > TRAPS)
  return [
    ...missing.map((trap) => `trap ${trap} has no test that passed`),
    ...paid.map((trap) => `trap ${trap} has a test and still stands among those that are owed (test/agentos/traps.ts)`),
    ...unknown.map((trap) => `a test names trap ${trap}, and there are ${TRAPS}`),
  ]
}
