// Binds jobs to steps: reads the payload, runs the step, and says whether and when the job comes again.
import { UnrecoverableError } from "bullmq"
import type { z } from "zod"
import type { Seal } from "../domain/proof/seal.ts"
import { lateMs } from "../flow/ports/interaction.ts"
import { type Alarm, type Clock, isPortError, type Log } from "../flow/ports.ts"
import { backoffMs } from "../repeat.ts"
import { type CaseKind, caseJob, remindJob, routeJob, ticketJob } from "./jobs.ts"
import { RetryLater } from "./retry.ts"
import type { StepResult, Steps } from "./steps.ts"
import { openTicket } from "./tickets.ts"

/** So long a click can be answered, in ms: as long as Slack keeps its response_url. */
const answerableMs = 1_800_000

/** Codes of what another replica can do, or this one at once under another config (R16). */
const otherReplica: ReadonlySet<string> = new Set(["other-config", "instance-elsewhere"])

/** What the processors need. */
export interface ProcessorOptions {
  readonly steps: Steps
  readonly seal: Seal
  readonly clock: Clock
  /** From 0 up to 1: parts jobs that failed together. */
  readonly random: () => number
  readonly log: Log
  readonly alarm: (alarm: Alarm) => void
}

/** As much of BullMQ's job as a processor touches. */
interface JobLike {
  readonly id?: string | undefined
  readonly name: string
  readonly data: unknown
}

/** Runs one job. Throws `RetryLater` for once more, `UnrecoverableError` for never again. */
export type Processor = (job: JobLike) => Promise<void>

/** Carries out a step about a case. */
export function caseProcessor(kind: CaseKind, options: ProcessorOptions): Processor {
  return stepProcessor(options, caseJob, ({ caseId }) => options.steps[kind](caseId))
}

/** Carries out what is due. */
export function remindProcessor(options: ProcessorOptions): Processor {
  return stepProcessor(options, remindJob, () => options.steps.remind())
}

/** Carries out a step about a route. */
export function routeProcessor(options: ProcessorOptions): Processor {
  return stepProcessor(options, routeJob, ({ route }) => options.steps.summarise(route))
}

/** What may pass is tried for ever, with longer and longer waits. */
function stepProcessor<Payload extends Held & { readonly failures: number }>(
  options: ProcessorOptions,
  payload: z.ZodType<Payload>,
  run: (payload: Payload) => Promise<StepResult>,
): Processor {
  return async (job) => {
    const { data: held } = payload.safeParse(job.data)
    if (held === undefined) return giveUp(options, job, "bad-payload")
    const { failures } = held
    await runStep(options, job, { failures, held, run: () => run(held), delayAfterFailure: (wait) => wait })
  }
}

/**
 * Carries out an interaction. What may pass is tried until it is late, then once more, to tell the person; where only
 * the telling failed, it is told later, as long as it can be.
 */
export function ticketProcessor(options: ProcessorOptions): Processor {
  return async (job) => {
    const read = ticketJob.safeParse(job.data)
    const ticket = read.success ? openTicket(options.seal, job.id ?? "", read.data.sealed) : null
    if (ticket === null || !read.success) {
      options.alarm({ code: "ticket-tampered", ticket: job.id })
      return giveUp(options, job, "ticket-tampered")
    }
    const { sealed, failures } = read.data
    // After that the ticket is carried out once more, to say that it was late (R11).
    const left = ticket.interaction.at + lateMs - options.clock()
    await runStep(options, job, {
      failures,
      held: { sealed },
      run: () => options.steps.ticket(ticket),
      delayAfterFailure: (wait, word) => {
        // Another replica may carry it out (R16): it is offered again soon, since which of us takes it is chance.
        const soon = otherReplica.has(word) ? backoffMs(1, options.random) : wait
        if (left > 0) return Math.min(soon, left + 1)
        return word === "unanswered" && left > lateMs - answerableMs ? wait : null
      },
    })
  }
}

/** A step of the clock: what fails is logged, and comes again with the next tick. */
export function tickProcessor(options: ProcessorOptions, name: string, run: () => Promise<void>): Processor {
  return async () => {
    try {
      await run()
    } catch (error) {
      const fields = { step: name, error }
      if (isPortError(error) && error.retryable) options.log.warn("step-failed", fields)
      else options.log.error("step-failed", fields)
    }
  }
}

/** A job's payload. */
type Held = RetryLater["held"]

interface StepRun {
  /** Failures in a row so far. */
  readonly failures: number
  readonly held: Held
  readonly run: () => Promise<StepResult>
  /** The wait before the next try, given the usual one and the error's code; null for no more. */
  readonly delayAfterFailure: (usualMs: number, code: string) => number | null
}

async function runStep(options: ProcessorOptions, job: JobLike, step: StepRun): Promise<void> {
  const result = await step.run().catch((error: unknown) => afterFailure(options, job, { ...step, error }))
  if (result) throw new RetryLater("again", result.againInMs, { ...step.held, failures: 0 })
}

function afterFailure(options: ProcessorOptions, job: JobLike, failed: StepRun & { readonly error: unknown }): never {
  const { error, held } = failed
  const failures = failed.failures + 1
  const told = { job: job.name, id: job.id, error, failures, ...("caseId" in held && { caseId: held["caseId"] }) }
  const word = isPortError(error) ? error.code : "failed"
  const passes = isPortError(error) && error.retryable
  const wait = passes ? failed.delayAfterFailure(backoffMs(failures, options.random), word) : null
  if (wait === null) {
    options.log.error("job-failed", told)
    throw new UnrecoverableError(word)
  }
  options.log.warn("job-delayed", { ...told, waitMs: wait })
  throw new RetryLater(word, wait, { ...held, failures })
}

function giveUp(options: ProcessorOptions, job: JobLike, why: string): never {
  options.log.error("job-failed", { job: job.name, id: job.id, why })
  throw new UnrecoverableError(why)
}
