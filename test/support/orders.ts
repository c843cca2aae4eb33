// Stops for tests.
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
