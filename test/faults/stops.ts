// Stops: somebody stops what agents ask for, and ends that later. Says which seeds have some, and does it as a shell
// does.
import type { StopMatch } from "../../src/domain/order/stop.ts"
import type { Away } from "../support/oversight-standing.ts"
import type { Absences } from "./absences.ts"
import { openOwnStore } from "./own-store.ts"
import type { PointName } from "./points.ts"
import { type Chance, createChance } from "./prng.ts"
import type { Fault, Schedule } from "./schedule.ts"
import type { Stage } from "./stage.ts"
import type { Moment } from "./strikes.ts"
import type { Timeline } from "./timeline.ts"

/** Somebody stops calls, and ends that. */
export interface Stopping {
  readonly kind: "stop"
  /** The story whose calls are stopped; null: everything is. */
  readonly story: number | null
  /** So long it lasts, in ms. */
  readonly ms: number
  /** Whether it ends by itself. */
  readonly until: boolean
  /** The replica that stands still at the label is killed once the stop is made. */
  readonly kills: boolean
}

/** One stop, in simulated epoch ms: made by `from`, and nobody ended it before `to`. */
export interface Spell {
  readonly id: string
  readonly match: StopMatch
  readonly from: number
  to: number
}

/** Tells this draw of a seed from that of its schedule. */
const salt = 0x40_00_00

/** Where a stop gets in between: from the judgement of a press to what leaves; the most telling more than once. */
const between: readonly `${PointName}:${"before" | "after"}`[] = [
  "store.commit.decided:before",
  "store.commit.decided:before",
  "store.commit.decided:before",
  "store.commit.decided:after",
  "store.commit.voted:before",
  "store.commit.voted:after",
  "platform.resolve:before",
  "platform.resolve:before",
  "platform.resolve:before",
  "platform.resolve:after",
  "store.commit.continued:before",
  "runs.continue:before",
]
/** Where a process has decided, and not sent. */
const unsent = ["store.commit.decided:after", "platform.resolve:before"]

/** The schedule, with a stop or two in three of five seeds. These are drawn apart, so that all else stays as drawn. */
export function withStops(drawn: Schedule): Schedule {
  const chance = createChance(drawn.seed + salt)
  if (!chance.percent(60)) return drawn
  const stops = Array.from({ length: chance.pick([1, 1, 2]) }, () => stopOf(chance, drawn.stories.length))
  return { ...drawn, faults: [...drawn.faults, ...stops] }
}

/** The schedule, with a stop of everything just before the first decision is committed. */
export function withStopAtDecision(drawn: Schedule): Schedule {
  const when = { kind: "label", label: "store.commit.decided:before", nth: 1 } as const
  const strike = { kind: "stop", story: null, ms: 20_000, until: false, kills: false } as const
  return { ...drawn, faults: [...drawn.faults, { when, strike }] }
}

function stopOf(chance: Chance, stories: number): Fault {
  const label = chance.pick(between)
  const atLabel = chance.percent(75)
  const when = atLabel ? ({ kind: "label", label, nth: chance.pick([1, 1, 1, 1, 2]) } as const) : soon(chance)
  const story = chance.percent(65) ? null : chance.below(stories)
  const ms = chance.pick([chance.between(200, 3_000), chance.between(3_000, 25_000)])
  const kills = atLabel && unsent.includes(label) && chance.percent(50)
  return { when, strike: { kind: "stop", story, ms, until: chance.percent(25), kills } }
}

function soon(chance: Chance): Fault["when"] {
  return { kind: "time", ms: chance.below(8_000) }
}

/** Makes stops and ends them. While Redis is away it tries again. */
export interface OrderDesk {
  readonly spells: readonly Spell[]
  readonly stop: (match: StopMatch, untilMs: number | null) => Promise<Spell>
  readonly end: (spell: Spell) => Promise<void>
  /** Every absence that was begun, by its id. */
  readonly absences: Absences
  /** Somebody is away, for so long (ms), and another may vote for them; or is back. */
  readonly leave: (who: Pick<Away, "person" | "standIn">, ms: number) => Promise<void>
  readonly back: (person: string) => Promise<void>
  /** Ends all that is in force, whoever ordered it. */
  readonly endAll: () => Promise<void>
  readonly close: () => Promise<void>
}

/** How long to wait after Redis did not answer, in ms. */
const againMs = 400

const by = { kind: "operator", name: "operator" } as const

/** Opens the desk of a seed. */
export async function openOrderDesk(
  { ground, installation, key }: Pick<Stage, "ground" | "installation" | "key">,
  timeline: Timeline,
): Promise<OrderDesk> {
  const { clock } = ground
  const { store, close } = await openOwnStore({ ground, installation, key })
  const { orders } = store.config
  const spells: Spell[] = []
  const tried = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    for (;;) {
      try {
        return await work()
      } catch (error) {
        if ((error as { readonly retryable?: unknown }).retryable !== true) throw error
        await clock.wait(againMs)
      }
    }
  }
  const endOne = async (id: string) => {
    for (const spell of spells) if (spell.id === id) spell.to = Math.min(spell.to, clock.now())
    const ended = await tried(() => orders.end(id, { by, at: clock.now() }))
    timeline.note("operator", `ends the stop ${id}: ${ended !== null}`)
  }
  const absences = new Map<string, Away>()
  const back = async (person: string | null) => {
    const all = await tried(() => orders.listAbsences())
    for (const one of all.filter((each) => person === null || each.person === person)) {
      const ended = await tried(() => orders.endAbsence(one.id, { by, at: clock.now() }))
      timeline.note("operator", `notes that ${one.person} is back: ${ended !== null}`)
    }
  }
  return {
    spells,
    absences,
    leave: async (who, ms) => {
      const at = clock.now()
      const done = await tried(() => orders.beginAbsence({ ...who, from: at, until: at + ms, by, at }))
      if (done.kind === "begun") absences.set(done.absence.id, done.absence)
      timeline.note("operator", `notes that ${who.person} is away for ${ms} ms: ${done.kind}`)
    },
    back,
    stop: async (match, untilMs) => {
      const until = untilMs === null ? null : clock.now() + untilMs
      const wanted = () => ({ match, by, reason: "runaway", at: clock.now(), until })
      const made = await tried(() => orders.stop(wanted()))
      if (made.kind === "too-many") throw new Error("50 stops are in force")
      const { id } = made.stop
      const spell = { id, match, from: clock.now(), to: made.stop.until ?? Number.POSITIVE_INFINITY }
      spells.push(spell)
      timeline.note("operator", `stops ${JSON.stringify(match)}: ${made.kind} ${id}`)
      return spell
    },
    end: ({ id }) => endOne(id),
    endAll: async () => {
      const { stops } = await tried(() => orders.list())
      for (const { id } of stops) await endOne(id)
      await back(null)
    },
    close,
  }
}

/** A replica that was killed comes back so much later, in ms. */
const restartMs = 1_500

/** Stops, lets the replica go on or kills it, and ends the stop when its time is over. */
export async function stopForAWhile(stage: Stage, strike: Stopping, { replica, go }: Moment): Promise<void> {
  const { stops, ground } = stage
  const { story, ms, until, kills } = strike
  const match = story === null ? {} : { tool: [`task_${story}`] }
  const spell = await stops.stop(match, until ? ms : null)
  const back = async () => {
    await ground.clock.wait(restartMs)
    await replica?.start()
  }
  if (kills) await replica?.kill()
  go()
  const end = async () => {
    await ground.clock.wait(ms)
    if (!until) await stops.end(spell)
  }
  await Promise.all([end(), kills ? back() : undefined])
}
