// The acts on orders in memory: what the module asked, and what a test lets it hear.
import type {
  EndAsk,
  EndOutcome,
  OrderActs,
  RejectOffer,
  RejectOrder,
  RejectOutcome,
  Stop,
  StopAsk,
  StopEnding,
  StopOutcome,
} from "../../src/flow/ports.ts"
import { aStop } from "../support/orders.ts"

/** The acts, and what a test may choose. */
export interface OrderFlow extends OrderActs {
  readonly stopAsks: StopAsk[]
  readonly endAsks: EndAsk[]
  outcome: StopOutcome
  inForce: readonly Stop[]
  goesOn: StopEnding
  ended: EndOutcome
  readonly rejectOrders: RejectOrder[]
  offer: RejectOffer
  rejection: RejectOutcome
}

/** Makes the acts. Everything is allowed, and nothing is stopped yet. */
export function anOrderFlow(): OrderFlow {
  const stop = aStop()
  const under = { waiting: 3, perhaps: 1, runs: [], onWay: [], gates: 0 }
  const flow: OrderFlow = {
    stopAsks: [],
    endAsks: [],
    outcome: { kind: "stopped", stop, under, unknown: [] },
    inForce: [],
    goesOn: { kind: "may", stop, waiting: 3, runs: [], late: [] },
    ended: { kind: "ended", stop },
    stop: async (ask) => {
      flow.stopAsks.push(ask)
      return flow.outcome
    },
    stops: async () => flow.inForce,
    ending: async () => flow.goesOn,
    endStop: async (ask) => {
      flow.endAsks.push(ask)
      return flow.ended
    },
    rejectOrders: [],
    offer: { kind: "may", stop, waiting: 3, at: 1_000 },
    rejection: { kind: "done", stop, rejected: [], held: [], others: [], left: [], hidden: 0, gone: 0 },
    rejecting: async () => flow.offer,
    rejectWaiting: async (order) => {
      flow.rejectOrders.push(order)
      return flow.rejection
    },
  }
  return flow
}
