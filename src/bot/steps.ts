// Binds the queue's jobs to the flow's steps.
import { alarmOnce } from "../flow/alarm-once.ts"
import { checkCards } from "../flow/check-cards.ts"
import { refreshHomes } from "../flow/home.ts"
import { carryOut } from "../flow/intake.ts"
import { poll } from "../flow/poll.ts"
import type { Ports } from "../flow/ports.ts"
import { reconcile, sweep } from "../flow/reconcile.ts"
import { remind } from "../flow/remind.ts"
import { resolve } from "../flow/resolve.ts"
import { resume } from "../flow/resume.ts"
import { retain } from "../flow/retain.ts"
import { show } from "../flow/show.ts"
import { summarise } from "../flow/summarise.ts"
import { createSurvey } from "../flow/survey.ts"
import { createWatch } from "../flow/watch.ts"
import type { ProcessMeter } from "../measure/meter.ts"
import type { StepResult, Steps } from "../queue/steps.ts"
import type { Store } from "../store/store.ts"

/** How soon a job that an outdated replica met is offered again, in ms; it decides nothing, so another has to take it. */
const otherReplicaMs = 250

/** Which step carries out which job. A replica that may not decide (R16) leaves them to others. */
export function stepsOf(options: {
  readonly ports: Ports
  readonly store: Store
  readonly retentionMs: number | null
  readonly meter: ProcessMeter
}): Steps {
  const { ports, store, retentionMs, meter } = options
  const watch = createWatch(ports)
  const survey = createSurvey(ports)
  const polling = { ...ports, alarm: alarmOnce(ports.alarm, ports.clock) }
  const outdated = async () => (await store.config.obstacle()) !== null
  const ifActive = async (step: () => Promise<StepResult>): Promise<StepResult> =>
    (await outdated()) ? { againInMs: otherReplicaMs } : step()
  return {
    poll: async (instance) =>
      (await outdated()) ? undefined : meter.poll(instance, () => poll(polling, instance, survey(instance))),
    sweep: async () => {
      if (await outdated()) return
      await Promise.all([sweep(ports), watch(), checkCards(ports)])
      await refreshHomes(ports)
      if (retentionMs !== null) await retain({ ...ports, retention: store.retention, keepMs: retentionMs })
    },
    present: (caseId) => ifActive(async () => again(await show(ports, caseId))),
    remind: () => ifActive(async () => again(await remind(ports))),
    summarise: (route) => ifActive(async () => again(await summarise(ports, route))),
    resolve: (caseId) => ifActive(() => resolve(ports, caseId)),
    resume: (caseId) => ifActive(async () => again(await resume(ports, caseId))),
    reconcile: (caseId) => ifActive(() => reconcile(ports, caseId)),
    ticket: (ticket) => ifActive(() => carryOut(ports, ticket)),
  }
}

function again(wait: number | null): StepResult {
  return wait === null ? undefined : { againInMs: wait }
}
