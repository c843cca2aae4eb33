// Draws schedules in which people stand in for others, break the glass or approve other rules, and the attacker wants
// what they took back to count.
import type { Chance } from "../faults/prng.ts"
import { ordersBack } from "./draw-stops.ts"
import { type Base, careful, strokesOf, votesBack } from "./draw-strokes.ts"
import type { Act, Name, Schedule, StrokeKind } from "./schedule.ts"

/** Draws a schedule with one of these in it. */
export function overseen(chance: Chance, base: Base): Schedule {
  const asks = Array.from({ length: chance.pick([1, 1, 2]) }, (): Act => ({ kind: "ask" }))
  const { quorum, acts } = chance.pick([absent, absent, broken, ruled])(chance, base)
  const all = [...asks, ...acts]
  return { ...base, runs: base.runs && quorum === 1, quorum, alone: 0, livesMs: null, overseen: true, acts: all }
}

/** What people do under a quorum. */
interface Story {
  readonly quorum: 1 | 2
  readonly acts: readonly Act[]
}

const approve = (person: Name): Act => ({ kind: "press", person, verb: "approve", approval: 0 })
const back = (when: "now" | "read" = "now"): Act => ({ kind: "back", when })

/** Somebody stands in, and the right to that ends: before, while or after they vote. */
function absent(chance: Chance, base: Base): Story {
  const [away, other] = twoOf(chance)
  const leave: Act = { kind: "away", person: away, ms: chance.pick([4_000, 60_000, 60_000]) }
  const strike = attackOf(chance, base, chance.percent(70) ? ordersBack : votesBack)
  const stand = approve("rita")
  const acts = chance.pick<readonly Act[]>([
    // The vote for somebody who is back counts no more.
    [leave, stand, back(), wait(chance), strike, approve(other), stand],
    // Nobody stands in after the end.
    [leave, wait(chance), back(), wait(chance), strike, stand, approve(other), stand],
    // They are back just while the vote that completes it is judged.
    [leave, stand, back("read"), approve(other), strike, approve(other)],
    // They are back just while the stand-in is judged.
    [leave, approve(other), back("read"), stand, wait(chance), strike, stand],
    // Time alone ends it.
    [{ ...leave, ms: 4_000 }, stand, { kind: "wait", ms: 5_000 }, strike, approve(other), stand],
    // Two votes for one person are one, and whoever is away may vote all the same.
    [leave, stand, approve(away), strike, approve(other)],
  ])
  return { quorum: chance.pick([2, 2, 2, 1]), acts }
}

/** Somebody breaks the glass, the platform refuses that or not, and people look at it. */
function broken(chance: Chance, base: Base): Story {
  const breaks = (person: Name): Act => ({ kind: "break", person, approval: 0 })
  const review = (person: Name): Act => ({ kind: "review", person })
  const fit = chance.pick([votesBack, careful, ordersBack])
  const strike = attackOf(chance, base, fit)
  const [one, other] = twoOf(chance)
  const wrong = [review("bob"), review("rita")]
  const acts = chance.pick<readonly Act[]>([
    [{ kind: "refuse" }, breaks("rita"), wait(chance), strike, approve(one)],
    [approve(one), breaks("rita"), ...wrong, strike, review("mallory"), review("alice")],
    [{ kind: "away", person: "alice", ms: 60_000 }, breaks("rita"), review("alice"), strike, review("alice")],
    [{ kind: "change", approval: 0 }, breaks(one), strike, breaks("rita"), review("mallory"), strike, review("alice")],
    [{ kind: "stop", approval: 0, when: "now" }, breaks("rita"), strike, breaks("rita"), approve(other)],
    [{ kind: "stop", approval: 0, when: "read" }, breaks("rita"), wait(chance), strike, breaks("rita")],
  ])
  return { quorum: 2, acts }
}

/** Other rules are proposed and approved, rejected or replaced; then the attacker wants the other ones. */
function ruled(chance: Chance, base: Base): Story {
  const propose: Act = { kind: "propose" }
  const vote = (person: Name, verb: "approve" | "reject" = "approve"): Act => ({ kind: "rule", person, verb })
  const [one, other] = twoOf(chance)
  const strike = attackOf(chance, base, chance.percent(70) ? ordersBack : careful)
  const people = [approve("mallory"), approve("alice"), approve("mallory")]
  const acts = chance.pick<readonly Act[]>([
    [propose, vote(one), vote(other, "reject"), strike, vote(other), ...people],
    [propose, vote(one), propose, wait(chance), strike, vote(other), ...people],
    [propose, vote(one), strike, vote(other), ...people],
    [propose, vote(one), vote(other), wait(chance), strike, ...people],
    [propose, vote(one), vote("mallory"), strike, vote("rita"), ...people],
    [propose, vote(one), { kind: "down", strokes: strokesOf(chance, ordersBack) }, vote(other), ...people],
    // The processes end between verdict and activation, or right after it.
    [propose, vote(one), vote(other), { kind: "down", strokes: strokesOf(chance, ordersBack) }, ...people],
  ])
  return { quorum: chance.pick([1, 1, 2]), acts }
}

function twoOf(chance: Chance): readonly [Name, Name] {
  return chance.pick([
    ["alice", "bob"],
    ["bob", "alice"],
  ] as const)
}

function wait(chance: Chance): Act {
  return { kind: "wait", ms: chance.pick([200, 2_000, 7_000]) }
}

function attackOf(chance: Chance, base: Base, kinds: readonly StrokeKind[]): Act {
  const strokes = strokesOf(chance, kinds)
  return base.setUp === "processes up" ? { kind: "attack", strokes } : { kind: "down", strokes }
}
