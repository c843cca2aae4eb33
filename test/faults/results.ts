// The result of a run, as lines of text.
import { mkdirSync, writeFileSync } from "node:fs"
import type { Ended } from "./drive.ts"
import { outageBreaches } from "./outages.ts"
import { timelineText } from "./timeline.ts"

/** What was wrong with a seed, or with an outage. */
export function breachesOf(end: Ended): readonly string[] {
  return end.seed < 0 ? outageBreaches(end) : end.violations
}

const folder = ".cache/faults"

/**
 * Keeps what all parties did in a seed that failed, and says where: the order of what runs side by side is chance, and
 * may not come again.
 */
export function keepTimeline({ seed, timeline, violations }: Ended): string {
  const file = `${folder}/seed-${seed}.txt`
  mkdirSync(folder, { recursive: true })
  writeFileSync(file, `${violations.join("\n")}\n\n${timelineText(timeline)}\n`)
  return file
}

/** How far a run is. */
export function progressLine(
  ended: readonly Ended[],
  { of, tookS }: { readonly of: number; readonly tookS: number },
): string {
  return `${ended.length} of ${of}, after ${Math.round(tookS)} s: ${lastLine(ended).line}`
}

/** The one line that ends a run. Outages are no seeds; what was wrong with them counts. */
export function lastLine(ended: readonly Ended[]): { readonly line: string; readonly violations: number } {
  const seeds = ended.filter(({ seed }) => seed > 0).length
  const faults = ended.reduce((sum, { struck }) => sum + struck.length, 0)
  const violations = ended.reduce((sum, end) => sum + breachesOf(end).length, 0)
  return { line: `seeds ${seeds}, faults ${faults}, violations ${violations}`, violations }
}

/** True if a seed shows what the bot did wrong, and not that the harness failed. */
export function isFinding(end: Ended): boolean {
  return breachesOf(end).some((breach) => !breach.startsWith("the harness failed")) && !end.hung
}

/** A planted bug: the seed in which it was found, null if in none, and what was found; and after how many seeds. */
export interface Planted {
  readonly plant: string
  readonly seed: number | null
  readonly breach: string
  readonly seeds: number
}

/** Where a planted bug was found. */
export function plantedIn(plant: string, ended: readonly Ended[]): Planted {
  const shown = ended.find(isFinding)
  const breach = shown === undefined ? "" : (breachesOf(shown)[0] ?? "")
  return { plant, seed: shown?.seed ?? null, breach, seeds: ended.length }
}

/** The same as a line. */
export function plantLine({ plant, seed, breach, seeds }: Planted): string {
  return seed === null
    ? `${plant}: not found in ${seeds} seeds`
    : `${plant}: found within ${seeds} seeds (seed ${seed}: ${breach})`
}
