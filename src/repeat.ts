// Repeats work for as long as a process runs, and says when to try again after a failure.

/** Ends what somebody began or opened. */
export type Closer = () => Promise<void>

/**
 * Runs `work` every `everyMs`, never twice at once, and gives its errors to `failed`. It does not keep the process
 * alive. The returned function ends the repeats, and waits for the run that is under way.
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
/** The longest wait, in ms: within a minute after an outage everything has run again, with its follow-ups. */
const longestMs = 30_000

/**
 * How long to wait after this many failures in a row, in ms: doubles from 500 to 30,000. We take off a random part, up
 * to a half, so that work that failed together spreads out. `random`: from 0 to below 1.
 */
export function backoffMs(failures: number, random: () => number): number {
  return waitAgainMs(shortestMs * 2 ** Math.min(Math.max(failures, 1) - 1, 20), random)
}

/** How long work waits if nobody counts its failures: for as long as we have tried so far, within the same bounds. */
export function waitAgainMs(triedMs: number, random: () => number): number {
  const full = Math.min(longestMs, Math.max(shortestMs, triedMs))
  return Math.round(full * (1 - random() / 2))
}
