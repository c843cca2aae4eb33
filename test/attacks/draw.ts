// Draws the schedule of a seed from the seed alone.
import { type Chance, createChance } from "../faults/prng.ts"
import { overseen } from "./draw-oversight.ts"
import { underStop } from "./draw-stops.ts"
import { type Base, careful, strokesOf, votesBack } from "./draw-strokes.ts"
import { talked } from "./draw-talk.ts"
import { type Act, commonKinds, type Name, type Schedule, type SetUp, type StrokeKind } from "./schedule.ts"

/** Draws the schedule of a seed: of somebody who waits for the moment, or of somebody who tries whatever there is. */
export function scheduleOf(seed: number): Schedule {
  const chance = createChance(seed)
  const base = {
    seed,
    setUp: chance.pick<SetUp>(["processes up", "processes up", "restart with a checkpoint", "restart without"]),
    replicas: chance.pick([1, 2, 2] as const),
    shared: chance.percent(50),
    runs: chance.percent(30),
    overseen: false,
    talks: false,
  }
  const drawn = chance.percent(70) ? patient(chance, base) : wild(chance, base)
  // After all else, so that other seeds draw what they drew.
  const perhapsLimited = chance.percent(20) ? limited(chance, base) : drawn
  const perhapsStopped = chance.percent(30) ? underStop(chance, base) : null
  const perhapsOverseen = perhapsStopped ?? (chance.percent(40) ? overseen(chance, base) : perhapsLimited)
  return chance.percent(25) ? talked(chance, base) : perhapsOverseen
}

/** Somebody approves as often as they may alone, the attacker takes that out of the sum, and they go on. */
function limited(chance: Chance, { runs: _runs, ...base }: Base): Schedule {
  const alone = chance.pick([1, 2])
  const person = chance.pick<Name>(["alice", "bob", "rita"])
  const approve = (approval: number): Act => ({ kind: "press", person, verb: "approve", approval })
  const count = alone + chance.pick([1, 2])
  const asks = Array.from({ length: count }, (): Act => ({ kind: "ask" }))
  const presses = Array.from({ length: count }, (_, at) => approve(at))
  const strokes = strokesOf(chance, chance.percent(70) ? sumsBack : commonKinds)
  const attack: Act = base.setUp === "processes up" ? { kind: "attack", strokes } : { kind: "down", strokes }
  const wait: Act = { kind: "wait", ms: chance.pick([200, 2_000, 7_000]) }
  const refused: readonly Act[] = chance.percent(25) ? [{ kind: "refuse" }] : []
  const acts = [...asks, ...refused, ...presses.slice(0, alone), wait, attack, ...presses.slice(alone)]
  return { ...base, runs: false, quorum: 1, alone, livesMs: null, acts: [...acts, approve(0), approve(alone)] }
}

/** What takes an approval out of a sum. */
const sumsBack: readonly StrokeKind[] = [
  "put back the sums",
  "put back the sums",
  "delete the sums",
  "put back the records",
  "roll all back",
]

/** Something is taken back or taken away, the attacker strikes at once, and people go on. */
function patient(chance: Chance, base: Base): Schedule {
  const { fit, quorum = 1, livesMs = null, before, after } = storyOf(chance)
  const asks = Array.from({ length: chance.pick([1, 1, 2]) }, (): Act => ({ kind: "ask" }))
  const noise = chance.percent(30) ? honestAct(chance, { approvals: asks.length, quorum }) : []
  const strokes = strokesOf(chance, chance.percent(60) ? fit : careful)
  const attack: Act = base.setUp === "processes up" ? { kind: "attack", strokes } : { kind: "down", strokes }
  return { ...base, quorum, livesMs, alone: 0, acts: [...asks, ...noise, ...before, attack, ...after] }
}

function wild(chance: Chance, base: Base): Schedule {
  const quorum = chance.pick([1, 2, 2] as const)
  const approvals = chance.pick([1, 1, 2])
  const livesMs = chance.percent(20) ? 6_000 : null
  const honest = Array.from({ length: chance.between(3, 6) }, () => honestAct(chance, { approvals, quorum }))
  const asks = Array.from({ length: approvals }, (): Act => ({ kind: "ask" }))
  const acts = [...asks, ...honest.flat(), ...lastPresses(chance, approvals)]
  const attacked = acts.flatMap((act) => (chance.percent(25) ? [act, attackOf(chance, commonKinds)] : [act]))
  return {
    ...base,
    quorum,
    livesMs,
    alone: 0,
    acts: base.setUp === "processes up" ? attacked : stopped(chance, attacked),
  }
}

/** What people do before the attacker strikes, and what they do then. */
interface Story {
  /** Strokes that undo it; others are drawn, too. */
  readonly fit: readonly StrokeKind[]
  readonly quorum?: 1 | 2
  readonly livesMs?: number
  readonly before: readonly Act[]
  readonly after: readonly Act[]
}

function storyOf(chance: Chance): Story {
  const [person, other] = chance.pick<readonly [Name, Name]>([
    ["alice", "bob"],
    ["bob", "alice"],
    ["rita", "bob"],
  ])
  const approve = (who: Name): Act => ({ kind: "press", person: who, verb: "approve", approval: 0 })
  const wait: Act = { kind: "wait", ms: chance.pick([200, 7_000]) }
  return chance.pick<Story>([
    // A vote is taken back.
    {
      fit: votesBack,
      quorum: 2,
      before: [approve(person), { kind: "withdraw", person, approval: 0 }, wait],
      after: [approve(other)],
    },
    // The content changes after a vote.
    {
      fit: votesBack,
      quorum: 2,
      before: [approve(person), { kind: "change", approval: 0 }, wait],
      after: [approve(other)],
    },
    // The platform ends a verdict.
    {
      fit: ["put back a case", "put back the records", "post an ended verdict"],
      before: [{ kind: "refuse" }, approve(person)],
      after: [wait],
    },
    // An approver is taken off the list.
    {
      fit: ["put back the config", "put back the records"],
      before: [{ kind: "activate", all: chance.percent(30) }],
      after: [approve("alice"), approve("alice")],
    },
    // An address goes to somebody else.
    { fit: ["delete the links"], before: [{ kind: "move" }], after: [approve("mallory"), approve("mallory")] },
    {
      fit: ["put back the links", "delete the links"],
      before: [{ kind: "move" }, { kind: "link" }],
      after: [approve("rita"), approve("rita")],
    },
    // The time is over.
    {
      fit: ["delete a case", "put back a case"],
      livesMs: 4_000,
      before: [{ kind: "wait", ms: 5_000 }],
      after: [approve(person), approve(other)],
    },
    // Somebody changes their mind, and what they rejected is refused.
    {
      fit: votesBack,
      quorum: 2,
      before: [approve(person), { kind: "refuse" }, reject(person)],
      after: [approve(other)],
    },
  ])
}

function reject(person: Name): Act {
  return { kind: "press", person, verb: "reject", approval: 0 }
}

/** The same without an attacker. */
export function honestOf(schedule: Schedule): Schedule {
  const acts = schedule.acts.filter(({ kind }) => kind !== "attack" && kind !== "ambush")
  return { ...schedule, acts: acts.map((act) => (act.kind === "down" ? { ...act, strokes: [] } : act)) }
}

/** A stop of all processes lies in the second half. */
function stopped(chance: Chance, acts: readonly Act[]): readonly Act[] {
  const at = chance.between(Math.floor(acts.length / 2), acts.length - 1)
  return [...acts.slice(0, at), { kind: "down", strokes: strokesOf(chance, commonKinds) }, ...acts.slice(at)]
}

function attackOf(chance: Chance, kinds: readonly StrokeKind[]): Act {
  return { kind: "attack", strokes: strokesOf(chance, kinds) }
}

interface About {
  readonly approvals: number
  readonly quorum: number
}

function honestAct(chance: Chance, { approvals, quorum }: About): readonly Act[] {
  const approval = chance.below(approvals)
  const person = personOf(chance)
  const draw = chance.below(100)
  const approve: Act = { kind: "press", person, verb: "approve", approval }
  if (draw < 25) return [approve]
  if (draw < 30) return [{ ...approve, verb: "reject" }]
  // With a quorum of one a vote decides at once, unless it is refused.
  if (draw < 55) return quorum === 1 ? [{ kind: "refuse" }, approve] : [approve, { kind: "withdraw", person, approval }]
  if (draw < 62) return [{ kind: "change", approval }]
  if (draw < 72) return [{ kind: "refuse" }, approve]
  if (draw < 80) return [{ kind: "activate", all: chance.percent(40) }]
  if (draw < 90) return address(chance)
  return [{ kind: "wait", ms: chance.pick([500, 2_000, 7_000]) }]
}

function address(chance: Chance): readonly Act[] {
  const pressing: Act = { kind: "press", person: "mallory", verb: "approve", approval: 0 }
  const move: Act = { kind: "move" }
  return chance.pick<readonly Act[]>([
    [move, pressing],
    [move, { kind: "link" }, { kind: "press", person: "rita", verb: "approve", approval: 0 }],
    [{ kind: "link" }],
    [{ kind: "unlink" }],
  ])
}

function personOf(chance: Chance): Name {
  return chance.pick(["alice", "alice", "bob", "bob", "rita"] as const)
}

/** Somebody presses in the end as well: what was prepared for them counts then. */
function lastPresses(chance: Chance, approvals: number): readonly Act[] {
  return Array.from({ length: 2 }, () => ({
    kind: "press",
    person: personOf(chance),
    verb: "approve",
    approval: chance.below(approvals),
  }))
}
