// What the ledger must say of broken glass (R1): who broke it was listed for that and did not ask; the commit of the
// decision owes a review; a reviewer gives it who is neither of the two, nor linked to the breaker by an absence; until
// then the case does not close.
import { longestReviewMs, maxOpenReviews } from "../../src/domain/glass/glass.ts"
import type { Away, Follow, Standing } from "./oversight-standing.ts"
import { peopleIn, votesOn } from "./oversight-standing.ts"
import type { LedgerLine } from "./stop-oracle.ts"

/** A review that is owed. */
interface Owed {
  readonly by: string
  readonly at: number
  /** Who stood in for the breaker then, or the other way round. */
  readonly linked: readonly string[]
}

/** Follows broken glass from the vote to the close of its case. */
export function followGlass(standing: Standing): Follow {
  const owed = new Map<string, Owed>()
  const followEnd = endsOf(owed)
  return ({ chain, event }, next) => {
    const { roles, told } = standing
    if (roles === null) return []
    const { kind } = event
    const person = String(event["person"])
    const asked = told.requesterOf(chain.slice("case:".length))
    if (kind === "voted" && event["glass"] === true)
      return [
        ...(roles.breakers.includes(person) ? [] : [`${person} breaks the glass, and is not listed for that`]),
        ...(asked === person ? [`${person} breaks the glass, and asked`] : []),
        ...(event["for"] === undefined ? [] : [`${person} breaks the glass for somebody else`]),
        ...(event["reason"] === null ? [`${person} breaks the glass without a reason`] : []),
      ]
    if (kind === "decided") return decisionBreaches(standing, { chain, event }, next, owed.size)
    if (kind === "glass-broken") {
      const linked = linkedTo(standing.absences, person)
      owed.set(chain, { by: person, at: Number(event["at"]), linked })
      return []
    }
    if (kind !== "glass-reviewed") return followEnd({ chain, event }, next)
    const review = owed.get(chain)
    owed.delete(chain)
    if (review === undefined) return ["reviewed, and no review is owed"]
    const linked = [...review.linked, ...linkedTo(standing.absences, review.by)]
    return [
      ...(roles.reviewers.includes(person) ? [] : [`reviewed by ${person}, who is no reviewer`]),
      ...([review.by, asked].includes(person) ? [`reviewed by ${person}, who broke it or asked`] : []),
      ...(linked.includes(person) ? [`reviewed by ${person}, who is linked to ${review.by}`] : []),
    ]
  }
}

/** What ends the wait for a review without one. */
function endsOf(owed: Map<string, Owed>): Follow {
  return ({ chain, event }) => {
    const { kind, at } = event
    const review = owed.get(chain)
    if (review === undefined) return []
    if (kind === "closed") return ["closed before a review"]
    if (kind !== "glass-left" && kind !== "reopened" && kind !== "opened") return []
    owed.delete(chain)
    return kind === "glass-left" && Number(at) < review.at + longestReviewMs ? ["left too early"] : []
  }
}

function decisionBreaches(
  standing: Standing,
  { chain, event }: LedgerLine,
  next: LedgerLine | undefined,
  open: number,
): readonly string[] {
  const people = peopleIn(event)
  const broken = people.filter((person) => votesOn(standing, chain).get(person)?.glass === true)
  if (event["glass"] !== true) return broken.length === 0 ? [] : ["decided by breaking glass, and does not say so"]
  const owes = next?.chain === chain && next.event["kind"] === "glass-broken" && next.event["person"] === people[0]
  return [
    ...(people.length === 1 && broken.length === 1 ? [] : ["decided by breaking glass, and nobody broke it alone"]),
    ...(owes ? [] : ["decided by breaking glass, and its commit owes no review"]),
    ...(open < maxOpenReviews ? [] : [`decided by breaking glass, and ${open} reviews are open`]),
  ]
}

function linkedTo(absences: ReadonlyMap<string, Away>, person: string): readonly string[] {
  return [...absences.values()].flatMap((one) => {
    if (one.person === person) return [one.standIn]
    return one.standIn === person ? [one.person] : []
  })
}
