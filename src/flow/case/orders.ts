// The one place of the flow that looks at orders: whether a stop covers a case (R21). Judging, posting, continuing and
// drawing ask here.
import type { Case, Step } from "../../domain/case/case.ts"
import { type CoveringStop, noteStop, stopOn } from "../../domain/order/orders.ts"
import type { Answer } from "../ports/reply.ts"
import type { Ports } from "../ports.ts"

type OrderPorts = Pick<Ports, "orders">

/** The stop that covers a case, by what this process knows now; null if none does. Reads nothing. */
export function stopOf({ orders }: OrderPorts, current: Case): CoveringStop | null {
  const now = orders()
  return now.stops.length === 0 ? null : stopOn(now, current)
}

/** True for a verdict to approve that a stop covers: it is not posted (R9). */
export function isHeldBack(ports: OrderPorts, current: Case): boolean {
  return current.decision?.verb === "approve" && stopOf(ports, current) !== null
}

/** The step by which a case says which stop covers it; null if it says so already. */
export function stopNoted(ports: OrderPorts, current: Case): Step | null {
  return noteStop(current, stopOf(ports, current))
}

/** A step, whose case then says which stop covers it. */
export function underStops(ports: OrderPorts, step: Step): Step {
  const noted = stopNoted(ports, step.next)
  return noted === null ? step : { ...step, next: noted.next }
}

/** What somebody hears who approves what a stop covers. */
export function stoppedBy({ stop: { by, at, reason }, cover }: CoveringStop): Answer {
  return { kind: "stopped", by, at, reason, perhaps: cover === "perhaps" }
}

export type RedrawStoppedPorts = OrderPorts & Pick<Ports, "store" | "jobs">

/** We read this many open cases at once. */
const pageSize = 100

/** Makes the check that draws open cases anew when the orders change. Until they do, it reads nothing. */
export function createStopCheck(): (ports: RedrawStoppedPorts) => Promise<void> {
  let drawn: ReturnType<Ports["orders"]> | null = null
  return async (ports) => {
    const now = ports.orders()
    if (now === drawn || (drawn === null && now.stops.length === 0)) return
    for (let offset = 0; ; offset += pageSize) {
      const { cases } = await ports.store.listOpen({ offset, limit: pageSize })
      for (const one of cases) if (stopNoted(ports, one) !== null) await ports.jobs.present(one.id)
      if (cases.length < pageSize) break
    }
    drawn = now
  }
}
