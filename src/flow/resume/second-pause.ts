// Second pause: after a rejection of ours, a run paused again and asks nobody. We refuse what waits there, once
// (`docs/platform-facts.md` 5.5).
import { explicitFor, isTooLong, type Ruling, type Rulings } from "../../domain/case/ruling.ts"
import { type Approval, openGatedCalls } from "../../domain/content/approval.ts"
import { executionIn } from "../../domain/content/requirement.ts"
import { callId, entriesOf, isWaiting, type Run, type Runner, waitingIn } from "../../domain/content/run.ts"
import type { Examined, ExaminedCase } from "./examine.ts"
import { findRun, isRowAbout, rowsOf, takingOf } from "./find-run.ts"

const note = "Nobody was asked about this call, so it was refused."

/** The gated calls that a run waits for, each rejected. A call that is not gated is for the app itself to answer. */
export function refusalsIn(run: Run, runner: Runner, approval: Approval): Rulings {
  const gated = entriesOf(run, runner).filter((entry) => isGatedAndWaits(executionIn(entry)))
  if (gated.length === 0) return new Map()
  const calls = openGatedCalls({ ...approval, requirements: gated })
  return new Map(calls.map((call): [string, Ruling] => [call.id ?? "", { call, verb: "reject", filled: null, note }]))
}

function isGatedAndWaits(execution: ReturnType<typeof executionIn>): boolean {
  return execution["approval_type"] === "required" && isWaiting(execution)
}

/**
 * True if a record asks about what a run waits for, or asked: a decided one's own case goes on with the run. `own`: the
 * approval that the run was continued for.
 */
export function hasOwnRecord(rows: readonly Approval[], own: string, run: Run, runner: Runner): boolean {
  const waiting = new Set(waitingIn(run, runner).map(callId))
  return rows.some((row) => row.status === "pending" || (row.id !== own && isRowAbout(row, waiting)))
}

/** Like `examine`, for a run that paused again. If it asks somebody by now, or waits no longer, our work is over. */
export async function examineSecondPause(subject: ExaminedCase): Promise<Examined> {
  const { approval, current, platform } = subject
  const found = await findRun(subject, approval)
  if (found.kind !== "run") return found
  const { address, run } = found
  if (run.status === "RUNNING" || run.status === "PENDING") return { kind: "moving" }
  if (run.status !== "PAUSED") return { kind: "over", address, run }
  const rows = await rowsOf(platform, run, address.runner)
  if (!rows.some(({ id }) => id === approval.id))
    return { kind: "unreadable", why: "the platform's list does not name it" }
  const rulings = refusalsIn(run, address.runner, approval)
  if (rulings.size === 0 || hasOwnRecord(rows, approval.id, run, address.runner)) return { kind: "over", address, run }
  const explicit = explicitFor(run, address.runner, rulings, await takingOf(platform))
  if (isTooLong(explicit)) return { kind: "never", why: "it paused again, and its calls are too long to be refused" }
  return { kind: "ready", address, run, rulings, cases: [current], explicit }
}
