// Stops and absences for tests.
import type { Absence } from "../../src/domain/order/absence.ts"
import type { Stop } from "../../src/domain/order/stop.ts"
import type { Orderer } from "../../src/domain/people/orderer.ts"

/** Somebody at a shell. */
export function anOperator(name = "ops"): Orderer {
  return { kind: "operator", name }
}

/** A stop of everything by an operator. */
export function aStop(change: Partial<Stop> = {}): Stop {
  return { id: "s-1", match: {}, by: anOperator(), reason: "runaway refunds", at: 1_000, until: null, ...change }
}

/** Alice is away for a day, and Bob may vote for her. */
export function anAbsence(change: Partial<Absence> = {}): Absence {
  const by = { kind: "person", team: "T1", user: "UALICE", name: "Alice" } as const
  const who = { person: "T1:UALICE", standIn: "T1:UBOB", by }
  return { id: "a-1", ...who, from: 1_000, until: 86_401_000, at: 1_000, ...change }
}
