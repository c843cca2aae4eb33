// Whom an operator means by an id or an address.
import type { Config } from "../config.ts"
import { foldName } from "../domain/name.ts"
import { personKey } from "../domain/person.ts"
import type { Opened } from "./opened-store.ts"

/** Somebody who cannot be told, or an act that cannot be done on them. */
export class PeopleError extends Error {
  readonly code = "bad-person"
  readonly retryable = false
}

/** A person, and the names that told them. */
export interface FoundPerson {
  /** `team:user`. */
  readonly person: string
  readonly names: readonly string[]
}

/** Finds a person by `T…:U…`, or by an address that a pin or the ledger knows. Throws `PeopleError`: nobody, or several. */
export async function findPerson(opened: Opened, text: string): Promise<FoundPerson> {
  if (/^[TE][A-Z0-9]+:[UW][A-Z0-9]+$/.test(text)) return { person: text, names: [] }
  if (!text.includes("@")) throw new PeopleError(`${text} is neither a person's id (T…:U…) nor an address`)
  const known = await knownBy(opened, foldName(text))
  const [person, ...others] = known
  if (person === undefined) throw new PeopleError(`the ledger knows nobody by ${text}: name their id (T…:U…)`)
  if (others.length > 0) throw new PeopleError(`${text} was ${known.join(" and ")}: name the one you mean by id`)
  return { person, names: [text] }
}

async function knownBy({ store }: Opened, name: string): Promise<readonly string[]> {
  const pins = (await store.identityLinks.list()).filter((pin) => foldName(pin.email) === name)
  const people = new Set(pins.map((pin) => personKey(pin.person)))
  for await (const { side } of store.entries(0)) {
    if (side?.kind !== "kept" || side.person === null) continue
    const { subject, email } = side.text
    if ([subject, email].some((one) => foldName(one ?? "") === name)) people.add(side.person)
  }
  return [...people]
}

/** The names under which the config's identities know a person. */
export function namesOf({ identities }: Pick<Config, "identities">, person: string): readonly string[] {
  return identities.filter((one) => personKey(one) === person).map(({ subject }) => subject)
}
