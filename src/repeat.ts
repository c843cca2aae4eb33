// Repeats what a process does for as long as it runs.

/** Ends what was begun or opened. */
export type Closer = () => Promise<void>

/**
 * Runs `work` every so many ms, never twice at once; `failed` hears of what it throws. It keeps no process alive. What is given back ends that,
 * and waits for what runs.
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
