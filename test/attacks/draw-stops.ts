// Draws schedules in which an operator stops what agents ask for, and the attacker wants it approved all the same.
import type { Chance } from "../faults/prng.ts"
import { type Base, careful, strokesOf } from "./draw-strokes.ts"
import type { Act, Name, Schedule, StrokeKind } from "./schedule.ts"

/** What comes close to how it was before an act about the config's record: a stop, an absence, other rules. */
export const ordersBack: readonly StrokeKind[] = [
  "put back the config",
  "put back the config",
  "delete the config",
  "replay the config's entries",
  "forge the orders",
  "forge the orders",
  "put back the records",
  "roll all back",
]

/** Draws a schedule with a stop in it. */
export function underStop(chance: Chance, base: Base): Schedule {
  const quorum = chance.pick([1, 1, 2] as const)
  const asks = Array.from({ length: chance.pick([1, 1, 2]) }, (): Act => ({ kind: "ask" }))
  const acts = [...asks, ...(chance.percent(45) ? raced(chance, base) : stopped(chance, base))]
  return { ...base, runs: base.runs && quorum === 1, quorum, alone: 0, livesMs: null, acts }
}

/** A stop comes while a press is judged; then the attacker strikes, and people press again. */
function raced(chance: Chance, base: Base): readonly Act[] {
  const [first, second] = twoOf(chance)
  const stop: Act = { kind: "stop", approval: chance.pick([null, 0]), when: "read" }
  const other: readonly Act[] = chance.percent(50) ? [approve(second)] : []
  return [...other, stop, approve(first), settled(chance), attackOf(chance, base), approve(second), approve(first)]
}

/** A stop, and perhaps another that was ended before; then the attacker strikes, and people press on old screens. */
function stopped(chance: Chance, base: Base): readonly Act[] {
  const [first, second] = twoOf(chance)
  const stop = (): Act => ({ kind: "stop", approval: chance.pick([null, 0]), when: "now" })
  const earlier: readonly Act[] = chance.percent(40) ? [stop(), { kind: "wait", ms: 500 }, { kind: "end" }] : []
  const half: readonly Act[] = chance.percent(40) ? [approve(second)] : []
  const again: readonly Act[] = chance.percent(30) ? [attackOf(chance, base), approve(first)] : []
  return [
    ...earlier,
    ...half,
    stop(),
    settled(chance),
    attackOf(chance, base),
    approve(first),
    approve(second),
    ...again,
  ]
}

function twoOf(chance: Chance): readonly [Name, Name] {
  return chance.pick([
    ["alice", "bob"],
    ["bob", "alice"],
  ] as const)
}

function approve(person: Name): Act {
  return { kind: "press", person, verb: "approve", approval: 0 }
}

/** Mostly so long that every replica has read the stop. */
function settled(chance: Chance): Act {
  return { kind: "wait", ms: chance.pick([200, 2_000, 2_000, 7_000]) }
}

function attackOf(chance: Chance, base: Base): Act {
  const strokes = strokesOf(chance, chance.percent(80) ? ordersBack : careful)
  return base.setUp === "processes up" ? { kind: "attack", strokes } : { kind: "down", strokes }
}
