// Stops for tests.
import type { Stop } from "../../src/domain/order/stop.ts"

/** A stop of everything by an operator. */
export function aStop(change: Partial<Stop> = {}): Stop {
  return { id: "s-1", match: {}, by: "ops", reason: "runaway refunds", at: 1_000, until: null, ...change }
}
