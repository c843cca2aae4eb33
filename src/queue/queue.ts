// The queue module: jobs and tickets that outlive a process, on BullMQ.
import { type ConnectionOptions, Queue } from "bullmq"
import type { Jobs, Log, Tickets } from "../flow/ports.ts"
import { attempt, within } from "./errors.ts"
import { caseKinds, createJobs, pollQueue, remindQueue, summaryQueue, sweepQueue, ticketQueue } from "./jobs.ts"
import {
  caseProcessor,
  type ProcessorOptions,
  remindProcessor,
  routeProcessor,
  ticketProcessor,
  tickProcessor,
} from "./processors.ts"
import { createPrompt, type Prompt } from "./prompt.ts"
import { demandSteps, type Steps } from "./steps.ts"
import { createTickets } from "./tickets.ts"
import { closeWorkers, demandReady, startWorker, type WorkerOptions } from "./workers.ts"

/** How long clocks and workers may take to reach Redis. */
const startMs = 5_000

/** What a queue is made of. */
export interface QueueOptions extends Omit<ProcessorOptions, "steps"> {
  /** For adding jobs: must fail soon when Redis is away, because an ack waits for it. */
  readonly commands: ConnectionOptions
  /** For workers: must wait as long as Redis is away (`maxRetriesPerRequest: null`). */
  readonly workers: ConnectionOptions
  /** Whether Redis answers now. */
  readonly ready: () => boolean
  /** What all keys begin with; holds the installation's hash tag. */
  readonly prefix: string
  /** Which are polled, and how often. */
  readonly instances: readonly { readonly name: string; readonly pollMs: number }[]
  /** The era that is now, which tickets carry (R17). Default: always the first. */
  readonly era?: () => number
  /** How long a ticket waits before another process may carry it out. Default 5,000 ms. */
  readonly ticketDelayMs?: number
  /** How often work left over is looked for. Default 5,000 ms. */
  readonly sweepMs?: number
  /** Jobs of one queue that run at once in this process. Default 100: they wait for the network. */
  readonly concurrency?: number
  /** How many cases this process presents at once without a job, when it is asked for now. Default 0: each is a job. */
  readonly promptly?: number
  /** How long a job stays with a process that died. Default 10,000 ms. */
  readonly lockMs?: number
  /** How often jobs of dead processes are looked for. Default 5,000 ms. */
  readonly stalledMs?: number
  /** How long a worker may wait for a sign that a job is due, before it looks at the clock again. Default 1,000 ms. */
  readonly longestReadMs?: number
  /** How often is looked whether the clocks still go. Default 10,000 ms. */
  readonly clocksMs?: number
  /** How long closing lets jobs end. Default 10,000 ms. */
  readonly closeMs?: number
}

/** The queues of one process. */
export interface Queues {
  readonly tickets: Tickets
  readonly jobs: Jobs
  /** Starts clocks and workers, once. Throws `QueueError`: `no-handler` (a job has no step), `queue-unreachable`. */
  startWorkers(steps: Steps): Promise<void>
  /** Lets running jobs end within `closeMs`, then ends workers and queues. The connections stay with their makers. */
  close(): Promise<void>
}

/** Opens the queues of one process. Nothing runs before `startWorkers`. */
export function createQueue(options: QueueOptions): Queues {
  const { seal, clock, log } = options
  const queues = openQueues(options)
  const { ticket, ...about } = queues.named
  const running: ReturnType<typeof startWorker>[] = []
  const jobs = createJobs(about)
  const { promptly = 0, closeMs = 10_000, ticketDelayMs = 5_000, era = () => 0 } = options
  let prompt: Prompt | null = null
  let endClocks = () => {}
  return {
    tickets: createTickets({ queue: ticket, seal, clock, delayMs: ticketDelayMs, era }),
    jobs: {
      ...jobs,
      isFree: () => prompt?.isFree() === true,
      present: async (caseId, delayMs = 0, opened) => {
        if (delayMs > 0 || prompt?.begin(caseId, opened) !== true) await jobs.present(caseId, delayMs)
      },
    },
    startWorkers: async (steps) => {
      demandSteps(steps)
      const clocks = clocksOf(options, queues.open)
      await attempt("start the clocks", () => Promise.all(clocks.map(schedule)), startMs)
      endClocks = keepClocks(clocks, { everyMs: options.clocksMs ?? 10_000, log })
      running.push(...startAll(options, steps, queues.named, clocks))
      await demandReady(running, startMs)
      prompt = createPrompt({
        max: promptly,
        run: steps.present,
        leave: (id, delayMs) => jobs.present(id, delayMs),
        log,
      })
    },
    close: async () => {
      endClocks()
      const workers = running.splice(0)
      await Promise.all([
        closeWorkers({ workers, ready: options.ready, limitMs: closeMs, log }),
        prompt === null ? null : within(prompt.end(), closeMs),
      ])
      await Promise.all(queues.all.map((queue) => queue.close()))
    },
  }
}

function openQueues(options: QueueOptions) {
  const { commands, prefix, log } = options
  const all: Queue<unknown>[] = []
  const open = (name: string): Queue<unknown> => {
    const events = { maxLen: 100 }
    const queue = new Queue<unknown>(name, { connection: commands, prefix, streams: { events } })
    queue.on("error", (error) => log.warn("queue-error", { queue: name, message: error.message }))
    all.push(queue)
    return queue
  }
  const named = {
    ticket: open(ticketQueue),
    present: open("present"),
    resolve: open("resolve"),
    resume: open("resume"),
    reconcile: open("reconcile"),
    remind: open(remindQueue),
    summarise: open(summaryQueue),
  }
  return { all, open, named }
}

function clocksOf(options: QueueOptions, open: (name: string) => Queue<unknown>): readonly Clockwork[] {
  return [
    { queue: open(sweepQueue), name: "sweep", everyMs: options.sweepMs ?? 5_000, run: (steps) => steps.sweep() },
    ...options.instances.map(({ name, pollMs }): Clockwork => {
      return { queue: open(pollQueue(name)), name: "poll", everyMs: pollMs, run: (steps) => steps.poll(name) }
    }),
  ]
}

function startAll(
  options: QueueOptions,
  steps: Steps,
  named: ReturnType<typeof openQueues>["named"],
  clocks: readonly Clockwork[],
) {
  const { prefix, log, lockMs = 10_000, stalledMs = 5_000, longestReadMs = 1_000, concurrency = 100 } = options
  const shared: WorkerOptions = { connection: options.workers, prefix, log, lockMs, stalledMs, longestReadMs }
  const bound: ProcessorOptions = { ...options, steps }
  const { ticket, remind, summarise } = named
  return [
    startWorker(shared, { queue: ticket, concurrency, process: ticketProcessor(bound) }),
    ...caseKinds.map((kind) =>
      startWorker(shared, { queue: named[kind], concurrency, process: caseProcessor(kind, bound) }),
    ),
    startWorker(shared, { queue: remind, concurrency: 1, process: remindProcessor(bound) }),
    startWorker(shared, { queue: summarise, concurrency, process: routeProcessor(bound) }),
    ...clocks.map(({ queue, name, run }) =>
      startWorker(shared, { queue, concurrency: 1, process: tickProcessor(bound, name, () => run(steps)) }),
    ),
  ]
}

/** One clock: the queue whose job comes every so many ms. */
interface Clockwork {
  readonly queue: Queue<unknown>
  readonly name: string
  readonly everyMs: number
  /** What its job does. */
  readonly run: (steps: Steps) => Promise<void>
}

/** Makes a queue's clock: one run at a time over all replicas, the first at once. */
async function schedule({ queue, name, everyMs }: Clockwork): Promise<void> {
  await queue.setGlobalConcurrency(1)
  const opts = { removeOnComplete: true, removeOnFail: true, stackTraceLimit: 0 }
  await queue.upsertJobScheduler(name, { every: everyMs }, { name, data: {}, opts })
}

/**
 * Looks every so many ms whether each clock has a next run, and winds it up if not: a Redis that lost a second may have
 * forgotten it (R17). Returns what ends that.
 */
export function keepClocks(
  clocks: readonly Clockwork[],
  options: { readonly everyMs: number; readonly log: Log },
): () => void {
  const { everyMs, log } = options
  const look = async (clock: Clockwork) => {
    const counts = await clock.queue.getJobCounts("delayed", "wait", "prioritized", "active")
    if (Object.values(counts).some((count) => count > 0)) return
    log.warn("clock-stopped", { queue: clock.queue.name })
    await schedule(clock)
  }
  const failed = (error: unknown) => log.warn("clocks-not-looked-after", { error })
  const timer = setInterval(() => void Promise.all(clocks.map(look)).catch(failed), everyMs)
  timer.unref()
  return () => clearInterval(timer)
}
