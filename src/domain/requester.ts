// The requester: a claim made by whoever started the run, which only takes rights away (R6).
import type { Person, SlackId } from "./person.ts"
import type { Identity } from "./policy.ts"

/** What the claim says of a person who wants to vote. `unknown`: it names nobody that could be recognised. */
export type RequesterMatch = "same" | "other" | "unknown"

/** The platform names a person by one of these; compared without regard to case, so that a spelling hides nobody. */
function namesOf(person: Person, identities: readonly Identity[]): readonly string[] {
  const listed = identities
    .filter((one) => one.team === person.team && one.user === person.user)
    .map((one) => one.subject)
  const own = [person.user, `slack:${person.team}:${person.user}`, `${person.team}:${person.user}`]
  return [...own, ...(person.email === null ? [] : [person.email]), ...listed].map((name) => name.toLowerCase())
}

/** True if the claim `userId` means this person. */
export function isRequester(userId: string | null, person: Person, identities: readonly Identity[]): boolean {
  return userId !== null && namesOf(person, identities).includes(userId.toLowerCase())
}

/**
 * Compares the claim with a voter. `known` is somebody whom the claim was found to mean (a Slack user with that e-mail or id, or a
 * listed identity), or null; the user id alone counts, since a claim may name any workspace. Null, `sa:…` and a claim that means nobody are `unknown`.
 */
export function matchRequester(options: {
  readonly userId: string | null
  readonly voter: Person
  readonly identities: readonly Identity[]
  readonly known: SlackId | null
}): RequesterMatch {
  const { userId, voter, identities, known } = options
  if (known?.user === voter.user || isRequester(userId, voter, identities)) return "same"
  if (userId === null || userId.startsWith("sa:")) return "unknown"
  return known !== null || identities.some((one) => one.subject.toLowerCase() === userId.toLowerCase())
    ? "other"
    : "unknown"
}
