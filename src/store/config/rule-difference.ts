// What changed between two sets of rules, by name: the words of the ledger entry that shows a config's activation (R16).

/** A rule as the active config remembers it: its name, and the hash of all it says. */
export interface RuleName {
  readonly name: string
  readonly hash: string
}

/** The names of the rules that came, went and changed, in the order of the rules. */
export interface Difference {
  readonly added: readonly string[]
  readonly removed: readonly string[]
  readonly changed: readonly string[]
}

/** Compares rules by name and hash. Another order alone shows no name: the revision tells it. */
export function differenceOf(before: readonly RuleName[], after: readonly RuleName[]): Difference {
  const old = new Map(before.map((rule) => [rule.name, rule.hash]))
  const names = new Set(after.map((rule) => rule.name))
  return {
    added: after.filter((rule) => !old.has(rule.name)).map((rule) => rule.name),
    removed: before.filter((rule) => !names.has(rule.name)).map((rule) => rule.name),
    changed: after.filter((rule) => old.has(rule.name) && old.get(rule.name) !== rule.hash).map((rule) => rule.name),
  }
}
