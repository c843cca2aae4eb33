// Counts how many cases ask each person, and how many come under each rule: as it was, and under the tried rules.

/** A rule with the people who may decide under it now (`personKey`). */
export interface AskedRule {
  readonly name: string
  /** `ruleHash`. */
  readonly hash: string
  readonly people: ReadonlySet<string>
}

/** How many cases ask: as it was, for certain under the tried rules, and at most, with every unclear case counted. */
export interface AskCount {
  readonly before: number
  readonly after: number
  readonly atMost: number
}

/** A count for each person who is ever asked, and for each rule that asks. */
export interface AskTotals {
  /** The count for all people together. Each person counts once for a case, however many of its rules ask them. */
  readonly prompts: AskCount
  readonly people: readonly ({ readonly person: string } & AskCount)[]
  readonly rules: readonly ({ readonly rule: string } & AskCount)[]
}

/** The rules by which one case asked, and would ask. */
export type AskedBy = Readonly<Record<keyof AskCount, readonly AskedRule[]>>

/** Takes cases, and counts. */
export interface AskCounts {
  add(asked: AskedBy): void
  /** All people whom these rules ask. The same rules give the same set. */
  peopleOf(rules: readonly AskedRule[]): ReadonlySet<string>
  totals(): AskTotals
}

const sides = ["before", "after", "atMost"] as const

/** Makes the counts. Cases that ask under the same rules are counted as one, so the counts grow only with the rules. */
export function createAskCounts(): AskCounts {
  const sets = new Map<string, { readonly rules: readonly AskedRule[]; readonly people: ReadonlySet<string> }>()
  const counts = new Map<string, Record<keyof AskCount, number>>()
  const setOf = (rules: readonly AskedRule[]) => {
    const key = rules.map(({ name, hash }) => `${hash} ${name}`).join("\n")
    const set = sets.get(key) ?? { rules, people: new Set(rules.flatMap(({ people }) => [...people])) }
    sets.set(key, set)
    return { key, set }
  }
  return {
    add: (asked) => {
      for (const side of sides) {
        const { key } = setOf(asked[side])
        const count = counts.get(key) ?? { before: 0, after: 0, atMost: 0 }
        count[side] += 1
        counts.set(key, count)
      }
    },
    peopleOf: (rules) => setOf(rules).set.people,
    totals: () => {
      const counted = [...counts].flatMap(([key, count]) => ({ count, ...(sets.get(key) ?? nobody) }))
      const people = summed(counted.map(({ people: names, count }) => ({ names: [...names], count })))
      const rules = summed(counted.map(({ rules: asking, count }) => ({ names: ruleNames(asking), count })))
      return {
        prompts: addedUp([...people.values()]),
        people: [...people].map(([person, count]) => ({ person, ...count })),
        rules: [...rules].map(([rule, count]) => ({ rule, ...count })),
      }
    },
  }
}

const nobody = { rules: [], people: new Set<string>() }

/** The names of rules, each once: two rules with the same name are an older and a newer form of one. */
function ruleNames(rules: readonly AskedRule[]): readonly string[] {
  return [...new Set(rules.map(({ name }) => name))]
}

function summed(
  counted: readonly { readonly names: readonly string[]; readonly count: AskCount }[],
): ReadonlyMap<string, AskCount> {
  const sums = new Map<string, AskCount>()
  for (const { names, count } of counted)
    for (const name of names) sums.set(name, addedUp([sums.get(name) ?? none, count]))
  return sums
}

const none: AskCount = { before: 0, after: 0, atMost: 0 }

function addedUp(counts: readonly AskCount[]): AskCount {
  const sum = (side: keyof AskCount) => counts.reduce((total, count) => total + count[side], 0)
  return { before: sum("before"), after: sum("after"), atMost: sum("atMost") }
}
