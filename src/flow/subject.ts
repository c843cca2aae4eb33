// Subject: the name under which a person's vote goes to the platform (R7).
import { isReservedSubject } from "../domain/people/delegated.ts"
import type { Refusal } from "../domain/policy/judge.ts"
import { type Person, personKey, subjectOf } from "../domain/people/person.ts"
import { newest } from "./newest-link.ts"
import type { Ports } from "./ports.ts"

export type SubjectPorts = Pick<Ports, "platforms" | "pins" | "policy" | "resolvedBy" | "alarm" | "clock">

/** A name, or why there is none: `length` if it is longer than the platform takes. */
export type Subject =
  | { readonly ok: true; readonly subject: string }
  | { readonly ok: false; readonly refusal: Refusal }
  | { readonly ok: false; readonly length: number }

/**
 * Where the instance only records a name, the template's. Where a credential is signed in the person's name, the subject is an authority
 * there: the one that `identities` lists for them, else their e-mail as it was pinned to them when first seen. One that meant somebody
 * else is refused, with an alarm, until an operator links it anew.
 */
export async function subjectFor(ports: SubjectPorts, instance: string, person: Person): Promise<Subject> {
  if (ports.platforms.get(instance)?.delegated !== true) return subjectOf(person, ports.resolvedBy)
  const listed = ports.policy.identities.find((one) => one.team === person.team && one.user === person.user)
  if (listed !== undefined) return fit(listed.subject)
  const email = person.email?.toLowerCase()
  if (email === undefined) return { ok: false, refusal: { code: "no-subject" } }
  const self = { team: person.team, user: person.user }
  const pinned = await newest(ports, email, () => ports.pins.pin(email, self, ports.clock()))
  if (pinned === "behind") return { ok: false, refusal: { code: "conflicting-email", email } }
  const moved = personKey(pinned.person) !== personKey(person)
  if (!moved && pinned.contested === null) return fit(email)
  if (moved) await ports.pins.contest(email, self, ports.clock())
  const now = personKey(moved ? person : (pinned.contested ?? person))
  ports.alarm({ code: "email-means-somebody-else", email, pinned: personKey(pinned.person), now })
  return { ok: false, refusal: { code: "conflicting-email", email } }
}

function fit(subject: string): Subject {
  if (isReservedSubject(subject)) return { ok: false, refusal: { code: "no-subject" } }
  const length = Array.from(subject).length
  return length > 255 ? { ok: false, length } : { ok: true, subject }
}
