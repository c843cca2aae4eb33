// Conversation in a seed: which seeds have calls that are sent back, questions, and rejections that last.
import { type Chance, createChance } from "./prng.ts"
import type { Act, Fault, PressAct, Schedule, Story } from "./schedule.ts"

/** Tells this draw of a seed from that of its schedule. */
const salt = 0x42_00_00

/** Seeds with more stories than this are about something else. */
const most = 4

/** Where processes die in the middle of a conversation. */
const cuts = [
  "store.commit.decided:after",
  "platform.resolve:before",
  "platform.resolve:after",
  "store.commit.resolved:before",
  "store.commit.opened:before",
  "store.commit.opened:after",
  "store.sentBackIn:after",
  "store.about:after",
  "chat.postCard:before",
  "chat.postCard:after",
  "store.commit.asked:after",
  "chat.postQuestion:after",
  "store.commit.answered:after",
  "chat.tellAnswer:before",
  "chat.tellAnswer:after",
  "store.commit.asks-again:before",
  "store.commit.asks-again:after",
] as const

/**
 * The schedule with one more story or two, in which people talk, in nine of ten seeds where programs ask by
 * themselves and each case has a card of its own. They are drawn apart, so that all else stays as it is drawn.
 */
export function withConversation(drawn: Schedule): Schedule {
  const chance = createChance(drawn.seed + salt)
  const { terms, stories } = drawn
  const apart = terms.runs === "none" && terms.summaryAbove === 0 && terms.limit === null && stories.length <= most
  if (!apart || !chance.percent(90)) return drawn
  const first = storyOf(chance, drawn)
  const more = chance.percent(60) ? [first, storyOf(chance, drawn)] : [first]
  const faults = chance.percent(60) ? [...drawn.faults, dies(chance)] : drawn.faults
  const lasting = more.some((story) => story.some(({ kind }) => kind === "reject-lasting"))
  return { ...drawn, stories: [...stories, ...more], faults, terms: { ...terms, lasting } }
}

function dies(chance: Chance): Fault {
  const when = { kind: "label", label: chance.pick(cuts), nth: chance.pick([1, 1, 1, 2, 3]) } as const
  return { when, strike: { kind: "kill", restartMs: chance.between(0, 6_000) } }
}

function storyOf(chance: Chance, drawn: Schedule): Story {
  // Where time may end a rejection or a case first, there is little to repeat.
  const kinds = [sentBack, sentBack, asked, ...(drawn.terms.timing === null ? [repeated, repeated] : [])]
  return chance.pick(kinds)(chance, drawn)
}

const waitFor = (ms: number): Act => ({ kind: "wait", ms })

const voters = ["alice", "bob"] as const

function pressing({ routes }: Schedule, chance: Chance, person: PressAct["person"]): PressAct {
  return { kind: "press", person, verb: "approve", route: chance.below(routes) }
}

/** Somebody sends a call back, and tries to approve by themselves what the program asks then. */
function sentBack(chance: Chance, drawn: Schedule): Story {
  const person = chance.pick(voters)
  const other = person === "alice" ? "bob" : "alice"
  const next = (): Act => ({
    kind: "next-call",
    asProposed: chance.percent(70),
    sameRun: chance.percent(75),
    presses: [
      ...(chance.percent(60) ? [pressing(drawn, chance, person)] : []),
      ...(chance.percent(60) ? [pressing(drawn, chance, other)] : []),
    ],
  })
  const calls = Array.from({ length: chance.pick([1, 1, 2, 2, 3]) }, next)
  const both: readonly Act[] = chance.percent(20) ? [{ kind: "send-back", person: other, route: 0 }] : []
  return [waitFor(chance.between(500, 2_500)), { kind: "send-back", person, route: 0 }, ...both, ...calls]
}

/** Somebody asks, Rita answers, and people decide; or nobody ever does. */
function asked(chance: Chance, drawn: Schedule): Story {
  const person = chance.pick(voters)
  const answer: Act = { kind: "answer", times: chance.pick([1, 1, 2]) }
  const again: readonly Act[] = chance.percent(30) ? [{ kind: "question", person: "bob", route: 0 }, answer] : []
  const decides = chance.percent(50) ? [waitFor(chance.between(0, 2_000)), pressing(drawn, chance, person)] : []
  const asks: Act = { kind: "question", person, route: chance.below(drawn.routes) }
  return [waitFor(chance.between(500, 2_500)), asks, answer, ...again, ...decides]
}

/** Somebody rejects a call for a while, its program asks the same once more, and sometimes people want to be asked. */
function repeated(chance: Chance): Story {
  const same = (most: number): Act => ({
    kind: "same-call",
    times: chance.between(1, most),
    sameRun: chance.percent(80),
  })
  const person = chance.pick(voters)
  const asksAgain: Act = { kind: "ask-again", person: chance.pick(voters), route: 0 }
  const ends = chance.percent(60) ? [waitFor(chance.between(0, 6_000)), asksAgain, same(2)] : []
  const waits = waitFor(chance.between(500, 2_500))
  return [waits, { kind: "reject-lasting", person, route: 0 }, same(5), ...ends]
}
