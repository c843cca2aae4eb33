// The ledger's own word on stops (R21): between a stop's entry and its end nothing that it covers is approved, sent or
// let run.
import { coverOf, type StopMatch, type Stoppable } from "../../src/domain/order/stop.ts"

/** An entry of the ledger, as far as this looks at it. */
export interface LedgerLine {
  readonly chain: string
  readonly event: Readonly<Record<string, unknown>>
}

/** Every breach of R21, in words. `subjects`: what each case is about, by its id. */
export function stopBreaches(
  lines: readonly LedgerLine[],
  subjects: ReadonlyMap<string, Stoppable>,
): readonly string[] {
  const stops = new Map<string, StopMatch>()
  const approving = new Set<unknown>()
  const breaches: string[] = []
  for (const [at, { chain, event }] of lines.entries()) {
    follow(stops, event)
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

function follow(stops: Map<string, StopMatch>, event: LedgerLine["event"]): void {
  const id = String(event["stop"])
  if (event["kind"] === "stopped") stops.set(id, event["match"] as StopMatch)
  if (event["kind"] === "orders-unknown") stops.set(id, {})
  if (event["kind"] === "stop-ended") stops.delete(id)
}
