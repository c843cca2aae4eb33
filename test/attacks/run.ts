// The random attacker: npm run attacks -- --seeds 2000; --seeds 1 --from N plays one again and prints what all parties
// did.
import { parseArgs } from "node:util"
import { defaultLanes } from "../support/lanes.ts"
import { scheduleOf } from "./draw.ts"
import { openLanes } from "./lanes.ts"
import type { Ended } from "./play.ts"
import { strokeKinds } from "./schedule.ts"

const { values } = parseArgs({
  options: {
    /** How many seeds, and the first of them. */
    seeds: { type: "string", default: "100" },
    from: { type: "string", default: "1" },
    /** Seeds that are played side by side. */
    lanes: { type: "string", default: String(defaultLanes) },
    /** Nobody attacks: then nothing is found, or the oracle is wrong. */
    honest: { type: "boolean", default: false },
    /** A planted bug: it has to be found. */
    plant: { type: "string" },
  },
})
/** A run says how far it is after so many seeds. */
const progressEvery = 100

const from = whole("from", values.from)
const seeds = whole("seeds", values.seeds)
const { honest, plant = null } = values
const lanes = await openLanes(Math.min(seeds, whole("lanes", values.lanes)))
const ended: Ended[] = []
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => void lanes.close())
try {
  const plays = Array.from({ length: seeds }, (_, at) => ({ kind: "play", seed: from + at, plant, honest }) as const)
  await lanes.run(plays, onEnd)
} finally {
  await lanes.close()
}
console.log(lastLines())
const found = ended.some(({ violations }) => violations.length > 0)
process.exitCode = found === (plant !== null) ? 0 : 1

function whole(name: string, text: string): number {
  if (/^\d+$/.test(text)) return Number(text)
  console.error(`--${name} takes a whole number, and "${text}" is none`)
  process.exit(2)
}

/** A planted bug need be found once. */
function onEnd(end: Ended): boolean {
  ended.push({ ...end, timeline: "" })
  const bad = end.violations.length > 0
  if (bad || seeds === 1) {
    console.log(`seed ${end.seed}: ${JSON.stringify(scheduleOf(end.seed), null, 1)}\n${end.timeline}`)
    for (const violation of end.violations) console.log(`seed ${end.seed}: ${violation}`)
  }
  if (ended.length % progressEvery === 0) console.log(`${ended.length} of ${seeds}: ${violationsLine()}`)
  return plant === null || !bad
}

function violationsLine(): string {
  const violations = ended.reduce((sum, end) => sum + end.violations.length, 0)
  const approved = ended.reduce((sum, end) => sum + end.approved, 0)
  return `seeds ${ended.length}, honest approvals ${approved}, violations ${violations}`
}

function lastLines(): string {
  const struck = ended.flatMap((end) => end.struck)
  const counts = strokeKinds.map((kind) => `  ${struck.filter((one) => one === kind).length} × ${kind}`)
  return ["attacks:", ...counts, violationsLine()].join("\n")
}
