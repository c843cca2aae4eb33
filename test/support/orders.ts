// Stops, holds and absences for tests.
import { type Absence, timeProblem } from "../../src/domain/order/absence.ts"
import type { Hold } from "../../src/domain/order/hold.ts"
import { type Orders, withAbsence, withoutAbsence, withoutStop, withStop } from "../../src/domain/order/orders.ts"
import type { Stop } from "../../src/domain/order/stop.ts"
import type { Orderer } from "../../src/domain/people/orderer.ts"
import type { AbsenceBook, NotedAbsence, OrderBook, ToldOrders } from "../../src/flow/ports.ts"
import { tellingMs } from "../../src/store/pace/told-orders.ts"

/** An order book in memory. */
export function createMemoryOrders(
  inForce: () => Orders,
  put: (orders: Orders) => void,
  active: () => string,
): OrderBook {
  let made = 0
  return {
    list: async () => inForce(),
    stop: async (wanted) => {
      const stop = { id: `stop-${(made += 1)}`, ...wanted }
      const change = withStop(inForce(), stop)
      if (change.kind !== "stopped") return change
      put(change.orders)
      return { kind: "stopped", stop }
    },
    end: async (id, { at, revision = active() }) => {
      if (revision !== active()) return "other-config"
      const ended = inForce().stops.find((one) => one.id === id) ?? null
      put(withoutStop(inForce(), id, at))
      return ended
    },
  }
}

/** Somebody at a shell. */
export function anOperator(name = "ops"): Orderer {
  return { kind: "operator", name }
}

/** A stop of everything by an operator. */
export function aStop(change: Partial<Stop> = {}): Stop {
  return { id: "s-1", match: {}, by: anOperator(), reason: "runaway refunds", at: 1_000, until: null, ...change }
}

/** A hold on refunds by an operator. */
export function aHold(change: Partial<Hold> = {}): Hold {
  const of = { kind: "tool", value: "refund_*" } as const
  return { id: "h-1", of, by: anOperator(), reason: "lawsuit 12", at: 1_000, ...change }
}

/** Alice is away for a day, and Bob may vote for her. */
export function anAbsence(change: Partial<Absence> = {}): Absence {
  const by = { kind: "person", team: "T1", user: "UALICE", name: "Alice" } as const
  const who = { person: "T1:UALICE", standIn: "T1:UBOB", by }
  return { id: "a-1", ...who, from: 1_000, until: 86_401_000, at: 1_000, ...change }
}

/** The absences in memory. */
export function createMemoryAbsences(now: () => Orders, order: (orders: Orders) => void): AbsenceBook {
  const all = () => now().absences ?? []
  return {
    listAbsences: async () => all(),
    beginAbsence: async (wanted) => {
      const why = timeProblem(wanted, wanted.at)
      if (why !== null) return { kind: "refused", why }
      const absence = { id: `a-${all().length + 1}`, ...wanted }
      const change = withAbsence(now(), absence)
      if (change.kind === "away") return change
      if (change.kind === "too-many") return { kind: "refused", why: change.kind }
      order(change.orders)
      return { kind: "begun", absence }
    },
    endAbsence: async (id) => {
      const ended = all().find((one) => one.id === id) ?? null
      order(withoutAbsence(now(), id))
      return ended
    },
  }
}

/** What was told of orders, in memory. */
export function createMemoryTold(): ToldOrders {
  const turns = new Map<string, number | "told">()
  const noted = new Map<string, NotedAbsence>()
  return {
    claim: async (message, at) => {
      const turn = turns.get(message)
      if (turn === "told") return "told"
      if (turn !== undefined && turn > at) return "busy"
      turns.set(message, at + tellingMs)
      return "yours"
    },
    done: async (message) => void turns.set(message, "told"),
    note: async (absence) => void noted.set(absence.id, absence),
    noted: async () => [...noted.values()],
    forget: async (absence, messages) => {
      noted.delete(absence)
      for (const message of messages) turns.delete(message)
    },
  }
}
