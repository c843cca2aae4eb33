// The ledger's own word on oversight: who stood in for whom (R1, R5), whose glass was broken and who looked at it (R1),
// and who changed the rules (R16). It knows who may do what under each config, and nothing else.
import { followAbsences } from "./absence-oracle.ts"
import { followGlass } from "./glass-oracle.ts"
import { type Away, type Counted, type Standing, type Told } from "./oversight-standing.ts"
import { followRules } from "./rules-oracle.ts"
import type { LedgerLine } from "./stop-oracle.ts"

/** Every breach, in words. */
export function oversightBreaches(lines: readonly LedgerLine[], told: Told): readonly string[] {
  const standing: Standing = {
    told,
    roles: null,
    revision: null,
    lost: false,
    absences: new Map(),
    votes: new Map(),
    proposals: new Set(),
    escalated: new Set(),
  }
  const follows = [followAbsences(standing), followGlass(standing), followRules(standing)]
  return lines.flatMap((line, at) => {
    const found = follows.flatMap((follow) => follow(line, lines[at + 1]))
    noteVotes(standing, line)
    noteOrders(standing, line)
    return found.map((breach) => `entry ${at + 1}: ${breach}`)
  })
}

/** After these nobody's vote counts any more. */
const voiding = new Set<unknown>(["opened", "revised", "reopened", "renewed"])

function noteVotes({ votes, escalated }: Standing, { chain, event }: LedgerLine): void {
  const { kind, verb } = event
  const own = votes.get(chain) ?? new Map<string, Counted>()
  votes.set(chain, own)
  if (voiding.has(kind)) own.clear()
  for (const person of (kind === "returned" ? event["voided"] : []) as readonly string[]) own.delete(person)
  const person = String(event["person"])
  if (kind === "withdrawn" || kind === "voided") own.delete(person)
  if (kind === "escalated") escalated.add(chain)
  if (kind !== "voted" && kind !== "called-back") return
  own.set(person, {
    verb: String(verb),
    for: (event["for"] ?? []) as readonly string[],
    glass: event["glass"] === true,
    calledBack: kind === "called-back",
  })
}

function noteOrders(standing: Standing, { event }: LedgerLine): void {
  const { absences, told } = standing
  const { kind } = event
  const id = String(event["absence"])
  if (kind === "era") standing.lost = true
  if (kind === "absence-begun") absences.set(id, awayIn(event))
  if (kind === "absence-ended") absences.delete(id)
  if (kind === "orders-unknown") absences.clear()
  if (kind === "orders-restored") {
    const stay = (event["absences"] ?? []) as readonly string[]
    const known = stay.flatMap((one) => {
      const away = absences.get(one) ?? told.absences?.get(one)
      return away === undefined ? [] : [[one, away] as const]
    })
    absences.clear()
    for (const [one, away] of known) absences.set(one, away)
  }
  if (kind !== "activated") return
  standing.revision = String(event["revision"])
  standing.roles = told.roles.get(standing.revision) ?? null
}

function awayIn(event: LedgerLine["event"]): Away {
  const { away, standIn, from, until } = event
  return { person: String(away), standIn: String(standIn), from: Number(from), until: Number(until) }
}
