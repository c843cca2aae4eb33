// Binds jobs to steps: reads the payload, runs the step, and says whether and when the job comes again.
import { UnrecoverableError } from "bullmq"
import type { z } from "zod"
import { isPortError, type Log } from "../flow/ports.ts"
import { backoffMs } from "../repeat.ts"
import { type CaseKind, caseJob, remindJob, routeJob } from "./jobs.ts"
import { RetryLater } from "./retry.ts"
import type { StepResult, Steps } from "./steps.ts"

/** What the processors need. */
export interface ProcessorOptions {
  readonly steps: Steps
  /** A number from 0 to below 1, so that jobs that failed together wait for different times. */
  readonly random: () => number
  readonly log: Log
}

/** The parts of BullMQ's job that a processor uses. */
interface JobLike {
  readonly id?: string | undefined
  readonly name: string
  readonly data: unknown
}

/** Runs one job. Throws `RetryLater` to run the job once more, `UnrecoverableError` to give it up. */
export type Processor = (job: JobLike) => Promise<void>

/** Makes the processor of a step about a case. */
export function caseProcessor(kind: CaseKind, options: ProcessorOptions): Processor {
  return stepProcessor(options, caseJob, ({ caseId }) => options.steps[kind](caseId))
}

/** Makes the processor of what is due. */
export function remindProcessor(options: ProcessorOptions): Processor {
  return stepProcessor(options, remindJob, () => options.steps.remind())
}

/** Makes the processor of a step about a route. */
export function routeProcessor(options: ProcessorOptions): Processor {
  return stepProcessor(options, routeJob, ({ route }) => options.steps.summarise(route))
}

/** Makes the processor of a step. After a failure that may pass it tries again for ever, with ever longer waits. */
function stepProcessor<Payload extends Held & { readonly failures: number }>(
  options: ProcessorOptions,
  payload: z.ZodType<Payload>,
  run: (payload: Payload) => Promise<StepResult>,
): Processor {
  return async (job) => {
    const { data: held } = payload.safeParse(job.data)
    if (held === undefined) return giveUp(options, job, "bad-payload")
    const { failures } = held
    await runStep(options, job, { failures, held, run: () => run(held) })
  }
}

/** Makes the processor of a clock. It logs failures, and runs again at the next tick. */
export function tickProcessor(options: ProcessorOptions, name: string, run: () => Promise<void>): Processor {
  return async () => {
    try {
      await run()
    } catch (error) {
      const fields = { step: name, error }
      // The replica retires within a second, and logs that.
      if (isPortError(error) && error.code === "newer-data") options.log.debug("step-failed", fields)
      else if (isPortError(error) && error.retryable) options.log.warn("step-failed", fields)
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
  if (!isPortError(error) || !error.retryable) {
    options.log.error("job-failed", told)
    throw new UnrecoverableError(word)
  }
  const wait = backoffMs(failures, options.random)
  options.log.warn("job-delayed", { ...told, waitMs: wait })
  throw new RetryLater(word, wait, { ...held, failures })
}

function giveUp(options: ProcessorOptions, job: JobLike, why: string): never {
  options.log.error("job-failed", { job: job.name, id: job.id, why })
  throw new UnrecoverableError(why)
}
