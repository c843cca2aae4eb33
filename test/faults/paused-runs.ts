// Faults of a paused run: its requester cancels it, the platform dies while we continue it, or only the connection
// breaks. Says which seeds have them, and what must hold then.
import type { RunEnd } from "../../src/domain/case/resumption.ts"
import type { Look, SeenCard, SeenCase } from "./look.ts"
import { type Chance, createChance } from "./prng.ts"
import type { Fault, Schedule, Story, Strike } from "./schedule.ts"
import { saysOf } from "./screen.ts"

/** The platform is killed while it works on the next continue, before its call ran or after it, and comes back. */
export interface PlatformKilled {
  readonly kind: "platform-killed"
  /** True: the call ran, and the platform had not yet noted it. */
  readonly ran: boolean
  readonly downMs: number
}

/** The connection of the next continue breaks, and the platform works on for so long. */
export interface ContinueCut {
  readonly kind: "continue-cut"
  readonly workMs: number
}

/** Tells this draw of a seed from that of its schedule. */
const salt = 0x36_00_00

/**
 * The schedule, where runs are continued: in one of two somebody cancels one, and mostly a continue is cut off. It is
 * drawn apart, so that all else stays as it is drawn.
 */
export function withPausedRuns(drawn: Schedule): Schedule {
  if (drawn.terms.runs !== "continued") return drawn
  const chance = createChance(drawn.seed + salt)
  const cancelled = chance.percent(50) ? chance.below(drawn.stories.length) : -1
  const stories = drawn.stories.map((story, number) => (number === cancelled ? cancelIn(chance, story) : story))
  const faults = chance.percent(90) ? [...drawn.faults, cutOff(chance)] : drawn.faults
  return { ...drawn, stories, faults }
}

function cancelIn(chance: Chance, story: Story): Story {
  const before = chance.percent(70) ? 0 : chance.below(story.length + 1)
  return [...story.slice(0, before), { kind: "cancel" }, ...story.slice(before)]
}

/** It is laid before anybody decides, and waits for the first continue. */
function cutOff(chance: Chance): Fault {
  const strike: Strike = chance.percent(60)
    ? { kind: "platform-killed", ran: chance.percent(50), downMs: chance.between(4_000, 12_000) }
    : { kind: "continue-cut", workMs: chance.between(1_000, 20_000) }
  return { when: { kind: "time", ms: chance.below(500) }, strike }
}

/**
 * A run is continued once, and only after a decision of ours; what was not approved never runs, what was approved runs
 * once. What is told of its end is how it stands.
 */
export function runBreaches(look: Look, seen: SeenCase): readonly string[] {
  const { row, mark, entries, ran, continues } = seen
  if (look.schedule.terms.runs !== "continued")
    return ran === 0 ? [] : [`its call ran ${ran} times, and nobody continues runs`]
  const ours = mark !== null && !entries.some(({ kind }) => kind === "elsewhere")
  const most = row.status === "approved" && ours ? 1 : 0
  const told = entries.some(({ kind }) => kind === "run-ended" || kind === "not-resumed")
  // After a lost second a call may be refused once more, and nothing else.
  const refusedAgain = ours && row.status === "rejected" && look.lost.length > 0
  return [
    ...(ran > most ? [`its call ran ${ran} times, and it is ${row.status}`] : []),
    ...(continues > (ours ? 1 : 0) && !refusedAgain ? [`its run was continued ${continues} times`] : []),
    ...(row.status !== "pending" && ours && !told ? ["nobody said what became of its run"] : []),
    ...endBreaches(look, seen),
  ]
}

/** How a run stands of which an end is told. In these seeds none fails, forks or pauses again. */
const standing: Readonly<Partial<Record<string, readonly string[]>>> = {
  completed: ["COMPLETED"],
  cancelled: ["CANCELLED"],
  refused: ["PAUSED"],
  unknown: ["PAUSED"],
} satisfies Partial<Record<RunEnd["kind"], readonly string[]>>

function endBreaches(look: Look, { row, asked, entries, ran, run, cards }: SeenCase): readonly string[] {
  const end = entries.findLast(({ kind }) => kind === "run-ended")?.event
  if (end === undefined) return []
  const kind = String(end["end"])
  const toldToRun = (end["ran"] as readonly string[] | undefined)?.includes(asked.tool) === true
  const mostly = kind === "completed" ? row.status === "approved" : toldToRun
  const knows = kind === "completed" || kind === "cancelled"
  return [
    ...(standing[kind]?.includes(run.status) === true ? [] : [`its run is said to be ${kind}, and is ${run.status}`]),
    ...(knows && mostly && ran === 0 ? [`its run is said to be ${kind} after its call, which never ran`] : []),
    ...(knows && !mostly && ran > 0 ? [`its run is said to be ${kind} without its call, which ran`] : []),
    ...(run.killed && isNoted(look, run) && !cards.some(({ message }) => saysOf(message).includes(restartWords))
      ? ["the platform was killed while it worked on its run, and no card says so"]
      : []),
  ]
}

const restartWords = "the platform was restarted meanwhile"

/**
 * True if nothing kept a process from noting that the connection broke: Redis did not fail, and the process lived until
 * then.
 */
function isNoted({ struck }: Look, { heard }: SeenCase["run"]): boolean {
  const kept = struck.some(({ strike, at }) => strike.kind === "kill" && at.startsWith("store.commit.note"))
  return heard && !kept && !struck.some(({ strike }) => strike.kind.startsWith("redis"))
}

/** What stands on a card of a run of whose end is told. */
export function runWordsBreaches({ entries, run, ran }: SeenCase, { message }: SeenCard): readonly string[] {
  if (!entries.some(({ kind }) => kind === "run-ended")) return []
  const says = saysOf(message)
  const words = wordsOf(run.status, ran)
  const late = says.includes(lateWords) && !words.includes(lateWords)
  return words.some((one) => says.includes(one)) && !late
    ? []
    : [`its run is ${run.status}, its call ran ${ran} times, and its card says: ${says.slice(-160)}`]
}

const lateWords = "was cancelled, after"

function wordsOf(status: string, ran: number): readonly string[] {
  switch (status) {
    case "COMPLETED":
      return ["is completed"]
    case "CANCELLED":
      return ran > 0 ? [lateWords] : ["was cancelled"]
    default:
      return ["Nobody can tell what became of the run", "The platform did not continue the run"]
  }
}

/** A call that ran although its run was cancelled is an alarm, and nothing else is. A dead process gives none. */
export function cancelAlarms({ alarms, cases, struck }: Look): readonly string[] {
  const late = cases.some(({ run, ran }) => run.status === "CANCELLED" && ran > 0)
  const told = alarms.includes("ran-although-cancelled")
  const mute = struck.some(({ strike }) => strike.kind === "kill" || strike.kind.startsWith("redis"))
  if (told && !late) return ["an alarm that nothing explains: ran-although-cancelled"]
  return late && !told && !mute ? ["a call ran although its run was cancelled, and no alarm says so"] : []
}
