// Renew: a case that Redis' lost second touched, or may have touched, is begun anew before anything counts on it (R17).
import type { Case } from "../domain/case/case.ts"
import { renew as renewStep } from "../domain/case/renewal-steps.ts"
import { advanceCase, readCase } from "./access.ts"
import type { Ports } from "./ports.ts"

export type RenewPorts = Pick<Ports, "store" | "freshness" | "clock" | "jobs" | "alarm" | "log">

/** How many are begun anew in one go. */
const mostAtOnce = 500

/** The case as it is once it is begun anew; as it was given where nothing touched it. */
export async function renewed(ports: RenewPorts, current: Case): Promise<Case> {
  const { id } = current
  if (!ports.freshness.isTouched(id)) return current
  const next = await advanceCase(ports, current, (now) =>
    ports.freshness.isTouched(id) && now.state !== "frozen" ? renewStep(now, ports.clock()) : null,
  )
  await ports.jobs.present(id)
  if (next.state === "sending") await ports.jobs.resolve(id, 0)
  return next
}

/** Begins all touched cases anew. What fails is left to the next call, and holds up no other. */
export async function renewAll(ports: RenewPorts): Promise<void> {
  for (const caseId of ports.freshness.touched(mostAtOnce)) {
    try {
      const current = await readCase(ports, caseId)
      if (current !== null && current !== "frozen") await renewed(ports, current)
    } catch (error) {
      ports.log.warn("renewing-failed", { caseId, error })
    }
  }
}
