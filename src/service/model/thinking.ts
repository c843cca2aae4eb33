// The runs whose models are being asked right now: each at most once in this process, and all can be given up.

/** See the head. A run is known by the id of the one that a caller started. */
export interface Thinking {
  /** Notes a run. Gives back what gives it up, or null if it is noted already. */
  begin(runId: string): AbortSignal | null
  /** Forgets a run. */
  end(runId: string): void
  /** Gives up a run, because it is cancelled. */
  giveUp(runId: string): void
  /** Gives up all runs, lets no new one begin, and resolves when the last has ended. */
  close(): Promise<void>
}

/** Makes one without any run. */
export function createThinking(): Thinking {
  const underWay = new Map<string, AbortController>()
  const ended = Promise.withResolvers<void>()
  let isClosing = false
  return {
    begin: (runId) => {
      if (isClosing || underWay.has(runId)) return null
      const controller = new AbortController()
      underWay.set(runId, controller)
      return controller.signal
    },
    end: (runId) => {
      underWay.delete(runId)
      if (isClosing && underWay.size === 0) ended.resolve()
    },
    giveUp: (runId) => underWay.get(runId)?.abort(),
    close: () => {
      isClosing = true
      for (const controller of underWay.values()) controller.abort()
      if (underWay.size === 0) ended.resolve()
      return ended.promise
    },
  }
}
