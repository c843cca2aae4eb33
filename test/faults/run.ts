// The fault harness: npm run faults -- --seeds 1000; --seed N replays one and prints what all parties did.
import { parseArgs } from "node:util"
import type { Ended } from "./drive.ts"
import { defaultLanes, openLanes } from "./lanes.ts"
import { outages } from "./outages.ts"
import { plants } from "./plants.ts"
import { writeReport } from "./report.ts"
import { breachesOf, isFinding, keepTimeline, lastLine, plantLine, progressLine } from "./results.ts"
import { scheduleOf } from "./schedule.ts"
import { timelineText } from "./timeline.ts"

const { values } = parseArgs({
  options: {
    /** How many seeds, and the first of them. */
    seeds: { type: "string", default: "100" },
    from: { type: "string", default: "1" },
    /** One seed, with its schedule and timeline. */
    seed: { type: "string" },
    /** Seeds that run side by side. */
    lanes: { type: "string" },
    /** A seed that takes longer than so many seconds of real time hangs. */
    hang: { type: "string", default: "300" },
    /** Three outages of ten minutes, instead of seeds. */
    outages: { type: "boolean", default: false },
    /** A planted bug, or `all` one after the other: each has to be found. */
    plant: { type: "string" },
    /** Also writes docs/faults.md, with this run's figures; also if it is interrupted. */
    report: { type: "boolean", default: false },
    /** A line for each seed. */
    verbose: { type: "boolean", default: false },
  },
})
/** A run says how far it is after so many seeds. */
const progressEvery = 25

const one = values.seed === undefined ? null : Number(values.seed)
const from = one ?? Number(values.from)
const schedules = Array.from({ length: one === null ? Number(values.seeds) : 1 }, (_, index) =>
  scheduleOf(from + index),
)
const count = Math.min(Math.max(schedules.length, outages.length), Number(values.lanes ?? defaultLanes))
const lanes = await openLanes({ count, hangMs: Number(values.hang) * 1_000 })
const stop = { asked: false }
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, interrupt)
try {
  const failed = values.plant === undefined ? await run() : await findPlants(values.plant)
  process.exitCode = failed ? 1 : stop.asked ? 130 : 0
} finally {
  await lanes.close()
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
  if (!values.outages) await lanes.run({ schedules, plant: null, onEnd })
  if ((values.outages || values.report) && !stop.asked) await lanes.run({ schedules: outages, plant: null, onEnd })
  if (values.report) writeReport(ended, seconds())
  const { line, violations } = lastLine(ended)
  if (stop.asked) console.log(`interrupted after ${ended.length} of ${schedules.length} seeds`)
  console.log(line)
  return violations > 0
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
  let missed = 0
  for (const plant of names) {
    if (stop.asked) break
    const ended: Ended[] = []
    const onEnd = (end: Ended) => ended.push({ ...end, timeline: [] }) > 0 && !isFinding(end)
    await lanes.run({ schedules, plant, onEnd })
    const { line, found } = plantLine(plant, ended)
    console.log(line)
    if (!found) missed += 1
  }
  console.log(`planted bugs ${names.length}, missed ${missed}`)
  return missed > 0
}
