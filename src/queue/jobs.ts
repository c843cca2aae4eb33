// Follow-ups about cases that another process may take over (port `Jobs`).
import type { Queue } from "bullmq"
import type { Jobs } from "../flow/ports.ts"
import { attempt } from "./errors.ts"
import { type CaseKind, jobOptions, summaryQueue } from "./names.ts"

/** The queue of each step about a case or a route, and that of the clock. */
export type FollowUpQueues = Readonly<Record<CaseKind | typeof summaryQueue | "remind", Pick<Queue<unknown>, "add">>>

/**
 * Makes the jobs. Of one case and kind at most one runs and one waits, over all replicas: asking for it now brings one that waits forward,
 * asking for it later leaves that as it is, and asking while it runs makes one more. Throws `QueueError` if Redis does not take it.
 */
export function createJobs(queues: FollowUpQueues): Jobs {
  const ask = async (
    kind: CaseKind | typeof summaryQueue,
    about: Readonly<Record<string, string>>,
    delayMs: number,
  ) => {
    const [id = ""] = Object.values(about)
    const deduplication = { id, keepLastIfActive: true, replace: delayMs <= 0 }
    const wanted = { ...jobOptions, deduplication, delay: Math.max(0, Math.ceil(delayMs)) }
    await attempt(`ask for ${kind}`, () => queues[kind].add(kind, about, wanted))
  }
  return {
    present: (caseId, delayMs = 0) => ask("present", { caseId }, delayMs),
    resolve: (caseId, delayMs) => ask("resolve", { caseId }, delayMs),
    resume: (caseId, delayMs) => ask("resume", { caseId }, delayMs),
    reconcile: (caseId, delayMs = 0) => ask("reconcile", { caseId }, delayMs),
    summarise: (route, delayMs = 0) => ask(summaryQueue, { route }, delayMs),
    remind: async (delayMs) => {
      const deduplication = { id: "clock", keepLastIfActive: true, replace: true }
      const wanted = { ...jobOptions, deduplication, delay: Math.max(0, Math.ceil(delayMs)) }
      await attempt("set the clock of deadlines", () => queues.remind.add("remind", {}, wanted))
    },
  }
}
