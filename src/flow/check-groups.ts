// Check: user groups that stand for nobody. Whoever counts on one would otherwise hear of it when nobody can decide.
import type { Rule } from "../domain/policy/policy.ts"
import { listedIn } from "../domain/policy/timing.ts"
import { freshMs } from "./identify.ts"
import { isPortError, type Ports } from "./ports.ts"

export type CheckGroupsPorts = Pick<Ports, "policy" | "people" | "alarm" | "log">

/** Raises an alarm for each group of a rule that Slack does not know, that is switched off, or that Slack does not tell of. */
export async function checkGroups(ports: CheckGroupsPorts): Promise<void> {
  const rulesOf = groupsIn(ports.policy.rules)
  try {
    for (const [group, rules] of rulesOf) {
      const { trouble } = await ports.people.members(group, freshMs)
      if (trouble !== null) ports.alarm({ code: "group-stands-for-nobody", group, rules, why: trouble })
    }
  } catch (error) {
    if (!isPortError(error)) throw error
    ports.log.warn("groups-not-checked", { error })
  }
}

/** The groups that rules name, each with the names of the rules. */
function groupsIn(rules: readonly Rule[]): ReadonlyMap<string, readonly string[]> {
  const named = rules.flatMap((rule) =>
    listedIn(rule).flatMap((one) => (one.kind === "group" ? [{ group: one.id, name: rule.name }] : [])),
  )
  const groups = Map.groupBy(named, ({ group }) => group)
  return new Map([...groups].map(([group, places]) => [group, [...new Set(places.map(({ name }) => name))]]))
}
