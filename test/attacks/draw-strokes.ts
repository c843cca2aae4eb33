// Draws the strokes of an attacker, whatever the schedule is about.
import type { Chance } from "../faults/prng.ts"
import type { Schedule, Stroke, StrokeKind } from "./schedule.ts"

/** What a schedule has whatever people do in it. */
export type Base = Pick<Schedule, "seed" | "setUp" | "replicas" | "shared" | "runs" | "overseen" | "talks">

/** What comes close to an honest state, and so succeeds most often against a bot that trusts Redis. */
export const careful: readonly StrokeKind[] = [
  "put back a case",
  "put back a case",
  "put back the records",
  "roll all back",
  "delete a case",
  "put back the config",
  "delete the links",
  "put back the links",
  "thaw cases",
  "queue a ticket again",
  "post an ended verdict",
]

/** What brings back a vote. */
export const votesBack: readonly StrokeKind[] = [
  "put back a case",
  "put back the records",
  "roll all back",
  "queue a ticket again",
]

/** Draws one to three strokes of some kinds. */
export function strokesOf(chance: Chance, kinds: readonly StrokeKind[]): readonly Stroke[] {
  return Array.from({ length: chance.pick([1, 1, 1, 2, 3]) }, () => ({
    kind: chance.pick(kinds),
    dice: [chance.below(65_536), chance.below(65_536), chance.below(65_536)] as const,
  }))
}
