// The queue in memory: follow-ups wait until the test runs them.

import { show } from "../../src/flow/card/deliver.ts"
import { summarise } from "../../src/flow/card/summary.ts"
import { carryOutDeadlines } from "../../src/flow/deadline/deadlines.ts"
import { isPortError, type Jobs, type OpenedCase, type Ports } from "../../src/flow/ports.ts"
import { reconcile } from "../../src/flow/resolve/reconcile.ts"
import { resolve } from "../../src/flow/resolve/send.ts"
import { resume } from "../../src/flow/resume/resume.ts"
import type { HandClock } from "./clock.ts"

type Kind = "present" | "resolve" | "resume" | "reconcile" | "remind" | "summarise"

/** A follow-up that waits. */
export interface WaitingJob {
  readonly kind: Kind
  /** Of a summary: its route. */
  readonly caseId: string
  readonly dueAt: number
  /** What the process that asked knows of the case, as it opened it. */
  readonly opened?: OpenedCase | undefined
}

/** Follow-ups, and what runs them. One that is asked for twice runs once, at the earlier of both times. */
export interface MemoryQueue extends Jobs {
  readonly waiting: readonly WaitingJob[]
  /** Runs what is due at this moment, and what that asks for at once. */
  runDue(ports: Ports): Promise<void>
  /** Runs everything, moving the clock to each job's time. Throws if jobs still wait after `forMs` of the clock. */
  runAll(ports: Ports, forMs?: number): Promise<void>
  /** Forgets what waits: the server of the queue was lost. */
  forget(): void
}

/** How long a job that failed with an error that may pass waits for its next try, in ms. */
const retryMs = 2_000

/** The one clock of deadlines belongs to no case. */
const clockOfAll = "all"

/** Makes an empty queue. */
export function createMemoryQueue(clock: HandClock): MemoryQueue {
  const waiting = new Map<string, WaitingJob>()
  const ask = async (kind: Kind, caseId: string, delayMs = 0, opened?: OpenedCase): Promise<void> => {
    const key = `${kind} ${caseId}`
    const dueAt = Math.min(clock.now() + delayMs, waiting.get(key)?.dueAt ?? Number.POSITIVE_INFINITY)
    waiting.set(key, { kind, caseId, dueAt, opened: opened ?? waiting.get(key)?.opened })
  }
  const next = (until: number): WaitingJob | undefined =>
    [...waiting.values()].filter((job) => job.dueAt <= until).toSorted((a, b) => a.dueAt - b.dueAt)[0]
  const run = async (ports: Ports, job: WaitingJob): Promise<void> => {
    waiting.delete(`${job.kind} ${job.caseId}`)
    try {
      const again = await carryOut(ports, job)
      if (again !== null) await ask(job.kind, job.caseId, again)
    } catch (error) {
      await ask(job.kind, job.caseId, retryMs)
      if (!isPortError(error)) throw error
    }
  }
  return {
    isFree: () => true,
    present: (caseId, delayMs, opened) => ask("present", caseId, delayMs, opened),
    resolve: (caseId, delayMs) => ask("resolve", caseId, delayMs),
    resume: (caseId, delayMs) => ask("resume", caseId, delayMs),
    reconcile: (caseId, delayMs) => ask("reconcile", caseId, delayMs),
    remind: (delayMs) => {
      waiting.delete(`remind ${clockOfAll}`)
      return ask("remind", clockOfAll, delayMs)
    },
    summarise: (route, delayMs) => ask("summarise", route, delayMs),
    get waiting() {
      return [...waiting.values()]
    },
    runDue: async (ports) => {
      for (let job = next(clock.now()); job !== undefined; job = next(clock.now())) await run(ports, job)
    },
    runAll: async (ports, forMs = 900_000) => {
      const end = clock.now() + forMs
      for (let job = next(end); job !== undefined; job = next(end)) {
        clock.forward(Math.max(0, job.dueAt - clock.now()))
        await run(ports, job)
      }
      if (waiting.size > 0) throw new Error(`jobs still wait: ${[...waiting.keys()].join(", ")}`)
    },
    forget: () => waiting.clear(),
  }
}

async function carryOut(ports: Ports, { kind, caseId, opened }: WaitingJob): Promise<number | null> {
  switch (kind) {
    case "present":
      return show(ports, caseId, { opened })
    case "summarise":
      return summarise(ports, caseId)
    case "resolve":
      await resolve(ports, caseId)
      return null
    case "remind":
      return carryOutDeadlines(ports)
    case "resume":
      return resume(ports, caseId)
    case "reconcile":
      await reconcile(ports, caseId)
      return null
  }
}
