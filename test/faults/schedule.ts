// A schedule: all that happens in one seed, who presses what and what breaks where, drawn from the seed alone.
import type { DeliveryFault, WebFault } from "../../src/sandbox/faults.ts"
import type { PointName } from "./points.ts"
import { type Chance, createChance } from "./prng.ts"
import type { Way } from "./redis-proxy.ts"
import { type Terms, termsOf } from "./terms.ts"

/** Times are in ms of the simulated clock. */
export interface Schedule {
  readonly seed: number
  readonly mode: "socket" | "http"
  /** By how much each replica's clock is ahead of the world's; one a replica. */
  readonly skewsMs: readonly number[]
  /** Whether the history scopes are granted. */
  readonly history: boolean
  readonly quorum: 1 | 2
  /** In how many channels each approval is shown. */
  readonly routes: 1 | 2
  readonly terms: Terms
  readonly stories: readonly Story[]
  readonly faults: readonly Fault[]
}

/** What people and programs do about one approval, in order. */
export type Story = readonly Act[]

export type Verb = "approve" | "reject"

/** A press of a person, on the card of one of the routes. */
export interface PressAct {
  readonly kind: "press"
  readonly person: "alice" | "bob" | "rita"
  readonly verb: Verb
  readonly route: number
}

export type Act =
  | { readonly kind: "wait"; readonly ms: number }
  | PressAct
  | { readonly kind: "together"; readonly presses: readonly PressAct[] }
  | { readonly kind: "elsewhere"; readonly verb: Verb }
  | { readonly kind: "change" }
  /** Takes back what they voted, in Details. */
  | { readonly kind: "withdraw"; readonly person: PressAct["person"]; readonly route: number }

/** When a fault strikes: at a label, the n-th time that a replica comes there, or so long after the start. */
export type When =
  | { readonly kind: "label"; readonly label: string; readonly nth: number }
  | { readonly kind: "time"; readonly ms: number }

export interface Fault {
  readonly when: When
  readonly strike: Strike
}

/** What breaks. */
export type Strike =
  | { readonly kind: "kill"; readonly restartMs: number }
  | { readonly kind: "redis-restart" }
  /** Redis comes back as it was so long before. */
  | { readonly kind: "redis-restored"; readonly lostMs: number }
  | { readonly kind: "redis-away"; readonly way: Exclude<Way, "open">; readonly ms: number; readonly all: boolean }
  | {
      readonly kind: "platform"
      readonly how: "down" | "slow" | "late" | "unheard" | "cut" | "unaccepted"
      readonly on: "all" | "get" | "resolve"
      readonly times: number
    }
  | { readonly kind: "slack"; readonly method: SlackMethod; readonly fault: WebFault; readonly times: number }
  | { readonly kind: "delivery"; readonly fault: DeliveryFault }
  /** Nothing of it works for so long. */
  | { readonly kind: "outage"; readonly of: "platform" | "slack" | "redis"; readonly ms: number }
  /** Somebody acts about the first approval while the replica stands still at the label. */
  | { readonly kind: "meanwhile"; readonly act: Act }
  /** The replicas get another config revision, one after the other. */
  | { readonly kind: "rolling"; readonly apartMs: number }

export const slackMethods = [
  "chat.postMessage",
  "chat.update",
  "chat.postEphemeral",
  "response_url",
  "users.info",
] as const
export type SlackMethod = (typeof slackMethods)[number]

/** The effects and commits at which a process is cut off or somebody gets in between; those that decide most stand more than once. */
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

/** Draws the schedule of a seed. */
export function scheduleOf(seed: number): Schedule {
  const chance = createChance(seed)
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
  return { ...base, terms, stories: terms.summaryAbove === 0 ? stories : atLeast(summedUp, stories) }
}

/** One card goes out at once; above `summaryAbove` the others hang on a summary. */
const summedUp = 3

/** The same stories, and as many more of approvals about which nobody does anything. */
function atLeast(count: number, stories: readonly Story[]): readonly Story[] {
  return [...stories, ...Array.from({ length: Math.max(0, count - stories.length) }, (): Story => [])]
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
  if (draw < 30) return { when: atLabel(chance, calls), strike: { kind: "kill", restartMs: chance.between(0, 6_000) } }
  if (draw < 38) return { when: whenOf(chance), strike: { kind: "redis-restart" } }
  if (draw < 44) return { when: whenOf(chance), strike: { kind: "redis-restored", lostMs: chance.between(600, 1_400) } }
  if (draw < 54) return { when: whenOf(chance), strike: redisAway(chance) }
  // It waits for the next request that it is for, so most are laid early.
  if (draw < 66) return { when: chance.percent(60) ? soon(chance) : whenOf(chance), strike: platformStrike(chance) }
  if (draw < 81) return { when: whenOf(chance), strike: slackStrike(chance) }
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
  const how = chance.pick(["down", "slow", "late", "unheard", "unheard", "cut", "unaccepted", "unaccepted"] as const)
  return {
    kind: "platform",
    how,
    on: chance.pick(["all", "get", "resolve", "resolve", "resolve"] as const),
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
