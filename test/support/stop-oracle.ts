// The ledger's own word on stops (R21): between a stop's entry and its end nothing that it covers is approved, sent or
// let run.
import { coverOf, type StopMatch, type Stoppable } from "../../src/domain/order/stop.ts"

/** An entry of the ledger, as far as this looks at it. */
export interface LedgerLine {
  readonly chain: string
  readonly event: Readonly<Record<string, unknown>>
}

/**
 * Every breach of R21, in words. `subjects`: what each case is about, by its id. `known`: what stops cover whose
 * entries Redis may have lost, by their ids.
 */
export function stopBreaches(
  lines: readonly LedgerLine[],
  subjects: ReadonlyMap<string, Stoppable>,
  known: ReadonlyMap<string, StopMatch> = new Map(),
): readonly string[] {
  const stops = new Map<string, StopMatch>()
  const matches = new Map<string, StopMatch>(known)
  const approving = new Set<unknown>()
  const breaches: string[] = []
  for (const [at, { chain, event }] of lines.entries()) {
    follow({ stops, matches }, event)
    const { kind, verb, decision } = event
    if (kind === "decided" && verb === "approve") approving.add(decision).add(chain)
    if (kind === "decided" && verb !== "approve") approving.delete(chain)
    const grants =
      ((kind === "voted" || kind === "decided") && verb === "approve") ||
      (kind === "sent" && approving.has(decision)) ||
      (kind === "continued" && approving.has(chain))
    const subject = subjects.get(chain.slice("case:".length))
    if (!grants || subject === undefined) continue
    for (const [id, match] of stops)
      if (coverOf({ match }, subject) !== null) breaches.push(`entry ${at + 1}: ${String(kind)} under stop ${id}`)
  }
  return breaches
}

interface Followed {
  /** In force now. */
  readonly stops: Map<string, StopMatch>
  /** Every stop that was ever made. */
  readonly matches: Map<string, StopMatch>
}

function follow({ stops, matches }: Followed, event: LedgerLine["event"]): void {
  const { kind } = event
  const begin = (id: string, match: StopMatch) => {
    matches.set(id, match)
    stops.set(id, match)
  }
  const id = String(event["stop"])
  if (kind === "stopped") begin(id, event["match"] as StopMatch)
  if (kind === "orders-unknown") begin(id, {})
  if (kind === "stop-ended") stops.delete(id)
  if (kind !== "orders-restored") return
  stops.clear()
  for (const one of event["stops"] as readonly string[]) begin(one, matches.get(one) ?? {})
}
