// The meter: counts and times calls, steps and alarms. If traces are on, it makes spans of them.
import { isPortError, type Meter, type OutsideCall } from "../flow/ports.ts"
import type { Fields, Log } from "../log.ts"
import { createMetrics, type Metrics } from "./metrics.ts"
import type { Traces } from "./traces.ts"

/** A step to measure: its name, and its case if it has one. */
export interface MeasuredStep {
  readonly name: "sweep" | "announce" | "present" | "decide" | "resolve" | "resume" | "reconcile" | "remind" | "ticket"
  readonly caseId?: string
}

/** The meter of one process. */
export interface ProcessMeter extends Meter {
  readonly metrics: Metrics
  readonly traces: Traces
  /** Runs a step. A step of a case is a trace of its own. */
  step<T>(step: MeasuredStep, run: () => Promise<T>): Promise<T>
  /** Runs a poll of an instance. */
  poll(instance: string, run: () => Promise<void>): Promise<void>
  /** A log whose alarms are counted. */
  watching(log: Log): Log
  /** Counts an interaction that was refused. */
  refused(reason: string): void
}

/** Makes the meter. `clock`: epoch ms. */
export function createMeter(options: { readonly traces: Traces; readonly clock: () => number }): ProcessMeter {
  const { traces, clock } = options
  const metrics = createMetrics()
  const words = { method: createWords(), result: createWords(), code: createWords(), reason: createWords() }
  const timed = createTimer(clock)
  const counted = (call: OutsideCall, method: string, result: string, seconds: number) => {
    // Prometheus itself uses the label `instance` for what it reads from. So our label is `platform`.
    const { to, instance: platform = "" } = call
    if (to === "slack") {
      metrics.slackCalls.inc({ method, result })
      metrics.slackSeconds.observe({ method }, seconds)
    } else {
      metrics.platformCalls.inc({ platform, method, result })
      metrics.platformSeconds.observe({ platform, method }, seconds)
    }
  }
  const countLimit = (to: OutsideCall["to"], result: string, error: unknown) => {
    if (result !== "429" && result !== "rate-limited") return
    metrics.limited.inc({ to })
    metrics.limitedSeconds.inc({ to }, waitOf(error) / 1_000)
  }
  return {
    metrics,
    traces,
    call: (call, run, resultOf = () => "ok") => {
      const method = words.method(call.method)
      const facts = { peer: call.to, ...(call.instance === undefined ? {} : { instance: call.instance }) }
      return traces.inside(`${call.to} ${method}`, facts, () =>
        timed(run, (ended, seconds) => {
          const result = words.result(ended.ok ? resultOf(ended.value) : codeOf(ended.error))
          counted(call, method, result, seconds)
          countLimit(call.to, result, ended.ok ? null : ended.error)
          traces.note({ result })
        }),
      )
    },
    step: ({ name, caseId }, run) => {
      const measured = () =>
        timed(run, (ended, seconds) => {
          metrics.steps.inc({ step: name, result: ended.ok ? "ok" : words.result(codeOf(ended.error)) })
          metrics.stepSeconds.observe({ step: name }, seconds)
        })
      return caseId === undefined ? measured() : traces.step(name, { case: caseId }, measured)
    },
    poll: (platform, run) =>
      timed(run, (ended) => {
        metrics.polls.inc({ platform, result: ended.ok ? "ok" : words.result(codeOf(ended.error)) })
        if (ended.ok) metrics.polled.set({ platform }, clock() / 1_000)
      }),
    watching: (log) => watching(log, (code) => metrics.alarms.inc({ code: words.code(code) })),
    refused: (reason) => metrics.refusals.inc({ reason: words.reason(reason) }),
  }
}

type Ended<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: unknown }

/** Runs something, and tells how it ended and after how many seconds. */
function createTimer(clock: () => number) {
  return async <T>(run: () => Promise<T>, tell: (ended: Ended<T>, seconds: number) => void): Promise<T> => {
    const began = clock()
    const ended = await outcomeOf(run)
    tell(ended, Math.max(0, clock() - began) / 1_000)
    if (!ended.ok) throw ended.error
    return ended.value
  }
}

async function outcomeOf<T>(run: () => Promise<T>): Promise<Ended<T>> {
  try {
    return { ok: true, value: await run() }
  } catch (error) {
    return { ok: false, error }
  }
}

function codeOf(error: unknown): string {
  return isPortError(error) ? error.code : "failed"
}

/** How long a 429 asks us to wait, in ms. */
function waitOf(error: unknown): number {
  return isPortError(error) ? (error.retryAfterMs ?? 0) : 0
}

/** Operators filter the log for alarms (`bot/modules.ts`). We count exactly those lines. */
function watching(log: Log, alarmed: (code: string) => void): Log {
  return {
    ...log,
    error: (event: string, fields?: Fields) => {
      if (event === "alarm") alarmed(String(fields?.["code"]))
      log.error(event, fields)
    },
    child: (fields) => watching(log.child(fields), alarmed),
  }
}

/** How many words one label may have; later words are counted as `other`. */
const maxWords = 100
/** The form of our own words: codes, statuses, Web API methods, routes. */
const plain = /^[A-Za-z0-9 ./{}_-]{1,60}$/

/** Makes the function that limits one label's words: it gives back a word as it is, or `other`. */
export function createWords(): (word: string) => string {
  const known = new Set<string>()
  return (word) => {
    if (known.has(word)) return word
    if (known.size >= maxWords || !plain.test(word)) return "other"
    known.add(word)
    return word
  }
}
