// Starts the lanes of the random attacker. Each plays one seed after the other.
import { fileURLToPath } from "node:url"
import { type Lanes, openLanes as openAny } from "../support/lanes.ts"
import type { Ended } from "./play.ts"
import type { LaneOrder } from "./wire.ts"

/** What a lane plays. */
export type Play = Extract<LaneOrder, { kind: "play" }>

/** A seed that takes longer has hung, in ms of real time. */
const hangMs = 120_000

const script = fileURLToPath(new URL("lane.ts", import.meta.url))

/** Opens lanes. Whoever opens them closes them. */
export function openLanes(count: number): Promise<Lanes<Play, Ended>> {
  return openAny({ count, hangMs, script, lost })
}

function lost({ seed }: Play): Ended {
  const violations = ["the harness failed: its process ended or stood still, and told nothing"]
  return { seed, violations, struck: [], approved: 0, timeline: "", hung: true }
}
