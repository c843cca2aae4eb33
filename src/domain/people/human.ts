// Humans: if the config lists several Slack ids under one subject, they are one human (R6, R7).
import { foldName, personKey, type SlackId } from "./person.ts"

/** All ids of the human behind this id: those that share a listed subject with it, or with one of those, and so on. */
export function idsOf(id: SlackId, identities: readonly Identity[]): readonly SlackId[] {
  const ids = new Map([[personKey(id), { team: id.team, user: id.user }]])
  const subjects = new Set<string>()
  for (let before = 0; before < ids.size + subjects.size; ) {
    before = ids.size + subjects.size
    for (const { subject, team, user } of identities) {
      const name = foldName(subject)
      if (!ids.has(personKey({ team, user })) && !subjects.has(name)) continue
      ids.set(personKey({ team, user }), { team, user })
      subjects.add(name)
    }
  }
  return [...ids.values()].toSorted((a, b) => (personKey(a) < personKey(b) ? -1 : 1))
}

/** One key for the human behind an id, the same for all ids that are listed for them. */
export function humanKey(id: SlackId, identities: readonly Identity[]): string {
  return idsOf(id, identities).map(personKey).join(" ")
}

/** How many humans these are. A rule may leave out the id of our workspace; then we take the listed one. */
export function countHumans(
  ids: readonly { readonly user: string; readonly team?: string }[],
  identities: readonly Identity[],
): number {
  const keys = ids.map(({ user, team }) => {
    const listed = identities.find((one) => one.user === user)
    return humanKey({ team: team ?? listed?.team ?? "", user }, identities)
  })
  return new Set(keys).size
}

/**
 * A platform's name for a person, as the config lists it. We recognise the requester by it. If several entries have the
 * same subject, their Slack ids are one human (`human.ts`).
 */
export interface Identity {
  readonly subject: string
  readonly team: string
  readonly user: string
}
