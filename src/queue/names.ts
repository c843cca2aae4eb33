// The queues, by what their jobs do, and what a job of each may hold.
import { z } from "zod"

/** Steps about one case; each has a queue of its own, so that a flood of one never delays another (R20). */
export const caseKinds = ["present", "resolve", "resume", "reconcile"] as const
/** A step about one case. */
export type CaseKind = (typeof caseKinds)[number]

/** The queue that polls one instance. */
export function pollQueue(instance: string): string {
  return `poll-${instance}`
}

/** The queue of summaries; its jobs are about a route. */
export const summaryQueue = "summarise"

/** What a summary's job holds. */
export const routeJob = z.object({ route: z.string(), failures: z.number().default(0) })

/** The queue of tickets. */
export const ticketQueue = "ticket"
/** The queue that looks for work left over. */
export const sweepQueue = "sweep"

/** The queue of the one clock of all deadlines. */
export const remindQueue = "remind"

/** What a job about a case holds: no secret, and no authority, since the step reads the case. */
export const caseJob = z.object({ caseId: z.string(), failures: z.number().default(0) })

/** What the clock's job holds: nothing, since the store says what is due. */
export const remindJob = z.object({ failures: z.number().default(0) })

/** What a ticket's job holds: the press, encrypted (R15). */
export const ticketJob = z.object({ sealed: z.base64(), failures: z.number().default(0) })

/** Of every job: gone when it is done or given up, no stack, tried again as long as its processor says so. */
export const jobOptions = {
  removeOnComplete: true,
  removeOnFail: true,
  stackTraceLimit: 0,
  attempts: 1_000_000_000,
  backoff: { type: "custom" },
} as const
