// Absences: somebody is away, Rita stands in, and that ends, mostly at the worst moment.
import type { Away } from "../support/oversight-standing.ts"
import { cast } from "./screen.ts"
import type { Stage } from "./stage.ts"
import type { Moment } from "./strikes.ts"
import { oversight } from "./terms.ts"

/** Somebody is away from some time on, and is back when this strikes. */
export interface Absent {
  readonly kind: "back" | "away"
  readonly person: "alice" | "bob"
  /** So long it lasts at most, in ms. */
  readonly ms: number
}

/** A person as orders name them. */
export function keyOf(user: string): string {
  return `T0SANDBOX:${user}`
}

/** Notes that somebody is away, or back, as a shell does. */
export async function changeAbsence(stage: Stage, { kind, person, ms }: Absent, { go }: Moment): Promise<void> {
  const [standIn] = oversight.standIns
  const who = { person: keyOf(cast[person]), standIn: keyOf(standIn) }
  if (kind === "away") await stage.stops.leave(who, ms)
  else await stage.stops.back(who.person)
  go()
}

/** What the desk knows of absences: every one that was ever begun, by its id. */
export type Absences = ReadonlyMap<string, Away>
