// An absence: while somebody is away, one other person may vote for them, where a rule says so. Pure.
import type { Orderer } from "../people/orderer.ts"
import { personKey, type SlackId } from "../people/person.ts"

/** One absence in force, or to come. */
export interface Absence {
  readonly id: string
  /** Who is away, as `team:user`. */
  readonly person: string
  /** Who stands in for them, as `team:user`. */
  readonly standIn: string
  /** From when, epoch ms. */
  readonly from: number
  /** When they are back, epoch ms. */
  readonly until: number
  readonly by: Orderer
  /** When they said so, epoch ms. */
  readonly at: number
}

/** The most absences at once. */
export const maxAbsences = 500

/** Somebody can say for at most this long ahead that they are away, in ms. */
export const maxAwayMs = 180 * 86_400_000

/** About one person this many acts are taken in a day; after that no absence begins. */
export const maxActs = 10

const dayMs = 86_400_000

/** One act about a person's absence: whose, and when (epoch ms). */
export interface AbsenceAct {
  readonly person: string
  readonly at: number
}

/** The acts of the last day. */
export function actsOfTheDay(acts: readonly AbsenceAct[], now: number): readonly AbsenceAct[] {
  return acts.filter(({ at }) => at > now - dayMs)
}

/** Why an absence does not begin. */
export type AbsenceRefusal = "no-time" | "too-long" | "own" | "too-many" | "too-often"

/** Why these times are no absence; null if they are one. `now`: epoch ms. */
export function timeProblem({ from, until }: Pick<Absence, "from" | "until">, now: number): AbsenceRefusal | null {
  if (until <= from || until <= now) return "no-time"
  return until - Math.min(from, now) > maxAwayMs ? "too-long" : null
}

/** True while an absence counts by the clock. */
export function isAway({ from, until }: Absence, now: number): boolean {
  return from <= now && now < until
}

/** The people for whom this person stands in now, as `team:user`, in the order in which they said so. */
export function awayFor(absences: readonly Absence[], standIn: SlackId, now: number): readonly string[] {
  const own = absences.filter((one) => one.standIn === personKey(standIn) && isAway(one, now))
  return own.map(({ person }) => person)
}
