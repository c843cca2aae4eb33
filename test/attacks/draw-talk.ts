// Draws schedules in which people answer agents: a call is sent back and asked anew, asked about, or rejected for a
// while; and the attacker wants what was said to be forgotten, or to count for something else.
import type { Chance } from "../faults/prng.ts"
import { type Base, careful, strokesOf } from "./draw-strokes.ts"
import { type Act, type Name, type Schedule, type StrokeKind, type TalkedCall, talkKinds } from "./schedule.ts"

/** What makes a memory of earlier calls be lost, or be another one. */
const memoriesBack: readonly StrokeKind[] = [...talkKinds, "delete the indexes", "put back a case", "put back a field"]

/** Draws a schedule in which people answer agents. */
export function talked(chance: Chance, base: Base): Schedule {
  const quorum = chance.pick([1, 1, 1, 2] as const)
  const acts = chance.pick([proposed, proposed, proposed, lasting, lasting, questioned])(chance, base)
  return { ...base, runs: true, quorum, alone: 0, livesMs: null, talks: true, acts }
}

const first: TalkedCall = { version: 1, amount: 5 }

const approve = (person: Name): Act => ({ kind: "press", person, verb: "approve", approval: 0 })
const begin = (name: string, by: Name | null, calls: readonly TalkedCall[]): Act => ({ kind: "run", name, by, calls })

/** Who is asked for most often, and an approver, who asks for themselves. */
function requesterOf(chance: Chance): Name | null {
  return chance.pick<Name | null>(["mallory", "mallory", "mallory", "bob", null])
}

/** A call comes back with all, some or none of what somebody proposed, and they want to approve it themselves. */
function proposed(chance: Chance, base: Base): readonly Act[] {
  const [one, other] = twoOf(chance)
  const asker = requesterOf(chance)
  // Whoever asks is not offered to send it back.
  const by = asker === one ? "mallory" : asker
  const instead = chance.pick<Partial<TalkedCall>>([{ version: 2, amount: 9 }, { amount: 9 }, { version: 2 }])
  const all = { ...first, ...instead }
  const next = chance.pick<TalkedCall>([
    all,
    all,
    { ...all, version: 2 },
    { ...all, amount: 7 },
    { version: 3, amount: 7 },
  ])
  const sendBack = (person: Name, values = instead): Act => ({ kind: "send back", person, instead: values })
  const votes = [approve(one), approve(other), approve("rita")]
  const strike = attackOf(chance, base)
  const ambush: Act = { kind: "ambush", strokes: strokesOf(chance, memoriesBack) }
  const late = chance.percent(30) ? [strike] : []
  return chance.pick<readonly Act[]>([
    [begin("same", by, [first, next]), sendBack(one), strike, ...votes],
    // The attacker is there before the agent asks again.
    [begin("same", by, [first, next]), ambush, sendBack(one), ...votes, ...late, ...votes],
    [begin("one", by, [first]), sendBack(one), strike, begin("two", by, [next]), ...late, ...votes],
    // Somebody else wants more changed.
    [
      begin("same", by, [first, next, { ...next, version: 4 }]),
      sendBack(one),
      sendBack(other, { version: 4 }),
      ...late,
      ...votes,
    ],
  ])
}

/** The same call comes again and again, or once people said that they want to be asked. */
function lasting(chance: Chance, base: Base): readonly Act[] {
  const [one, other] = twoOf(chance)
  const by = requesterOf(chance)
  const reject: Act = { kind: "reject", person: one, lasting: chance.percent(85) }
  const again: Act = { kind: "ask again", person: chance.pick([one, other]) }
  const strike = attackOf(chance, base)
  const votes = [approve(other), approve(one), approve("rita")]
  const wait: Act = { kind: "wait", ms: chance.pick([2_000, 20_000, 70_000]) }
  const many = Array.from({ length: chance.pick([2, 6, 6]) }, () => first)
  const otherwise = { version: 2, amount: 5 }
  const elsewhere = begin("two", chance.pick<Name | null>(["mallory", "alice", null]), [first, otherwise])
  return chance.pick<readonly Act[]>([
    [begin("one", by, many), reject, strike, again, strike, ...votes],
    [begin("one", by, [first]), reject, again, strike, begin("two", by, [first]), ...votes],
    [begin("one", by, [first]), reject, wait, strike, begin("two", by, [first]), ...votes],
    [begin("one", by, [first]), reject, strike, elsewhere, ...votes],
    [begin("one", by, [first]), reject, begin("two", by, [otherwise]), reject, strike, begin("three", by, many), again],
    [begin("one", by, many), reject, again, reject, strike, begin("two", by, [first]), ...votes],
  ])
}

/** Somebody asks, and whoever asked for the run answers: nobody has voted by that, and no vote is lost. */
function questioned(chance: Chance, base: Base): readonly Act[] {
  const [one, other] = twoOf(chance)
  const strike = attackOf(chance, base)
  const question: Act = { kind: "question", person: one }
  const answer: Act = { kind: "answer", person: "mallory" }
  return [
    begin("one", "mallory", [first]),
    ...chance.pick<readonly Act[]>([
      [question, answer, strike],
      [question, strike, answer],
      [question, strike, answer, strike],
      [approve(one), question, strike, answer],
    ]),
    approve(other),
    approve(one),
  ]
}

function twoOf(chance: Chance): readonly [Name, Name] {
  return chance.pick([
    ["alice", "bob"],
    ["bob", "alice"],
    ["rita", "alice"],
  ] as const)
}

function attackOf(chance: Chance, base: Base): Act {
  const strokes = strokesOf(chance, chance.percent(75) ? memoriesBack : careful)
  return base.setUp === "processes up" ? { kind: "attack", strokes } : { kind: "down", strokes }
}
