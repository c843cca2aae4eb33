// The clock of deadlines: one job, for the next deadline of any case.
import type { Case } from "../../domain/case/case.ts"
import { nextDeadline } from "../../domain/case/deadline-steps.ts"
import type { Ports } from "../ports.ts"

/**
 * Sets the clock if no other case has an earlier deadline than this one, which was just committed. Else the clock was
 * set at the commit of that other case. If two processes cross each other, the sweep notices what is due.
 */
export async function scheduleDeadline(ports: Pick<Ports, "store" | "jobs" | "clock">, current: Case): Promise<void> {
  if (nextDeadline(current) === null) return
  const [next] = await ports.store.deadlines(1)
  if (next?.caseId === current.id) await ports.jobs.remind(Math.max(0, next.at - ports.clock()))
}
