// The requester: a claim by whoever started the run. It only takes rights away (R6).
import { type Identity, idsOf } from "./human.ts"
import { foldName, type Person, type SlackId } from "./person.ts"

/** What the claim says about a person who wants to vote. `unknown`: it names nobody that we recognise. */
export type RequesterMatch = "same" | "other" | "unknown"

/** The names that the platform may have for a person, one for each Slack id; folded, so no spelling hides anybody. */
function namesOf(person: Person, ids: readonly SlackId[], identities: readonly Identity[]): readonly string[] {
  const own = ids.flatMap(({ team, user }) => [
    user,
    `slack:${team}:${user}`,
    `${team}:${user}`,
    ...identities.filter((one) => one.team === team && one.user === user).map((one) => one.subject),
  ])
  return [...own, ...(person.email === null ? [] : [person.email])].map(foldName)
}

/** True if the claim `userId` means this person, by any of their Slack ids. */
export function isRequester(userId: string | null, person: Person, identities: readonly Identity[]): boolean {
  const claim = foldName(userId ?? "")
  return claim !== "" && namesOf(person, idsOf(person, identities), identities).includes(claim)
}

/** True if a claim names a service account, and so no person. */
export function isServiceAccount(userId: string): boolean {
  return foldName(userId).startsWith("sa:")
}

/**
 * Compares the claim with a voter. `known` is somebody whom we found behind the claim (a Slack user with that e-mail or
 * id, or a listed identity), or null. Only their user id counts, because a claim may name any workspace. If the claim
 * is null or `sa:…`, or means nobody, the answer is `unknown`.
 */
export function matchRequester(options: {
  readonly userId: string | null
  readonly voter: Person
  readonly identities: readonly Identity[]
  readonly known: SlackId | null
}): RequesterMatch {
  const { userId, voter, identities, known } = options
  const theirs = idsOf(voter, identities).some(({ user }) => user === known?.user)
  if (theirs || isRequester(userId, voter, identities)) return "same"
  if (userId === null || isServiceAccount(userId)) return "unknown"
  return known !== null || listedAs(userId, identities) !== undefined ? "other" : "unknown"
}

/** The listed identity that a claim names, if one does. */
export function listedAs(userId: string, identities: readonly Identity[]): Identity | undefined {
  const claim = foldName(userId)
  return claim === "" ? undefined : identities.find((one) => foldName(one.subject) === claim)
}
