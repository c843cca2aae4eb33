// An open loop: it sends each request when it is due, whether or not earlier requests were answered. A loop that waits
// for answers sends less while they are slow, and so misses just the bad times.
import { createHistogram } from "node:perf_hooks"
import { setTimeout as timer } from "node:timers/promises"
import type { Quantiles } from "../parts/figure.ts"

/** What is sent, and how often. Time is handed in; both are ms. */
export interface OpenLoop {
  /** A second. */
  readonly rate: number
  readonly count: number
  /** Sends the `at`-th; nobody waits for it. `due` is by `now`. */
  readonly send: (at: number, due: number) => void
  readonly now?: () => number
  readonly wait?: (ms: number) => Promise<unknown>
}

/** Sends all at a steady rate. One that comes late, because the process was busy, is sent at once. */
export async function sendSteadily({ rate, count, send, now, wait = timer }: OpenLoop): Promise<void> {
  const clock = now ?? (() => performance.now())
  const begun = clock()
  for (let at = 0; at < count; at += 1) {
    const due = begun + (at * 1_000) / rate
    for (let left = due - clock(); left > 0; left = due - clock()) await wait(Math.ceil(left))
    send(at, due)
  }
}

/** Times of which quantiles are wanted, each kept to three digits. */
export interface Times {
  /** In ms; anything below a microsecond counts as one. */
  record(ms: number): void
  quantiles(): Quantiles
}

/** Makes an empty one. */
export function createTimes(): Times {
  const histogram = createHistogram()
  const ms = (percent: number) => histogram.percentile(percent) / 1_000
  return {
    record: (taken) => histogram.record(Math.max(1, Math.round(taken * 1_000))),
    quantiles: () => ({ p50: ms(50), p99: ms(99), p999: ms(99.9) }),
  }
}
