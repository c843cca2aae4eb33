// Starts the lanes of the fault harness. Each plays one schedule after the other, with replicas in processes of their
// own.
import { fileURLToPath } from "node:url"
import { type Lanes, openLanes as openAny } from "../support/lanes.ts"
import { bundleReplica } from "./bundle.ts"
import type { Ended } from "./drive.ts"
import type { LaneOrder } from "./wire.ts"

/** So long after a seed hangs its lane must have said so, in ms. */
const graceMs = 30_000

const script = fileURLToPath(new URL("lane.ts", import.meta.url))

/** What a lane plays. */
export type Play = Extract<LaneOrder, { kind: "play" }>

/** Opens lanes for schedules that hang after so many ms of real time. Whoever opens them closes them. */
export function openLanes({ count, hangMs }: { readonly count: number; readonly hangMs: number }) {
  const args = async (folder: string) => {
    const { path, compiled } = await bundleReplica(folder)
    return [path, compiled]
  }
  const opened: Promise<Lanes<Play, Ended>> = openAny({ count, hangMs: hangMs + graceMs, script, args, lost })
  return opened
}

/** A lane that dies or hangs is a violation of the seed that it played. */
function lost({ schedule: { seed } }: Play): Ended {
  const violations = ["its process ended or stood still, and told nothing"]
  return { seed, violations, struck: [], convergedMs: 0, told: {}, timeline: [], hung: true }
}
