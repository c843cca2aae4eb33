// Drives one seed: builds its world, lets people act and faults strike, heals everything, and waits until all is well.

import { sandboxCast } from "../../src/sandbox/workspace/seed.ts"
import { ask } from "./asking.ts"
import type { Attack } from "./attack.ts"
import { reviewRest } from "./glass.ts"
import { breaches } from "./invariants.ts"
import { type Look, openWatcher, type Watcher } from "./look.ts"
import { act, pressCard } from "./people.ts"
import type { Schedule, Story } from "./schedule.ts"
import { type Asked, type Doings, isLive, liveCards } from "./screen.ts"
import { realTimeout } from "./sim-time.ts"
import { buildStage, type Ground, type Stage } from "./stage.ts"
import { armFaults, type Struck } from "./strikes.ts"
import { createTimeline, type Moment, type Timeline } from "./timeline.ts"

/** How a seed ended. */
export interface Ended {
  readonly seed: number
  readonly violations: readonly string[]
  readonly struck: readonly Struck[]
  /** How long after everything was healed all was well, in ms of simulated time. */
  readonly convergedMs: number
  /** How often the ledger tells of each kind of event. */
  readonly told: Readonly<Record<string, number>>
  readonly timeline: readonly Moment[]
  /** True if it never ended: what it left behind cannot be trusted. */
  readonly hung: boolean
}

/** After so many ms of simulated time what is not well will not be. */
const limitMs = 120_000
const lookMs = 1_500

/** What is played, and how long that may take in real time, in ms. */
export interface Drive {
  readonly schedule: Schedule
  readonly hangMs: number
}

/** Runs a schedule. Never rejects: what fails in the harness is a violation too, and so is what never ends. */
export async function drive(ground: Ground, { schedule, hangMs }: Drive): Promise<Ended> {
  const timeline = createTimeline(ground.clock.now)
  const struck: Struck[] = []
  const base = { seed: schedule.seed, struck, convergedMs: 0, told: {}, hung: false }
  const { promise: hung, resolve } = Promise.withResolvers<Partial<Ended>>()
  const timer = realTimeout(() => resolve({ hung: true, violations: [`it did not end within ${hangMs} ms`] }), hangMs)
  const played = playOn({ ground, schedule, timeline, struck }).catch((error: unknown): Partial<Ended> => {
    const said = error instanceof Error ? (error.stack ?? error.message) : String(error)
    return { violations: [`the harness failed: ${said}`] }
  })
  const end = await Promise.race([played, hung]).finally(() => clearTimeout(timer))
  return { violations: [], ...base, ...end, timeline: timeline.moments }
}

interface Playing {
  readonly ground: Ground
  readonly schedule: Schedule
  readonly timeline: Timeline
  readonly struck: Struck[]
}

async function playOn({ ground, schedule, timeline, struck }: Playing): Promise<Partial<Ended>> {
  const stage = await buildStage(ground, schedule, timeline)
  try {
    return await play(stage, struck)
  } finally {
    await stage.close()
  }
}

/** How it stood when it was looked at last. */
interface Stood {
  readonly violations: readonly string[]
  readonly convergedMs: number
  readonly told: Ended["told"]
}

async function play(stage: Stage, struck: Struck[]): Promise<Stood> {
  const unsubscribe = noteSlack(stage)
  const doings: Doings = { asked: [], pressed: [], said: [] }
  await Promise.all(stage.replicas.map((replica) => replica.start()))
  stage.timeline.note("driver", "all replicas are up")
  const strikes = armFaults(stage, doings, struck)
  await Promise.all(stage.schedule.stories.map((story, number) => tell(stage, doings, story, number)))
  await strikes.end()
  if (stage.attack !== null) return endAttacked(stage, stage.attack)
  await heal(stage)
  const watcher = await openWatcher(stage, doings, strikes)
  try {
    const first = await converge(stage, doings, watcher)
    if (first.violations.length > 0) return first
    const { overseen, finish } = stage.schedule.terms
    if (overseen) await reviewRest(stage)
    if (!finish) return overseen ? await converge(stage, doings, watcher) : first
    await pressRest(stage, doings)
    const last = await converge(stage, doings, watcher)
    const violations = [...last.violations, ...undecided(stage, doings)]
    return { violations, convergedMs: Math.max(first.convergedMs, last.convergedMs), told: last.told }
  } finally {
    await watcher.close()
    unsubscribe()
  }
}

async function tell(stage: Stage, doings: Doings, story: Story, number: number): Promise<void> {
  const asked = await ask(stage, doings, number)
  for (const one of story) await act(stage, doings, asked, one)
}

/** How long an attacker's work may take to have its effect, in ms. */
const effectMs = 10_000

/** What the attacker did to Redis need not heal: starts may fail, and nothing need be well. */
async function endAttacked(stage: Stage, { unmade }: Attack): Promise<Stood> {
  const healed = heal(stage).catch((error: unknown) => stage.timeline.note("driver", `not healed: ${String(error)}`))
  await Promise.race([healed, stage.ground.clock.wait(effectMs)])
  await stage.ground.clock.wait(effectMs)
  return { violations: unmade, convergedMs: 0, told: {} }
}

/** From now on nothing fails any more. */
async function heal(stage: Stage): Promise<void> {
  stage.sandbox.faults.clear()
  stage.platform.proxy.heal()
  await stage.platform.up()
  stage.platform.hide(null)
  for (const replica of stage.replicas) replica.redis.set("open")
  await Promise.all(stage.replicas.map((replica) => replica.start()))
  await stage.stops.endAll()
  stage.timeline.note("driver", "everything works again")
}

/**
 * Looks until all is well, or for as long as it may take. Whoever meets a card that was left behind presses it until
 * Slack takes the press, once: a socket that was turned away before may still be on its way back.
 */
async function converge(stage: Stage, doings: Doings, watcher: Watcher): Promise<Stood> {
  const { clock } = stage.ground
  const healedAt = clock.now()
  const pressedOrphans = new Set<string>()
  let noted = ""
  for (;;) {
    // A stop that Redis lost may be put back, or everything stopped, for some seconds more.
    await stage.stops.endAll()
    const look = await watcher.look()
    const orphans = orphansOf(look).filter(({ card }) => !pressedOrphans.has(card.ts))
    for (const { asked, card } of orphans) {
      const taken = await pressCard(stage, doings, { asked, person: sandboxCast.bob, verb: "reject", card })
      if (taken) pressedOrphans.add(card.ts)
    }
    const violations = breaches(look)
    // What is not well yet stands in the timeline, for a seed that hangs.
    if (violations.join("; ") !== noted) stage.timeline.note("driver", `not well: ${violations.join("; ")}`)
    noted = violations.join("; ")
    const tookMs = clock.now() - healedAt
    if (violations.length > 0 && tookMs > limitMs) noteLedger(stage, look)
    if (violations.length === 0 || tookMs > limitMs) return { violations, convergedMs: tookMs, told: toldIn(look) }
    await clock.wait(lookMs)
  }
}

/**
 * What the ledger says in the end stands beside what all parties did: what a busy machine brings about once cannot be
 * asked for again.
 */
function noteLedger({ timeline }: Stage, { entries }: Look): void {
  for (const { number, chain, event } of entries) timeline.note("ledger", `${number} ${chain} ${JSON.stringify(event)}`)
}

function toldIn({ entries }: Look): Ended["told"] {
  return Object.fromEntries(
    Object.entries(Object.groupBy(entries, ({ kind }) => kind)).map(([kind, all]) => [kind, all?.length ?? 0]),
  )
}

/** How long people wait for what their press brings about, in ms. */
const answerMs = 2_500

/** How long what changed last takes to reach its cards, in ms. */
const redrawnMs = 5_000

/** Whatever waits and can be pressed is pressed by all who may, until it is decided. */
async function pressRest(stage: Stage, doings: Doings): Promise<void> {
  await stage.ground.clock.wait(redrawnMs)
  const [channel = ""] = stage.channels
  const verb = stage.schedule.terms.runs === "held" ? "reject" : "approve"
  const people =
    stage.schedule.seed % 2 === 0 ? [sandboxCast.alice, sandboxCast.bob] : [sandboxCast.bob, sandboxCast.alice]
  const presses = [
    ...people.map((person) => ({ person, verb }) as const),
    { person: sandboxCast.bob, verb: "reject" } as const,
  ]
  for (const press of presses) {
    const left = doings.asked.flatMap((asked) => {
      const card = stage.platform.waits(asked.id) ? liveCards(stage, asked, channel, press.verb).at(-1) : undefined
      return card === undefined ? [] : [{ asked, card }]
    })
    if (left.length === 0) return
    await Promise.all(left.map((one) => pressTillTaken(stage, doings, { ...one, ...press })))
    await stage.ground.clock.wait(answerMs)
  }
}

/** A socket that was turned away before everything worked again is back within so long, in ms. */
const backMs = 20_000
/** Who sees an error presses again after so long, in ms. */
const againMs = 1_500

async function pressTillTaken(stage: Stage, doings: Doings, made: Parameters<typeof pressCard>[2]): Promise<void> {
  const { clock } = stage.ground
  const until = clock.now() + backMs
  while (!(await pressCard(stage, doings, made)) && clock.now() < until) await clock.wait(againMs)
}

/** What can be pressed is decided once all who may have pressed it. */
function undecided(stage: Stage, { asked }: Doings): readonly string[] {
  const [channel = ""] = stage.channels
  const left = asked.filter((one) => stage.platform.waits(one.id) && liveCards(stage, one, channel).length > 0)
  return left.map(({ tool }) => `${tool}: all who may have pressed it while all worked, and it is not decided`)
}

/** Live cards that are not the ones on record, in each channel where their case knows where its card hangs. */
function orphansOf(look: Look) {
  return look.cases.flatMap(({ asked, cards, entries }) => {
    const placed = entries.filter(({ kind }) => kind === "placed").map(({ event }) => JSON.stringify(event["place"]))
    const onRecord = (channel: string) => placed.findLast((place) => place.includes(channel))
    return cards
      .filter(({ message }) => isLive(message) && onRecord(message.channelId)?.includes(message.ts) === false)
      .map(({ message }): { asked: Asked; card: typeof message } => ({ asked, card: message }))
  })
}

/** Notes what changes in the workspace. */
function noteSlack({ sandbox, timeline }: Stage): () => void {
  const known = new Map<string, string>()
  return sandbox.workspace.changes.subscribe(() => {
    const all = [...sandbox.workspace.messages.all(), ...sandbox.workspace.ephemerals.all()]
    for (const { channelId, ts, threadTs, text, editedTs } of all) {
      const mark = editedTs ?? "new"
      if (known.get(channelId + ts) === mark) continue
      known.set(channelId + ts, mark)
      timeline.note(
        "slack",
        `${channelId} ${ts}${threadTs === undefined ? "" : ` under ${threadTs}`} ${mark === "new" ? "says" : "now says"}: ${text.split("\n")[0]?.slice(0, 110)}`,
      )
    }
  })
}
