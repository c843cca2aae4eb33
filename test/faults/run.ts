// The fault harness: npm run faults -- --seeds 1000; --seed N replays one and prints what all parties did.
import { parseArgs } from "node:util"
import { defaultLanes } from "../support/lanes.ts"
import { attackedScheduleOf, lossyScheduleOf, scheduleOf } from "./draw.ts"
import type { Ended } from "./drive.ts"
import { openLanes, type Play } from "./lanes.ts"
import { outages } from "./outages.ts"
import { plants } from "./plants.ts"
import { writeReport } from "./report.ts"
import {
  breachesOf,
  isFinding,
  keepTimeline,
  lastLine,
  type Planted,
  plantedIn,
  plantLine,
  progressLine,
} from "./results.ts"
import type { Schedule } from "./schedule.ts"
import { withStopAtDecision } from "./stops.ts"
import { timelineText } from "./timeline.ts"

const { values } = parseArgs({
  options: {
    /** How many seeds, by default 100, or 50 for each planted bug; and the first of them. */
    seeds: { type: "string" },
    from: { type: "string", default: "1" },
    /** One seed, with its schedule and timeline; -1 to -6 are the outages. */
    seed: { type: "string" },
    /** Seeds that run side by side. */
    lanes: { type: "string" },
    /** A seed that takes longer than so many seconds of real time hangs. */
    hang: { type: "string", default: "300" },
    /** Outages of ten minutes and more, instead of seeds. */
    outages: { type: "boolean", default: false },
    /** A planted bug, or `all` one after the other: each has to be found. */
    plant: { type: "string" },
    /**
     * After the seeds the outages and every planted bug, and docs/faults.md with the figures; also if it is
     * interrupted.
     */
    report: { type: "boolean", default: false },
    /** There is an attacker in each seed. */
    attacked: { type: "boolean", default: false },
    /** Processes die, and Redis restarts or loses its last second; nothing else happens. */
    lossy: { type: "boolean", default: false },
    /** A line for each seed. */
    verbose: { type: "boolean", default: false },
  },
})
/** A run says how far it is after so many seeds. */
const progressEvery = 25

/** A bug that is planted has to be found within so many seeds. */
const plantSeeds = 50

const one = values.seed === undefined ? null : whole("seed", values.seed)
const from = whole("from", values.from)
const wantedSeeds = positive("seeds", values.seeds ?? String(values.plant === undefined ? 100 : plantSeeds))
const schedules = one === null ? schedulesFrom(from, wantedSeeds) : [one < 0 ? outageOf(one) : draw(one)]
const count = Math.min(
  Math.max(schedules.length, outages.length),
  positive("lanes", values.lanes ?? String(defaultLanes)),
)
const hangMs = positive("hang", values.hang) * 1_000
const lanes = await openLanes({ count, hangMs })
const stop = { asked: false }
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, interrupt)
try {
  const failed = values.plant === undefined ? await run() : await findPlants(values.plant)
  process.exitCode = failed ? 1 : stop.asked ? 130 : 0
} finally {
  await lanes.close()
}

/** A whole number. Ends the run with a word on what is wrong if it is none. */
function whole(name: string, text: string): number {
  if (/^-?\d+$/.test(text)) return Number(text)
  console.error(`--${name} takes a whole number, and "${text}" is none`)
  process.exit(2)
}

function positive(name: string, text: string): number {
  const number = whole(name, text)
  if (number > 0) return number
  console.error(`--${name} takes a number above 0, and "${text}" is not`)
  process.exit(2)
}

function schedulesFrom(first: number, length: number): readonly Schedule[] {
  return Array.from({ length }, (_, index) => draw(first + index))
}

function draw(seed: number): Schedule {
  if (values.lossy) return lossyScheduleOf(seed)
  return values.attacked ? attackedScheduleOf(seed) : scheduleOf(seed)
}

/** The schedule of an outage by its seed. */
function outageOf(seed: number): Schedule {
  const found = outages.find((outage) => outage.seed === seed)
  if (found !== undefined) return found
  console.error(`--seed ${seed} is no outage: there are ${outages.map((outage) => outage.seed).join(", ")}`)
  process.exit(2)
}

function plays(those: readonly Schedule[], plant: string | null): readonly Play[] {
  return those.map((schedule) => ({ kind: "play", schedule, plant, hangMs }))
}

/** The first time what was played until now is told; whoever cannot wait for that asks again. */
function interrupt(): void {
  if (stop.asked) process.exit(130)
  stop.asked = true
  void lanes.close()
}

/** Runs the seeds, or the outages; true if anything that must hold did not. */
async function run(): Promise<boolean> {
  const ended: Ended[] = []
  const began = performance.now()
  const seconds = () => (performance.now() - began) / 1_000
  const onEnd = (end: Ended) => {
    tell(end)
    // What all parties did is told and kept by now.
    ended.push({ ...end, timeline: [] })
    if (ended.length % progressEvery === 0) console.log(progressLine(ended, { of: schedules.length, tookS: seconds() }))
    return true
  }
  if (!values.outages) await lanes.run(plays(schedules, null), onEnd)
  const tookS = seconds()
  if ((values.outages || values.report) && !stop.asked) await lanes.run(plays(outages, null), onEnd)
  const planted = values.report && !stop.asked ? await plantAll(Object.keys(plants), schedulesFrom(1, plantSeeds)) : []
  if (values.report) writeReport({ ended, planted, tookS })
  const { line, violations } = lastLine(ended)
  if (stop.asked) console.log(`interrupted after ${ended.length} of ${schedules.length} seeds`)
  console.log(line)
  return violations > 0 || planted.some(({ seed }) => seed === null)
}

function tell(end: Ended): void {
  if (one !== null) console.log(`${JSON.stringify(schedules[0], null, 1)}\n${timelineText(end.timeline)}`)
  const struck = end.struck.map(({ fault, at }) => `${fault} at ${at}`).join(", ")
  if (values.verbose || end.seed < 0) console.log(`seed ${end.seed}: well after ${end.convergedMs} ms; ${struck}`)
  const breaches = breachesOf(end)
  for (const breach of breaches) console.log(`seed ${end.seed}: ${breach}`)
  if (breaches.length > 0) console.log(`seed ${end.seed}: what all parties did is in ${keepTimeline(end)}`)
}

/** Runs seeds with a bug until one of them shows it; true if none does. */
async function findPlants(wanted: string): Promise<boolean> {
  const names = wanted === "all" ? Object.keys(plants) : [wanted]
  if (plants[names[0] ?? ""] === undefined) throw new Error(`no planted bug is called ${wanted}`)
  const planted = await plantAll(names, schedules)
  const missed = planted.filter(({ seed }) => seed === null).length
  console.log(`planted bugs ${names.length}, missed ${missed}`)
  return missed > 0
}

/** Plants one bug after the other, and says of each in which seed it was found, and by what. */
async function plantAll(names: readonly string[], within: readonly Schedule[]): Promise<readonly Planted[]> {
  const planted: Planted[] = []
  for (const plant of names) {
    if (stop.asked) break
    const ended: Ended[] = []
    const onEnd = (end: Ended) => ended.push({ ...end, timeline: [] }) > 0 && !isFinding(end)
    await lanes.run(plays(shownIn(plant, within), plant), onEnd)
    const found = plantedIn(plant, ended)
    planted.push(found)
    console.log(plantLine(found))
  }
  return planted
}

/** The schedules in which a planted bug can show. */
function shownIn(plant: string, within: readonly Schedule[]): readonly Schedule[] {
  switch (plants[plant]?.shownBy) {
    case "attacker":
      return within.map(({ seed }) => attackedScheduleOf(seed))
    case "stop":
      return within.map(withStopAtDecision)
    case "outage":
      return outages
    case undefined:
      return within
  }
}
