// An absence: while somebody is away, one other person may vote for them, where a rule says so. Pure.
import type { StandInNote } from "../case/case.ts"
import type { Orderer } from "../people/orderer.ts"
import { personKey, type SlackId, slackIdOf } from "../people/person.ts"
import type { Demand } from "../policy/policy.ts"
import { approversUnder } from "../policy/timing.ts"
import type { Approver, Rule } from "../rule/rule.ts"

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

/**
 * Who may stand in for whom under the rules of a case, as far as rules and absences say it: an address or a group may
 * be anybody, so whoever draws a card still has to ask.
 */
export function standInsUnder(demand: Demand, absences: readonly Absence[], now: number): readonly StandInNote[] {
  const away = absences.filter((one) => isAway(one, now))
  return demand.rules.flatMap((rule) => {
    const { standIns = [] } = rule
    const mayBe = (listed: readonly Approver[], key: string) => listed.some((one) => mayMean(one, slackIdOf(key)))
    const here = away.filter(
      ({ person, standIn }) =>
        mayBe(standIns, standIn) && mayBe(approversUnder(demand, rule), person) && !mayBe(onlyUsers(rule), standIn),
    )
    return here.map(({ person, standIn }) => ({ rule: rule.name, person, standIn }))
  })
}

function mayMean(approver: Approver, { team, user }: SlackId): boolean {
  return approver.kind !== "user" || (approver.id === user && (approver.team ?? team) === team)
}

/** The approvers that certainly are who they are: nobody stands in under a rule that lists them. */
function onlyUsers({ approvers }: Rule): readonly Approver[] {
  return approvers.filter(({ kind }) => kind === "user")
}
