// Retain: settled cases that are older than the config keeps them are removed, and it is said which.
import type { Ports, Retention } from "../ports.ts"

/** What the step takes. `keepMs`: how long a settled case is kept. */
export interface RetainOptions extends Pick<Ports, "clock" | "log"> {
  readonly retention: Retention
  readonly keepMs: number
}

/** How many cases are asked for at once. */
const maxLooked = 200

/** Removes what is due. A case that settled and whose cards do not say so yet is left until they do. */
export async function retain({ retention, keepMs, clock, log }: RetainOptions): Promise<void> {
  const at = clock()
  const settledBefore = at - keepMs
  let left = 0
  for (;;) {
    const due = await retention.due(settledBefore, { offset: left, limit: maxLooked })
    for (const caseId of due) {
      const removed = await retention.remove(caseId, { at, settledBefore })
      if (removed === null) left += 1
      else log.info("case-removed", { caseId, ...removed })
    }
    if (due.length < maxLooked) return
  }
}
