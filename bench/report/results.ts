// Keeps the last results in bench/results.json. docs/performance.md is written from them.
import { execFileSync } from "node:child_process"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { z } from "zod"
import { type Figure, measured } from "../parts/figure.ts"
import { goals } from "./goals.ts"
import { loadShape, machineShape } from "./machine.ts"

/** One run of one file of scenarios. */
const runShape = z.strictObject({
  /** Of the file, as in `bench/scenarios.ts`. */
  name: z.string(),
  /** The day, and the commit that was measured; `+` after it if files differed from it. */
  date: z.iso.date(),
  commit: z.string(),
  machine: machineShape,
  load: loadShape,
  /** Why nothing is judged, or null. */
  unjudged: z.string().nullable(),
  measured: z.array(measured),
})
export type Run = Readonly<z.infer<typeof runShape>>

/** What of a run has a goal, with the goal as it stands now. */
export function figuresOf(run: Run): readonly Figure[] {
  return run.measured.filter((one) => one.kind === "figure").map((one) => ({ ...one, ...goals[one.scenario] }))
}

const resultsShape = z.array(runShape)

/** Where the results are kept. */
export const resultsFile = fileURLToPath(new URL("../results.json", import.meta.url))

/** Reads kept runs; none where there is no file. Throws for a file that holds something else. */
export function readResults(path = resultsFile): readonly Run[] {
  if (!existsSync(path)) return []
  try {
    return resultsShape.parse(JSON.parse(readFileSync(path, "utf8")))
  } catch (cause) {
    throw new Error(`${path} holds no results of this bench: remove it and measure again with --keep`, { cause })
  }
}

/** Writes runs, for programs and for the page. */
export function writeResults(runs: readonly Run[], path = resultsFile): void {
  writeFileSync(path, `${JSON.stringify(runs, null, 2)}\n`)
}

/**
 * What is kept after a run: it replaces the earlier run of that name. But a run that was not judged never replaces one
 * that was.
 */
export function keepRun(kept: readonly Run[], run: Run): readonly Run[] {
  const before = kept.find(({ name }) => name === run.name)
  if (before !== undefined && before.unjudged === null && run.unjudged !== null) return kept
  return [...kept.filter(({ name }) => name !== run.name), run]
}

/** The commit that is measured, with a `+` if files differ from it; `unknown` outside a clone. */
export function commitNow(): string {
  try {
    const git = (...words: readonly string[]) => execFileSync("git", [...words], { encoding: "utf8" }).trim()
    const changed = git("status", "--porcelain", "--untracked-files=no", "--", ".", ":!bench/results.json", ":!docs")
    return `${git("rev-parse", "--short=10", "HEAD")}${changed === "" ? "" : "+"}`
  } catch {
    return "unknown"
  }
}
