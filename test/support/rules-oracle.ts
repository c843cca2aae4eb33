// What the ledger must say of other rules (R16): a config becomes active only as the proposal that waits, by the
// decision that its approvers made under the active config, once.
import type { Follow, Standing } from "./oversight-standing.ts"
import { changeQuorum, peopleIn, votesOn } from "./oversight-standing.ts"

/** A proposal that waits. */
interface Waiting {
  readonly id: string
  readonly from: string
  readonly to: string
}

/** A decision about a proposal. */
interface Ruling {
  readonly chain: string
  readonly verb: string
}

/** Follows proposals from their entry to what becomes of them. */
export function followRules(standing: Standing): Follow {
  let waiting: Waiting | null = null
  const rulings = new Map<string, Ruling>()
  const { told, proposals } = standing
  const chainOf = (proposal: string) => `case:${told.caseOf(proposal)}`
  /** What a decision about a proposal has to be. */
  const ruledBreaches = (proposal: string, decision: unknown, verb: string): readonly string[] => {
    const ruling = rulings.get(String(decision))
    if (ruling !== undefined && ruling.chain === chainOf(proposal) && ruling.verb === verb) return []
    // What Redis lost is told nowhere.
    return ruling === undefined && standing.lost ? [] : [`proposal ${proposal} was not decided so: ${verb}`]
  }
  return ({ chain, event }) => {
    const { kind } = event
    const proposal = String(event["proposal"])
    switch (kind) {
      case "decided":
        if (!proposals.has(chain) || event["by"] === "expiry") return []
        rulings.set(String(event["decision"]), { chain, verb: String(event["verb"]) })
        return deciderBreaches(standing, chain, event)
      case "reopened":
        rulings.delete(String(event["decision"]))
        return []
      case "proposed": {
        const before = waiting
        proposals.add(chainOf(proposal))
        waiting = { id: proposal, from: String(event["before"]), to: String(event["revision"]) }
        return [
          ...(before === null ? [] : [`proposed while ${before.id} waits`]),
          ...(event["before"] === standing.revision ? [] : ["proposed from a revision that is not active"]),
        ]
      }
      case "proposal-ended": {
        const isIt = waiting?.id === proposal || standing.lost
        waiting = null
        const ruled = event["how"] === "rejected" ? ruledBreaches(proposal, event["decision"], "reject") : []
        return [...(isIt ? [] : [`proposal ${proposal} ended, and did not wait`]), ...ruled]
      }
      case "activated": {
        const before = waiting
        if (event["proposal"] !== undefined) waiting = null
        if (standing.revision === null || standing.revision === event["revision"]) return []
        const isIt = before?.id === proposal && before.to === event["revision"] && before.from === standing.revision
        return [
          ...(isIt || standing.lost ? [] : [`activated, and no such proposal waits`]),
          ...ruledBreaches(proposal, event["decision"], "approve"),
        ]
      }
      default:
        return []
    }
  }
}

/** Whoever decides about the rules is listed for that now, and for nobody else. */
function deciderBreaches(
  standing: Standing,
  chain: string,
  event: Readonly<Record<string, unknown>>,
): readonly string[] {
  const votes = votesOn(standing, chain)
  const people = new Set(peopleIn(event))
  const isFit = (person: string) => {
    const vote = votes.get(person)
    const own = vote !== undefined && vote.for.length === 0 && !vote.glass && vote.verb === event["verb"]
    return own && standing.roles?.changers.includes(person) === true
  }
  const unfit = [...people].filter((person) => !isFit(person))
  const asked = event["verb"] === "approve" ? changeQuorum : 1
  return [
    ...unfit.map((person) => `rules decided by ${person}, who may not`),
    ...(people.size < asked ? [`rules decided by ${people.size} of ${asked}`] : []),
  ]
}
