// The clock of deadlines: one job, for the next deadline of any case.
import type { Case } from "../../domain/case/case.ts"
import { nextDeadline } from "../../domain/case/deadline-steps.ts"
import type { Ports } from "../ports.ts"

/**
 * Sets the clock for a case that was just committed, unless another case has an earlier deadline: the commit of that
 * case has set the clock. If two processes cross each other, the sweep notices what is due.
 */
export async function scheduleDeadline(ports: Pick<Ports, "store" | "jobs" | "clock">, current: Case): Promise<void> {
  if (nextDeadline(current) === null) return
  const [next] = await ports.store.deadlines(1)
  if (next?.caseId === current.id) await ports.jobs.remind(Math.max(0, next.at - ports.clock()))
}
