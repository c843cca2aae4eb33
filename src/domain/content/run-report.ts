// Run report: what the platform says about a run while its approval is pending (`docs/platform-facts.md`, trap 25).

import type { z } from "zod"
import type { Frozen } from "./record/frozen.ts"
import type { reportedSchema } from "./record/run-parts.ts"

const endedWords = ["COMPLETED", "CANCELLED", "ERROR"] as const

/** What a record may say about a run that has ended. */
export type EndedRun = (typeof endedWords)[number]

/** The part of a record that names the run's end. */
interface Reporting {
  readonly runStatus: string | null
}

/** What the record says about the run. A case has none while its record says that the run waits, or says nothing. */
export interface RunReport extends Frozen<z.infer<typeof reportedSchema>> {}

/** The end of its run that a record reports; null if it reports none. */
export function reportedEnd({ runStatus }: Reporting): EndedRun | null {
  return endedWords.find((word) => word === runStatus) ?? null
}

/** True if a case knows what its record reports. We look again at an ERROR that the run has not confirmed. */
export function isReported({ reported }: { readonly reported?: RunReport }, record: Reporting): boolean {
  const status = reportedEnd(record)
  return status === null ? reported === undefined : reported?.status === status && (reported.over || status !== "ERROR")
}

/** The report of an open case whose run is over: nothing is left to approve. Else null. */
export function overReport(current: { readonly state: string; readonly reported?: RunReport }): RunReport | null {
  const { state, reported } = current
  return state === "open" && reported?.over === true ? reported : null
}

/**
 * What an open case was last compared with: content, policy, and the reported end of its run. If a poll finds another
 * mark, we reconcile the case. 128 bits of the digest are enough for that; whoever decides compares the whole digest.
 */
export function markOf(digest: string, policy: string, ended: EndedRun | null): string {
  const mark = `${digest.slice(0, 32)}.${policy.slice(0, 12)}`
  return ended === null ? mark : `${mark}.${ended}`
}
