// Follow-ups about cases that another process may take over (port `Jobs`).
import type { Queue } from "bullmq"
import type { Jobs } from "../flow/ports.ts"
import { attempt } from "./errors.ts"
import { type CaseKind, jobOptions } from "./names.ts"

/** The queue of each step about a case. */
export type CaseQueues = Readonly<Record<CaseKind, Pick<Queue<unknown>, "add">>>

/**
 * Makes the jobs. Of one case and kind at most one runs and one waits, over all replicas: asking for it now brings one that waits forward,
 * asking for it later leaves that as it is, and asking while it runs makes one more. Throws `QueueError` if Redis does not take it.
 */
export function createJobs(queues: CaseQueues): Jobs {
  const ask = async (kind: CaseKind, caseId: string, delayMs: number) => {
    const deduplication = { id: caseId, keepLastIfActive: true, replace: delayMs <= 0 }
    const wanted = { ...jobOptions, deduplication, delay: Math.max(0, Math.ceil(delayMs)) }
    await attempt(`ask for ${kind}`, () => queues[kind].add(kind, { caseId }, wanted))
  }
  return {
    present: (caseId, delayMs = 0) => ask("present", caseId, delayMs),
    resolve: (caseId, delayMs) => ask("resolve", caseId, delayMs),
    reconcile: (caseId, delayMs = 0) => ask("reconcile", caseId, delayMs),
  }
}
