// What the ledger must say of those who stand in (R1, R5): whoever votes for somebody was named by them, and they were
// away by an entry and by the clock, at the vote and at the decision. Two votes for one person are one.
import type { Follow, Standing } from "./oversight-standing.ts"
import { peopleIn, votesOn } from "./oversight-standing.ts"

/** A vote is judged so long before it is noted at most, in ms. */
const judgedMs = 2_000

/** Follows votes and decisions of cases, but for those about the rules. */
export function followAbsences(standing: Standing): Follow {
  return ({ chain, event }, _next) => {
    const { roles, escalated } = standing
    if (roles === null || isAboutRules(standing, chain)) return []
    const { kind, verb, at } = event
    const ofVote = (person: string, away: readonly string[]) =>
      away.length === 0
        ? []
        : away.flatMap((one) => (isLent(standing, one, person, Number(at)) ? [] : [`${person} votes for ${one}`]))
    if (kind === "voted") return ofVote(String(event["person"]), (event["for"] ?? []) as readonly string[])
    const isByItself = verb === "reject" && (event["by"] === "expiry" || event["by"] === "again")
    if (kind !== "decided" || isByItself) return []
    const votes = votesOn(standing, chain)
    const people = peopleIn(event)
    const whose = people.map((person) => votes.get(person)?.for[0] ?? person)
    const isOwn = (person: string) => roles.approvers.includes(person) || escalated.has(chain)
    const bad = people.flatMap((person) => {
      const vote = votes.get(person)
      if (vote === undefined || vote.verb !== verb) return [`decided by ${person}, who has no such vote`]
      if (vote.calledBack || vote.glass) return []
      if (vote.for.length === 0) return isOwn(person) ? [] : [`decided by ${person}, who is no approver`]
      return ofVote(person, vote.for).map((breach) => `decided, and ${breach}`)
    })
    const asked = verb === "approve" && event["glass"] !== true ? roles.quorum : 1
    const few = new Set(whose).size < asked ? [`decided by ${new Set(whose).size} of ${asked}`] : []
    return [...bad, ...few]
  }
}

function isAboutRules({ proposals }: Pick<Standing, "proposals">, chain: string): boolean {
  return proposals.has(chain)
}

function isLent({ absences, roles }: Standing, person: string, standIn: string, at: number): boolean {
  if (roles === null || !roles.standIns.includes(standIn) || roles.approvers.includes(standIn)) return false
  const own = [...absences.values()].filter((one) => one.person === person && one.standIn === standIn)
  return roles.approvers.includes(person) && own.some(({ from, until }) => from <= at && at < until + judgedMs)
}
