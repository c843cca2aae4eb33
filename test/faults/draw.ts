// Draws the schedule of a seed from the seed alone.
import type { DeliveryFault, WebFault } from "../../src/sandbox/delivery/faults.ts"
import { careful, strokesOf, votesBack } from "../attacks/draw-strokes.ts"
import { withAmnesia } from "./amnesia.ts"
import { withCallBacks } from "./call-backs.ts"
import { withConversation } from "./conversation.ts"
import { withOversight } from "./oversight.ts"
import { withPausedRuns } from "./paused-runs.ts"
import type { PointName } from "./points.ts"
import { type Chance, createChance } from "./prng.ts"
import {
  type Act,
  type Fault,
  type PressAct,
  type Schedule,
  type Story,
  type Strike,
  slackMethods,
  type When,
} from "./schedule.ts"
import { withStops } from "./stops.ts"
import { amount, type Terms, termsOf } from "./terms.ts"

/**
 * The effects and commits at which a process is cut off or somebody gets in between; those that decide most stand more
 * than once.
 */
const calls: readonly PointName[] = [
  "store.commit.opened",
  "store.commit.note",
  "store.commit.placed",
  "store.commit.decided",
  "store.commit.decided",
  "store.commit.voted",
  "store.commit.resolved",
  "store.commit.closed",
  "store.commit.elsewhere",
  "store.commit.revised",
  "platform.pending",
  "platform.get",
  "platform.resolve",
  "platform.resolve",
  "chat.postCard",
  "chat.postCard",
  "chat.updateCard",
  "chat.tell",
  "chat.tell",
  "chat.settleClicked",
  "chat.answer",
  "tickets.write",
  "tickets.write",
  "tickets.remove",
  "jobs.present",
  "jobs.resolve",
  "jobs.reconcile",
  "pace.reserve",
  "people.look",
  "store.read",
  "store.commit.expired",
  "store.commit.reminded",
  "store.commit.continued",
  "continues.take",
  "runs.continue",
  "runs.continue",
  "jobs.resume",
  "jobs.remind",
  "jobs.summarise",
  "summaries.save",
  "summaries.end",
  "chat.postSummary",
  "chat.updateSummary",
  "chat.tellOnSummary",
  "chat.findCard",
  "chat.countLines",
  "store.commit.held",
  "store.commit.withdrawn",
  "store.commit.escalated",
  "store.commit.recovered",
  "store.commit.run-ended",
]
/** Points that a press passes on its way to the platform, where somebody else may get in between. */
const between: readonly PointName[] = [
  "platform.get",
  "store.commit.decided",
  "platform.resolve",
  "tickets.write",
  "chat.settleClicked",
]

/** Draws the schedule of a seed. In some an attacker writes to Redis. */
export function scheduleOf(seed: number): Schedule {
  const chance = createChance(seed)
  const drawn = honestly(chance, seed)
  return chance.percent(10)
    ? attacked(chance, drawn)
    : withConversation(withOversight(withStops(withCallBacks(withPausedRuns(withAmnesia(atTheEdges(chance, drawn)))))))
}

/** Draws the schedule of a seed with an attacker in it. */
export function attackedScheduleOf(seed: number): Schedule {
  const chance = createChance(seed)
  return attacked(chance, honestly(chance, seed))
}

/** Draws a schedule in which nothing breaks but Redis and the processes, and nobody attacks. */
export function lossyScheduleOf(seed: number): Schedule {
  const chance = createChance(seed)
  const drawn = honestly(chance, seed)
  return limited(chance, { ...drawn, faults: Array.from({ length: chance.between(1, 3) }, () => loss(chance)) })
}

/**
 * Drawn after all else, so that a seed keeps what it drew before: sockets that are turned away, cards that nobody
 * touches, and limits.
 */
function atTheEdges(chance: Chance, drawn: Schedule): Schedule {
  const turned = drawn.mode === "socket" && chance.percent(20) ? [turnedAway(chance)] : []
  const schedule = { ...drawn, faults: [...drawn.faults, ...turned] }
  return limited(chance, drawn.terms.summaryAbove === 0 && chance.percent(3) ? crowded(schedule) : schedule)
}

/** Fewer calls than are asked for may be approved by one person each. */
function limited(chance: Chance, drawn: Schedule): Schedule {
  const { terms, quorum, stories } = drawn
  const limit = stories.length > 2 ? chance.pick([amount, 2 * amount]) : amount
  if (terms.runs !== "none" || quorum === 2 || stories.length < 2 || !chance.percent(60)) return drawn
  return { ...drawn, terms: { ...terms, limit } }
}

function turnedAway(chance: Chance): Fault {
  const reason = chance.pick(["too_many_websockets", "link_disabled"] as const)
  return { when: whenOf(chance), strike: { kind: "sockets", reason, times: chance.between(1, 8) } }
}

/**
 * Many approvals, for more than a minute. If the bot looked at each of their cards as often as at a few, that would use
 * up all calls of a minute.
 */
function crowded(drawn: Schedule): Schedule {
  const wait: Act = { kind: "wait", ms: 80_000 }
  const untouched: readonly Story[] = [[wait], ...Array.from({ length: 11 }, (): Story => [])]
  const terms = { ...drawn.terms, timing: null, runs: "none" as const, finish: false }
  return { ...drawn, history: true, terms, stories: [...drawn.stories, ...untouched] }
}

function loss(chance: Chance): Fault {
  return chance.pick<Fault>([
    { when: atLabel(chance, calls), strike: { kind: "kill", restartMs: chance.between(0, 6_000) } },
    { when: whenOf(chance), strike: { kind: "redis-restart" } },
    { when: whenOf(chance), strike: { kind: "redis-restored", lostMs: chance.between(600, 1_400) } },
  ])
}

/**
 * Another approval, on which a vote is taken back before the attacker strikes; and strokes between what people do
 * otherwise.
 */
function attacked(chance: Chance, drawn: Schedule): Schedule {
  const [person, other] = chance.pick([
    ["alice", "bob"],
    ["bob", "alice"],
  ] as const)
  const press = (who: PressAct["person"]): PressAct => ({ kind: "press", person: who, verb: "approve", route: 0 })
  const wait: Act = { kind: "wait", ms: chance.pick([200, 2_000, 7_000]) }
  const strike = (): Act => ({ kind: "attack", strokes: strokesOf(chance, careful) })
  const withdraw: Act = { kind: "withdraw", person, route: 0 }
  const bringsBack: Act = { kind: "attack", strokes: strokesOf(chance, chance.percent(70) ? votesBack : careful) }
  const story: Story = [{ kind: "wait", ms: 2_000 }, press(person), wait, withdraw, bringsBack, press(other)]
  const others = drawn.stories
    .slice(0, 1)
    .map((one) => one.flatMap((act) => (chance.percent(15) ? [act, strike()] : [act])))
  const terms = { ...drawn.terms, timing: null, summaryAbove: 0 as const, runs: "none" as const, requester: null }
  return { ...drawn, quorum: 2, routes: 1, terms, stories: [story, ...others.map(onOneRoute)] }
}

function onOneRoute(story: Story): Story {
  const first = (press: PressAct): PressAct => ({ ...press, route: 0 })
  return (
    story
      // A person has one modal at a time, and takes their vote back in the first story.
      .filter(({ kind }) => kind !== "review" && kind !== "withdraw")
      .map((act): Act => {
        if (act.kind === "press") return first(act)
        if (act.kind === "together") return { ...act, presses: act.presses.map(first) }
        return act
      })
  )
}

function honestly(chance: Chance, seed: number): Schedule {
  const replicas = chance.pick([1, 1, 2, 2, 3])
  const routes = chance.pick([1, 1, 2] as const)
  const base = {
    seed,
    mode: chance.pick(["socket", "socket", "http"] as const),
    skewsMs: Array.from({ length: replicas }, () => chance.pick([0, 0, 0, 150, -150, 2_000, -2_000, 20_000, -20_000])),
    history: chance.percent(70),
    quorum: chance.pick([1, 1, 2] as const),
    routes,
    stories: Array.from({ length: chance.between(1, 3) }, () => storyOf(chance, routes)),
    faults: Array.from({ length: chance.between(1, 4) }, () => faultOf(chance)),
  }
  const terms = termsOf(chance)
  const stories = base.stories.map((story) => underTerms(chance, story, { ...terms, quorum: base.quorum }))
  if (terms.summaryAbove === 0) return { ...base, terms, stories }
  const more = Array.from({ length: Math.max(1, summedUp - stories.length) }, () => reviewStory(chance, terms, routes))
  return { ...base, terms, stories: [...stories, ...more].slice(-summedUp) }
}

/** One card goes out at once; above `summaryAbove` the others hang on a summary. */
const summedUp = 3

/** Of an approval about which nobody does anything, but review the summary on which it hangs. */
function reviewStory(chance: Chance, { runs }: Terms, routes: number): Story {
  const wait: Act = { kind: "wait", ms: chance.between(1_000, 5_000) }
  const verb = runs === "held" ? "reject" : chance.pick(["approve", "reject"] as const)
  const person = chance.pick(["alice", "bob"] as const)
  return chance.percent(70) ? [wait, { kind: "review", person, verb, route: chance.below(routes) }] : []
}

/** Nobody fills in forms, so what asks for input is only rejected. Some votes are taken back. */
function underTerms(
  chance: Chance,
  story: Story,
  { runs, quorum }: Pick<Terms, "runs"> & Pick<Schedule, "quorum">,
): Story {
  const inTerms = (press: PressAct): PressAct => (runs === "held" ? { ...press, verb: "reject" } : press)
  const acts = story.map((one): Act => {
    if (one.kind === "press") return inTerms(one)
    return one.kind === "together" ? { ...one, presses: one.presses.map(inTerms) } : one
  })
  const presses = story.filter((one) => one.kind === "press")
  const taken = chance.percent(quorum === 2 ? 70 : 30) ? presses.at(-1) : undefined
  if (taken === undefined) return acts
  const { person, route } = taken
  const pause: Act = { kind: "wait", ms: chance.between(200, 2_500) }
  const anew = chance.percent(50) ? [pause, inTerms({ ...taken, person: chance.pick(["alice", "bob"] as const) })] : []
  return [...acts, pause, { kind: "withdraw", person, route }, ...anew]
}

function storyOf(chance: Chance, routes: number): Story {
  const press = (): PressAct => {
    const person = chance.pick(["alice", "alice", "bob", "bob", "rita"] as const)
    return {
      kind: "press",
      person,
      verb: chance.pick(["approve", "approve", "reject"] as const),
      route: chance.below(routes),
    }
  }
  const act = (): Act => {
    const draw = chance.below(100)
    if (draw < 45) return press()
    if (draw < 65) return { kind: "together", presses: [press(), press()] }
    if (draw < 75) return { kind: "elsewhere", verb: chance.pick(["approve", "reject"] as const) }
    if (draw < 87) return { kind: "change" }
    return { kind: "wait", ms: chance.between(100, 4_000) }
  }
  const acts = Array.from({ length: chance.between(1, 4) }, act)
  return chance.percent(8) ? [] : acts.flatMap((one) => [{ kind: "wait", ms: chance.between(0, 1_500) } as const, one])
}

function faultOf(chance: Chance): Fault {
  const draw = chance.below(100)
  if (draw < 28) return { when: atLabel(chance, calls), strike: { kind: "kill", restartMs: chance.between(0, 6_000) } }
  if (draw < 36) return { when: whenOf(chance), strike: { kind: "redis-restart" } }
  if (draw < 42) return { when: whenOf(chance), strike: { kind: "redis-restored", lostMs: chance.between(600, 1_400) } }
  if (draw < 51) return { when: whenOf(chance), strike: redisAway(chance) }
  // It waits for the next request that it is for, so most are laid early.
  if (draw < 66) return { when: chance.percent(60) ? soon(chance) : whenOf(chance), strike: platformStrike(chance) }
  if (draw < 78) return { when: whenOf(chance), strike: slackStrike(chance) }
  if (draw < 81) return { when: whenOf(chance), strike: lostPost(chance) }
  if (draw < 88)
    return {
      when: { kind: "time", ms: chance.below(4_000) },
      strike: { kind: "delivery", fault: deliveryFault(chance) },
    }
  if (draw < 96) return { when: atLabel(chance, between), strike: { kind: "meanwhile", act: intruder(chance) } }
  return {
    when: { kind: "time", ms: chance.between(500, 6_000) },
    strike: { kind: "rolling", apartMs: chance.between(200, 4_000) },
  }
}

function atLabel(chance: Chance, from: readonly string[]): When {
  const label = `${chance.pick(from)}:${chance.pick(["before", "after"])}`
  return { kind: "label", label, nth: chance.pick([1, 1, 1, 2, 3]) }
}

function whenOf(chance: Chance): When {
  return chance.percent(65) ? atLabel(chance, calls) : { kind: "time", ms: chance.below(8_000) }
}

function soon(chance: Chance): When {
  return { kind: "time", ms: chance.below(3_000) }
}

function redisAway(chance: Chance): Strike {
  const way = chance.pick(["cut", "stalled", "deaf"] as const)
  return { kind: "redis-away", way, ms: chance.between(200, 8_000), all: chance.percent(60) }
}

function platformStrike(chance: Chance): Strike {
  const how = chance.pick([
    "down",
    "slow",
    "late",
    "unheard",
    "unheard",
    "cut",
    "unaccepted",
    "unaccepted",
    "unaccepted",
  ] as const)
  return {
    kind: "platform",
    how,
    on: chance.pick(["all", "get", "resolve", "resolve", "resolve", "resolve"] as const),
    times: chance.between(1, 6),
  }
}

function slackStrike(chance: Chance): Strike {
  const fault = chance.pick<WebFault>([
    { kind: "ratelimited", retryAfterS: chance.between(1, 5) },
    { kind: "status", status: chance.pick([500, 502, 503]) },
    { kind: "accept_then_never_answer" },
    { kind: "accept_then_never_answer" },
    { kind: "never_answer" },
    { kind: "slow", ms: 4_000 },
  ])
  const method = chance.pick([...slackMethods, "chat.postMessage", "chat.postMessage", "chat.update"] as const)
  return { kind: "slack", method, fault, times: chance.between(1, 3) }
}

function lostPost(chance: Chance): Strike {
  const looking = chance.pick<WebFault>([
    { kind: "ratelimited", retryAfterS: chance.between(1, 5) },
    { kind: "ratelimited", retryAfterS: chance.between(1, 5) },
    { kind: "status", status: 503 },
    { kind: "never_answer" },
  ])
  return { kind: "lost-post", looking, times: chance.between(1, 3) }
}

function deliveryFault(chance: Chance): DeliveryFault {
  return chance.pick<DeliveryFault>([
    { kind: "twice" },
    { kind: "twice" },
    { kind: "drop_before_ack" },
    { kind: "slow", ms: 1_500 },
  ])
}

/** Somebody who gets in between: on the platform, or with a second press. */
function intruder(chance: Chance): Act {
  return chance.pick<Act>([
    { kind: "elsewhere", verb: "approve" },
    { kind: "elsewhere", verb: "reject" },
    { kind: "change" },
    { kind: "press", person: "bob", verb: "reject", route: 0 },
  ])
}
