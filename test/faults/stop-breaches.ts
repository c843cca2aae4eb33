// What must hold of stops (R21): by the ledger exactly, and of what came to the platform.
import { coverOf, type Stoppable } from "../../src/domain/order/stop.ts"
import { anApproval } from "../support/builders.ts"
import { stopBreaches } from "../support/stop-oracle.ts"
import type { Grant, Look, SeenCase } from "./look.ts"
import type { Spell } from "./stops.ts"

/** A process knows of a stop after a second, and what left by then has come after half a second more, in ms. */
const heardMs = 1_500
/** A moment is known to a step of the clock, on both sides, in ms. */
const stepMs = 400

/** Every breach of R21. */
export function stopsBreaches(look: Look): readonly string[] {
  const subjects = new Map(look.cases.map((one) => [one.caseId, subjectOf(one)]))
  const matches = new Map(look.stops.map(({ id, match }) => [id, match]))
  return [
    ...stopBreaches(look.entries, subjects, matches),
    ...look.cases.flatMap((one) => wireBreaches(look, one).map((breach) => `${one.asked.tool}: ${breach}`)),
  ]
}

function subjectOf({ asked }: SeenCase): Stoppable {
  return { instance: "main", approval: anApproval({ id: asked.id, toolName: asked.tool, requirements: null }) }
}

/**
 * What was decided before a stop comes within a moment of it, or never: not under it, and not after its end. A run may
 * go on after the end. A stop that Redis lost binds nobody by itself: the ledger says what does.
 */
function wireBreaches({ stops, entries }: Look, one: SeenCase): readonly string[] {
  const made = new Map(
    entries.flatMap(({ kind, event, number }) => (kind === "stopped" ? [[event["stop"], number]] : [])),
  )
  const covering = stops.filter((spell) => coverOf(spell, subjectOf(one)) !== null && made.has(spell.id))
  const decidedAt = (grant: Grant) =>
    one.entries.find(({ kind, event }) => kind === "decided" && event["decision"] === grant.decision)?.number
  const isLate = (grant: Grant, { id, from, to }: Spell) => {
    if (grant.at <= from + heardMs + stepMs) return false
    if (grant.what === "continue") return grant.at < to
    const [decided, stopped] = [decidedAt(grant), Number(made.get(id))]
    return decided !== undefined && decided < stopped
  }
  return one.grants.flatMap((grant) =>
    covering
      .filter((spell) => isLate(grant, spell))
      .map(({ id, from }) => `a ${grant.what} came ${grant.at - from} ms after the stop ${id}, decided before it`),
  )
}
