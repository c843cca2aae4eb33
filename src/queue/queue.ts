// The queue module: jobs that outlive a process, on BullMQ, and the worker that takes up tickets.
import { type ConnectionOptions, Queue } from "bullmq"
import type { Alarm, Clock, DueTickets, Jobs, Log, OpenedCase, SettledCase } from "../flow/ports.ts"
import type { Closer } from "../repeat.ts"
import { attempt, within } from "./errors.ts"
import { caseKinds, createJobs, pollQueue, remindQueue, summaryQueue, sweepQueue, webhookQueue } from "./jobs.ts"
import { caseProcessor, type ProcessorOptions, remindProcessor, routeProcessor, tickProcessor } from "./processors.ts"
import { createPrompt, type Prompt } from "./prompt.ts"
import { demandSteps, type Steps } from "./steps.ts"
import { startTicketWorker } from "./ticket-worker.ts"
import { closeWorkers, demandReady, startWorker, type WorkerOptions } from "./workers.ts"

/** How long clocks and workers may take to reach Redis. */
const startMs = 5_000

/** What a queue needs. */
export interface QueueOptions extends Omit<ProcessorOptions, "steps"> {
  /** For adding jobs. It must fail soon while Redis is away, because an ack waits for it. */
  readonly commands: ConnectionOptions
  /** For workers. It must wait for as long as Redis is away (`maxRetriesPerRequest: null`). */
  readonly workers: ConnectionOptions
  /** True if Redis answers now. */
  readonly ready: () => boolean
  /** The beginning of all keys; it holds the installation's hash tag. */
  readonly prefix: string
  /** The instances that we poll, and how often. */
  readonly instances: readonly { readonly name: string; readonly pollMs: number }[]
  /** The names of the webhooks that we send. */
  readonly webhooks: readonly string[]
  /** How often we look whether a webhook has something to send, in ms. Default 1,000. */
  readonly webhookMs?: number
  /** The interactions that a worker may have to take up. */
  readonly tickets: DueTickets
  /** An interaction that is older than this, in ms, is late (R11). */
  readonly lateMs: number
  /** How much time a process gets to carry out an interaction that it took, in ms. Default 5,000. */
  readonly ticketDelayMs?: number
  /** How often we look for tickets that are due, in ms. Default 1,000. */
  readonly ticketLookMs?: number
  /** How often we look for work that somebody left over, in ms. Default 5,000. */
  readonly sweepMs?: number
  /** How many jobs of one queue run at once in this process. Default 100: they mostly wait for the network. */
  readonly concurrency?: number
  /**
   * How many cases that must not wait this process presents at once without a job. It continues the runs of cases that
   * it settled in the same way, up to the same number. Default 0: each is a job.
   */
  readonly promptly?: number
  /** How long a job stays with a process that died, in ms. Default 10,000. */
  readonly lockMs?: number
  /** How often we look for jobs of dead processes, in ms. Default 5,000. */
  readonly stalledMs?: number
  /** How long a worker waits for a sign of a due job before it looks at the clock again, in ms. Default 1,000. */
  readonly longestReadMs?: number
  /** How often we look whether each repeating job still has a next run, in ms. Default 10,000. */
  readonly clocksMs?: number
  /** How long jobs may run on while we close, in ms. Default 10,000. */
  readonly closeMs?: number
  /** Epoch ms. */
  readonly clock: Clock
  readonly alarm: (alarm: Alarm) => void
}

/** The queues of one process. */
export interface Queues {
  readonly jobs: Jobs
  /** Starts clocks and workers, once. Throws `QueueError`: `no-handler` (a job has no step), `queue-unreachable`. */
  startWorkers(steps: Steps): Promise<void>
  /** Lets running jobs end within `closeMs`, then ends workers and queues. The caller ends its own connections. */
  close(): Promise<void>
}

/** Opens the queues of one process. Nothing runs before `startWorkers`. */
export function createQueue(options: QueueOptions): Queues {
  const { log } = options
  const queues = openQueues(options)
  const running: ReturnType<typeof startWorker>[] = []
  const jobs = createJobs(queues.named)
  const { promptly = 0, closeMs = 10_000 } = options
  let presenting: Prompt<OpenedCase> | null = null
  let resuming: Prompt<SettledCase> | null = null
  let endClocks = () => {}
  let endTickets: Closer = async () => undefined
  return {
    jobs: {
      ...jobs,
      isFree: () => presenting?.isFree() === true,
      present: async (caseId, delayMs = 0, opened) => {
        if (delayMs > 0 || presenting?.begin(caseId, opened) !== true) await jobs.present(caseId, delayMs)
      },
      resume: async (caseId, delayMs, settled) => {
        if (settled === undefined || resuming?.begin(caseId, settled) !== true) await jobs.resume(caseId, delayMs)
      },
    },
    startWorkers: async (steps) => {
      demandSteps(steps)
      const clocks = clocksOf(options, queues.open)
      await attempt("start the clocks", () => Promise.all(clocks.map(schedule)), startMs)
      endClocks = keepClocks(clocks, { everyMs: options.clocksMs ?? 10_000, log })
      for (const one of startAll(options, steps, queues.named, clocks)) running.push(one)
      await demandReady(running, startMs)
      endTickets = startTicketWorker({ ...ticketTimes(options), ...options, run: steps.ticket })
      presenting = createPrompt({ max: promptly, run: steps.present, leave: jobs.present, log })
      resuming = createPrompt({ max: promptly, run: steps.resume, leave: jobs.resume, log })
    },
    close: async () => {
      endClocks()
      const workers = running.splice(0)
      await Promise.all([
        closeWorkers({ workers, ready: options.ready, limitMs: closeMs, log }),
        within(Promise.all([presenting?.end(), resuming?.end()]), closeMs),
        endTickets(),
      ])
      await Promise.all(queues.all.map((queue) => queue.close()))
    },
  }
}

function ticketTimes(options: QueueOptions) {
  const { ticketLookMs = 1_000, ticketDelayMs = 5_000, concurrency = 100, closeMs = 10_000 } = options
  return { lookMs: ticketLookMs, delayMs: ticketDelayMs, concurrency, closeMs }
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
    ...options.webhooks.map((name): Clockwork => {
      const everyMs = options.webhookMs ?? 1_000
      return { queue: open(webhookQueue(name)), name: "webhook", everyMs, run: (steps) => steps.webhook(name) }
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
  const { remind, summarise } = named
  return [
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

/** One clock: a queue with a job that comes every `everyMs`. */
interface Clockwork {
  readonly queue: Queue<unknown>
  readonly name: string
  readonly everyMs: number
  /** The work of its job. */
  readonly run: (steps: Steps) => Promise<void>
}

/** Makes a queue's clock: one run at a time over all replicas, the first at once. */
async function schedule({ queue, name, everyMs }: Clockwork): Promise<void> {
  await queue.setGlobalConcurrency(1)
  const opts = { removeOnComplete: true, removeOnFail: true, stackTraceLimit: 0 }
  await queue.upsertJobScheduler(name, { every: everyMs }, { name, data: {}, opts })
}

/**
 * Looks every `everyMs` whether each clock has a next run. If not, starts the clock again: a Redis that lost a second
 * may have forgotten that run (R17). Returns a function that ends the looks.
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
