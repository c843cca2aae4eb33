// Holds, as the flow asks for them: whether one covers a case, and what that changes once the case closes (R15).
import type { CardModel } from "../../domain/case/card-model.ts"
import type { Case, Step } from "../../domain/case/case.ts"
import { forgotten, keptUntil } from "../../domain/case/deadline-steps.ts"
import { type HoldInForce, holdOn, holdsHash, holdsInForce, lookAgainMs } from "../../domain/order/hold.ts"
import type { HoldOf } from "../../domain/policy/shared-config.ts"
import type { Ports } from "../ports.ts"

/** What it takes to know the holds. */
export type KeepPorts = Pick<Ports, "orders" | "saidHolds">

/** Names what is on hold, as this process knows it now: another text once that is anything else. Reads nothing. */
export function onHoldNow({ orders, saidHolds }: KeepPorts): string {
  return holdsHash(holdsInForce(saidHolds, orders()))
}

function holdOf({ orders, saidHolds }: KeepPorts, current: Case): HoldInForce | null {
  const holds = holdsInForce(saidHolds, orders())
  return holds.length === 0 ? null : holdOn(current, holds)
}

/** What whoever looks at a case is told of holds. */
export function onHold(ports: KeepPorts, current: Case): Pick<CardModel, "onHold"> {
  return holdOf(ports, current) === null ? {} : { onHold: true }
}

/** Drops the kept content of a closed case; while it is on hold, we only look again a day later. */
export function forgottenUnlessHeld(ports: KeepPorts & Pick<Ports, "clock">, now: Case): Step {
  return holdOf(ports, now) === null ? forgotten(now) : keptUntil(now, ports.clock() + lookAgainMs)
}

/** For how long we keep something of a case that closes now. On hold its arguments stay for at least a day. */
export function closedTimesOf(ports: KeepPorts & Pick<Ports, "closedTimes">, current: Case): Ports["closedTimes"] {
  const { closedTimes } = ports
  if (closedTimes.retainArgumentsMs >= lookAgainMs || holdOf(ports, current) === null) return closedTimes
  return { ...closedTimes, retainArgumentsMs: lookAgainMs }
}

/** How many cases are read at once. */
const pageSize = 100

/** How many of the cases that are there a hold of this covers. Where nobody can tell, the case counts. */
export async function countOnHold({ store }: Pick<Ports, "store">, of: HoldOf): Promise<number> {
  const found = new Set<string>()
  const look = async (list: "listOpen" | "listSettled") => {
    for (let [offset, end] = [0, 1]; offset < end; offset += pageSize) {
      const { cases, total } = await store[list]({ offset, limit: pageSize })
      for (const one of cases) if (holdOn(one, [{ id: null, of }]) !== null) found.add(one.id)
      end = total
    }
  }
  await look("listOpen")
  await look("listSettled")
  return found.size
}
