// Follow-up: what a press changed is shown by the process that carried it out, at once. After a cut the sweep finds the case; a job takes
// over what has to wait, and what failed.
import type { Jobs } from "./ports.ts"
import { type ShowPorts, show } from "./show.ts"

/** The follow-up of one press. */
export interface FollowUp {
  /** The jobs for the steps of the press: to present its case now is put off until the person was answered. */
  readonly jobs: Jobs
  /** Shows the case if a step asked for that. Never rejects: what fails is left to a job, and what none takes to the sweep. */
  show(): Promise<void>
  /** Leaves to a job what a step asked for: the press ends before it could be shown. Never rejects. */
  leave(): Promise<void>
}

/** Makes the follow-up of a press on a case. */
export function followUp(ports: ShowPorts, caseId: string): FollowUp {
  let asked = false
  const leave = async () => {
    if (!asked) return
    try {
      await ports.jobs.present(caseId)
    } catch (error) {
      ports.log.warn("left-to-the-sweep", { caseId, error })
    }
  }
  const showNow = async () => {
    const again = await show(ports, caseId)
    if (again !== null) await ports.jobs.present(caseId, again)
  }
  return {
    jobs: {
      ...ports.jobs,
      present: async (id, delayMs = 0) => {
        if (id === caseId && delayMs <= 0) asked = true
        else await ports.jobs.present(id, delayMs)
      },
    },
    show: async () => {
      if (!asked) return
      try {
        await showNow()
      } catch (error) {
        ports.log.warn("not-shown-at-once", { caseId, error })
        await leave()
      }
    },
    leave,
  }
}
