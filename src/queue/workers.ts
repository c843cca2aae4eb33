// The workers: one for each queue, started together and stopped within a limit.
import {
  type BackendFactory,
  type WorkerOptions as BullOptions,
  type ConnectionOptions,
  createRedisBackend,
  type Job,
  type Queue,
  type RedisQueueBackend,
  Worker,
} from "bullmq"
import { isJsonObject } from "../domain/content/json.ts"
import type { Log } from "../flow/ports.ts"
import { attempt, within } from "./errors.ts"
import { jobOptions } from "./jobs.ts"
import type { Processor } from "./processors.ts"
import { delayAfter, RetryLater } from "./retry.ts"

/** What a worker needs. */
export interface WorkerOptions {
  readonly connection: ConnectionOptions
  readonly prefix: string
  readonly log: Log
  /** How long a job stays with a process that does not renew its hold, in ms. */
  readonly lockMs: number
  /** How often we look for jobs of dead processes, in ms. */
  readonly stalledMs: number
  /**
   * How long a worker may wait for the sign of a due job, in ms. If Redis cut off a read, that sign is lost, and BullMQ
   * by itself would look again only after 10 s.
   */
  readonly longestReadMs: number
}

/** BullMQ's way to Redis, with a shorter wait. */
function promptBackend(longestReadMs: number): BackendFactory<RedisQueueBackend> {
  return (name, options, kind) =>
    Object.defineProperty(createRedisBackend(name, options, kind), "maximumBlockTimeout", {
      value: longestReadMs / 1_000,
    })
}

/** A worker, and the work that it still has to do for jobs that ended. */
export interface RunningWorker {
  readonly worker: Worker<unknown, PutOff>
  /** Resolves when that work is done. */
  readonly tidied: () => Promise<unknown>
}

/** The id of the job that replaces one that ended; null if there is none. */
type PutOff = string | null

/** Starts the worker of a queue. It runs until somebody closes it, and logs its errors. */
export function startWorker(
  options: WorkerOptions,
  given: { readonly queue: Queue<unknown>; readonly concurrency: number; readonly process: Processor },
): RunningWorker {
  const { connection, prefix, log, lockMs, stalledMs, longestReadMs } = options
  const { queue, concurrency, process } = given
  const tidying = new Set<Promise<void>>()
  const settings: BullOptions = {
    connection,
    prefix,
    concurrency,
    lockDuration: lockMs,
    stalledInterval: stalledMs,
    // We may repeat a job that outlived its process as often as we need.
    maxStalledCount: 1_000_000,
    runRetryDelay: 1_000,
    settings: { backoffStrategy: (_made, _type, error) => delayAfter(error) },
  }
  const run = (job: Job<unknown, PutOff>) =>
    process(job).then(
      () => null,
      (error: unknown) => putOff(queue, job, error),
    )
  const worker = new Worker<unknown, PutOff>(queue.name, run, settings, promptBackend(longestReadMs))
  worker.on("error", (error) => log.warn("worker-error", { queue: queue.name, message: error.message }))
  worker.on("completed", ({ deduplicationId }, later) => {
    if (later === null || deduplicationId === undefined) return
    const tidied: Promise<void> = tidy(queue, deduplicationId, later)
      .catch((error: unknown) => log.warn("worker-error", { queue: queue.name, error }))
      .finally(() => tidying.delete(tidied))
    tidying.add(tidied)
  })
  return { worker, tidied: () => Promise.all(tidying) }
}

/**
 * Ends a running job that wants to run later, and adds a new job in its place. So a job that somebody asked for
 * meanwhile can run at once; BullMQ would hold it back.
 */
async function putOff(queue: Queue<unknown>, job: Job<unknown, PutOff>, error: unknown): Promise<PutOff> {
  if (!(error instanceof RetryLater)) throw error
  const { deduplicationId: id } = job
  if (id === undefined) throw error
  // From here on others make a job of their own. Then the job below is left out.
  await job.removeDeduplicationKey()
  const wanted = { ...jobOptions, deduplication: { id, keepLastIfActive: true }, delay: error.delayMs }
  return (await queue.add(job.name, error.held, wanted)).id ?? null
}

/** Takes a put-off job back if somebody asked for the same job meanwhile: one run answers both. A crash leaves both. */
async function tidy(queue: Queue<unknown>, id: string, later: string): Promise<void> {
  const next = await queue.getDeduplicationJobId(id)
  if (next === later) return
  const asked = next === null ? undefined : await queue.getJob(next)
  // A job that waits may come too late, so both run. But if it was put off, too, it counts the newer failures.
  const isPutOff = isJsonObject(asked?.data) && "failures" in asked.data
  if (isPutOff || (await asked?.isDelayed()) !== true) await queue.remove(later)
}

/**
 * Waits until all workers read from Redis. Throws `QueueError` if they do not. Then the caller has to start anew: a
 * BullMQ worker whose first connection broke never works.
 */
export async function demandReady(workers: readonly RunningWorker[], limitMs: number): Promise<void> {
  const ready = () => Promise.all(workers.map(({ worker }) => worker.waitUntilReady()))
  await attempt("start the workers", ready, limitMs)
}

/** Lets running jobs end, but no longer than the limit. A job that we cut off runs again in another process. */
export async function closeWorkers(options: {
  readonly workers: readonly RunningWorker[]
  /** False while Redis is away. Then we do not wait, because such a close never ends. */
  readonly ready: () => boolean
  readonly limitMs: number
  readonly log: Log
}): Promise<void> {
  const { workers, ready, limitMs, log } = options
  const closed = Promise.all(
    workers.map(async ({ worker, tidied }) => {
      await worker.close(!ready())
      if (ready()) await tidied()
    }),
  )
  if (await within(closed, limitMs)) return
  log.warn("workers-cut-off", { limitMs })
  await within(Promise.allSettled(workers.map(({ worker }) => worker.disconnect())), 1_000)
}
