// The workers: one for each queue, started together and stopped within a limit.
import {
  type BackendFactory,
  type WorkerOptions as BullOptions,
  type ConnectionOptions,
  createRedisBackend,
  type RedisQueueBackend,
  Worker,
} from "bullmq"
import type { Log } from "../flow/ports.ts"
import { attempt, within } from "./errors.ts"
import type { Processor } from "./processors.ts"
import { delayAfter } from "./retry.ts"
import { wakeWhatWasAskedFor } from "./waken.ts"

/** What a worker is made of. */
export interface WorkerOptions {
  readonly connection: ConnectionOptions
  readonly prefix: string
  readonly log: Log
  /** How long a job stays with a process that does not renew its hold, in ms. */
  readonly lockMs: number
  /** How often jobs of dead processes are looked for, in ms. */
  readonly stalledMs: number
  /**
   * How long a worker may wait for a sign that a job is due, in ms. A read that Redis cut off has lost its sign, and BullMQ would look at
   * the clock again only after 10 s.
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

/** Starts the worker of one queue. It runs until it is closed; its errors are logged. */
export function startWorker(
  options: WorkerOptions,
  queue: { readonly name: string; readonly concurrency: number; readonly process: Processor },
): Worker<unknown, void> {
  const { connection, prefix, log, lockMs, stalledMs, longestReadMs } = options
  const settings: BullOptions = {
    connection,
    prefix,
    concurrency: queue.concurrency,
    lockDuration: lockMs,
    stalledInterval: stalledMs,
    // A job that outlived its process is safe to repeat as often as it takes.
    maxStalledCount: 1_000_000,
    runRetryDelay: 1_000,
    settings: { backoffStrategy: (_made, _type, error) => delayAfter(error) },
  }
  const worker = new Worker<unknown, void>(
    queue.name,
    (job) => queue.process(job),
    settings,
    promptBackend(longestReadMs),
  )
  worker.on("error", (error) => log.warn("worker-error", { queue: queue.name, message: error.message }))
  wakeWhatWasAskedFor(worker, (error) => log.warn("worker-error", { queue: queue.name, error }))
  return worker
}

/**
 * Waits until all workers read from Redis. Throws `QueueError`: a worker whose first connection breaks never works again in BullMQ, so
 * whoever started it has to start anew.
 */
export async function demandReady(workers: readonly Worker<unknown, void>[], limitMs: number): Promise<void> {
  const ready = () => Promise.all(workers.map((worker) => worker.waitUntilReady()))
  await attempt("start the workers", ready, limitMs)
}

/** What closing takes. */
export interface CloseOptions {
  readonly workers: readonly Worker<unknown, void>[]
  /** False while Redis is away: then nothing is waited for, since a waiting close never ends. */
  readonly ready: () => boolean
  readonly limitMs: number
  readonly log: Log
}

/** Lets running jobs end, but no longer than the limit; what is cut off comes again in another process. */
export async function closeWorkers({ workers, ready, limitMs, log }: CloseOptions): Promise<void> {
  const closed = Promise.all(workers.map((worker) => worker.close(!ready())))
  if (await within(closed, limitMs)) return
  log.warn("workers-cut-off", { limitMs })
  await within(Promise.allSettled(workers.map((worker) => worker.disconnect())), 1_000)
}
