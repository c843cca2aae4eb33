// Amnesia: the platform's database is away, and the platform answers as if there were no approvals. Says which seeds
// have it, and what must hold then.
import type { OutOfSight } from "../../src/service/approvals/approval-handlers.ts"
import type { Look, SeenCase } from "./look.ts"
import { type Chance, createChance } from "./prng.ts"
import type { Fault, Schedule, Story } from "./schedule.ts"
import type { Stage } from "./stage.ts"
import { plainTerms } from "./terms.ts"

/** For so long the platform knows nothing, and `quietly` it does not even say that its list failed. */
export interface Amnesia {
  readonly kind: "amnesia"
  readonly how: OutOfSight
  readonly ms: number
}

/** Longer than a single approval is looked for, in ms of simulated time. */
const longMs = 660_000
const aloneMs = 540_000
/** Tells this draw of a seed from that of its schedule. */
const salt = 0x22_00_00

/**
 * The schedule, in one seed of four with an amnesia as well: mostly of seconds. It is drawn apart, so that all else
 * stays as it is drawn.
 */
export function withAmnesia(drawn: Schedule): Schedule {
  const chance = createChance(drawn.seed + salt)
  return chance.percent(25) ? { ...drawn, faults: [...drawn.faults, amnesiaOf(chance)] } : drawn
}

function amnesiaOf(chance: Chance): Fault {
  const long = chance.percent(3)
  const ms = long ? longMs : chance.between(500, 40_000)
  const how = chance.pick(["quietly", "quietly", "openly"] as const)
  return { when: { kind: "time", ms: chance.below(8_000) }, strike: { kind: "amnesia", how, ms } }
}

/**
 * How long it really lasts: less than ten minutes. After that, the bots believe an approval gone, if it is the only one
 * that they know.
 */
export function lastingOf({ replicas }: Stage, { ms }: Amnesia): number {
  const opened = replicas.flatMap(({ log }) => log).filter((line) => line["kind"] === "opened")
  return new Set(opened.map((line) => line["caseId"])).size > 1 ? ms : Math.min(ms, aloneMs)
}

const voteAt = [{ kind: "wait", ms: 1_500 }] as const
const press = (person: "alice" | "bob", verb: "approve" | "reject") =>
  ({ kind: "press", person, verb, route: 0 }) as const
const late = (person: "alice" | "bob", verb: "approve" | "reject") =>
  ({ kind: "late", person, verb, route: 0 }) as const
const afterwards = { kind: "wait", ms: longMs + 6_000 } as const

/** One of two needed votes before it, the other after it or during it; and one that waits. */
const halfApproved: readonly Story[] = [
  [...voteAt, press("alice", "approve"), afterwards, press("bob", "approve")],
  [...voteAt, press("alice", "approve"), { kind: "wait", ms: 60_000 }, press("bob", "approve")],
  [],
]
/**
 * A rejection that is held, beside one that waits; afterwards somebody else presses Approve, as their screen still
 * shows it.
 */
const held: readonly Story[] = [[...voteAt, press("bob", "reject"), afterwards, late("alice", "approve")], []]

/** Eleven minutes without the database, one schedule each, by these seeds. */
export function amnesias(seeds: readonly [number, number, number]): readonly Schedule[] {
  const base = { mode: "socket", skewsMs: [0, 150], history: true, quorum: 2, routes: 1, terms: plainTerms } as const
  const faults = (how: OutOfSight): readonly Fault[] => [
    { when: { kind: "time", ms: 6_000 }, strike: { kind: "amnesia", how, ms: longMs } },
  ]
  return [
    { ...base, seed: seeds[0], stories: halfApproved, faults: faults("quietly") },
    { ...base, seed: seeds[1], stories: halfApproved, faults: faults("openly") },
    {
      ...base,
      seed: seeds[2],
      quorum: 1,
      terms: { ...plainTerms, runs: "held" },
      stories: held,
      faults: faults("quietly"),
    },
  ]
}

/**
 * Nobody deletes an approval: none is said to be gone, none is begun anew, and no 404 ends a verdict. What `amnesias`
 * hold nobody releases.
 */
export function amnesiaBreaches({ schedule }: Pick<Look, "schedule">, { entries, row }: SeenCase): readonly string[] {
  const has = (kind: string) => entries.filter((entry) => entry.kind === kind)
  const unknown = has("reopened").filter(({ event }) => /refused: 404 (?!.*although)/.test(String(event["why"])))
  const released = schedule.seed < 0 && has("held").length > 0 && row.status !== "pending"
  return [
    ...(released ? ["its rejection was held, and it is decided all the same"] : []),
    ...(has("vanished").length > 0 ? ["it was said to be gone, and it was there all the time"] : []),
    ...(has("opened").length > 1 ? ["it was begun anew, and its votes are lost"] : []),
    ...(unknown.length > 0 ? ["its verdict was given up, since the platform's database was away"] : []),
  ]
}
