// Work under way: interactions that we took and have not finished. A shutdown waits for them.

/** Counts work and waits for it. */
export interface PendingWork {
  /** Runs work that a shutdown waits for. Returns its result. */
  track<T>(work: Promise<T>): Promise<T>
  /** Resolves when nothing is under way, but no later than after `limitMs`: true if all work ended. */
  finished(limitMs: number): Promise<boolean>
}

/** Makes a `PendingWork`. At first nothing is under way. */
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
