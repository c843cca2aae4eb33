// The runs whose models are being asked right now. Each run is here at most once, and asking can be stopped.

/** Notes the runs whose models are being asked. A run is known by the id of the run that a caller started. */
export interface Thinking {
  /** Notes a run. Returns the signal that stops asking, or null if the run is noted already or `close` was called. */
  begin(runId: string): AbortSignal | null
  /** Forgets a run. */
  end(runId: string): void
  /** Stops asking for a run, because the run is cancelled. */
  giveUp(runId: string): void
  /** Stops asking for all runs, lets no new run begin, and resolves when the last has ended. */
  close(): Promise<void>
}

/** Makes `Thinking` without any run. */
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
