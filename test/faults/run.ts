// The fault harness: npm run faults -- --seeds 1000; --seed N replays one and prints what all parties did.
import "./sim-time.ts"
import { parseArgs } from "node:util"
import type { Ended } from "./drive.ts"
import { defaultLanes, openLanes } from "./lanes.ts"
import { outages } from "./outages.ts"
import { plants } from "./plants.ts"
import { writeReport } from "./report.ts"
import { breachesOf, isFinding, keepTimeline, lastLine, plantLine } from "./results.ts"

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
    /** Three outages of ten minutes, instead of seeds. */
    outages: { type: "boolean", default: false },
    /** A planted bug, or `all` one after the other: each has to be found. */
    plant: { type: "string" },
    /** Also writes docs/faults.md, with this run's figures. */
    report: { type: "boolean", default: false },
    /** A line for each seed. */
    verbose: { type: "boolean", default: false },
  },
})
const one = values.seed === undefined ? null : Number(values.seed)
const from = one ?? Number(values.from)
const schedules = Array.from({ length: one === null ? Number(values.seeds) : 1 }, (_, index) =>
  scheduleOf(from + index),
)
const lanes = await openLanes(Math.min(schedules.length, Number(values.lanes ?? defaultLanes)))
try {
  process.exitCode = values.plant === undefined ? await run() : await findPlants(values.plant)
} finally {
  await lanes.close()
}

/** Runs the seeds, or the outages; 1 if anything that must hold did not. */
async function run(): Promise<number> {
  const ended: Ended[] = []
  const began = performance.now()
  const onEnd = (end: Ended) => {
    ended.push(end)
    tell(end)
    return true
  }
  if (!values.outages) await lanes.run({ schedules, plant: null, onEnd })
  if (values.outages || values.report) await lanes.run({ schedules: outages, plant: null, onEnd })
  if (values.report) writeReport(ended, (performance.now() - began) / 1_000)
  const { line, violations } = lastLine(ended)
  console.log(line)
  return violations > 0 ? 1 : 0
}

function tell(end: Ended): void {
  if (one !== null) console.log(`${JSON.stringify(schedules[0], null, 1)}\n${timelineText(end.timeline)}`)
  const struck = end.struck.map(({ fault, at }) => `${fault} at ${at}`).join(", ")
  if (values.verbose || end.seed < 0) console.log(`seed ${end.seed}: well after ${end.convergedMs} ms; ${struck}`)
  const breaches = breachesOf(end)
  for (const breach of breaches) console.log(`seed ${end.seed}: ${breach}`)
  if (breaches.length > 0) console.log(`seed ${end.seed}: what all parties did is in ${keepTimeline(end)}`)
}

/** Runs seeds with a bug until one of them shows it; 1 if none does. */
async function findPlants(wanted: string): Promise<number> {
  const names = wanted === "all" ? Object.keys(plants) : [wanted]
  let missed = 0
  for (const plant of names) {
    const ended: Ended[] = []
    const onEnd = (end: Ended) => ended.push(end) > 0 && !isFinding(end)
    await lanes.run({ schedules, plant, onEnd })
    const { line, found } = plantLine(plant, ended)
    console.log(line)
    if (!found) missed += 1
  }
  console.log(`planted bugs ${names.length}, missed ${missed}`)
  return missed > 0 ? 1 : 0
}
