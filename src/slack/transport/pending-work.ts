// What is in the air: interactions that were taken and not finished, so that a shutdown can wait for them.

/** Counts work and waits for it. */
export interface Flight {
  /** Runs work that a shutdown waits for; gives back what it gives back. */
  track<T>(work: Promise<T>): Promise<T>
  /** Resolves when nothing is in the air, at the latest after `limitMs`: true if all of it landed. */
  landed(limitMs: number): Promise<boolean>
}

/** Makes an empty flight. */
export function createFlight(): Flight {
  const inAir = new Set<Promise<unknown>>()
  return {
    track: (work) => {
      inAir.add(work)
      const land = () => inAir.delete(work)
      work.then(land, land)
      return work
    },
    landed: async (limitMs) => {
      const { promise: late, resolve } = Promise.withResolvers<"late">()
      const timer = setTimeout(() => resolve("late"), limitMs)
      try {
        while (inAir.size > 0) {
          const first = await Promise.race([late, Promise.allSettled(inAir)])
          if (first === "late") return false
        }
        return true
      } finally {
        clearTimeout(timer)
      }
    },
  }
}
