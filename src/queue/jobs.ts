// The queues: what their jobs do and hold, and follow-ups that another process may take over (port `Jobs`).
import type { Queue } from "bullmq"
import { z } from "zod"
import type { Jobs } from "../flow/ports.ts"
import { attempt } from "./errors.ts"

/** Steps about one case. Each has a queue of its own, so that a flood of one step never delays another (R20). */
export const caseKinds = ["present", "resolve", "resume", "reconcile"] as const
/** A step about one case. */
export type CaseKind = (typeof caseKinds)[number]

/** The name of the queue that polls one instance. */
export function pollQueue(instance: string): string {
  return `poll-${instance}`
}

/** The name of the queue that sends one webhook. */
export function webhookQueue(webhook: string): string {
  return `webhook-${webhook}`
}

/** The queue of summaries. Its jobs are about a route. */
export const summaryQueue = "summarise"

/** What a summary's job holds. */
export const routeJob = z.object({ route: z.string(), failures: z.number().default(0) })

/** The queue that looks for work that was left over. */
export const sweepQueue = "sweep"

/** The queue of the one clock of all deadlines. */
export const remindQueue = "remind"

/** What a job about a case holds: no secret, and no authority, because the step reads the case. */
export const caseJob = z.object({ caseId: z.string(), failures: z.number().default(0) })

/** What the clock's job holds: only its failures, because the store says what is due. */
export const remindJob = z.object({ failures: z.number().default(0) })

/**
 * For every job: the queue keeps no stack, removes the job once it is done or given up, and retries it for as long as
 * its processor wants.
 */
export const jobOptions = {
  removeOnComplete: true,
  removeOnFail: true,
  stackTraceLimit: 0,
  attempts: 1_000_000_000,
  backoff: { type: "custom" },
} as const

/** The queue of each step about a case or a route, and the queue of the clock of deadlines. */
type FollowUpQueues = Readonly<Record<CaseKind | typeof summaryQueue | "remind", Pick<Queue<unknown>, "add">>>

/**
 * Makes the jobs. For one case and kind, at most one runs and one waits, over all replicas. If a job waits already, a
 * call for now brings it forward, and a call for later changes nothing. A call while the job runs lets one more follow.
 * Throws `QueueError` if Redis does not take the job.
 */
export function createJobs(queues: FollowUpQueues): Omit<Jobs, "isFree"> {
  const ask = async (
    kind: CaseKind | typeof summaryQueue,
    about: Readonly<Record<string, string>>,
    delayMs: number,
  ) => {
    const [id = ""] = Object.values(about)
    const wanted = deduplicated(id, delayMs, delayMs <= 0)
    await attempt(`ask for ${kind}`, () => queues[kind].add(kind, about, wanted))
  }
  return {
    present: (caseId, delayMs = 0) => ask("present", { caseId }, delayMs),
    resolve: (caseId, delayMs) => ask("resolve", { caseId }, delayMs),
    resume: (caseId, delayMs) => ask("resume", { caseId }, delayMs),
    reconcile: (caseId, delayMs = 0) => ask("reconcile", { caseId }, delayMs),
    summarise: (route, delayMs = 0) => ask(summaryQueue, { route }, delayMs),
    remind: (delayMs) => {
      const wanted = deduplicated("clock", delayMs, true)
      return attempt("set the clock of deadlines", () => queues.remind.add("remind", {}, wanted))
    },
  }
}

function deduplicated(id: string, delayMs: number, replace: boolean) {
  const deduplication = { id, keepLastIfActive: true, replace }
  return { ...jobOptions, deduplication, delay: Math.max(0, Math.ceil(delayMs)) }
}
