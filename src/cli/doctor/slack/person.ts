// Looks whether a Slack user can decide anything.
import { type Person, type SlackId, unfitness } from "../../../domain/people/person.ts"
import type { Rule } from "../../../domain/rule/rule.ts"
import type { SlackProbe } from "../../../slack/probe.ts"

/** Which people a rule admits besides those of our own workspace. */
type PersonAdmission = Pick<Rule, "allowGuests" | "allowExternal">

const anybody: PersonAdmission = { allowGuests: true, allowExternal: true }

/** Looks up a person. `problem`: why they cannot decide, or null. Throws `ChatError` if Slack does not say. */
export async function lookAtPerson(probe: SlackProbe, id: SlackId, admits: PersonAdmission = anybody) {
  const person = await probe.person(id)
  return { person, problem: person === null ? "does not exist in Slack" : problemOf(person, admits) }
}

function problemOf(person: Person, { allowGuests, allowExternal }: PersonAdmission): string | null {
  const unfit = unfitness(person)
  if (unfit !== null) return unfit === "bot" ? "is a bot" : "is deactivated"
  if (person.external && !allowExternal) return "is of another workspace, and the rule has no allow_external"
  return person.guest && !person.external && !allowGuests ? "is a guest, and the rule has no allow_guests" : null
}
