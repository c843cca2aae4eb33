// Repeats what a process does for as long as it runs, and says when to try again after a failure.

/** Ends what was begun or opened. */
export type Closer = () => Promise<void>

/**
 * Runs `work` every `everyMs`, never twice at once; `failed` hears of what it throws. It keeps no process alive. The
 * returned function ends that, and waits for what runs.
 */
export function repeat(everyMs: number, work: () => Promise<unknown>, failed: (error: unknown) => void): Closer {
  let running: Promise<unknown> | null = null
  const timer = setInterval(() => {
    running ??= work()
      .catch(failed)
      .finally(() => {
        running = null
      })
  }, everyMs)
  timer.unref()
  return async () => {
    clearInterval(timer)
    await running
  }
}

/** The wait after the first failure, in ms. */
export const shortestMs = 500
/** Within a minute after an outage everything has run again, and its follow-ups are done. */
const longestMs = 30_000

/**
 * Ms to wait after this many failures in a row: doubling from 500 to 30,000, less up to a half, so that work that
 * failed together spreads out. `random`: from 0 to below 1.
 */
export function backoffMs(failures: number, random: () => number): number {
  return waitAgainMs(shortestMs * 2 ** Math.min(Math.max(failures, 1) - 1, 20), random)
}

/**
 * The same for work that does not count its failures: as long again as we have tried so far, within the same bounds.
 */
export function waitAgainMs(triedMs: number, random: () => number): number {
  const full = Math.min(longestMs, Math.max(shortestMs, triedMs))
  return Math.round(full * (1 - random() / 2))
}
