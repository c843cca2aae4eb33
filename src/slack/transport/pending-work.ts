// Work under way: interactions that we took and have not finished, so that a shutdown can wait for them.

/** Counts work and waits for it. */
export interface PendingWork {
  /** Runs work that a shutdown waits for; gives back what it gives back. */
  track<T>(work: Promise<T>): Promise<T>
  /** Resolves when nothing is under way, at the latest after `limitMs`: true if all of it ended. */
  finished(limitMs: number): Promise<boolean>
}

/** Makes it, with nothing under way. */
export function createPendingWork(): PendingWork {
  const pending = new Set<Promise<unknown>>()
  return {
    track: (work) => {
      pending.add(work)
      const ended = () => pending.delete(work)
      work.then(ended, ended)
      return work
    },
    finished: async (limitMs) => {
      const { promise: late, resolve } = Promise.withResolvers<"late">()
      const timer = setTimeout(() => resolve("late"), limitMs)
      try {
        while (pending.size > 0) {
          const first = await Promise.race([late, Promise.allSettled(pending)])
          if (first === "late") return false
        }
        return true
      } finally {
        clearTimeout(timer)
      }
    },
  }
}
